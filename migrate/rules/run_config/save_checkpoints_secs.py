"""FT103 · RunConfig(save_checkpoints_secs=T)

The Estimator saves a checkpoint every T seconds. When a RunConfig names neither steps nor seconds, or there is no
RunConfig at all, it saves every 600 seconds.

Instead: ``CheckpointRecovery(…, save_secs=T)``: ``CheckpointManager`` has no clock of its own.

Fidelity: exact; the clock is looked at after each step, as the Estimator's hook did. ``BackupAndRestore`` saves by
epochs and has no place for seconds: with ``--recovery backup-and-restore`` no Keras model is written.

See: tf.estimator.RunConfig.
"""

from collections.abc import Iterator

from migrate.analysis.arguments import literal
from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, exact, manual, rule


@rule(
    "FT103",
    "exact",
    Example("RunConfig(save_checkpoints_secs=120)", "save_secs=120,"),
    Example("RunConfig()", "save_secs=600,"),
    Example("None", "save_secs=600,"),
    Example("RunConfig(save_checkpoints_secs=None)", None),
    Example("RunConfig(save_checkpoints_secs=60)", None, recovery="backup-and-restore"),
    is_setting=True,
)
def save_checkpoints_secs(program: Program, draft: Draft) -> Iterator[Verdict]:
    settings = program.config.settings
    seconds = settings.get("save_checkpoints_secs")
    node = seconds or (program.config.calls or [program.site.node])[0]
    if seconds is None and "save_checkpoints_steps" in settings:
        return
    if seconds is not None and not literal(seconds):
        if "save_checkpoints_steps" not in settings:
            yield manual(
                node,
                "checkpointing is turned off here, so there is no recovery to carry over",
                "Set save_checkpoints_steps or save_checkpoints_secs, or move the model to Keras by hand.",
            )
        return
    if draft.uses_backup:
        yield manual(
            node,
            f"checkpoints go by the clock ({'every 600 s by default' if seconds is None else 'save_checkpoints_secs'}),"
            " and BackupAndRestore saves by epochs",
            "Set save_checkpoints_steps, or use --recovery checkpoint-manager.",
        )
        return
    message = "a checkpoint every 600 seconds, the Estimator's default," if seconds is None else "the save interval"
    yield exact(node, f"{message} becomes save_secs of CheckpointRecovery")
