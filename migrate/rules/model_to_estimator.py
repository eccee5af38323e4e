"""FT142 · tf.keras.estimator.model_to_estimator

Wraps a Keras model into an Estimator.

Instead: the Keras model itself, trained by ``fit``. This rewrite is not written yet.

Fidelity: manual. The program is found and left whole.

See: tf.keras.estimator.model_to_estimator.
"""

from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Verdict, manual, rule


@rule("FT142", "manual", kinds=frozenset({"keras"}))
def model_to_estimator(program: Program, draft: Draft) -> Iterator[Verdict]:
    yield manual(
        program.site.node,
        "model_to_estimator is not rewritten by this version",
        "Train the Keras model with fit and tf.keras.callbacks.BackupAndRestore.",
    )
