"""FT107 · RunConfig(save_summary_steps=N)

The Estimator writes summaries to ``model_dir`` every N steps, 100 by default.

Instead: ``TrainingLog(model_dir, summary_steps=N)``, which writes the loss of that step under the same tag ``loss``.

Fidelity: noted. Only the loss is written; a canned estimator's summaries of its layers are not, nor those of
``evaluate``.

See: tf.estimator.RunConfig.
"""

from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.analysis.run_config import DEFAULTS
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
    draft.log_arguments["summary_steps"] = DEFAULTS["save_summary_steps"] if steps is None else draft.or_none(steps)
    if steps is not None:
        yield noted(steps, "of the summaries only the loss is still written, by TrainingLog")
