"""Finds what sets the directories that a program saves checkpoints into: flags, variables or the code."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum

from migrate.analysis.calls.objects import is_of_self
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
from migrate.records import dataclass

_VARIABLES = ("os.environ", "os.getenv", "os.environ.get")
_NEUTRAL = (
    *("os.path.", "pathlib.", "time.", "datetime.", "uuid.", "getpass.", "socket.", "random.", "os.getcwd"),
    *("str", "int", "format", "abs", "os.getpid", "os.fspath"),
)
"""Calls whose result comes from outside the program only if one of their arguments does."""

_PATH_BUILDERS = (ast.Call, ast.BinOp, ast.JoinedStr)
"""The expressions that build a path from parts."""


class Origin(Enum):
    """What sets a directory. The first member that sets one part of a path counts for the whole path."""

    FLAG = "a flag"
    ENVIRONMENT = "a variable of the environment"
    UNKNOWN = "something that is not seen"
    TEMPORARY = "a temporary directory"
    WRITTEN = "the code"


class Provenance:
    """Finds what sets the values of a program."""

    def __init__(self, values: Values, flags: Mapping[str, Flag]) -> None:
        self._values = values
        self._flags = flags

    def origin_of(self, module: Module, value: ast.expr, is_file: bool = False) -> tuple[Origin, str] | None:
        """Returns the origin of a value and its name; None for a value that is None.

        Args:
          is_file: whether the value is the path of a file: a flag for the whole path sets no directory.
        """
        found = self._origins(module, value, 0)
        if is_file:
            cases = [one for one in self._values.of(module, value) if not isinstance(one.node, _PATH_BUILDERS)]
            resolved = (self._resolve(one.module, one.node, 0) for one in cases)
            whole = [self._external_origin(module, value), *resolved]
            found = ((Origin.UNKNOWN, "") if one[0] is Origin.FLAG and one in whole else one for one in found)
        return min(found, key=lambda one: [*Origin].index(one[0]), default=None)

    def _origins(self, module: Module, value: ast.expr, depth: int) -> Iterator[tuple[Origin, str]]:
        known = self._external_origin(module, value)
        if known is not None or depth > 8:
            yield known or (Origin.UNKNOWN, "")
            return
        for case in self._values.of(module, value):
            if not is_none(case.node if isinstance(case.node, ast.expr) else None) or case.node is None:
                yield self._resolve(case.module, case.node, depth)

    def _resolve(self, module: Module, node: ast.AST, depth: int) -> tuple[Origin, str]:
        """Returns the origin of one node that a directory may be."""
        if isinstance(node, ast.arg) and node.arg in self._flags:
            return Origin.FLAG, self._flags[node.arg].spelling
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
        """Returns the flag, environment variable or temporary directory that an expression reads; None for others."""
        called = node.func if isinstance(node, ast.Call) else node.value if isinstance(node, ast.Subscript) else node
        dotted = module.names.qualified(called) or ""
        if dotted.startswith("tempfile."):
            return Origin.TEMPORARY, ""
        if dotted in _VARIABLES and not isinstance(node, ast.Attribute | ast.Name):
            key = node.args[0] if isinstance(node, ast.Call) and node.args else getattr(node, "slice", None)
            name = literal(key)
            return (Origin.ENVIRONMENT, name) if isinstance(name, str) else (Origin.UNKNOWN, "")
        name = node.attr if isinstance(node, ast.Attribute) else literal(getattr(node, "slice", None))
        is_of_object = isinstance(node, ast.Attribute) and is_of_self(node)  # its assignments are followed instead
        is_flag = isinstance(name, str) and name in self._flags and not is_of_object
        return (Origin.FLAG, self._flags[name].spelling) if is_flag and isinstance(name, str) else None


def _parts(module: Module, node: ast.expr) -> Collection[ast.expr] | None:
    """Returns the parts that an expression builds a path from; None where they are not known."""
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
            return given  # a method of a string
        is_neutral = dotted.startswith(tuple(one for one in _NEUTRAL if one.endswith("."))) or dotted in _NEUTRAL
        return given if is_neutral else None
    return [] if isinstance(node, ast.Name) and node.id == "__file__" else None


@dataclass(frozen=True)
class Directory:
    """A directory that a call saves checkpoints into.

    Attributes:
      name: the flag with its dashes, the environment variable, or the directory as source.
      place: ``path:line`` of the call.
    """

    origin: Origin
    name: str
    place: str

    @property
    def is_absolute(self) -> bool:
        """Whether its source is an absolute path, which does not depend on where the program is started."""
        return re.match(r"[frbFRB]*['\"](/|~|\w+://)", self.name) is not None


_MODEL_DIR = "model_dir"
_FILE_SAVERS = ("ModelCheckpoint", "save_weights")
"""The calls that get the path of a file, not of a directory."""
_PARAMETERS: dict[str, Sequence[str]] = {
    **{name: parameters(name, is_v1=True) or parameters(name, is_v1=False) for name in PREMADE},
    **dict.fromkeys(CUSTOM, CUSTOM_PARAMETERS),
    "TPUEstimator": TPU_PARAMETERS,
    "model_to_estimator": KERAS_PARAMETERS,
    "RunConfig": (_MODEL_DIR,),
    "CheckpointManager": ("checkpoint", "directory"),
    **dict.fromkeys(_FILE_SAVERS, ("filepath",)),
    "ModelCheckpoints": ("directory",),
    "BackupAndRestore": ("backup_dir",),
    "MonitoredTrainingSession": ("master", "is_chief", "checkpoint_dir"),
    "Supervisor": ("graph", "ready_op", "ready_for_local_init_op", "is_chief", "init_op", "init_feed_dict",
                   "local_init_op", "logdir"),
}  # fmt: skip
"""The parameters of the calls that save, TensorFlow's own and the generated ones of the same names."""
_DIRECTORIES = (_MODEL_DIR, "directory", "backup_dir", "checkpoint_dir", "logdir", "filepath")
_ESTIMATORS = {*PREMADE, *CUSTOM, "TPUEstimator", "model_to_estimator"}


def directories(start: str, tree: Tree) -> list[Directory]:
    """Returns the directories that a program saves into, each once; empty where none is found."""
    modules = [module for module in modules_of_program(start, tree) if not is_generated(module.text)]
    flags = {flag.name: flag for flag in flags_of([start, *files_run_by_import(start, tree)])}
    calls = [(module, call, name) for module in modules for call, name in _calls_that_save(module)]
    given = [(module, call, _argument(call, name), name in _FILE_SAVERS) for module, call, name in calls]
    origins = Provenance(Values(tree), flags)
    found = [_directory(origins, module, call, value, is_file) for module, call, value, is_file in given if value]
    makers = [(module, call) for module, call, name in calls if name in _ESTIMATORS]
    if makers and not found and not any(_may_get_directory(call, name) for _, call, name in calls):
        found = [Directory(Origin.TEMPORARY, "", _place(*makers[0]))]
    return list(dict.fromkeys(one for one in found if one is not None))


def _directory(origins: Provenance, module: Module, call: ast.Call, value: ast.expr, is_file: bool) -> Directory | None:
    """Returns the directory that a call saves into; None where it passes None."""
    found = origins.origin_of(module, value, is_file)
    return Directory(found[0], found[1] or ast.unparse(value), _place(module, call)) if found is not None else None


def _calls_that_save(module: Module) -> Iterator[tuple[ast.Call, str]]:
    """Yields the calls that save, each with the last part of its name."""
    for call in module.names.nodes(ast.Call):
        dotted = module.names.qualified(call.func) or ast.unparse(call.func)
        name = dotted.rpartition(".")[2]
        if name in _PARAMETERS:
            yield call, name


def _argument(call: ast.Call, name: str) -> ast.expr | None:
    """Returns the directory argument of a call; None where it has none."""
    by_place = dict(zip(_PARAMETERS[name], call.args, strict=False))
    by_name = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    value = next((found[one] for one in _DIRECTORIES for found in (by_name, by_place) if one in found), None)
    return None if value is None or is_none(value) else value


def _may_get_directory(call: ast.Call, name: str) -> bool:
    """Whether a config or unpacked arguments may set an Estimator's directory, else it makes a temporary one."""
    names = [keyword.arg for keyword in call.keywords]
    given = [*names, *_PARAMETERS[name][: len(call.args)]]
    has_config = "config" in given and name in _ESTIMATORS and not _makes_config(call, name)
    return None in names or has_config or any(isinstance(one, ast.Starred) for one in call.args)


def _makes_config(call: ast.Call, name: str) -> bool:
    """Whether the config is a ``RunConfig(...)`` in the call itself, whose arguments are looked at there."""
    given = [*zip(_PARAMETERS[name], call.args, strict=False), *((one.arg, one.value) for one in call.keywords)]
    configs = [value for parameter, value in given if parameter == "config"]
    return any(isinstance(one, ast.Call) and ast.unparse(one.func).endswith("RunConfig") for one in configs)


def _place(module: Module, node: ast.expr) -> str:
    return f"{module.path}:{node.lineno}"


_TRAININGS = {"TrainSpec": ("input_fn", "max_steps"), "train": ("input_fn", "hooks", "steps", "max_steps"), "fit": ()}
_LENGTH_PARAMETERS = ("max_steps", "steps", "epochs")
_COUNTING_WORD = re.compile(r"epoch|step|iter(?!able)")
"""A word that marks the end of a range as a number of epochs or steps."""


def length_flag(start: str, flags: Collection[Flag], tree: Tree) -> Flag | None:
    """Returns the first flag found that sets a number of steps or epochs; None where there is none."""
    origins = Provenance(Values(tree), {flag.name: flag for flag in flags})
    spelled = {flag.spelling: flag for flag in flags}
    modules = [module for module in modules_of_program(start, tree) if not is_generated(module.text)]
    calls = [(module, call) for module in modules for call in module.names.nodes(ast.Call)]
    for lengths in (_training_lengths, _range_ends):
        for module, value in ((module, value) for module, call in calls for value in lengths(call)):
            origin, name = origins.origin_of(module, value) or (None, "")
            if origin is Origin.FLAG:
                return spelled[name]
    return None


def _training_lengths(call: ast.Call) -> list[ast.expr]:
    """Returns the numbers of steps or epochs that a call of a training gets."""
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if called not in _TRAININGS or (called != "TrainSpec" and not isinstance(call.func, ast.Attribute)):
        return []  # perhaps a function of the program
    by_place = zip(_TRAININGS[called], call.args, strict=False)
    given = [*by_place, *((keyword.arg, keyword.value) for keyword in call.keywords)]
    return [value for name, value in given if name in _LENGTH_PARAMETERS]


def _range_ends(call: ast.Call) -> list[ast.expr]:
    """Returns the end of a ``range`` that counts epochs or steps, as the names in it say."""
    ends = call.args[:2][-1:] if isinstance(call.func, ast.Name) and call.func.id == "range" else []
    return [end for end in ends if _COUNTING_WORD.search(ast.unparse(end)) and "_per_" not in ast.unparse(end)]
