"""FT504 · manager.save() after the loop, with checkpoint_interval

A ``CheckpointManager`` with ``checkpoint_interval`` skips every save that comes before the interval is over, the one
after the loop too: the last steps are not saved, and a finished job that is started again trains them again.

Instead: ``manager.save(check_interval=False)`` after the loop.

Fidelity: noted. The last step is saved, where it was not before.

See: tf.train.CheckpointManager.save.
"""

import ast
from collections.abc import Hashable, Iterator

from migrate.analysis.arguments import is_none
from migrate.analysis.checkpoints import Checkpoints, key
from migrate.analysis.names import Names
from migrate.edits.plan import SetArgument
from migrate.rules.rule import Example, Mend, Workbench, noted, site_rule

_LOOP = """\
import tensorflow as tf

step = tf.Variable(0)
manager = tf.train.CheckpointManager(
    tf.train.Checkpoint(step=step), "/tmp/c", max_to_keep=2, step_counter=step, checkpoint_interval=100
)
manager.restore_or_initialize()
for batch in batches:
    train(batch)
    manager.save()
manager.save()
"""


@site_rule(
    "FT504",
    "noted",
    Example(_LOOP, "    manager.save()\nmanager.save(check_interval=False)\n", "module"),
)
def last_save_skipped(bench: Workbench) -> Iterator[Mend]:
    names = bench.module.names
    for checkpoint in Checkpoints(bench.module).all:
        for manager in checkpoint.managers:
            if is_none(manager.arguments.get("checkpoint_interval")) or manager.target is None:
                continue
            own = key(names, manager.target)
            saves = [call for call in checkpoint.methods.get("save", []) if _receiver(call, names) == own]
            looped = [call for call in saves if _loops(names, call)]
            for call in saves:
                is_last = call not in looped and any(
                    other.lineno < call.lineno and names.scope_of(other) is names.scope_of(call) for other in looped
                )
                if is_last and not any(keyword.arg == "check_interval" for keyword in call.keywords):
                    message = "checkpoint_interval skips this save after the loop; it is always made now"
                    edit = SetArgument(bench.module.span(call), "check_interval", "False", 1)
                    yield Mend((noted(call, message),), (edit,))


def _receiver(call: ast.Call, names: Names) -> Hashable | None:
    assert isinstance(call.func, ast.Attribute)
    return key(names, call.func.value)


def _loops(names: Names, call: ast.Call) -> bool:
    scope = names.scope_of(call).node
    for node in names.ancestors(call):
        if node is scope:
            return False
        if isinstance(node, ast.For | ast.While):
            return True
    return False
