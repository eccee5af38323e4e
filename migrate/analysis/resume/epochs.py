"""What a program reckons of epochs: where a loop begins, a total that grows, a number that is off by one."""

import ast
from collections.abc import Sequence

from migrate.analysis.checkpoints import key
from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.path_searches import name_of
from migrate.analysis.resume.called_names import EXISTS
from migrate.analysis.trainings import Fit, Saver
from migrate.analysis.values.made_of import made_of
from migrate.analysis.values.values import Values

_PLACES = (ast.Name, ast.Attribute, ast.Subscript)
_PARSES = {
    "split",
    "rsplit",
    "group",
    "groups",
    "findall",
    "search",
    "match",
    "partition",
    "rpartition",
    "sub",
    "strip",
}


def grown_total(names: Names, fit: Fit) -> ast.expr | None:
    """The total of epochs, where it is reckoned from the epoch that a start begins at: ``first + 10``.

    Args:
      names: the names of the file.
      fit: the training.
    """
    first, total = fit.arguments.get("initial_epoch"), fit.arguments.get("epochs")
    own = key(names, first)
    if total is None or own is None:
        return None
    sums = [node for node in ast.walk(total) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)]
    sides = [side for node in sums for side in (node.left, node.right)]
    return total if any(key(names, side) == own for side in sides) else None


def set_by_old_file(module: Module, total: ast.expr | None, first: ast.expr | None, guards: Sequence[ast.expr]) -> str:
    """Why a start that finds an old file trains to another total, but by tests that a checkpoint keeps from holding."""
    names, nothing = module.names, ast.Constant(None)
    known = {ast.unparse(part) for part in made_of(names, first or nothing)}
    parts = [one for one in made_of(names, total or nothing) if isinstance(one, _PLACES)]
    for part in (one for one in parts if ast.unparse(one) not in known):
        stores = [one for one in names.stores if ast.unparse(one) == ast.unparse(part)]
        for around in map(names.ancestors, [*stores, *(one.node for one in names.bound(part))]):
            tests = [one.test for one in around if isinstance(one, ast.If) and one.test not in guards]
            calls = [call for test in tests for call in ast.walk(test) if isinstance(call, ast.Call)]
            if asked := [call for call in calls if name_of(call.func) in EXISTS]:
                return f"line {asked[0].lineno} sets the total of epochs by whether an old file is there"
    return ""


def off_by(values: Values, module: Module, fit: Fit, saver: Saver | None) -> int:
    """How many epochs a program goes beside the number that ``ModelCheckpoint`` gave its file: it counts from 1.

    Args:
      values: what expressions may be.
      module: the file.
      fit: the training.
      saver: the callback that saves.

    Returns:
      1 where it leaves an epoch out, -1 where it trains one again, 0 where neither is seen.
    """
    first = fit.arguments.get("initial_epoch")
    if first is None or saver is None or not saver.is_checkpoint or "{epoch" not in saver.path:
        return 0
    found = 0
    for end in values.ends(module, first):
        number = end.node
        if isinstance(number, ast.AugAssign):
            found = found or (_step(number.op, number.value) if _is_counted_from_name(values, module, first) else 0)
        elif isinstance(number, ast.BinOp) and _is_parsed(values, end.module, number.left):
            found = found or _step(number.op, number.right)
    return found


def _step(operator: ast.operator, by: ast.expr) -> int:
    if not isinstance(by, ast.Constant) or by.value != 1:
        return 0
    return 1 if isinstance(operator, ast.Add) else -1 if isinstance(operator, ast.Sub) else 0


def _is_counted_from_name(values: Values, module: Module, first: ast.expr) -> bool:
    return any(_reads_text(end.node) for end in values.ends(module, first))


def _is_parsed(values: Values, module: Module, number: ast.expr) -> bool:
    """Whether a number is a part of a text: ``int(re.search(…).group(1))``, ``int(name[-5:-3])``."""
    return any(_reads_text(end.node) for end in values.ends(module, number))


def _reads_text(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or name_of(node.func) not in ("int", "float"):
        return False
    parts = [part for argument in node.args for part in ast.walk(argument)]
    return any(
        isinstance(part, ast.Subscript) or (isinstance(part, ast.Call) and name_of(part.func) in _PARSES)
        for part in parts
    )


def epoch_begun(loop: ast.For) -> ast.expr | None:
    """What ``range(first, epochs)`` begins with; None where it is ``range(epochs)``, or a recovery knows it."""
    return begun.args[0] if (begun := _range(loop)) is not None and len(begun.args) == 2 else None


def _range(loop: ast.For) -> ast.Call | None:
    """The ``range`` of a loop that no recovery gives its first number."""
    call = loop.iter
    if not isinstance(call, ast.Call) or name_of(call.func) not in ("range", "trange") or len(call.args) not in (1, 2):
        return None
    begins = [node for node in ast.walk(call) if isinstance(node, ast.Call)]
    return None if any(name_of(node.func) == "restore" for node in begins) else call
