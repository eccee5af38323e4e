"""The distribution strategies that a program's RunConfig is given."""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import Unbindable, bind, is_none, literal
from migrate.analysis.module import Module
from migrate.analysis.program import MethodCall, Program
from migrate.analysis.symbols import Symbol, symbol_of

OF_WORKERS = ("MultiWorkerMirroredStrategy", "CollectiveAllReduceStrategy")
"""Those of several processes, by their names of TensorFlow 2 and 1."""
_ARGUMENTS = ("`communication`", "`communication_options`")
_HOOK = "CheckpointSaverHook"
_OF_REPLICAS = ("get_replica_context", "get_strategy", "merge_call")


def is_on_workers(program: Program) -> bool:
    """Whether a model_fn is trained under a strategy of several processes."""
    try:
        train = dict(given_strategies(program)).get("train_distribute")
    except Unbindable:
        return False
    return program.kind == "custom" and train is not None and strategy_kind(program, train) in OF_WORKERS


def given_strategies(program: Program) -> Iterator[tuple[str, ast.expr]]:
    """The strategies that training and evaluation get, directly or by a ``DistributeConfig``."""
    settings = program.config.settings
    whole = settings.get("experimental_distribute")
    if whole is not None and not is_none(whole):
        made = made_by(program, whole)
        found = symbol_of(program.module.names, made.func) if made is not None else None
        if made is None or found is None or not found.tail.endswith("DistributeConfig"):
            raise Unbindable("experimental_distribute cannot be followed")
        parts = bind(made, ("train_distribute", "eval_distribute", "remote_cluster"), no_others=True)
        if not is_none(parts.pop("remote_cluster", None)):
            raise Unbindable("remote_cluster trains on other machines than this one")
        settings = {**settings, **parts}
    for name in ("train_distribute", "eval_distribute"):
        value = settings.get(name)
        if value is not None and not is_none(value):
            yield name, value


def made_by(program: Program, value: ast.expr) -> ast.Call | None:
    made = program.module.names.value(value)
    return made if isinstance(made, ast.Call) else None


def strategy_symbol(program: Program, value: ast.expr) -> Symbol | None:
    made = made_by(program, value)
    found = symbol_of(program.module.names, made.func) if made is not None else None
    is_strategy = found is not None and found.tail.removeprefix("contrib.").startswith("distribute.")
    return found if is_strategy else None


def strategy_kind(program: Program, value: ast.expr) -> str:
    """The class of a strategy, "" where it is not seen."""
    found = strategy_symbol(program, value)
    return found.tail.rpartition(".")[2] if found is not None else ""


def is_one_device(program: Program, value: ast.expr) -> bool:
    made = made_by(program, value)
    assert made is not None
    if strategy_kind(program, value) == "OneDeviceStrategy":
        return True
    given = [*made.args[:1], *(k.value for k in made.keywords if k.arg == "devices")]
    devices = given[0] if given else None
    number = next((k.value for k in made.keywords if k.arg in ("num_gpus", "num_gpus_per_worker")), None)
    is_listed = isinstance(devices, ast.List | ast.Tuple) and len(devices.elts) == 1
    is_starred = is_listed and isinstance(devices, ast.List | ast.Tuple) and isinstance(devices.elts[0], ast.Starred)
    return (is_listed and not is_starred) or (devices is None and number is not None and literal(number) == 1)


def why_workers_left(program: Program, modules: list[Module], value: ast.expr) -> str:
    """Why a model_fn on several workers is not carried over; "" where it is."""
    made, found = made_by(program, value), strategy_symbol(program, value)
    assert made is not None
    assert found is not None
    given = [*(["an argument"] if made.args else []), *(f"`{k.arg or '**'}`" for k in made.keywords)]
    is_named = isinstance(value, ast.Name) and not is_tensorflow_1(program, found)
    known = ("`num_gpus_per_worker`", *(_ARGUMENTS if is_named else ()))
    unknown = [argument for argument in given if argument not in known]
    if unknown:
        return f"which is given {unknown[0]}"
    for call in program.calls:
        if call.method == "train":
            return f"under which train() (line {call.node.lineno}) raised where TF_CONFIG named several workers"
        listeners = _listeners(program, call)
        if listeners is not None:
            return f"whose workers told saving_listeners (line {listeners.lineno}) of no save"
    if program.early_stops:
        return f"where the workers stopped early (line {program.early_stops[0].node.lineno}) by a common signal"
    for names in (module.names for module in modules):
        for node in (*names.attributes.get(_HOOK, ()), *names.variables.get(_HOOK, ())):
            return f"and a CheckpointSaverHook (line {node.lineno}) would save on each worker"
        for node in (node for name in _OF_REPLICAS for node in names.attributes.get(name, ())):
            return f"and `{node.attr}` (line {node.lineno}) speaks of its replicas"
    return ""


def _listeners(program: Program, call: MethodCall) -> ast.expr | None:
    """The ``saving_listeners`` of a ``TrainSpec``."""
    spec = call.arguments.get("train_spec")
    if spec is None:
        return None
    made = made_by(program, spec)
    given = [k.value for k in made.keywords if k.arg == "saving_listeners"] if made is not None else []
    return given[0] if given and not is_none(given[0]) else None


def is_tensorflow_1(program: Program, found: Symbol) -> bool:
    """Whether a strategy is spelled as TensorFlow 1 has it, and FT401 leaves it."""
    return found.api == "v1" or program.module.is_tf1
