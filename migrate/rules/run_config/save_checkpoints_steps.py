"""FT102 · RunConfig(save_checkpoints_steps=N)

The Estimator saves a checkpoint every N steps, beside the ones at the start and at the end.

Instead: ``CheckpointManager(…, step_counter=model.optimizer.iterations, checkpoint_interval=N)``, which
``CheckpointRecovery`` obeys; with ``--recovery backup-and-restore``: epochs of N steps, one backup each.

Fidelity: exact. ``None`` and ``0`` turn checkpointing off in a RunConfig, so that there is nothing to recover from:
such a program gets no Keras model. Where the value is known only at run time, 0 becomes None there.

See: tf.estimator.RunConfig, tf.train.CheckpointManager.
"""

from collections.abc import Iterator

from migrate.analysis.arguments import is_none, literal
from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, exact, manual, rule


@rule(
    "FT102",
    "exact",
    Example("RunConfig(save_checkpoints_steps=50)", "checkpoint_interval=50,"),
    Example("RunConfig(save_checkpoints_steps=args.every)", "checkpoint_interval=args.every or None,"),
    Example("RunConfig(save_checkpoints_steps=50)", "steps_per_epoch=50,", recovery="backup-and-restore"),
    Example("RunConfig(save_checkpoints_steps=None)", None),
    Example("RunConfig(save_checkpoints_steps=0)", None),
    is_setting=True,
)
def save_checkpoints_steps(program: Program, draft: Draft) -> Iterator[Verdict]:
    settings = program.config.settings
    steps = settings.get("save_checkpoints_steps")
    if steps is None:
        return
    if not literal(steps):
        if is_none(settings.get("save_checkpoints_secs")):
            yield manual(
                steps,
                "checkpointing is turned off here, so there is no recovery to carry over",
                "Set save_checkpoints_steps or save_checkpoints_secs, or move the model to Keras by hand.",
            )
        return
    draft.repeatable(steps, "save_checkpoints_steps")  # the training reads it again
    yield exact(steps, "a checkpoint every so many steps becomes the manager's checkpoint_interval")
