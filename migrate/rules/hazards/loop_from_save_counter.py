"""Rewrites a loop to begin at TensorFlow's own count of its saves, not at its first turn (FT509)."""

import ast

from migrate.analysis.keras.checkpoints import Checkpoint, Checkpoints
from migrate.analysis.keras.restarted_loops import counted_range, turns_in_save_counter, variables_read_after
from migrate.edits.plan import ReplaceExpression
from migrate.rules.rule import Fix, Workbench, noted


def loop_from_save_counter(
    bench: Workbench, checkpoints: Checkpoints, checkpoint: Checkpoint, loop: ast.For | ast.While
) -> Fix | None:
    """Returns the rewrite of a loop that always begins at 0; None where its saves do not count its turns."""
    if isinstance(loop, ast.While):
        return None
    module, counted = bench.module, counted_range(loop)
    first = turns_in_save_counter(module, checkpoints, checkpoint, loop)
    if not first or counted is None or module.needs_tf1 or bench.reach.may_run_twice(module, loop):
        return None
    if variables_read_after(module, loop):  # a start after the last turn would raise a NameError there
        return None
    total = module.source.text(counted.args[0])
    message = (
        f"the loop begins at {first}, TensorFlow's count of its saves, and no longer at its first turn; {total} is now "
        "the total of all starts, and no longer of each start"
    )
    new = f"{module.source.text(counted.func)}({first}, {total})"
    return Fix((noted(counted, message),), (ReplaceExpression(module.span(counted), new),))
