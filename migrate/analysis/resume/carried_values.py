"""What a turn of a training loop leaves to the next one, beside its models and optimizers."""

import ast
from typing import NamedTuple

from migrate.analysis.calls.branches import is_bound_at
from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import blocks as blocks_around
from migrate.analysis.source.nodes import walk
from migrate.analysis.source.path_searches import name_of
from migrate.records import dataclass, field

_EXITS = (ast.Continue, ast.Break, ast.Return, ast.Raise)
_CLOCKS = {"time", "perf_counter", "monotonic", "process_time", "default_timer", "now"}


@dataclass
class CarriedValues:
    """The variables that a turn begins with.

    Attributes:
      assigned: those that turns assign.
      problem: why a resumed start would not have them all, as a part of a sentence; "" where it would.
    """

    assigned: dict[str, None] = field(default_factory=dict)
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
    called = [one for one in module.names.nodes(ast.FunctionDef) if one.name.startswith("__")]  # By Python itself.
    for block in [*blocks, *(Block(module, one.body) for one in called)]:
        nodes = [node for statement in block.body for node in walk(statement)]
        places = [one for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
        for place in places if block.module is module else ():
            held = module.names.scope_of(place).lookup(place.id)
            if held is None or held[0] is not own or place.id in trained or place is getattr(loop, "target", None):
                continue
            is_by_function = own is not module.names.scope_of(module.names.statement_of(place))
            is_carried = is_by_function and any(_is_above(module, loop, one.node) for one in held[1])
            if (is_carried or _is_carried(module, loop, place)) and not _is_clock(module.names.statement_of(place)):
                found.assigned[place.id] = None
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


def _is_carried(module: Module, loop: ast.For | ast.While, node: ast.Name) -> bool:
    """Whether a variable has a value above a loop, and a turn may read what an earlier one has assigned."""
    names, scope = module.names, module.names.scope_of(loop)
    found = scope.lookup(node.id)
    if found is None or found[0] is not scope:
        return False
    if not any(_is_above(module, loop, one.node) for one in found[1]):
        return False
    added = (one.target for one in names.nodes(ast.AugAssign))
    reads = [*names.uses(node.id, scope), *(one for one in added if isinstance(one, ast.Name) and one.id == node.id)]
    inside = [one for one in reads if loop in names.ancestors(one)]
    behind = [one for one in reads if one.lineno > (loop.end_lineno or 0)]
    own = names.function_around(loop)
    if any(one not in inside and names.function_around(one) is not own for one in reads):
        return True  # a function that a turn calls may read it
    stores = [one.node for one in found[1] if loop in names.ancestors(one.node)]
    setting = {one for one in map(names.statement_of, stores) if not isinstance(one, ast.AugAssign)}
    is_left = bool(behind) and not any(_sets(one, setting) for one in loop.body)
    return is_left or any(not _is_set_before(module, loop, read, setting) for read in inside)


def _is_set_before(module: Module, loop: ast.stmt, read: ast.expr, setting: set[ast.stmt]) -> bool:
    """Whether each turn assigns a variable before a place that reads it."""
    around = [read, *module.names.ancestors(read)]
    around = around[: around.index(loop) + 1]
    above = [part for one, block in blocks_around(around) for part in block[: block.index(one)]]
    heads = {one for one in around[1:-1] if isinstance(one, ast.For | ast.With)}
    return not heads.isdisjoint(setting) or any(_sets(one, setting) for one in above)


def _sets(statement: ast.AST, setting: set[ast.stmt]) -> bool:
    """Whether a statement that is run is one of those that set a variable, or always runs one of them.

    An inner ``for`` is assumed to have turns.
    """
    branches: list[list[ast.stmt]] = []
    if isinstance(statement, ast.If):
        branches = [statement.body, statement.orelse]
    elif isinstance(statement, ast.Try):
        ways = [statement.body, *(one.body for one in statement.handlers)]
        branches = [[*way, *statement.finalbody] for way in ways]
    elif isinstance(statement, ast.For | ast.With):
        branches = [statement.body]
    ends = (any(isinstance(one, _EXITS) or _sets(one, setting) for one in branch) for branch in branches)
    return statement in setting or (bool(branches) and all(ends))


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
