"""Finds a decaying exploration rate that has its first value again after a restart (FT520)."""

import ast
import re
from collections.abc import Hashable, Iterator

from migrate.analysis.keras.own_checkpoints import is_resumed
from migrate.analysis.keras.restarted_loops import loops_around
from migrate.analysis.source.arguments import defaults
from migrate.analysis.source.names import Names
from migrate.analysis.source.places import key_of, stores_of
from migrate.analysis.source.scopes import FunctionNode, unpacked_value
from migrate.rules.rule import Fix, Workbench, manual

_INFINITE = re.compile(r"(.*\.)?(inf|Inf|infty|maxsize)|float\(.*\)")
_RANDOM = re.compile(r"\brand(om|n|int)?\b|\buniform\b")


def forgotten_rates(bench: Workbench) -> Iterator[Fix]:
    """Yields each rate that is compared with a random number, computed from itself, and in no checkpoint."""
    names, seen = bench.module.names, set[Hashable | None]()
    orders = [one for one in names.nodes(ast.Compare) if len(one.comparators) == 1]
    asked = [(one.left, one.comparators[0]) for one in orders] if bench.checkpoints.all else []
    pairs = [pair for one, other in asked for pair in ((one, other), (other, one))]
    found = [(rate, names.value(other)) for rate, other in pairs if isinstance(rate, ast.Name | ast.Attribute)]
    rates = [rate for rate, one in found if isinstance(one, ast.Call) and _RANDOM.search(ast.unparse(one.func))]
    for rate in rates if rates and _resumes_in_loop(bench) else ():
        own, stores = key_of(names, rate), stores_of(names, rate)
        falls = [one for one in stores if is_computed_from_itself(names, one)]
        begins = [one for one in stores if one not in falls]
        tracked = {part for one in bench.checkpoints.all for part in bench.checkpoints.keys(one)}
        is_number = bool(begins) and all(sets_number(bench, one, False) for one in begins)
        if falls and is_number and own not in tracked | seen:
            seen.add(own)
            text = ast.unparse(rate)
            message = f"`{text}` is in no checkpoint: after a restart it has its first value again"
            help = f"Make {text} a tf.Variable(…), track it in the Checkpoint, and assign to it."
            yield Fix((manual(begins[0], message, help),))


def _resumes_in_loop(bench: Workbench) -> bool:
    """Whether a loop saves a checkpoint that the file restores, also a loop of another file."""
    for one in bench.checkpoints.all:
        if is_resumed(bench.checkpoints, one, bench.values):
            saves = [(bench.module, call) for call in one.save_calls] + bench.checkpoints.calls_elsewhere(one, "save")
            if any(loops_around(bench.reach, *save) for save in saves):
                return True
    return False


def is_computed_from_itself(names: Names, store: ast.expr) -> bool:
    """Whether an assignment reads the variable that it sets: ``best = max(best, new)``."""
    statement = names.parent(store)
    parts = ast.walk(statement.value) if isinstance(statement, ast.Assign) else ()
    text = ast.unparse(store)
    return isinstance(statement, ast.AugAssign) or any(
        ast.unparse(part) == text for part in parts if isinstance(part, ast.Name | ast.Attribute)
    )


def sets_number(bench: Workbench, store: ast.expr, may_be_none: bool) -> bool:
    """Whether an assignment sets a number, an infinity, or, with ``may_be_none``, None."""
    names = bench.module.names
    statement = names.parent(store)
    plain = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    value = unpacked_value(names.parents, store) or plain
    given = [case.node for case in bench.values.of(bench.module, value)] if value is not None else []
    return bool(given) and all(_is_number(bench, one, may_be_none) for one in given)


def _is_number(bench: Workbench, value: ast.AST | None, may_be_none: bool) -> bool:
    if isinstance(value, ast.arg) and value in bench.module.names.parents:
        function = bench.module.names.scope_of(value).node
        value = defaults(function).get(value.arg) if isinstance(function, FunctionNode) else None
    value = value.operand if isinstance(value, ast.UnaryOp) else value
    is_plain = isinstance(value, ast.Constant) and type(value.value) in (int, float, type(None) if may_be_none else int)
    return is_plain or (isinstance(value, ast.expr) and _INFINITE.fullmatch(ast.unparse(value)) is not None)
