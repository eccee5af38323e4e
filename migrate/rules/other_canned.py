"""FT141 · canned estimators other than DNNClassifier and DNNRegressor

Linear, combined, baseline, boosted trees and others.

Instead: not written yet. For boosted trees there is TensorFlow Decision Forests.

Fidelity: manual. The program is found and left whole.

See: tf.estimator.
"""

from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Verdict, manual, rule


@rule("FT141", "manual", kinds=frozenset({"canned"}))
def other_canned(program: Program, draft: Draft) -> Iterator[Verdict]:
    is_trees = program.name.startswith("BoostedTrees")
    yield manual(
        program.site.node,
        f"{program.name} is not rewritten by this version",
        "Use TensorFlow Decision Forests." if is_trees else "Keep it on TensorFlow 2.15 for now.",
    )
