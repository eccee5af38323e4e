"""FT141 · canned estimators other than DNNClassifier and DNNRegressor

Linear, combined, baseline, boosted trees and others.

Instead: with ``--canned model-fn`` the linear, combined and baseline ones become a ``model_fn`` (FT126). For boosted
trees there is TensorFlow Decision Forests.

Fidelity: manual. Without ``--canned model-fn`` the program is found and left whole.

See: tf.estimator.
"""

from collections.abc import Iterator

from migrate.analysis.canned import parameters
from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Verdict, manual, rule


@rule("FT141", "manual", kinds=frozenset({"canned"}))
def other_canned(program: Program, draft: Draft) -> Iterator[Verdict]:
    is_trees = program.name.startswith("BoostedTrees")
    if parameters(program.name, is_v1=program.is_v1):
        reason, help = f"{program.name} has no Keras model that is written yet", "Use --canned model-fn."
    else:
        reason = f"{program.name} is not rewritten by this version"
        help = "Use TensorFlow Decision Forests." if is_trees else "Keep it on TensorFlow 2.15 for now."
    yield manual(program.site.node, reason, help)
