"""FT143 · tf.estimator.train_and_evaluate

Trains and evaluates in turn, on one machine or on a cluster.

Instead: not written yet.

Fidelity: manual. The call and its program are found and left whole.

See: tf.estimator.train_and_evaluate.
"""

from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Verdict, rule


@rule("FT143", "manual")
def train_and_evaluate(program: Program, draft: Draft) -> Iterator[Verdict]:
    yield from ()  # the call belongs to no program yet: it is reported as a site of its own
