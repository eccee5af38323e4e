"""What a turn of a training loop leaves to the next one, beside its models and optimizers."""

import ast
from collections.abc import Callable, Mapping
from typing import NamedTuple

from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import blocks as blocks_around
from migrate.analysis.source.nodes import walk
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.places import stores_of
from migrate.records import dataclass, field

_FILLING = {"append", "appendleft", "extend", "update", "assign", "assign_add", "assign_sub"}
_ARRAYS = {"zeros", "ones", "empty", "full"}
_MADE = {"List", "Dict", "list", "dict", "deque", "defaultdict", "OrderedDict", "Variable", *_ARRAYS}
_CLOCKS = {"time", "perf_counter", "monotonic", "process_time", "default_timer", "now"}


@dataclass
class CarriedValues:
    """The values that a turn begins with.

    Attributes:
      filled: the lists, dicts, arrays and variables that turns change in place, as source that is valid at the loop.
      assigned: the variables that turns assign, as such source.
      problem: why a resumed start would not have them all, as a part of a sentence; "" where it would.
    """

    filled: dict[str, None] = field(default_factory=dict)
    assigned: dict[str, None] = field(default_factory=dict)
    problem: str = ""


class Block(NamedTuple):
    """Statements that a turn runs: the loop's own, or those of a called function.

    Attributes:
      sources: the source, valid at the loop, of each parameter.
    """

    module: Module
    body: list[ast.stmt]
    sources: Mapping[str, str]


SourceAtLoop = Callable[[Module, ast.expr, Mapping[str, str]], str]


def carried_values(
    module: Module, loop: ast.For | ast.While, blocks: list[Block], trained: set[str], source_at_loop: SourceAtLoop
) -> CarriedValues:
    """Returns what a loop carries from turn to turn.

    Args:
      blocks: all statements of a turn, those of the loop first.
      trained: the models and optimizers, as source at the loop.
      source_at_loop: returns the source of an expression that is valid at the loop, or "".
    """
    found, turn = CarriedValues(), ast.unparse(loop.target if isinstance(loop, ast.For) else loop.test)
    for block in blocks:
        names, is_own = block.module.names, block.body is loop.body
        runs: list[ast.AST | None] = [loop if is_own else names.parent(block.body[0])]
        nodes = [node for statement in block.body for node in walk(statement)]
        for node in nodes:
            value = _filled(node)
            if value is not None and _is_made_above(block, runs, node, value, turn):
                found.filled |= {text: None for text in [source_at_loop(block.module, value, block.sources)] if text}
        places = [one for one in nodes if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Store)]
        texts = {place: source_at_loop(block.module, place, block.sources) for place in places}
        for place, text in texts.items():
            if isinstance(place, ast.Name):
                is_carried = is_own and place.id != turn and _is_carried(module, loop, place)
            else:
                is_carried = _depends_on_itself(block, place)
            is_trained = any(text == one or text.startswith(f"{one}.") for one in trained)
            if not is_carried or is_trained or _is_clock(names.statement_of(place)):
                continue
            if text:
                found.assigned[text] = None
            elif not _is_count(names.statement_of(place)):
                found.problem = f"line {place.lineno} changes `{ast.unparse(place)}`, which has no name at the loop"
        objects = {text.rpartition(".")[0] for text in found.assigned if "." in text}
        for place, text in texts.items() if objects else ():
            tests = [one for one in names.ancestors(place) if isinstance(one, ast.If) and one in nodes]
            if tests and text.rpartition(".")[0] in objects and text not in found.assigned:
                found.problem = f"line {place.lineno} changes `{ast.unparse(place)}` under a test"
        for one in _compiled_in_some_turns(block, nodes, turn) if is_own else ():
            found.problem = f"line {one.lineno} compiles or freezes layers in some turns alone"
    inside = {ast.unparse(one) for one in walk(loop) if isinstance(getattr(one, "ctx", None), ast.Store)}
    found.filled = {text: None for text in found.filled if text not in {*inside, *found.assigned}}
    return found


def _filled(node: ast.AST) -> ast.Name | ast.Attribute | None:
    """Returns what a node changes in place."""
    value: ast.expr | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLING:
        value = node.func.value
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        value = node.value
    while isinstance(value, ast.Subscript):
        value = value.value
    return value if isinstance(value, ast.Name | ast.Attribute) else None


def _is_made_above(block: Block, runs: list[ast.AST | None], node: ast.AST, value: ast.expr, turn: str) -> bool:
    """Whether no turn makes a value, and it is a collection, an array that is filled by the turn, or a variable."""
    names = block.module.names
    stores = stores_of(names, value)
    made = [getattr(names.parent(one), "value", None) for one in stores]
    kinds = {name_of(one.func) if isinstance(one, ast.Call) else type(one).__name__ for one in made}
    is_by_turn = isinstance(node, ast.Subscript) and ast.unparse(node.slice) == turn
    is_known = kinds <= _MADE and (is_by_turn or kinds.isdisjoint(_ARRAYS))
    is_append = isinstance(node, ast.Call) and name_of(node.func) == "append"
    bound = names.bindings(value) if isinstance(value, ast.Name) and is_append else []
    is_parameter = any(isinstance(one.node, ast.arg) for one in bound)
    is_of_turn = any(not {*runs}.isdisjoint(names.ancestors(one)) for one in stores)
    return is_known and (bool(kinds) or is_parameter) and not is_of_turn


def _is_carried(module: Module, loop: ast.stmt, node: ast.Name) -> bool:
    """Whether a variable has a value above a loop, and a turn may read what an earlier one has assigned."""
    names, scope = module.names, module.names.scope_of(loop)
    found = scope.lookup(node.id)
    if found is None or found[0] is not scope:
        return False
    outside = [one.node for one in found[1] if loop not in names.ancestors(one.node)]
    if not any(getattr(one, "lineno", loop.lineno) < loop.lineno for one in outside):
        return False
    added = (one.target for one in names.nodes(ast.AugAssign))
    reads = [*names.uses(node.id, scope), *(one for one in added if isinstance(one, ast.Name) and one.id == node.id)]
    inside = [one for one in reads if loop in names.ancestors(one)]
    behind = [one for one in reads if one.lineno > (loop.end_lineno or 0)]
    stores = [one.node for one in found[1] if loop in names.ancestors(one.node)]
    return any(not _is_set_before(module, loop, read, stores) for read in inside) or (
        bool(behind) and not any(_is_set_by_each_turn(module, loop, one) for one in stores)
    )


def _is_set_before(module: Module, loop: ast.stmt, read: ast.expr, stores: list[ast.AST]) -> bool:
    """Whether each turn assigns a variable before a place that reads it."""
    names = module.names
    around = [read, *names.ancestors(read)]
    around = around[: around.index(loop) + 1]
    above = [part for one, block in blocks_around(around) for part in block[: block.index(one)]]
    heads = {one for one in around[1:-1] if isinstance(one, ast.For | ast.With)}
    return any(
        names.statement_of(one) in heads or any(_is_set_by_each_turn(module, part, one) for part in above)
        for one in stores
    )


def _is_set_by_each_turn(module: Module, part: ast.AST, store: ast.AST) -> bool:
    """Whether a statement that is run assigns a variable by ``store``; an inner ``for`` is assumed to have turns."""
    statement = module.names.statement_of(store)
    if isinstance(statement, ast.AugAssign):
        return False
    around = [statement, *module.names.ancestors(statement)]
    inside = around[: around.index(part)] if part in around else None
    return inside is not None and not any(isinstance(one, ast.If | ast.While | ast.ExceptHandler) for one in inside)


def _depends_on_itself(block: Block, target: ast.Attribute) -> bool:
    """Whether an attribute is assigned by its own value, or under a test of it, and no turn sets it anew."""
    names, text = block.module.names, ast.unparse(target)
    others = stores_of(names, target)

    def is_own(one: ast.AST) -> bool:
        statement = names.statement_of(one)
        tests = [part.test for part in names.ancestors(statement) if isinstance(part, ast.If)]
        read = [getattr(statement, "value", None), *tests]
        is_read = any(ast.unparse(part) == text for root in read if root is not None for part in walk(root))
        return isinstance(statement, ast.AugAssign) or is_read

    turns = [one for one in others if any(one in walk(part) for part in block.body)]
    return is_own(target) and all(map(is_own, turns))


def _compiled_in_some_turns(block: Block, nodes: list[ast.AST], turn: str) -> list[ast.expr]:
    """Returns the calls of ``compile``, and what freezes layers, that a test of the turn guards."""
    found = []
    for node in nodes:
        is_compiled = isinstance(node, ast.Call) and name_of(node.func) == "compile"
        is_frozen = isinstance(node, ast.Attribute) and node.attr == "trainable" and isinstance(node.ctx, ast.Store)
        tests = [one.test for one in block.module.names.ancestors(node) if isinstance(one, ast.If)]
        read = {part.id for test in tests for part in walk(test) if isinstance(part, ast.Name)}
        found += [node] if isinstance(node, ast.expr) and (is_compiled or is_frozen) and turn in read else []
    return found


def _is_clock(statement: ast.AST) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Call) and name_of(value.func) in _CLOCKS


def _is_count(statement: ast.AST) -> bool:
    return isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add)
