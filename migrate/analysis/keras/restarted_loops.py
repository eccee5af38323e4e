"""Loops that count from 0 at each start, although the latest checkpoint is restored before them."""

import ast
from collections.abc import Iterator

from migrate.analysis.calls.calls_before import calls_before
from migrate.analysis.calls.reach import MAX_DEPTH, FunctionNode, Reach
from migrate.analysis.keras.checkpoints import Checkpoint, Checkpoints
from migrate.analysis.keras.own_checkpoints import is_own_path
from migrate.analysis.source.arguments import literal
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import Names
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.paths import template
from migrate.analysis.source.places import stores_of
from migrate.analysis.source.scopes import unpacked_value
from migrate.analysis.values.values import Values

COUNTERS = {"iterations", "save_counter", "step_counter", "initial_epoch"}
"""Names of an optimizer, a checkpoint or ``fit`` for the progress of a training."""
_POSITION_NAMES = {*COUNTERS, "latest_checkpoint", "split", "search", "group"}
"""Names that a loop may read its position from."""


def restarted_loop(
    reach: Reach, checkpoints: Checkpoints, checkpoint: Checkpoint, values: Values
) -> ast.For | ast.While | None:
    """Returns the loop that counts from 0 and saves a checkpoint after restoring it; None for none."""
    module, restores = checkpoints.module, _restores(checkpoints, checkpoint, values)
    for save in checkpoint.calls("save"):
        loop = _counting_loop(reach, module, save)
        if loop is not None and restores:
            before = {call for _, call in calls_before(reach, module, loop_head(loop))}
            if not before.isdisjoint(restores):
                return loop
    return None


def restarts_elsewhere(reach: Reach, checkpoints: Checkpoints, checkpoint: Checkpoint, values: Values) -> bool:
    """Whether a loop of another file counts from 0 and saves a checkpoint after restoring it."""
    restores = _restores(checkpoints, checkpoint, values)
    restores += [call for _, call in checkpoints.calls_elsewhere(checkpoint, "restore_or_initialize")]
    for where, save in checkpoints.calls_elsewhere(checkpoint, "save") if restores else ():
        loop = _counting_loop(reach, where, save)
        asked = {*where.names.attributes, *(one.arg for one in where.names.nodes(ast.keyword))}
        if loop is not None and asked.isdisjoint(_POSITION_NAMES):
            before = {call for _, call in calls_before(reach, where, loop_head(loop))}
            if not before.isdisjoint(restores):
                return True
    return False


def loop_head(loop: ast.For | ast.While) -> ast.expr:
    """Returns the iterable or the test of a loop."""
    return loop.iter if isinstance(loop, ast.For) else loop.test


def _restores(checkpoints: Checkpoints, checkpoint: Checkpoint, values: Values) -> list[ast.Call]:
    """Returns the calls that restore the latest save of a checkpoint."""
    given = (call for call in checkpoint.calls("restore") if call.args)
    newest = [call for call in given if _is_latest(checkpoints, checkpoint, values, call.args[0])]
    return checkpoint.calls("restore_or_initialize") + newest


def turns_in_save_counter(module: Module, checkpoints: Checkpoints, checkpoint: Checkpoint, loop: ast.For) -> str:
    """Returns the source of an expression for a loop's finished turns, by ``save_counter``; "" for none.

    TensorFlow counts the saves in each checkpoint (``save_counter``). If a loop saves once in each turn, or in every
    n-th, and nothing else saves, that gives the number of its turns.
    """
    saves = checkpoint.save_calls
    is_skipped = any("checkpoint_interval" in manager.arguments for manager in checkpoint.managers)
    is_alone = len(saves) == 1 and not is_skipped and all(map(checkpoints.is_not_passed_on, checkpoint.targets))
    if not is_alone or counted_range(loop) is None or not _is_same_in_loop(module.names, checkpoint.target, loop):
        return ""
    assert checkpoint.target is not None
    statement = module.names.statement_of(saves[0])
    around = [statement, *module.names.ancestors(statement)]
    if loop not in around:
        return ""
    between = around[1 : around.index(loop)]
    tests = [one for one in between if isinstance(one, ast.If)]
    is_plain = all(isinstance(one, ast.If | ast.With) for one in between) and len(tests) < 2
    if (
        not is_plain
        or around[len(between)] not in loop.body
        or any(around[around.index(one) - 1] not in one.body for one in tests)
    ):
        return ""
    count = f"{module.source.text(checkpoint.target)}.save_counter.numpy()"
    return _turns_of_interval(module, tests[0].test, loop, count) if tests else count


def _is_same_in_loop(names: Names, target: ast.expr | None, loop: ast.For) -> bool:
    """Whether a loop can use the target of a checkpoint under the same name."""
    if isinstance(target, ast.Name):
        found = names.scope_of(loop).lookup(target.id)
        return found is not None and found[0] is names.scope_of(target).lookup(target.id)[0]  # type: ignore[index]
    made, looping = names.class_around(target) if target is not None else None, names.class_around(loop)
    if made is None or looping is None:
        return False
    return made is looping or made.name in {name_of(base) for base in looping.bases}


def variables_read_after(module: Module, loop: ast.For | ast.While) -> dict[str, int]:
    """Returns the variables that only a loop sets, each with the first later line that reads it."""
    scope, found = module.names.scope_of(loop), dict[str, int]()
    for name, _ in _loop_variables(module, loop):
        later = [use.lineno for use in module.names.uses(name, scope) if use.lineno > (loop.end_lineno or 0)]
        found |= {name: min(later)} if later else {}
    return found


def _loop_variables(module: Module, loop: ast.For | ast.While) -> Iterator[tuple[str, set[ast.stmt]]]:
    """Yields the variables that only a loop sets, each with the statements that set it."""
    for name, bindings in module.names.scope_of(loop).bindings.items():
        lines = [getattr(one.node, "lineno", 0) for one in bindings]
        if lines and all(loop.lineno <= line <= (loop.end_lineno or 0) for line in lines):
            yield name, {module.names.statement_of(one.node) for one in bindings}


def counted_range(loop: ast.For) -> ast.Call | None:
    """Returns the ``range(n)`` that a loop iterates over, also within ``tqdm(range(n))``; else None."""
    made = loop.iter
    if isinstance(made, ast.Call) and name_of(made.func) in ("tqdm", "trange") and made.args:
        made = made.args[0] if name_of(made.func) == "tqdm" else made
    is_range = isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id in ("range", "trange")
    return made if is_range and isinstance(made, ast.Call) and len(made.args) == 1 and not made.keywords else None


def _turns_of_interval(module: Module, test: ast.expr, loop: ast.For, count: str) -> str:
    """Returns the source for the finished turns of a loop that saves under a test ``(epoch + 1) % 5 == 0``; or ""."""
    is_equal = isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)
    if not is_equal or not isinstance(test, ast.Compare) or ast.unparse(test.comparators[0]) != "0":
        return ""
    left, turn = test.left, ast.unparse(loop.target)
    if not isinstance(left, ast.BinOp) or not isinstance(left.op, ast.Mod):
        return ""
    every = left.right
    inside = (node for statement in loop.body for node in ast.walk(statement))
    stored = {ast.unparse(one) for one in inside if isinstance(getattr(one, "ctx", None), ast.Store)}
    is_known = isinstance(every, ast.Constant | ast.Name | ast.Attribute)
    if not is_known or not stored.isdisjoint({turn, ast.unparse(every)}):
        return ""
    interval = module.source.text(every)
    if ast.unparse(left.left) in (f"{turn} + 1", f"1 + {turn}"):
        return count if interval == "1" else f"{count} * {interval}"
    return f"max(0, ({count} - 1) * {interval} + 1)" if ast.unparse(left.left) == turn else ""


def _is_latest(checkpoints: Checkpoints, checkpoint: Checkpoint, values: Values, path: ast.expr) -> bool:
    """Whether a path is the latest checkpoint that the program saved, not one to start from."""
    names, value = checkpoints.names, checkpoints.names.value(path)
    is_searched = isinstance(value, ast.Call) and value in checkpoints.module.calls_of("train.latest_checkpoint")
    is_unsteady = is_searched and bool(value.args) and template(names, value.args[0]) is None  # type: ignore[attr-defined]
    saved = checkpoints.checkpoints_of_path(path)
    return is_unsteady or bool(saved) or is_own_path(checkpoints, checkpoint, values, path)


def is_loop(node: ast.AST) -> bool:
    return isinstance(node, ast.For | ast.While | ast.AsyncFor)


def loops_around(reach: Reach, module: Module, call: ast.Call, depth: int = 0) -> list[ast.AST]:
    """Returns the loops around a call, innermost first, or else those around the only call of its function."""
    around = list(module.names.ancestors(call))
    scope = next((one for one in around if isinstance(one, FunctionNode)), None)
    inside = around[: around.index(scope)] if scope is not None else around
    loops = [one for one in inside if is_loop(one)]
    callers = reach.callers(scope, module) if scope is not None and not loops and depth < MAX_DEPTH else []
    is_alone = len(callers) == 1 and reach.module_of(callers[0]) is module
    return loops_around(reach, module, callers[0], depth + 1) if is_alone else loops


def _counting_loop(reach: Reach, module: Module, save: ast.Call) -> ast.For | ast.While | None:
    """Returns the outermost loop around a save if it counts from a constant and skips no turn; else None."""
    loops, names = loops_around(reach, module, save), module.names
    loop = loops[-1] if loops else None
    if isinstance(loop, ast.While):
        return loop if any(_is_incremented(names, loop, part) for part in ast.walk(loop.test)) else None
    if not isinstance(loop, ast.For) or any(isinstance(part, ast.Continue) for part in ast.walk(loop)):
        return None
    turns = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
    added = (part for part in ast.walk(loop) if isinstance(part, ast.AugAssign))
    if any(ast.unparse(part.target) in turns and not isinstance(part.value, ast.Constant) for part in added):
        return None
    made = _iterable_of(names, loop)
    called = name_of(made.func) if isinstance(made, ast.Call) else ""
    if not isinstance(made, ast.Call) or called not in ("enumerate", "range", "trange"):
        return None
    first = [*made.args[1:], *(one.value for one in made.keywords if one.arg == "start")]
    first = first if called == "enumerate" else made.args[:1] if len(made.args) > 1 else []
    if called == "range" and [literal(names.value(one)) for one in made.args] == [1]:
        return None  # one turn continues nothing
    return loop if all(isinstance(names.value(one), ast.Constant) for one in first) else None


def _is_incremented(names: Names, loop: ast.While, part: ast.AST) -> bool:
    """Whether a loop's test compares a number that starts as a constant and that the loop increments."""
    if not isinstance(part, ast.Name | ast.Attribute) or not isinstance(names.parent(part), ast.Compare):
        return False
    stores = stores_of(names, part)
    outside = [one for one in stores if loop not in names.ancestors(one)]
    begins = [unpacked_value(names.parents, one) or getattr(names.parent(one), "value", None) for one in outside]
    added = [names.parent(one) for one in stores if one not in outside]
    is_added = bool(added) and all(isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Add) for one in added)
    return is_added and bool(begins) and all(isinstance(literal(one), int) for one in begins)


def _iterable_of(names: Names, loop: ast.For) -> ast.expr:
    """Returns the iterable of a loop without ``tqdm`` around it: ``with tqdm(range(9)) as bar: for step in bar:``."""
    made = names.value(loop.iter)
    items = (item for one in names.ancestors(loop) if isinstance(one, ast.With) for item in one.items)
    held = {item.optional_vars.id: item.context_expr for item in items if isinstance(item.optional_vars, ast.Name)}
    made = held.get(made.id, made) if isinstance(made, ast.Name) else made
    while isinstance(made, ast.Call) and name_of(made.func) == "tqdm" and made.args:
        made = names.value(made.args[0])
    return made
