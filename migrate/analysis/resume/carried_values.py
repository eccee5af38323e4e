"""What a turn of a training loop leaves to the next one, beside its models and optimizers."""

import ast
from collections.abc import Callable, Mapping
from typing import NamedTuple

from migrate.analysis.calls.branches import is_bound_at
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import Names
from migrate.analysis.source.nodes import blocks as blocks_around
from migrate.analysis.source.nodes import walk
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.places import stores_of
from migrate.analysis.source.scopes import Scope, unpacked_value
from migrate.records import dataclass, field

_FILLING = {
    *("append", "appendleft", "extend", "insert", "add", "update", "pop", "popleft", "remove", "discard", "clear"),
    *("sort", "rotate", "setdefault", "assign", "assign_add", "assign_sub"),
}
_FILLING_FUNCTIONS = {"heappush", "heappop", "heapreplace", "insort", "insort_left", "insort_right", "shuffle"}
_ARRAYS = {"zeros", "ones", "empty", "full"}
_MADE = {"List", "Dict", "Set", "list", "dict", "set", "deque", "defaultdict", "OrderedDict", "Counter", "Variable"}
_MADE |= _ARRAYS
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
StoredValues = Callable[[Module, ast.Attribute], list[tuple[Module, ast.expr]]]


def carried_values(
    module: Module,
    loop: ast.For | ast.While,
    blocks: list[Block],
    trained: set[str],
    source_at_loop: SourceAtLoop,
    stored_values: StoredValues,
) -> CarriedValues:
    """Returns what a loop carries from turn to turn.

    Args:
      blocks: all statements of a turn, those of the loop first.
      trained: the models and optimizers, as source at the loop.
      source_at_loop: returns the source of an expression that is valid at the loop, or "".
      stored_values: returns the values that the classes of an attribute's object assign to it, each with its file.
    """
    found, turns, anew = CarriedValues(), turns_of(loop), set[str]()
    for block in blocks:
        names, is_own = block.module.names, block.body is loop.body
        runs: list[ast.AST | None] = [loop if is_own else names.parent(block.body[0])]
        nodes = [node for statement in block.body for node in walk(statement)]
        for node in nodes:
            value = _filled(node)
            stored = stored_values(block.module, value) if isinstance(value, ast.Attribute) else []
            if value is not None and _is_made_above(block, runs, node, value, turns, stored):
                found.filled |= {text: None for text in [source_at_loop(block.module, value, block.sources)] if text}
        places = [one for one in nodes if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Store)]
        texts = {place: source_at_loop(block.module, place, block.sources) for place in places}
        for place, text in texts.items():
            if isinstance(place, ast.Name):
                is_carried = is_own and place is not getattr(loop, "target", None) and _is_carried(module, loop, place)
                is_outside = _is_counted_outside(names, place)
                is_carried |= is_outside
                if is_outside and not _may_assign(module.names.scope_of(loop), place.id):
                    text = ""
            else:
                is_left = is_own and _is_read_first(loop, ast.unparse(place))
                is_carried = is_left or _depends_on_itself(blocks, block, place)
                anew |= set() if is_left or _is_by_itself(names, place) else {text}
                if is_left and not any(loop not in names.ancestors(one) for one in stores_of(names, place)):
                    found.problem = f"line {place.lineno} sets `{ast.unparse(place)}`, which a turn reads first"
            is_trained = any(text == one or text.startswith(f"{one}.") for one in trained)
            statement = names.statement_of(place)
            if not is_carried or is_trained or _is_clock(statement):
                continue
            if text:
                found.assigned[text] = None
            elif isinstance(place, ast.Name) or not _is_count(statement):
                found.problem = f"line {place.lineno} changes `{ast.unparse(place)}`, which has no name at the loop"
        objects = {text.rpartition(".")[0] for text in found.assigned if "." in text}
        for place, text in texts.items() if objects else ():
            tests = [one for one in names.ancestors(place) if isinstance(one, ast.If) and one in nodes]
            if tests and text.rpartition(".")[0] in objects and text not in found.assigned:
                found.problem = f"line {place.lineno} changes `{ast.unparse(place)}` under a test"
        for one in _compiled_in_some_turns(block, nodes, turns) if is_own else ():
            found.problem = f"line {one.lineno} compiles or freezes layers in some turns alone"
    inside = {ast.unparse(one) for one in walk(loop) if isinstance(getattr(one, "ctx", None), ast.Store)}
    made = tuple(f"{one}." for one in inside)  # Each turn makes such an object anew.
    found.assigned = {one: None for one in found.assigned if not (one in anew or one.startswith(made))}
    kept = (one for one in found.filled if one not in {*inside, *found.assigned} and not one.startswith(made))
    found.filled = dict.fromkeys(kept)
    for text in (*found.assigned, *found.filled):
        if not is_bound_at(module.names, ast.Name(text.partition(".")[0]), loop):
            found.problem = f"`{text}` has a value above it in some starts alone"
    return found


def _filled(node: ast.AST) -> ast.Name | ast.Attribute | None:
    """Returns what a node changes in place."""
    value: ast.expr | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLING:
        value = node.func.value
    elif isinstance(node, ast.Call) and name_of(node.func) in _FILLING_FUNCTIONS and node.args:
        value = node.args[0]
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        value = node.value
    while isinstance(value, ast.Subscript):
        value = value.value
    return value if isinstance(value, ast.Name | ast.Attribute) else None


def turns_of(loop: ast.For | ast.While) -> set[str]:
    """Returns the names of the variables that count the turns of a loop."""
    if isinstance(loop, ast.For):
        return {ast.unparse(loop.target)}
    added = (one for one in walk(loop) if isinstance(one, ast.AugAssign) and isinstance(one.value, ast.Constant))
    return {ast.unparse(one.target) for one in added if isinstance(one.op, ast.Add)}


def _is_made_above(
    block: Block,
    runs: list[ast.AST | None],
    node: ast.AST,
    value: ast.expr,
    turns: set[str],
    stored: list[tuple[Module, ast.expr]],
) -> bool:
    """Whether no turn makes a value, and it is a collection, an array that is filled by the turn, or a variable."""
    names = block.module.names
    stores = stores_of(names, value)
    made = [unpacked_value(names.parents, one) or getattr(names.parent(one), "value", None) for one in stores]
    made = made or [one for _, one in stored]
    kinds = {name_of(one.func) if isinstance(one, ast.Call) else type(one).__name__ for one in made}
    is_by_turn = isinstance(node, ast.Subscript) and ast.unparse(node.slice) in turns
    is_by_turn |= isinstance(value, ast.Attribute)  # such as of a memory that counts by itself
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


def _is_counted_outside(names: Names, place: ast.Name) -> bool:
    """Whether a function adds to a variable that its file or the function around it has."""
    found = names.scope_of(place).lookup(place.id)
    statement = names.statement_of(place)
    is_outside = found is not None and found[0] is not names.scope_of(statement)
    return is_outside and isinstance(statement, ast.AugAssign)


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


def _is_read_first(loop: ast.stmt, text: str) -> bool:
    """Whether a turn reads an attribute above the line that sets it."""
    found = [one for one in walk(loop) if isinstance(one, ast.Attribute) and ast.unparse(one) == text]
    stores = [one.lineno for one in found if isinstance(one.ctx, ast.Store)]
    return any(isinstance(one.ctx, ast.Load) and one.lineno < min(stores) for one in found)


def _depends_on_itself(blocks: list[Block], block: Block, target: ast.Attribute) -> bool:
    """Whether an attribute has a value above, is assigned by it or under a test of it, and no turn sets it anew."""
    names, others = block.module.names, stores_of(block.module.names, target)
    parts = [part for each in blocks if each.module is block.module for part in each.body]
    turns = [one for one in others if any(one in walk(part) for part in parts)]
    has_value = len(turns) < len(others) or isinstance(names.statement_of(target), ast.AugAssign)
    return has_value and all(_is_by_itself(names, one) for one in [target, *turns])


def _is_by_itself(names: Names, place: ast.expr) -> bool:
    """Whether an attribute is assigned by its own value, or under a test of it."""
    statement, text = names.statement_of(place), ast.unparse(place)
    tests = [part.test for part in names.ancestors(statement) if isinstance(part, ast.If)]
    read = [getattr(statement, "value", None), *tests]
    is_read = any(ast.unparse(part) == text for root in read if root is not None for part in walk(root))
    return isinstance(statement, ast.AugAssign) or is_read


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


def _may_assign(scope: Scope, name: str) -> bool:
    """Whether an assignment in a scope changes the variable that a name stands for there."""
    found = scope.lookup(name)
    return (found is not None and found[0] is scope) or name in scope.elsewhere


def _is_count(statement: ast.AST) -> bool:
    return isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add)


def _is_clock(statement: ast.AST) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Call) and name_of(value.func) in _CLOCKS
