"""FT501 · tf.train.load_checkpoint(path), called to restore

``tf.train.load_checkpoint`` returns a reader of the file. A call whose result is not used changes no variable: training
continues with the current weights. TensorFlow's official guide to fault tolerance contains this mistake.

Instead: ``checkpoint.restore(path).assert_existing_objects_matched()``, where the file has one ``tf.train.Checkpoint``
to restore into. Like the old line, it raises where there is no checkpoint at ``path``.

Fidelity: noted. The old line restored nothing; the new one does.

See: tf.train.load_checkpoint, tf.train.Checkpoint.restore.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.keras.checkpoints import Checkpoint, Checkpoints
from migrate.edits.plan import ReplaceExpression
from migrate.rules.rule import Example, Fix, Workbench, manual, noted, site_rule

_LOOP = """\
import tensorflow as tf

checkpoint = tf.train.Checkpoint(step=tf.Variable(0))
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=2)
for epoch in range(3):
    if epoch > 0:
        tf.train.load_checkpoint(path)
    checkpoint.step.assign_add(1)
    path = manager.save()
"""


@site_rule(
    "FT501",
    "noted",
    Example(_LOOP, "        checkpoint.restore(path).assert_existing_objects_matched()\n", "module"),
    Example("import tensorflow as tf\n\nprint(1)\ntf.train.load_checkpoint('/tmp/c')\n", None, "module"),
)
def load_checkpoint(bench: Workbench) -> Iterator[Fix]:
    module, checkpoints = bench.module, bench.checkpoints
    for call in module.calls_of("train.load_checkpoint"):
        if not isinstance(module.names.parent(call), ast.Expr):
            continue  # the reader is used
        message = "load_checkpoint opens a reader and restores nothing"
        checkpoint = _intended_checkpoint(checkpoints, call)
        if checkpoint is None or checkpoint.target is None or len(call.args) != 1 or call.keywords:
            help = "Call restore(path) of the tf.train.Checkpoint that saved it, and check what it returns."
            yield Fix((manual(call, message, help),))
            continue
        target, path = module.source.text(checkpoint.target), module.source.text(call.args[0])
        text = f"{target}.restore({path}).assert_existing_objects_matched()"
        verdict = noted(call, f"{message}; `{target}` is restored now")
        yield Fix((verdict,), (ReplaceExpression(module.span(call), text),))


def _intended_checkpoint(checkpoints: Checkpoints, call: ast.Call) -> Checkpoint | None:
    """Returns the checkpoint that the call should restore: the one that saved its path, else the only one there."""
    names = checkpoints.names
    found = (checkpoints.checkpoints_of_path(call.args[0]) if call.args else []) or checkpoints.all
    if len(found) != 1 or checkpoints.checkpoint_in(found[0].target) is None:
        return None
    owner = names.scope_of(found[0].call)
    is_seen = isinstance(found[0].target, ast.Name) and names.scope_of(call).lookup(found[0].target.id) is not None
    in_method = isinstance(found[0].target, ast.Attribute) and names.scope_of(call) is owner
    is_before = names.scope_of(call) is not owner or found[0].call.lineno < call.lineno
    return found[0] if (is_seen or in_method) and is_before else None
