"""FT107 · RunConfig(save_summary_steps=N)

The Estimator writes summaries to ``model_dir`` every N steps, 100 by default.

Instead: ``TrainingLog(model_dir, summary_steps=N)``, which writes the loss of that step under the Estimator's tags:
``loss``, beside it ``average_loss`` where a TensorFlow 1 estimator sums the loss, and ``loss_1`` of
``model_to_estimator``.

Fidelity: noted. A premade estimator's summaries of its layers (``fraction_of_zero_values``, ``activation``, ``bias``)
are not written.

See: tf.estimator.RunConfig.
"""

from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, noted, rule


@rule(
    "FT107",
    "noted",
    Example("RunConfig(save_summary_steps=7)", "summary_steps=7"),
    Example("RunConfig()", "summary_steps=100"),
    is_setting=True,
)
def save_summary_steps(program: Program, draft: Draft) -> Iterator[Verdict]:
    steps = program.config.settings.get("save_summary_steps")
    if steps is None:
        return
    yield noted(steps, "the summaries of the loss are written, those of the layers are not")
