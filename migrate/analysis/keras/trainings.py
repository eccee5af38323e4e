"""The training calls of Keras and their callbacks."""

import ast
from collections.abc import Hashable, Iterator, Sequence

from migrate.analysis.source.arguments import Unbindable, bind
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import Names
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.places import key_of, single_assignment
from migrate.files.run_cache import tree_cache
from migrate.records import dataclass, field

TRAINING_METHODS = {"fit", "fit_generator", "train_on_batch"}
FIT = (
    "x", "y", "batch_size", "epochs", "verbose", "callbacks", "validation_split", "validation_data", "shuffle",
    "class_weight", "sample_weight", "initial_epoch", "steps_per_epoch", "validation_steps", "validation_batch_size",
    "validation_freq", "max_queue_size", "workers", "use_multiprocessing",
)  # fmt: skip
FIT_GENERATOR = (
    "x", "steps_per_epoch", "epochs", "verbose", "callbacks", "validation_data", "validation_steps", "validation_freq",
    "class_weight", "max_queue_size", "workers", "use_multiprocessing", "shuffle", "initial_epoch",
)  # fmt: skip
KERAS_1_ARGUMENTS = {
    "nb_epoch": "epochs", "nb_worker": "workers", "max_q_size": "max_queue_size", "pickle_safe": "use_multiprocessing",
}  # fmt: skip
"""The names in Keras 2 of the arguments that Keras 1 named otherwise."""


_RECOVERIES = {"BackupAndRestore", "CheckpointRecovery"}


@dataclass
class Fit:
    """A call of ``fit`` or ``fit_generator``.

    Attributes:
      callbacks: the expressions of its callbacks.
      display: the list literal of its callbacks; None if the file has none.
      is_one: whether ``callbacks`` is a single callback, not a list.
    """

    call: ast.Call
    receiver: ast.expr
    arguments: dict[str, ast.expr]
    callbacks: list[ast.expr] = field(default_factory=list)
    display: ast.List | None = None
    is_one: bool = False

    def is_recovered(self, names: Names) -> bool:
        """Whether ``BackupAndRestore`` or this tool's recovery is among the callbacks."""
        given = self.arguments.get("callbacks")
        listed = given.elts if isinstance(given, ast.List) else []
        made = [given, *(callback_call(names, element) for element in [*self.callbacks, *listed])]
        called = [ast.unparse(one.func) for one in made if isinstance(one, ast.Call)]
        return any(one.endswith("BackupAndRestore.beside") or one.rpartition(".")[2] in _RECOVERIES for one in called)


def trainings(module: Module) -> Iterator[Fit]:
    """Yields the training calls of a module that have a list literal of callbacks."""
    return (fit for fit in all_trainings(module) if fit.display is not None)


def has_recovery(module: Module) -> bool:
    """Whether a training of a module already has a recovery."""
    is_named = any(word in module.text for word in _RECOVERIES)
    is_fit = is_named and any(fit.is_recovered(module.names) for fit in all_trainings(module))
    return is_fit or "recovered(" in module.text


def all_trainings(module: Module) -> Iterator[Fit]:
    """Yields the training calls of a module, except those with unknown arguments."""
    for node in module.names.nodes(ast.Call):
        fit = training_of(module, node)
        if fit is not None and key_of(module.names, fit.receiver) is not None:
            yield fit


@tree_cache
def trainings_by_model(names: Names) -> dict[Hashable, list[ast.Call]]:
    """Returns the training calls of a file whose arguments are known, by the ``key_of`` of the model."""
    found: dict[Hashable, list[ast.Call]] = {}
    for call in names.nodes(ast.Call):
        model = key_of(names, call.func.value) if isinstance(call.func, ast.Attribute) else None
        if model is not None and _arguments(call) is not None:
            found.setdefault(model, []).append(call)
    return found


def training_of(module: Module, call: ast.Call) -> Fit | None:
    """Returns a call as a ``Fit``; None if it is no training or its arguments are unknown."""
    arguments = _arguments(call)
    if arguments is None or not isinstance(call.func, ast.Attribute):
        return None
    fit = Fit(call, call.func.value, arguments)
    _read_callbacks(module, fit)
    return fit


def _arguments(call: ast.Call) -> dict[str, ast.expr] | None:
    """Returns the arguments of a training call; None if it is no training or they are unknown."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("fit", "fit_generator"):
        return None
    return _explicit_arguments(call, FIT if call.func.attr == "fit" else FIT_GENERATOR)


def _explicit_arguments(call: ast.Call, parameters: Sequence[str]) -> dict[str, ast.expr] | None:
    """Returns the explicit arguments of a call; None if ``**settings`` may contain its callbacks."""
    plain = [keyword for keyword in call.keywords if keyword.arg is not None]
    if len(plain) < len(call.keywords):
        is_fit = isinstance(call.func, ast.Attribute) and call.func.attr == "fit"
        if not is_fit or all(keyword.arg != "callbacks" for keyword in plain):
            return None
    try:
        arguments = bind(ast.Call(call.func, call.args, plain), parameters)
    except Unbindable:
        return None
    arguments = {KERAS_1_ARGUMENTS.get(name, name): value for name, value in arguments.items()}
    if "generator" in arguments:  # fit_generator's own name for it
        arguments = {"x": arguments.pop("generator"), **arguments}
    return arguments


def _read_callbacks(module: Module, fit: Fit) -> None:
    names, given = module.names, fit.arguments.get("callbacks")
    value = names.value_at_use(given) if isinstance(given, ast.Name) else given
    made = single_assignment(names, value) if isinstance(value, ast.Attribute) else value
    called = name_of(made.func) if isinstance(made, ast.Call) else ""
    fit.is_one = called[:1].isupper() and called != "CallbackList"
    if given is not None and fit.is_one:
        fit.callbacks = [given]
    if isinstance(value, ast.List):
        fit.display, fit.callbacks = value, list(value.elts)
        for use in names.reads_of(given):
            method = names.parent(use)
            call = names.parent(method)
            is_its = len(names.bindings(given)) == 1 or value.lineno <= use.lineno <= fit.call.lineno
            if isinstance(method, ast.Attribute) and method.attr == "append" and isinstance(call, ast.Call) and is_its:
                fit.callbacks += call.args


def callback_call(names: Names, element: ast.expr) -> ast.Call | None:
    """Returns the call that creates a callback in a list, directly or through a variable; None for none."""
    held = names.value_at_use(element) if isinstance(element, ast.Name) else element
    made = names.value(held) if held is not None else None
    return made if isinstance(made, ast.Call) else None


def is_on_workers(module: Module) -> bool:
    """Whether a module uses a strategy for several workers, for which ``fit`` has another rule."""
    return any(tail.endswith("MultiWorkerMirroredStrategy") for tail in module.uses)


@tree_cache
def rank_call(names: Names) -> ast.Call | None:
    """Returns a call that gives the rank of a process, such as ``hvd.rank()``; None for none."""
    calls = (node for node in names.nodes(ast.Call) if not node.args)
    asked = (call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr in ("rank", "Get_rank"))
    return next((call for call in asked if names.qualified(call.func) is not None), None)


@tree_cache
def distributed_library(module: Module) -> str:
    """Returns the package that runs a module in several processes; "" for none."""
    asked = rank_call(module.names)
    if asked is not None:
        return (module.names.qualified(asked.func) or "").partition(".")[0]
    imported = [one.name for node in module.names.nodes(ast.Import) for one in node.names]
    imported += [node.module or "" for node in module.names.nodes(ast.ImportFrom)]
    return "horovod" if any(name.startswith("horovod") for name in imported) else ""


def is_training(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in ("fit", "fit_generator")


def is_model_fit(call: ast.Call) -> bool:
    """Whether a call trains a model; ``fit(x)`` without more arguments fits a scaler or an ``ImageDataGenerator``."""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if method == "fit":
        return len(call.args) > 1 or any(keyword.arg in FIT[2:] or keyword.arg is None for keyword in call.keywords)
    return method == "fit_generator"
