"""The training calls of Keras, their ``ModelCheckpoint`` callbacks, and which of them count as a recovery."""

import ast
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from migrate.analysis.keras.places import key, single_assignment
from migrate.analysis.source.arguments import Unbindable, bind
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import Names
from migrate.analysis.source.path_searches import name_of
from migrate.files.run_cache import tree_cache

FIT = (
    "x", "y", "batch_size", "epochs", "verbose", "callbacks", "validation_split", "validation_data", "shuffle",
    "class_weight", "sample_weight", "initial_epoch", "steps_per_epoch", "validation_steps", "validation_batch_size",
    "validation_freq", "max_queue_size", "workers", "use_multiprocessing",
)  # fmt: skip
FIT_GENERATOR = (
    "x", "steps_per_epoch", "epochs", "verbose", "callbacks", "validation_data", "validation_steps", "validation_freq",
    "class_weight", "max_queue_size", "workers", "use_multiprocessing", "shuffle", "initial_epoch",
)  # fmt: skip
OF_KERAS_1 = {
    "nb_epoch": "epochs", "nb_worker": "workers", "max_q_size": "max_queue_size", "pickle_safe": "use_multiprocessing",
}  # fmt: skip
"""What Keras 1 called the arguments of a training, and Keras 2 calls them."""


_RECOVERIES = {"BackupAndRestore", "CheckpointRecovery"}


@dataclass
class Fit:
    """A call of ``fit`` or ``fit_generator`` with a ``ModelCheckpoint``.

    Attributes:
      callbacks: what its callbacks are made of.
      display: the list that holds them, if it stands in the file.
      is_one: whether it is given one callback, and no list.
    """

    call: ast.Call
    receiver: ast.expr
    arguments: dict[str, ast.expr]
    callbacks: list[ast.expr] = field(default_factory=list)
    display: ast.List | None = None
    is_one: bool = False

    def is_recovered(self, names: Names) -> bool:
        """Whether a recovery of TensorFlow's or of this tool's stands among the callbacks."""
        given = self.arguments.get("callbacks")
        listed = given.elts if isinstance(given, ast.List) else []
        made = [given, *(callback_call(names, element) for element in [*self.callbacks, *listed])]
        called = [ast.unparse(one.func) for one in made if isinstance(one, ast.Call)]
        return any(one.endswith("BackupAndRestore.beside") or one.rpartition(".")[2] in _RECOVERIES for one in called)


def trainings(module: Module) -> Iterator[Fit]:
    """Every training call of a module whose callbacks are a list of this file."""
    return (fit for fit in all_trainings(module) if fit.display is not None)


def has_recovery(module: Module) -> bool:
    """Whether a training of a module recovers already."""
    is_named = any(word in module.text for word in _RECOVERIES)
    is_fit = is_named and any(fit.is_recovered(module.names) for fit in all_trainings(module))
    return is_fit or "recovered(" in module.text


def all_trainings(module: Module) -> Iterator[Fit]:
    """Every training call of a module whose arguments can be read."""
    for node in module.names.nodes(ast.Call):
        fit = training_of(module, node)
        if fit is not None and key(module.names, fit.receiver) is not None:
            yield fit


@tree_cache
def trainings_by_model(names: Names) -> dict[Hashable, list[ast.Call]]:
    """The training calls of a file whose arguments can be read, by the ``key`` of what they train."""
    found: dict[Hashable, list[ast.Call]] = {}
    for call in names.nodes(ast.Call):
        model = key(names, call.func.value) if isinstance(call.func, ast.Attribute) else None
        if model is not None and _arguments(call) is not None:
            found.setdefault(model, []).append(call)
    return found


def training_of(module: Module, call: ast.Call) -> Fit | None:
    """A call as a training; None where it is none, or its arguments cannot be read."""
    arguments = _arguments(call)
    if arguments is None or not isinstance(call.func, ast.Attribute):
        return None
    fit = Fit(call, call.func.value, arguments)
    _read_callbacks(module, fit)
    return fit


def _arguments(call: ast.Call) -> dict[str, ast.expr] | None:
    """The arguments of a training call; None where it is none, or they cannot be read."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("fit", "fit_generator"):
        return None
    return _explicit(call, FIT if call.func.attr == "fit" else FIT_GENERATOR)


def _explicit(call: ast.Call, parameters: Sequence[str]) -> dict[str, ast.expr] | None:
    """The arguments that stand in a call; None where others, which ``**settings`` gives, may be its callbacks."""
    plain = [keyword for keyword in call.keywords if keyword.arg is not None]
    if len(plain) < len(call.keywords):
        is_fit = isinstance(call.func, ast.Attribute) and call.func.attr == "fit"
        if not is_fit or not {"callbacks", "initial_epoch"} & {keyword.arg for keyword in plain}:
            return None
    try:
        arguments = bind(ast.Call(call.func, call.args, plain), parameters)
    except Unbindable:
        return None
    arguments = {OF_KERAS_1.get(name, name): value for name, value in arguments.items()}
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
    """The call that makes a callback which stands in a list itself, or as a variable with what it holds there."""
    held = names.value_at_use(element) if isinstance(element, ast.Name) else element
    made = names.value(held) if held is not None else None
    return made if isinstance(made, ast.Call) else None


def is_on_workers(module: Module) -> bool:
    """Whether a module trains under the strategy of several workers, whose ``fit`` has a rule of its own."""
    return any(tail.endswith("MultiWorkerMirroredStrategy") for tail in module.uses)


@tree_cache
def rank_call(names: Names) -> ast.Call | None:
    """A call that asks a library which of a job's processes this is, such as ``hvd.rank()``."""
    calls = (node for node in names.nodes(ast.Call) if not node.args)
    asked = (call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr in ("rank", "Get_rank"))
    return next((call for call in asked if names.qualified(call.func) is not None), None)


@tree_cache
def distributed_library(module: Module) -> str:
    """The package that runs a module in several processes, of which one alone saves; "" for none."""
    asked = rank_call(module.names)
    if asked is not None:
        return (module.names.qualified(asked.func) or "").partition(".")[0]
    imported = [one.name for node in module.names.nodes(ast.Import) for one in node.names]
    imported += [node.module or "" for node in module.names.nodes(ast.ImportFrom)]
    return "horovod" if any(name.startswith("horovod") for name in imported) else ""


def is_training(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in ("fit", "fit_generator")


def is_model_fit(call: ast.Call) -> bool:
    """Whether a call trains a model: ``fit(x)`` alone is that of a scaler or an ``ImageDataGenerator``."""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if method == "fit":
        return len(call.args) > 1 or any(keyword.arg in FIT[2:] or keyword.arg is None for keyword in call.keywords)
    return method == "fit_generator"
