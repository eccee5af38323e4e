"""FT521 · a training whose checkpoint is never saved

A ``CheckpointManager`` whose ``save`` is never called keeps nothing. A program that restores its weights and optimizer,
trains them and saves no checkpoint loses its training when it is interrupted: the next start begins at the same file.

Instead: ``manager.save()`` in the loop, every so many steps.

Fidelity: manual. Found in a file that trains, if nothing else saves the tracked objects, and neither the checkpoint nor
its manager is passed on. In a file that calls ``save_weights``, which saves no optimizer, only a manager without any
restore is found.

See: tf.train.CheckpointManager.save.
"""

from collections.abc import Iterator

from migrate.analysis.keras.checkpoints import Checkpoint
from migrate.analysis.keras.optimizers import is_trained, made_optimizers, runs_training
from migrate.rules.rule import Example, Fix, Workbench, manual, site_rule

_SAVING_CALLBACKS = ("keras.callbacks.ModelCheckpoint", "keras.callbacks.BackupAndRestore")
_JOB = """\
import tensorflow as tf

optimizer = tf.keras.optimizers.Adam()
checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
checkpoint.restore(tf.train.latest_checkpoint("/tmp/c")).expect_partial()
for batch in batches:
    optimizer.apply_gradients(zip(gradients(batch), model.trainable_variables))
"""


@site_rule("FT521", "manual", Example(_JOB, None, "module"))
def never_saved(bench: Workbench) -> Iterator[Fix]:
    module, checkpoints = bench.module, bench.checkpoints
    if module.calls_of(*_SAVING_CALLBACKS):
        return
    saved = [one for one in checkpoints.all if one.save_calls or checkpoints.calls_elsewhere(one, "save", "write")]
    saves_weights = "save_weights" in module.names.attributes
    for checkpoint in checkpoints.all:
        is_seen = all(map(checkpoints.is_not_passed_on, checkpoint.targets))
        is_other = any(checkpoints.keys(one) & checkpoints.keys(checkpoint) for one in saved)
        if checkpoint in saved or is_other or not is_seen or not _is_trained(bench, checkpoint):
            continue
        restores = checkpoint.calls("restore", "restore_or_initialize")
        if (checkpoint.managers and not restores) if saves_weights else (checkpoint.managers or restores):
            lost = "its optimizer" if saves_weights else "what it trained"
            message = f"nothing in this file saves this checkpoint: an interrupted job loses {lost}"
            yield Fix((manual(checkpoint.call, message, "Call save() in the loop, every so many steps."),))


def _is_trained(bench: Workbench, checkpoint: Checkpoint) -> bool:
    """Whether the file trains by an optimizer that a checkpoint tracks."""
    made = [one for one in checkpoint.objects() if made_optimizers(bench.values, bench.module, one)]
    return any(is_trained(bench.module, one) for one in made) and runs_training(bench.reach, "apply_gradients")
