"""A model that is saved in a directory, saved in a file, or exported, in its place, with what loads it again."""

import ast
import posixpath
import re
from functools import cached_property

from migrate.analysis.module import Module
from migrate.analysis.path_searches import path_of
from migrate.analysis.paths import normal, template
from migrate.analysis.resume.reach import Reach
from migrate.analysis.saved_models import (
    LOADS,
    PathEnd,
    Save,
    beside,
    end_of,
    is_behind,
    is_told,
    name_in,
    other_uses,
)
from migrate.analysis.symbols import symbol_of
from migrate.analysis.trainings import is_on_workers
from migrate.analysis.values.values import Values
from migrate.edits.plan import Edit, InsertBefore, ReplaceExpression
from migrate.rewrite.vocabulary import Vocabulary

_TAKEN = (".keras", ".h5", ".hdf5")
"""What the name of a file may end in for ``Model.save`` of Keras 3."""
_SERVED = re.compile(r"(^|[/_-])(exports?|exported|serving|served|saved_?models?)([/_-]|$)")
_QUOTE = re.compile(r"/*('''|\"\"\"|'|\")$")
_OF_FUNCTIONS = ("keras.layers.", "keras.models.Model", "keras.Model", "keras.Sequential", "keras.models.Sequential")


class SavedDirectory:
    """What becomes of one call that saves a model in a directory.

    Args:
      module: the file.
      reach: the files around it.
      vocabulary: names for new code.
      save: the call.

    Attributes:
      call: the call.
      model: the model, as source.
      end: what its path ends in.
      loads: the calls of the file that load the same path behind it.
      problem: why it is left; "" where it is not.
    """

    def __init__(self, module: Module, reach: Reach, vocabulary: Vocabulary, save: Save) -> None:
        self._module, self._names, self._reach, self._vocabulary = module, module.names, reach, vocabulary
        self._save = save
        self.call, self.model = save.call, module.source.text(save.model)
        self.end = end_of(self._names, save.path)
        self.loads: list[ast.Call] = []
        self.problem = ""
        if self.is_refused:
            self.problem = self._found_problem()

    @property
    def is_refused(self) -> bool:
        """Whether Keras 3 surely refuses the path, in one branch at least."""
        return any(map(_is_refused, self.end.paths)) and "hf://" not in "".join(self.end.paths)

    @property
    def is_exported(self) -> bool:
        """Whether the directory's name says that it is served, and nothing of the program reads it."""
        is_named = any(_SERVED.search(re.sub("⟨.*?⟩", "", path).lower().rstrip("/")) for path in self.end.paths)
        return is_named and not self.loads and not self._save.others and not is_on_workers(self._module)

    @property
    def _read(self) -> list[ast.expr]:
        """The paths that the loads behind the save are given."""
        return [path for load in self.loads if (path := path_of(load)) is not None]

    @property
    def _ends(self) -> list[PathEnd]:
        """What the path of the save ends in, and what those of the loads do."""
        return [self.end, *(end_of(self._names, path) for path in self._read)]

    @cached_property
    def edits(self) -> frozenset[Edit]:
        """The rewrite."""
        module, text = self._module, self._module.source.text
        call, path = self._save.call, self._save.path
        if self.is_exported:
            return frozenset({ReplaceExpression(module.span(call), f"{text(self._save.model)}.export({text(path)})")})
        if self.end.problem:  # no literal ends it in each branch
            made: set[Edit] = {
                ReplaceExpression(module.span(one), f'f"{{{text(one)}}}.keras"') for one in (path, *self._read)
            }
        else:
            literals = {literal for end in self._ends for literal in end.literals}
            made = {ReplaceExpression(module.span(one), _suffixed(text(one))) for one in literals}
        if self._folder is not None:
            above = f"{self._vocabulary.tf}.io.gfile.makedirs({self._folder})"
            made.add(InsertBefore(module.span(self._names.statement_of(call)), above))
        return frozenset(made)

    @cached_property
    def _folder(self) -> str | None:
        """An expression for the folder, which Keras makes for a directory, not for a file; None where there is one."""
        folders = {posixpath.dirname(path.rstrip("/")) for path in self.end.paths}
        if folders <= {"", ".", "/tmp", *self._made}:
            return None
        if isinstance(self._save.path, ast.Constant):
            return repr(folders.pop()).replace("'", '"')
        return f"{self._vocabulary.standard('os')}.path.dirname({self._module.source.text(self._save.path)})"

    @cached_property
    def _made(self) -> set[str]:
        """The folders that the file makes itself."""
        calls = [one for one in self._names.nodes(ast.Call) if isinstance(one.func, ast.Attribute) and one.args]
        made = [one.args[0] for one in calls if one.func.attr in ("makedirs", "MakeDirs", "mkdir")]  # type: ignore[attr-defined]
        return {path for path in (template(self._names, one) for one in made) if path is not None}

    def _found_problem(self) -> str:
        if "include_optimizer" in self._save.others:
            return "a .keras file of Keras 2 takes no include_optimizer"
        is_plain = isinstance(self._save.path, ast.Name) and not any(path.endswith("/") for path in self.end.paths)
        if self.end.problem and not is_plain:
            return self.end.problem
        ends = [*map(_is_refused, self.end.paths)]
        if not all(ends):
            return "one branch gives it a file's name"
        problem = self._loads_problem() or self._elsewhere()
        if problem or self.is_exported:
            return problem
        if self.loads:
            problem = self._class_problem()
        chain = {node for end in self._ends for node in end.chain} | {*self._read}
        keeps_folder = not any(path.endswith("/") for path in self.end.paths)
        for use in other_uses(self._names, chain, keeps_folder=keeps_folder):
            problem = problem or f"line {use.lineno} uses the path too"
        return problem or self._named_again({literal for end in self._ends for literal in end.literals})

    def _loads_problem(self) -> str:
        """Why a load of the file keeps the name of what is saved; the loads behind the save are kept in mind."""
        for load in self._module.calls_of(*LOADS):
            path = path_of(load)
            own = end_of(self._names, path) if path is not None else PathEnd()
            is_same = bool(set(own.literals) & set(self.end.literals)) or bool(
                self._normal(own) & self._normal(self.end)
            )
            if path is None or (not own.paths and not is_same):
                return f"what load_model of line {load.lineno} reads is not seen"
            if not is_same and {*map(name_in, own.paths)} & {*map(name_in, self.end.paths), ""}:
                return f"load_model of line {load.lineno} may read it"
            if is_same and own.problem and not self.end.problem:
                return f"load_model of line {load.lineno} may read another"
            if is_same and not is_behind(self._names, self._save.call, load):
                return f"load_model of line {load.lineno} may read what an earlier start saved"
            if is_same:
                self.loads.append(load)
        return ""

    @staticmethod
    def _normal(end: PathEnd) -> set[str]:
        return {normal(path) for path in end.paths}

    def _elsewhere(self) -> str:
        """Why another file of the program, or one beside it, may read it."""
        known = [path.rstrip("/") for path in self.end.paths if "⟨" not in path]
        tied = {one.path: one for one in self._reach.holding("load_model") if one is not self._module}
        modules = {**tied}
        words = ("load_model", "from_saved_model", *known)
        paths = [path for path in beside(self._module.path) if self._reach.tree.holds(path, *words)]
        modules |= {one.path: one for one in self._reach.readable(paths) if one.path not in tied}
        for other in modules.values():
            for load in other.calls_of(*LOADS):
                names = self._names_read(other, load)
                where = f"load_model of {other.path}, line {load.lineno},"
                if {*map(name_in, self.end.paths)} & names:
                    return f"{where} may read it"
                if "" in names and other.path in tied:  # a program of its own is told what to read by its user
                    return f"{where} reads what is not seen"
            for node in other.names.nodes(ast.Constant):
                if isinstance(node.value, str) and normal(node.value) in known:
                    return f"{other.path}, line {node.lineno}, names it too"
        return ""

    def _names_read(self, module: Module, load: ast.Call) -> set[str]:
        """The last parts of the paths that a call may load; "" among them where one is not known."""
        path = path_of(load)
        if path is None:
            return {""}
        if own := name_in(template(module.names, path) or ""):
            return {own}
        found = set[str]()
        for end in Values(self._reach.tree).ends(module, path):
            one = template(end.module.names, end.node) if isinstance(end.node, ast.expr) else None
            found.add(name_in(one or ""))
        return found

    def _class_problem(self) -> str:
        """Why a file that Keras writes may not be loaded again where a SavedModel was."""
        if all(any(keyword.arg == "custom_objects" for keyword in load.keywords) for load in self.loads):
            return ""
        for module in (self._module, *self._reach.holding("keras")):
            for owner in module.names.nodes(ast.ClassDef):
                tails = [found.tail for base in owner.bases if (found := symbol_of(module.names, base)) is not None]
                if any(tail.startswith(_OF_FUNCTIONS) for tail in tails) and not owner.decorator_list:
                    return f"load_model must be given the class {owner.name} to read a .keras file"
            if module.calls_of("keras.layers.Lambda"):
                return "load_model must be given safe_mode=False to read a .keras file with a Lambda layer"
        return ""

    def _named_again(self, literals: set[ast.expr]) -> str:
        """Why another string of the file names the same path."""
        known = {normal(path) for path in self.end.paths if "⟨" not in path}
        for node in self._names.nodes(ast.Constant):
            if not isinstance(node.value, str) or node in literals or is_told(self._names, node):
                continue
            if any(normal(node.value) == one or node.value.startswith(f"{one}/") for one in known):
                return f"line {node.lineno} names the path too"
        return ""

    @property
    def _file(self) -> str:
        path = self._module.source.text(self._save.path)
        return _suffixed(path) if isinstance(self._save.path, ast.Constant) else f'f"{{{path}}}.keras"'

    @property
    def saved_as(self) -> str:
        """The call that saves a file."""
        return f"{self.model}.save({self._file})"

    @property
    def lines(self) -> str:
        """What is to be written by hand."""
        return (
            f"`{self.saved_as}` here and `load_model({self._file})` where it is read, or, to serve it, "
            f"`{self.model}.export({self._module.source.text(self._save.path)})`. Keras 3 loads no SavedModel of an "
            'earlier start by load_model; keras.layers.TFSMLayer(PATH, call_endpoint="serving_default") predicts with '
            "one."
        )


def _is_refused(path: str) -> bool:
    tail = path.rpartition("⟩")[2].rstrip("/")
    return bool(tail) and not any(one.endswith(tail) or tail.endswith(one) for one in _TAKEN)


def _suffixed(literal: str) -> str:
    """A string literal, or an f-string, whose value ends in ``.keras``."""
    return _QUOTE.sub(r".keras\1", literal)
