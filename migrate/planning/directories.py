"""Where the directories come from into which a program saves its checkpoints."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from migrate.analysis.program.defined_flags import Flag
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.arguments import is_none, literal
from migrate.analysis.source.constructors import CUSTOM_PARAMETERS, KERAS_PARAMETERS, TPU_PARAMETERS, parameters
from migrate.analysis.source.module import Module
from migrate.analysis.source.symbols import CUSTOM, PREMADE
from migrate.analysis.values.values import Values
from migrate.files.sources import is_generated
from migrate.planning.command_flags import flags_of
from migrate.planning.entry_points import files_run_by_import, modules_of_program

_VARIABLES = ("os.environ", "os.getenv", "os.environ.get")
_NEUTRAL = (
    *("os.path.", "pathlib.", "time.", "datetime.", "uuid.", "getpass.", "socket.", "random.", "os.getcwd"),
    *("str", "int", "format", "abs", "os.getpid", "os.fspath"),
)
"""Calls whose value is no more given from outside than their arguments are."""

_MADE = (ast.Call, ast.BinOp, ast.JoinedStr)
"""What puts a path together."""


class Origin(Enum):
    """What a directory comes from, the strongest first: one part of a path that is given from outside settles it."""

    FLAG = "a flag"
    ENVIRONMENT = "a variable of the environment"
    UNKNOWN = "something that is not seen"
    TEMPORARY = "a temporary directory"
    WRITTEN = "the code"


class Provenance:
    """What values of a program come from."""

    def __init__(self, values: Values, flags: Mapping[str, Flag]) -> None:
        self._values = values
        self._flags = flags

    def of(self, module: Module, value: ast.expr, is_file: bool = False) -> tuple[Origin, str] | None:
        """Returns the strongest source of a value and its name; None for a value that is None.

        Args:
          is_file: whether it is the path of a file, of which the directory is asked: what gives it whole is unknown.
        """
        found = self._origins(module, value, 0)
        if is_file:
            ends = [one for one in self._values.ends(module, value) if not isinstance(one.node, _MADE)]
            whole = [self._external_origin(module, value), *(self._end(one.module, one.node, 0) for one in ends)]
            found = ((Origin.UNKNOWN, "") if one[0] is Origin.FLAG and one in whole else one for one in found)
        return min(found, key=lambda one: [*Origin].index(one[0]), default=None)

    def _origins(self, module: Module, value: ast.expr, depth: int) -> Iterator[tuple[Origin, str]]:
        known = self._external_origin(module, value)
        if known is not None or depth > 8:
            yield known or (Origin.UNKNOWN, "")
            return
        for end in self._values.ends(module, value):
            if not is_none(end.node if isinstance(end.node, ast.expr) else None) or end.node is None:
                yield self._end(end.module, end.node, depth)

    def _end(self, module: Module, node: ast.AST, depth: int) -> tuple[Origin, str]:
        """What one thing comes from that a directory may be."""
        if isinstance(node, ast.arg) and node.arg in self._flags:
            return Origin.FLAG, self._flags[node.arg].spelled
        if not isinstance(node, ast.expr):
            return Origin.UNKNOWN, ""
        known = self._external_origin(module, node)
        if known is not None:
            return known
        if isinstance(node, ast.Constant):
            return Origin.WRITTEN, repr(node.value)
        parts = _parts(module, node)
        if parts is None:
            return Origin.UNKNOWN, ""
        found = [one for part in parts for one in self._origins(module, part, depth + 1)]
        strongest = min(found, key=lambda one: [*Origin].index(one[0]), default=(Origin.WRITTEN, ""))
        return (Origin.WRITTEN, ast.unparse(node)) if strongest[0] is Origin.WRITTEN else strongest

    def _external_origin(self, module: Module, node: ast.expr) -> tuple[Origin, str] | None:
        """The flag, the variable or the temporary directory that an expression itself is."""
        called = node.func if isinstance(node, ast.Call) else node.value if isinstance(node, ast.Subscript) else node
        dotted = module.names.qualified(called) or ""
        if dotted.startswith("tempfile."):
            return Origin.TEMPORARY, ""
        if dotted in _VARIABLES and not isinstance(node, ast.Attribute | ast.Name):
            key = node.args[0] if isinstance(node, ast.Call) and node.args else getattr(node, "slice", None)
            name = literal(key)
            return (Origin.ENVIRONMENT, name) if isinstance(name, str) else (Origin.UNKNOWN, "")
        name = node.attr if isinstance(node, ast.Attribute) else literal(getattr(node, "slice", None))
        is_flag = isinstance(name, str) and name in self._flags and not _is_own(node)
        return (Origin.FLAG, self._flags[name].spelled) if is_flag and isinstance(name, str) else None


def _is_own(node: ast.expr) -> bool:
    """Whether an attribute is one of ``self``, which is followed to what is assigned to it."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def _parts(module: Module, node: ast.expr) -> Collection[ast.expr] | None:
    """What a path is put together from; None where that is not seen."""
    if isinstance(node, ast.JoinedStr):
        return [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
    if isinstance(node, ast.BinOp):
        right = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return [node.left, *right]
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.Call):
        dotted = module.names.qualified(node.func) or ast.unparse(node.func)
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Constant):
            return given  # a method of a text
        is_neutral = dotted.startswith(tuple(one for one in _NEUTRAL if one.endswith("."))) or dotted in _NEUTRAL
        return given if is_neutral else None
    return [] if isinstance(node, ast.Name) and node.id == "__file__" else None


@dataclass(frozen=True)
class Directory:
    """A directory that a call saves checkpoints into.

    Attributes:
      name: the flag as it is spelled on a command line, the variable, or the directory as it is written.
      place: ``path:line`` of the call.
    """

    origin: Origin
    name: str
    place: str

    @property
    def is_absolute(self) -> bool:
        """Whether one that is written in the code is the same wherever the program is started, as far as is seen."""
        return re.match(r"[frbFRB]*['\"](/|~|\w+://)", self.name) is not None


_LAST = "model_dir"
_OF_FILES = ("ModelCheckpoint", "save_weights")
"""What is given a file; a flag that names the file itself gives no directory."""
_PLACES: dict[str, Sequence[str]] = {
    **{name: parameters(name, is_v1=True) or parameters(name, is_v1=False) for name in PREMADE},
    **dict.fromkeys(CUSTOM, CUSTOM_PARAMETERS),
    "TPUEstimator": TPU_PARAMETERS,
    "model_to_estimator": KERAS_PARAMETERS,
    "RunConfig": (_LAST,),
    "CheckpointManager": ("checkpoint", "directory"),
    **dict.fromkeys(_OF_FILES, ("filepath",)),
    "ModelCheckpoints": ("directory",),
    "BackupAndRestore": ("backup_dir",),
    "MonitoredTrainingSession": ("master", "is_chief", "checkpoint_dir"),
    "Supervisor": ("graph", "ready_op", "ready_for_local_init_op", "is_chief", "init_op", "init_feed_dict",
                   "local_init_op", "logdir"),
}  # fmt: skip
"""The parameters of what saves, TensorFlow's own and what this tool writes under the same names."""
_DIRECTORIES = (_LAST, "directory", "backup_dir", "checkpoint_dir", "logdir", "filepath")
_ESTIMATORS = {*PREMADE, *CUSTOM, "TPUEstimator", "model_to_estimator"}


def directories(start: str, tree: Tree) -> list[Directory]:
    """The directories that a program saves into, each once; none where none is seen."""
    modules = [module for module in modules_of_program(start, tree) if not is_generated(module.text)]
    flags = {flag.name: flag for flag in flags_of([start, *files_run_by_import(start, tree)])}
    calls = [(module, call, name) for module in modules for call, name in _calls_that_save(module)]
    given = [(module, call, _argument(call, name), name in _OF_FILES) for module, call, name in calls]
    origins = Provenance(Values(tree), flags)
    found = [_directory(origins, module, call, value, is_file) for module, call, value, is_file in given if value]
    makers = [(module, call) for module, call, name in calls if name in _ESTIMATORS]
    if makers and not found and not any(_may_be_told(call, name) for _, call, name in calls):
        found = [Directory(Origin.TEMPORARY, "", _place(*makers[0]))]
    return list(dict.fromkeys(one for one in found if one is not None))


def _directory(origins: Provenance, module: Module, call: ast.Call, value: ast.expr, is_file: bool) -> Directory | None:
    """The directory of a call; None where it is given None."""
    found = origins.of(module, value, is_file)
    return Directory(found[0], found[1] or ast.unparse(value), _place(module, call)) if found is not None else None


def _calls_that_save(module: Module) -> Iterator[tuple[ast.Call, str]]:
    """The calls of what saves, by the last part of their name."""
    for call in module.names.nodes(ast.Call):
        dotted = module.names.qualified(call.func) or ast.unparse(call.func)
        name = dotted.rpartition(".")[2]
        if name in _PLACES:
            yield call, name


def _argument(call: ast.Call, name: str) -> ast.expr | None:
    """The directory that a call is given; None where it is given none."""
    by_place = dict(zip(_PLACES[name], call.args, strict=False))
    by_name = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    value = next((found[one] for one in _DIRECTORIES for found in (by_name, by_place) if one in found), None)
    return None if value is None or is_none(value) else value


def _may_be_told(call: ast.Call, name: str) -> bool:
    """Whether a config or unseen arguments may name the directory of an Estimator, which makes one if none does."""
    names = [keyword.arg for keyword in call.keywords]
    given = [*names, *_PLACES[name][: len(call.args)]]
    has_config = "config" in given and name in _ESTIMATORS and not _makes_config(call, name)
    return None in names or has_config or any(isinstance(one, ast.Starred) for one in call.args)


def _makes_config(call: ast.Call, name: str) -> bool:
    """Whether the config is a ``RunConfig`` made in the call itself, where it is seen."""
    given = [*zip(_PLACES[name], call.args, strict=False), *((keyword.arg, keyword.value) for keyword in call.keywords)]
    configs = [value for parameter, value in given if parameter == "config"]
    return any(isinstance(one, ast.Call) and ast.unparse(one.func).endswith("RunConfig") for one in configs)


def _place(module: Module, node: ast.expr) -> str:
    return f"{module.path}:{node.lineno}"


_LENGTHS = {"TrainSpec": ("input_fn", "max_steps"), "train": ("input_fn", "hooks", "steps", "max_steps"), "fit": ()}
_NAMES = ("max_steps", "steps", "epochs")
_COUNTED = re.compile(r"epoch|step|iter(?!able)")
"""A word in the end of a range that a training's turns are counted by."""


def length_flag(start: str, flags: Collection[Flag], tree: Tree) -> Flag | None:
    """The flag that gives a training its steps or epochs, the first that is seen; None where none is."""
    origins = Provenance(Values(tree), {flag.name: flag for flag in flags})
    spelled = {flag.spelled: flag for flag in flags}
    modules = [module for module in modules_of_program(start, tree) if not is_generated(module.text)]
    calls = [(module, call) for module in modules for call in module.names.nodes(ast.Call)]
    for lengths in (_lengths, _turns):
        for module, value in ((module, value) for module, call in calls for value in lengths(call)):
            origin, name = origins.of(module, value) or (None, "")
            if origin is Origin.FLAG:
                return spelled[name]
    return None


def _lengths(call: ast.Call) -> list[ast.expr]:
    """The numbers of steps or epochs that a call is given, if it trains."""
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if called not in _LENGTHS or (called != "TrainSpec" and not isinstance(call.func, ast.Attribute)):
        return []  # a function of the program's own, if at all
    by_place = zip(_LENGTHS[called], call.args, strict=False)
    given = [*by_place, *((keyword.arg, keyword.value) for keyword in call.keywords)]
    return [value for name, value in given if name in _NAMES]


def _turns(call: ast.Call) -> list[ast.expr]:
    """The end of a range, where its words say that it counts epochs or steps."""
    ends = call.args[:2][-1:] if isinstance(call.func, ast.Name) and call.func.id == "range" else []
    return [end for end in ends if _COUNTED.search(ast.unparse(end)) and "_per_" not in ast.unparse(end)]
