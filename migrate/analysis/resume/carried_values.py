"""What a turn of a training loop leaves to the next one, beside its models and optimizers."""

import ast
import sys
from itertools import pairwise
from typing import NamedTuple

from migrate.analysis.calls.branches import always_runs, is_bound_at
from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import blocks as blocks_around
from migrate.analysis.source.nodes import walk
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.scopes import Scope
from migrate.records import dataclass, field

_CLOCKS = {"time", "perf_counter", "monotonic", "process_time", "default_timer", "now"}


@dataclass
class CarriedValues:
    """The variables that a turn begins with.

    Attributes:
      assigned: those that turns assign.
      unset: a variable that has no value above the loop, and the line that reads what an earlier turn has assigned.
      problem: why a resumed start would not have them all, as a part of a sentence; "" where it would.
    """

    assigned: dict[str, None] = field(default_factory=dict)
    unset: tuple[str, int] | None = None
    problem: str = ""


class Block(NamedTuple):
    """Statements that a turn runs: the loop's own, or those of a called function."""

    module: Module
    body: list[ast.stmt]


def carried_values(module: Module, loop: ast.For | ast.While, blocks: list[Block], trained: set[str]) -> CarriedValues:
    """Returns what a loop carries from turn to turn; the runtime finds what turns change in objects.

    Args:
      blocks: all statements of a turn, those of the loop first.
      trained: the models and optimizers, as source at the loop.
    """
    found, turns, own = CarriedValues(), turns_of(loop), module.names.scope_of(loop)
    scopes = {own, *(one for one in own.elsewhere.values() if one is not module.names.top)}  # `nonlocal` ones, too.
    called = [one for one in module.names.nodes(ast.FunctionDef) if one.name.startswith("__")]  # By Python itself.
    for block in [*blocks, *(Block(module, one.body) for one in called)]:
        nodes = [node for statement in block.body for node in walk(statement)]
        places = [one for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
        for place in places if block.module is module else ():
            held = module.names.scope_of(place).lookup(place.id)
            if held is None or held[0] not in scopes or place.id in trained or place is getattr(loop, "target", None):
                continue
            is_above = any(_is_above(module, loop, one.node) for one in held[1])
            is_by_function = own is not module.names.scope_of(module.names.statement_of(place))
            line = place.lineno if is_by_function else _read_of_earlier_turn(module, loop, held[0], place.id, is_above)
            if not line or _is_clock(module.names.statement_of(place)):
                continue
            if is_above:
                found.assigned[place.id] = None
            elif not is_by_function:
                found.unset = found.unset or (place.id, line)
        for one in _compiled_in_some_turns(block, nodes, turns) if block.body is loop.body else ():
            found.problem = f"line {one.lineno} compiles or freezes layers in some turns alone"
    for text in found.assigned:
        if not is_bound_at(module.names, ast.Name(text), loop):
            found.problem = f"`{text}` has a value above it in some starts alone"
    return found


def turns_of(loop: ast.For | ast.While) -> set[str]:
    """Returns the names of the variables that count the turns of a loop."""
    if isinstance(loop, ast.For):
        return {ast.unparse(loop.target)}
    added = (one for one in walk(loop) if isinstance(one, ast.AugAssign) and isinstance(one.value, ast.Constant))
    return {ast.unparse(one.target) for one in added if isinstance(one.op, ast.Add)}


def _is_above(module: Module, loop: ast.stmt, node: ast.AST) -> bool:
    return loop not in module.names.ancestors(node) and getattr(node, "lineno", loop.lineno) < loop.lineno


def _read_of_earlier_turn(module: Module, loop: ast.For | ast.While, scope: Scope, name: str, is_above: bool) -> int:
    """Returns a line that may read the value of a variable that an earlier turn has assigned; 0 for none.

    Args:
      is_above: whether the variable has a value above the loop, which a function may read in a turn.
    """
    names, bound = module.names, scope.bindings[name]
    stores = [one.node for one in bound if loop in names.ancestors(one.node)]
    setting = {one for one in map(names.statement_of, stores) if not isinstance(one, ast.AugAssign)}
    if loop in {names.statement_of(one.node) for one in bound}:  # It counts the turns.
        return 0
    setting |= set() if is_above else _settled_branches(module, loop, setting)
    is_set_by_all = always_runs(loop.body, setting)
    added = [one.target for one in map(names.statement_of, stores) if isinstance(one, ast.AugAssign)]
    lines = (names.statement_of(one.node).lineno for one in bound if not isinstance(one.node, ast.arg))
    end, own = loop.end_lineno or 0, names.function_around(loop)
    again = min((line for line in lines if line > end), default=sys.maxsize)
    for read in (*names.uses(name, scope), *added):
        if names.function_around(read) is not own:
            is_earlier = is_above or not is_set_by_all
        elif loop in names.ancestors(read):
            is_earlier = not _is_set_before(module, loop, read, setting)
        else:
            is_earlier = end < read.lineno < again and not is_set_by_all
        if is_earlier:
            return read.lineno
    return 0


def _settled_branches(module: Module, loop: ast.For | ast.While, setting: set[ast.stmt]) -> set[ast.stmt]:
    """Returns the branches that set a variable in each turn or in none, where the first turn would lack it."""
    inside = {part.id for part in walk(loop) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    changed = {one.attr for one in module.names.stores if isinstance(one, ast.Attribute) and _is_late(module, one)}
    found = {*setting}
    for one in reversed([*walk(loop)]):  # Inner ones first.
        if isinstance(one, ast.If) and any(always_runs(way, found) for way in (one.body, one.orelse)):
            parts = [*walk(one.test)]
            read = {getattr(part, "id", None) or getattr(part, "attr", None) for part in parts}
            is_plain = not any(isinstance(part, ast.Call | ast.Subscript | ast.NamedExpr) for part in parts)
            found |= {one} if is_plain and read.isdisjoint(inside | changed) else set()
    return found


def _is_late(module: Module, store: ast.expr) -> bool:
    return getattr(module.names.function_around(store), "name", "") != "__init__"


def _is_set_before(module: Module, loop: ast.stmt, read: ast.expr, setting: set[ast.stmt]) -> bool:
    """Whether each turn assigns a variable before a place that reads it."""
    around = [read, *module.names.ancestors(read)]
    around = around[: around.index(loop) + 1]
    tested = [(one, two) for one, two in pairwise(around) if isinstance(two, ast.If) and one is not two.test]
    held = {ast.unparse(test.test): one in test.body for one, test in tested}
    above = [block[: block.index(one)] for one, block in blocks_around(around)]
    heads = {one for one in around[1:-1] if isinstance(one, ast.For | ast.With | ast.If | ast.While)}
    return not heads.isdisjoint(setting) or any(always_runs(one, setting, held) for one in above)


def _compiled_in_some_turns(block: Block, nodes: list[ast.AST], turns: set[str]) -> list[ast.expr]:
    """Returns the calls of ``compile``, and what freezes layers, that a test of the turns guards."""
    found = []
    for node in nodes:
        is_compiled = isinstance(node, ast.Call) and name_of(node.func) == "compile"
        is_frozen = isinstance(node, ast.Attribute) and node.attr == "trainable" and isinstance(node.ctx, ast.Store)
        tests = [one.test for one in block.module.names.ancestors(node) if isinstance(one, ast.If)]
        read = {part.id for test in tests for part in walk(test) if isinstance(part, ast.Name)}
        found += [node] if isinstance(node, ast.expr) and (is_compiled or is_frozen) and turns & read else []
    return found


def _is_clock(statement: ast.AST) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Call) and name_of(value.func) in _CLOCKS
