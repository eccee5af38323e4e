"""FT108 · RunConfig(log_step_count_steps=N)

The Estimator logs the loss and the steps per second every N steps, 100 by default.

Instead: ``TrainingLog(…, log_steps=N)``, through TensorFlow's logger, so that the verbosity set for it still holds.

Fidelity: exact.

See: tf.estimator.RunConfig.
"""

from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, exact, rule


@rule(
    "FT108",
    "exact",
    Example("RunConfig(log_step_count_steps=7)", "log_steps=7"),
    Example("RunConfig(log_step_count_steps=None)", "log_steps=None"),
    Example("RunConfig()", "log_steps=100"),
    is_setting=True,
)
def log_step_count_steps(program: Program, draft: Draft) -> Iterator[Verdict]:
    steps = program.config.settings.get("log_step_count_steps")
    if steps is not None:
        yield exact(steps, "the steps between two lines of the log become TrainingLog's log_steps")
