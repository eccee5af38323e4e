"""FT104 · RunConfig(keep_checkpoint_max=N)

The Estimator keeps the N newest checkpoints of ``model_dir``, 5 by default, and deletes older ones.

Instead: ``tf.train.CheckpointManager(…, max_to_keep=N)``.

Fidelity: exact. ``None`` and ``0`` both mean "keep all" and become ``max_to_keep=None``, because the manager rejects 0.
``model_to_estimator`` ignores N and keeps 5, unless its ``checkpoint_format`` is ``saver`` (TensorFlow 2.15); so does
the migrated program. ``BackupAndRestore`` keeps one backup whatever N is, which is noted.

See: tf.estimator.RunConfig, tf.train.CheckpointManager.
"""

from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, exact, noted, rule

_OF_KERAS = """\
import tensorflow as tf

config = tf.estimator.RunConfig("/tmp/m", save_checkpoints_steps=5, keep_checkpoint_max=3)
estimator = tf.keras.estimator.model_to_estimator(model, config=config)
estimator.train(lambda: tf.data.Dataset.range(9), max_steps=10)
"""


@rule(
    "FT104",
    "exact",
    Example("RunConfig(keep_checkpoint_max=3)", "max_to_keep=3,"),
    Example("RunConfig(keep_checkpoint_max=0)", "max_to_keep=None,"),
    Example("RunConfig(keep_checkpoint_max=None)", "max_to_keep=None,"),
    Example("RunConfig(keep_checkpoint_max=args.every)", "max_to_keep=args.every or None,"),
    Example("RunConfig()", "max_to_keep=5,"),
    Example(_OF_KERAS, "max_to_keep=5,", "module"),
    is_setting=True,
)
def keep_checkpoint_max(program: Program, draft: Draft) -> Iterator[Verdict]:
    keep = program.config.settings.get("keep_checkpoint_max")
    ignored = program.ignores_numbers_to_keep
    if keep is not None and draft.uses_backup:
        yield noted(keep, "BackupAndRestore keeps one backup, so keep_checkpoint_max has no effect")
    elif keep is not None and ignored:
        yield exact(
            keep,
            "model_to_estimator ignores keep_checkpoint_max and keeps 5 checkpoints; so does the migrated program: "
            "change the manager's max_to_keep to keep another number",
        )
    elif keep is not None:
        yield exact(keep, "the number of checkpoints to keep becomes the manager's max_to_keep")
