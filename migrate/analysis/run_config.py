"""Every argument of ``tf.estimator.RunConfig`` in one table: its default, and what carries it in TF2."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    """One argument of ``RunConfig``, as TensorFlow 2.15 has it.

    Attributes:
      name: the argument.
      default: the Estimator's default, as source text.
      manager: what carries it with ``CheckpointManager``; "" where nothing does.
      backup: what carries it with ``BackupAndRestore``; "" where nothing does.
      fidelity: ``exact``, ``noted`` or ``manual`` with ``CheckpointManager``.
      code: the rule that rewrites it.
    """

    name: str
    default: str
    manager: str
    backup: str
    fidelity: str
    code: str


_SEED = "tf.keras.utils.set_random_seed"

RUN_CONFIG = (
    Setting("model_dir", "tempfile.mkdtemp()", "directory", "directory/backup", "exact", "FT106"),
    Setting("tf_random_seed", "None", _SEED, _SEED, "noted", "FT109"),
    Setting("save_summary_steps", "100", "TrainingLog(summary_steps)", "TrainingLog(summary_steps)", "noted", "FT107"),
    Setting("save_checkpoints_steps", "None", "checkpoint_interval", "steps_per_epoch", "exact", "FT102"),
    Setting("save_checkpoints_secs", "600", "CheckpointRecovery(save_secs)", "", "exact", "FT103"),
    Setting("session_config", "None", "", "", "noted", "FT110"),
    Setting("keep_checkpoint_max", "5", "max_to_keep", "", "exact", "FT104"),
    Setting("keep_checkpoint_every_n_hours", "10000", "keep_checkpoint_every_n_hours", "", "exact", "FT105"),
    Setting("log_step_count_steps", "100", "TrainingLog(log_steps)", "TrainingLog(log_steps)", "exact", "FT108"),
    Setting("train_distribute", "None", "", "", "manual", "FT111"),
    Setting("device_fn", "None", "", "", "noted", "FT110"),
    Setting("protocol", "None", "", "", "noted", "FT110"),
    Setting("eval_distribute", "None", "", "", "manual", "FT111"),
    Setting("experimental_distribute", "None", "", "", "manual", "FT111"),
    Setting("experimental_max_worker_delay_secs", "None", "", "", "noted", "FT110"),
    Setting("session_creation_timeout_secs", "7200", "", "", "noted", "FT110"),
    Setting("checkpoint_save_graph_def", "True", "", "", "noted", "FT110"),
)
"""In the order of the signature, which positional arguments follow."""

DEFAULTS = {setting.name: setting.default for setting in RUN_CONFIG}


def table(code: str | None = None) -> str:
    """The settings of one rule, or of all, as a Markdown table."""
    rows = [setting for setting in RUN_CONFIG if code in (None, setting.code)]
    head = ("Setting", "Estimator's default", "CheckpointManager", "BackupAndRestore", "Fidelity", "Rule")
    cells = [(s.name, s.default, s.manager or "–", s.backup or "–", s.fidelity, s.code) for s in rows]
    widths = [max(len(row[i]) for row in [head, *cells]) for i in range(len(head))]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in [head, *cells]]
    lines.insert(1, " | ".join("-" * width for width in widths))
    return "\n".join(f"| {line} |" for line in lines)
