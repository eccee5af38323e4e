"""Finds expressions that prefer an initial file to the job's own newest checkpoint (FT516)."""

import ast
import re
from collections.abc import Iterator

from migrate.analysis.calls.reach import FunctionNode
from migrate.analysis.keras.checkpoints import Checkpoint
from migrate.analysis.keras.own_checkpoints import is_own_path
from migrate.analysis.values.values import iter_parts
from migrate.rules.rule import Workbench

_SEARCH_NAMES = {
    *("latest_checkpoint", "checkpoints", "get_checkpoint_state"),
    *("exists", "Exists", "isfile", "listdir", "glob"),
}
RESUME_WORDS = re.compile(r"resum|contin|restor|restart", re.IGNORECASE)
"""Words in the name of a file or flag for resuming, which is the job's own."""


def chosen_files(bench: Workbench, checkpoint: Checkpoint) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Yields the restores of ``init_from or manager.latest_checkpoint``, each with the initial file."""
    for call in checkpoint.calls("restore", "read"):
        path = bench.module.names.value(call.args[0]) if call.args else None
        ways: list[ast.expr] = []
        if isinstance(path, ast.BoolOp) and isinstance(path.op, ast.Or):
            ways = path.values
        elif isinstance(path, ast.IfExp) and not tests_newest(bench, path.test):
            ways = [path.body, path.orelse]
        own = [is_own_path(bench.checkpoints, checkpoint, bench.values, one) for one in ways]
        if ways and own[0] is False and any(own) and not RESUME_WORDS.search(ast.unparse(ways[0])):
            yield call, ways[0]


def tests_newest(bench: Workbench, test: ast.expr) -> bool:
    """Whether a test checks for the job's own newest checkpoint."""
    return any(getattr(one, "attr", "") in _SEARCH_NAMES for one in iter_parts(bench.module.names, test))


def call_chain(bench: Workbench, call: ast.Call) -> list[ast.Call]:
    """Returns a call, then the only call of the function around it, and so on outwards."""
    found = [call]
    for one in found:  # grows
        scope = bench.module.names.scope_of(one).node
        callers = bench.reach.callers(scope, bench.module) if isinstance(scope, FunctionNode) else []
        is_alone = len(callers) == 1 and bench.reach.module_of(callers[0]) is bench.module and callers[0] not in found
        found += callers if is_alone else []
    return found
