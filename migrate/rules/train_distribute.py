"""FT111 · RunConfig(train_distribute=…, eval_distribute=…, experimental_distribute=…)

The Estimator trains, or evaluates, under a distribution strategy.

Instead: a strategy scope around the model, by hand for now.

Fidelity: manual. The program is left whole, because a model that is made outside the strategy's scope would train
differently.

See: tf.estimator.RunConfig, tf.distribute.Strategy.
"""

from collections.abc import Iterator

from migrate.analysis.arguments import is_none
from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, manual, rule


@rule("FT111", "manual", Example("RunConfig(train_distribute=args.every)", None), is_setting=True)
def train_distribute(program: Program, draft: Draft) -> Iterator[Verdict]:
    for name in ("train_distribute", "eval_distribute", "experimental_distribute"):
        value = program.config.settings.get(name)
        if value is not None and not is_none(value):
            yield manual(
                value,
                f"{name} puts training under a distribution strategy, which is not rewritten yet",
                "Take it out to migrate the program, then make the model inside strategy.scope().",
            )
