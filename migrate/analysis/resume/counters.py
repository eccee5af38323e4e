"""What counts the turns of a loop that no ``range`` counts: ``while step < steps:``, ``for x in data: step += 1``."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from migrate.analysis.module import Module
from migrate.analysis.nodes import blocks
from migrate.analysis.path_searches import name_of
from migrate.analysis.resume.called_names import exits
from migrate.analysis.resume.reach import FunctionNode

_PLACES = (ast.Name, ast.Attribute)
_NUMBER = re.compile(r"-?(\d[\w.]*|float\(.*\)|\w+\.(inf|Inf|maxsize))")


@dataclass(frozen=True)
class Counter:
    """A variable, or an attribute, that each turn of a loop adds to once.

    Attributes:
      name: the variable, as source.
      begun: the expression that gave it its value above the loop; None for one that is not seen.
      counts: the statement in the loop that adds.
      step: what it adds, as source.
      is_each_turn: whether each turn that comes to its place adds, and none more than once.
      call: the ``enumerate`` that counts; None where a statement does.
    """

    name: str
    begun: ast.expr | None
    counts: ast.stmt
    step: str
    is_each_turn: bool
    call: ast.Call | None = None

    def after(self, statement: ast.stmt) -> str:
        """The number that the next turn begins with, as source behind a statement of the loop; "" if unknown."""
        if self.call is None and self.counts.lineno < statement.lineno:
            return self.name
        return f"{self.name} + {self.step}" if self.is_each_turn else ""


def counter_of(module: Module, loop: ast.For | ast.While, saves: list[ast.Call]) -> Counter | None:
    """The variable that counts the turns of a loop; None where none does.

    Args:
      module: the file.
      loop: a loop that no ``range`` counts.
      saves: the calls in it that save.
    """
    numbered = _enumerated(loop)
    if numbered is not None:
        return numbered
    found = list(_counters(module, loop))
    tested = _read(loop.test) if isinstance(loop, ast.While) else set()
    for one in found:
        if one.name in tested:
            return one
    told = set[str]()
    for save in saves:
        told |= _read(save)
        for node in module.names.ancestors(save):
            if node is loop:
                break
            told |= _read(node.test) if isinstance(node, ast.If) else set()
    return next((one for one in found if one.name in told), None)


def _enumerated(loop: ast.For | ast.While) -> Counter | None:
    """What counts the turns of ``for step, x in enumerate(data, first)``."""
    call = loop.iter if isinstance(loop, ast.For) else None
    if isinstance(call, ast.Call) and name_of(call.func) != "enumerate" and call.args:
        call = call.args[0]  # a progress bar
    if not isinstance(loop, ast.For) or not isinstance(call, ast.Call) or name_of(call.func) != "enumerate":
        return None
    target = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else None
    begun = next((one.value for one in call.keywords), call.args[1] if len(call.args) > 1 else None)
    return Counter(target.id, begun, loop, "1", True, call) if isinstance(target, ast.Name) and call.args else None


def ends(loop: ast.For | ast.While) -> Iterator[ast.If]:
    """The tests in a loop that end it where they hold."""
    for node in of_turn(loop):
        last = node.body[-1] if isinstance(node, ast.If) else None
        if isinstance(node, ast.If) and (exits(last) or isinstance(last, ast.Break | ast.Return)):
            yield node


def of_turn(loop: ast.For | ast.While) -> Iterator[ast.AST]:
    """The nodes of a loop's turns, without those of loops and functions inside it."""
    waiting: list[ast.AST] = [*loop.body]
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, ast.For | ast.While | FunctionNode | ast.Lambda | ast.ClassDef):
            waiting += list(ast.iter_child_nodes(node))


def is_last_before_end(module: Module, save: ast.Call, loop: ast.For | ast.While) -> bool:
    """Whether a loop is left behind a call in a block of it: ``if key == "q": save(); exit()``."""
    around = [save, *module.names.ancestors(save)]
    nearest = next(one for one in around if isinstance(one, ast.For | ast.While | FunctionNode))
    leaves = (ast.Return, ast.Raise, ast.Break) if nearest is loop else (ast.Return, ast.Raise)
    inside = [] if isinstance(nearest, FunctionNode) else around[: around.index(nearest) + 1]
    behind = (node for one, block in blocks(inside) for node in block[block.index(one) :])
    return any(exits(node) or isinstance(node, leaves) for node in behind)


def counts_down(module: Module, loop: ast.For | ast.While) -> str:
    """What the test of a loop reads that its turns take from, as source: how much is left; "" for none."""
    tested = _read(loop.test) if isinstance(loop, ast.While) else set()
    for node in _inside(module, loop):
        taken = isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Sub)
        if taken and isinstance(node, ast.AugAssign) and ast.unparse(node.target) in tested:
            return ast.unparse(node.target)
    return ""


def handed_on(module: Module, loop: ast.For | ast.While) -> list[str]:
    """What holds a number above a loop, and its turns change and compare: a best loss so far, an epsilon."""
    names, inside, given = module.names, list(_inside(module, loop)), set[str]()
    for one in names.nodes(ast.Assign):
        sides = [getattr(side, "elts", [side]) for side in (one.targets[0], one.value)]  # a, b = 1, 2
        for target, number in zip(*sides, strict=False):
            is_above = one.lineno < loop.lineno and names.scope_of(one) is names.scope_of(loop)
            if _NUMBER.fullmatch(ast.unparse(number)) and (is_above or isinstance(target, ast.Attribute)):
                given.add(ast.unparse(target))
    stored = [ast.unparse(one) for one in inside if isinstance(one, _PLACES) and isinstance(one.ctx, ast.Store)]
    given &= {name for one in inside if isinstance(one, ast.Compare) for name in _read(one)}
    return [name for name in dict.fromkeys(stored) if name in given and not _is_begun_in(loop, name)]


def _is_begun_in(loop: ast.For | ast.While, name: str) -> bool:
    """Whether each turn of a loop gives a variable its value before it reads that."""
    used = [one for one in loop.body if name in _read(one)]
    begun = used[0].value if isinstance(used[0], ast.Assign) else used[0]
    return name not in _read(begun)


def _counters(module: Module, loop: ast.For | ast.While) -> Iterator[Counter]:
    names, scope = module.names, module.names.scope_of(loop)
    inside = list(_inside(module, loop))
    stored = [ast.unparse(node) for node in inside if isinstance(node, _PLACES) and isinstance(node.ctx, ast.Store)]
    for node in inside:
        added = _added(node) if isinstance(node, ast.stmt) else None
        if added is None or not isinstance(node, ast.stmt):
            continue
        target, step = added
        name = ast.unparse(target)
        bindings = scope.bindings.get(name, []) if isinstance(target, ast.Name) else []
        above = [one for one in bindings if getattr(one.node, "lineno", 0) < loop.lineno]
        if stored.count(name) != 1 or (isinstance(target, ast.Name) and not above):
            continue
        begun = max(above, key=lambda one: getattr(one.node, "lineno", 0)).value if above else None
        if isinstance(begun, ast.Call) and "Variable" in ast.unparse(begun.func):
            continue  # its object is counted by others too
        parent = names.parent(node)
        while isinstance(parent, ast.With):
            parent = names.parent(parent)
        yield Counter(name, begun, node, step, parent is loop)


def _added(statement: ast.stmt) -> tuple[ast.Name | ast.Attribute, str] | None:
    """What a statement adds a number to, and the number: ``step += 1``, ``step = step + 1``."""
    if isinstance(statement, ast.AugAssign):
        target: ast.expr = statement.target
        operation, number = statement.op, statement.value
    elif isinstance(statement, ast.Assign) and isinstance(value := statement.value, ast.BinOp):
        target, operation, number = statement.targets[0], value.op, value.right
        if ast.unparse(target) != ast.unparse(value.left):
            return None
    else:
        return None
    is_number = isinstance(number, ast.Constant) and isinstance(number.value, int)
    is_added = isinstance(operation, ast.Add) and is_number and isinstance(target, _PLACES)
    return (target, ast.unparse(number)) if is_added and isinstance(target, _PLACES) else None


def _read(node: ast.AST) -> set[str]:
    return {ast.unparse(one) for one in ast.walk(node) if isinstance(one, _PLACES)}


def _inside(module: Module, loop: ast.For | ast.While) -> Iterator[ast.AST]:
    """The nodes of a loop's turns, without those of functions inside it."""
    waiting: list[ast.AST] = [*loop.body]
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, FunctionNode | ast.Lambda | ast.ClassDef):
            waiting += list(ast.iter_child_nodes(node))
