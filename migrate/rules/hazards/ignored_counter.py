"""Finds a number in a checkpoint that a loop increases but does not begin at (FT509)."""

import ast

from migrate.analysis.calls.calls_before import calls_within
from migrate.analysis.keras.checkpoints import Checkpoint
from migrate.analysis.keras.restarted_loops import COUNTERS, loop_head
from migrate.analysis.source.arguments import literal
from migrate.analysis.source.names import Names
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.places import key_of
from migrate.analysis.values.values import iter_parts
from migrate.rules.rule import Workbench

_LOGGERS = {"print", "info", "debug", "format", "set_description", "scalar", "image", "histogram", "text", "set_step"}


def reads_progress(names: Names) -> bool:
    """Whether a file reads the step of an optimizer or checkpoint for more than logging."""
    if any(one.arg in COUNTERS for one in names.nodes(ast.keyword)):
        return True
    return any(not _is_only_logged(names, one) for name in COUNTERS for one in names.attributes.get(name, ()))


def _is_only_logged(names: Names, read: ast.expr) -> bool:
    """Whether a value is only passed to functions that print or log it."""
    for around in names.ancestors(read):
        called = name_of(around.func) if isinstance(around, ast.Call) else ""
        if isinstance(around, ast.FormattedValue) or called in _LOGGERS or getattr(around, "arg", "") == "step":
            return True
        if isinstance(around, ast.stmt) or (called and called not in ("numpy", "int", "cast")):
            return False
    return False


def counters_of(bench: Workbench, checkpoint: Checkpoint) -> list[str]:
    """Returns the names of the integer variables that a checkpoint tracks."""
    found = []
    for name, value in checkpoint.parts.items():
        made = bench.module.names.value(value)
        first = made.args[0] if isinstance(made, ast.Call) and made.args and name_of(made.func) == "Variable" else None
        number = literal(first)
        is_global = isinstance(made, ast.Call) and name_of(made.func) == "get_or_create_global_step"
        if is_global or (isinstance(number, int) and not isinstance(number, bool)):
            found.append(name)
    return found


def is_ignored(bench: Workbench, checkpoint: Checkpoint, loop: ast.For | ast.While, name: str) -> bool:
    """Whether a loop increases a counter, but neither begins at it nor ends by it."""
    names = bench.module.names
    variable = key_of(names, checkpoint.parts[name])

    def is_counter(node: ast.AST) -> bool:
        if not isinstance(node, ast.Name | ast.Attribute):
            return False
        if getattr(node, "attr", "") == name and checkpoint in bench.checkpoints.checkpoints_in(node.value):  # type: ignore[union-attr]
            return True
        return variable is not None and key_of(names, node) == variable

    seen: set[ast.AST] = set()
    for call in (one for one in names.nodes(ast.Call) if loop in names.ancestors(one)):
        list(calls_within(bench.reach, call, seen))
    called = [one for one in seen if bench.reach.module_of(one) is bench.module]
    inside = [node for body in (*loop.body, *called) for node in ast.walk(body)]
    ends = [node for node in inside if isinstance(node, ast.Break | ast.Return)]
    tests = [one.test for end in ends for one in names.ancestors(end) if isinstance(one, ast.If)]
    if any(is_counter(part) for test in tests for part in iter_parts(names, test)):
        return False
    if any(is_counter(node) or getattr(node, "attr", "") == name for node in iter_parts(names, loop_head(loop))):
        return False
    if any(isinstance(node, ast.keyword) and node.arg == "global_step" and is_counter(node.value) for node in inside):
        return True
    counted = [node.func for node in inside if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    if any(method.attr in ("assign", "assign_add") and is_counter(method.value) for method in counted):
        return True
    # Only the checkpoint uses it: its value never changes.
    uses = [node for node in (*names.nodes(ast.Name), *names.nodes(ast.Attribute)) if is_counter(node)]
    is_idle = all(names.parent(one) in (checkpoint.call, *checkpoint.call.keywords) for one in uses)
    return is_idle and bench.checkpoints.is_not_passed_on(checkpoint.target)
