"""FT111 · RunConfig(train_distribute=…, eval_distribute=…, experimental_distribute=…)

The Estimator trains, or evaluates, under a distribution strategy. Each replica draws a batch of its own from
``input_fn``, so that a step sees batch × replicas; ``fit`` splits one batch among the replicas.

Instead: make the model inside ``strategy.scope()``, and let ``input_fn`` batch for all replicas. For several workers
there is ``MultiWorkerMirroredStrategy`` (FT401, FT404); with ``ParameterServerStrategy`` the coordinator restores and
saves.

Fidelity: manual. The program is left whole: a ``model_fn`` that is traced outside the strategy's scope trains on one
replica, and a canned estimator's step would see a batch of another size.

See: tf.estimator.RunConfig, tf.distribute.Strategy.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import is_none
from migrate.analysis.program import Program
from migrate.analysis.symbols import symbol_of
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, manual, rule

_WITHOUT = "Take it out to migrate the program"
_HELP = {
    "MirroredStrategy": f"{_WITHOUT}, then make the model inside strategy.scope() and batch for all replicas.",
    "MultiWorkerMirroredStrategy": f"{_WITHOUT}, then make the model inside strategy.scope(), see FT404.",
    "CollectiveAllReduceStrategy": f"{_WITHOUT}, then use MultiWorkerMirroredStrategy, see FT401 and FT404.",
    "ParameterServerStrategy": f"{_WITHOUT}, then save and restore on the coordinator alone.",
}


@rule(
    "FT111",
    "manual",
    Example("RunConfig(train_distribute=args.every)", None),
    Example("RunConfig(train_distribute=tf.distribute.MirroredStrategy())", None),
    is_setting=True,
)
def train_distribute(program: Program, draft: Draft) -> Iterator[Verdict]:
    for name in ("train_distribute", "eval_distribute", "experimental_distribute"):
        value = program.config.settings.get(name)
        if value is not None and not is_none(value):
            kind = _strategy(program, value)
            yield manual(
                value,
                f"{name} puts training under a {kind or 'distribution strategy'}, whose replicas each draw a batch",
                _HELP.get(kind, _HELP["MirroredStrategy"]),
            )


def _strategy(program: Program, value: ast.expr) -> str:
    """The class of a strategy, "" where it is not seen."""
    names = program.module.names
    made = names.only_value(value) if isinstance(value, ast.Name) else value
    found = symbol_of(names, made.func) if isinstance(made, ast.Call) else None
    name = found.tail.rpartition(".")[2] if found is not None else ""
    return name if name in _HELP else ""
