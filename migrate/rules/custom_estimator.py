"""FT140 · tf.estimator.Estimator, TPUEstimator with a model_fn of your own

Most Estimators in public code are built from a custom ``model_fn``.

Instead: the ``model_fn`` can stay as it is under ``tf.compat.v1.wrap_function``, with a ``tf.train.CheckpointManager``
around it. This rewrite is not written yet.

Fidelity: manual. The program is found and left whole.

See: tf.estimator.Estimator, tf.compat.v1.wrap_function.
"""

from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Verdict, manual, rule


@rule("FT140", "manual", kinds=frozenset({"custom"}))
def custom_estimator(program: Program, draft: Draft) -> Iterator[Verdict]:
    yield manual(
        program.site.node,
        f"{program.name} with a custom model_fn is not rewritten by this version",
        "Keep it on TensorFlow 2.15 for now, or move the model_fn by hand.",
    )
