"""FT111 · RunConfig(train_distribute=…, eval_distribute=…, experimental_distribute=…)

The Estimator trains, or evaluates, under a distribution strategy. Each replica draws a batch of its own from
``input_fn``, so that a step sees batch × replicas.

Instead: no Keras model is written, whose ``fit`` would split one batch among the replicas. The object form (FT151)
carries the strategy: its ``RunConfig`` stays and takes it as the program runs.

Fidelity: manual with ``--canned keras``; exact in object form.

See: tf.estimator.RunConfig, tf.distribute.MirroredStrategy.
"""

from collections.abc import Iterator

from migrate.analysis.arguments import is_none
from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, manual, rule

_SETTINGS = ("train_distribute", "eval_distribute", "experimental_distribute")


@rule(
    "FT111",
    "manual",
    Example("RunConfig(train_distribute=tf.distribute.MirroredStrategy())", None),
    Example("RunConfig(train_distribute=None)", "save_secs=600"),
    is_setting=True,
)
def train_distribute(program: Program, draft: Draft) -> Iterator[Verdict]:
    for name in _SETTINGS:
        value = program.config.settings.get(name)
        if value is not None and not is_none(value):
            reason = f"{name} puts the program under a distribution strategy, whose replicas each draw a batch"
            yield manual(value, reason, "Use --canned object, whose RunConfig carries the strategy.")
