"""What a program asks of its checkpoints, its log and its random numbers, free of any API."""

import ast
from dataclasses import dataclass

from migrate.analysis.arguments import is_none, literal
from migrate.analysis.program import Program
from migrate.analysis.run_config import DEFAULTS


@dataclass(frozen=True)
class Policy:
    """The user's own expressions or, where there is none, the Estimator's defaults; 0 and None turn a setting off.

    Attributes:
      save_steps: the steps between two saves; None where they go by the clock.
      save_secs: the seconds between two saves; None where they go by steps.
      keep: how many of the newest checkpoints to keep.
      keep_hours: the hours between two checkpoints that are kept for good; None for none.
      log_steps: the steps between two lines of the log.
      summary_steps: the steps between two summaries.
      seed: the random seed; None for none.
    """

    save_steps: ast.expr | None
    save_secs: ast.expr | None
    keep: ast.expr
    keep_hours: ast.expr | None
    log_steps: ast.expr
    summary_steps: ast.expr
    seed: ast.expr | None


def policy_of(program: Program) -> Policy:
    """The policy of a program whose ``RunConfig`` is known."""
    settings = program.config.settings
    given = settings if not program.ignores_numbers_to_keep else {}

    def own(value: ast.expr | None) -> ast.expr | None:
        return None if is_none(value) else value

    steps, secs = settings.get("save_checkpoints_steps"), settings.get("save_checkpoints_secs")
    if secs is None and steps is None:
        secs = _default("save_checkpoints_secs")
    save_steps = steps if steps is not None and literal(steps) else None
    save_secs = secs if secs is not None and literal(secs) else None
    return Policy(
        save_steps,
        save_secs,
        given.get("keep_checkpoint_max", _default("keep_checkpoint_max")),
        given.get("keep_checkpoint_every_n_hours"),
        settings.get("log_step_count_steps", _default("log_step_count_steps")),
        settings.get("save_summary_steps", _default("save_summary_steps")),
        own(settings.get("tf_random_seed")),
    )


def _default(name: str) -> ast.Constant:
    return ast.Constant(ast.literal_eval(DEFAULTS[name]))
