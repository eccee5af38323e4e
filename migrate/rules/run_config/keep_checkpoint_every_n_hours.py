"""FT105 · RunConfig(keep_checkpoint_every_n_hours=H)

Beside the newest checkpoints the Estimator keeps one for every H hours for good; by default 10000 hours, so none.

Instead: ``tf.train.CheckpointManager(…, keep_checkpoint_every_n_hours=H)``. The default is left out.

Fidelity: exact. ``model_to_estimator`` ignores H, unless its ``checkpoint_format`` is ``saver`` (TensorFlow 2.15); so
does the migrated program. After a restart the hours go on from the last checkpoint that was kept, where the Estimator
counts anew from the start, so that it keeps fewer of a job that is often interrupted. ``BackupAndRestore`` keeps one
backup, which is noted.

See: tf.estimator.RunConfig, tf.train.CheckpointManager.
"""

from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, exact, noted, rule


@rule(
    "FT105",
    "exact",
    Example("RunConfig(keep_checkpoint_every_n_hours=2)", "keep_checkpoint_every_n_hours=2,"),
    is_setting=True,
)
def keep_checkpoint_every_n_hours(program: Program, draft: Draft) -> Iterator[Verdict]:
    hours = program.config.settings.get("keep_checkpoint_every_n_hours")
    if hours is None:
        return
    if program.ignores_numbers_to_keep:
        yield exact(hours, "model_to_estimator ignores keep_checkpoint_every_n_hours; so does the migrated program")
        return
    if draft.uses_backup:
        yield noted(hours, "BackupAndRestore keeps one backup, so keep_checkpoint_every_n_hours has no effect")
    else:
        yield exact(hours, "the hours between checkpoints kept for good become the manager's argument of that name")
