"""FT149 · tf.estimator.tpu.TPUEstimator

An Estimator for TPUs, most often run on CPU or GPU with ``use_tpu=False``.

Instead: not written yet.

Fidelity: manual. The program is found and left whole.

See: tf.compat.v1.estimator.tpu.TPUEstimator.
"""

from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Verdict, manual, rule


@rule("FT149", "manual", kinds=frozenset({"tpu"}))
def tpu_estimator(program: Program, draft: Draft) -> Iterator[Verdict]:
    yield manual(
        program.site.node,
        "TPUEstimator is not rewritten by this version",
        "Make it a tf.estimator.Estimator, where TPUs are not used, then migrate again.",
    )
