"""The distribution strategies that a program's RunConfig is given."""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import Unbindable, bind, is_none, literal
from migrate.analysis.program import Program
from migrate.analysis.symbols import Symbol, symbol_of

OF_WORKERS = ("MultiWorkerMirroredStrategy", "CollectiveAllReduceStrategy")
"""Those of several processes, by their names of TensorFlow 2 and 1."""


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
