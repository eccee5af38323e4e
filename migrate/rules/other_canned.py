"""FT141 · canned estimators that are not rewritten

Boosted trees, RNNs, estimators with a head of their own, TensorFlow 2's baselines and others.

Instead: for boosted trees there is TensorFlow Decision Forests, for recurrent networks ``tf.keras.layers.RNN``.

Fidelity: manual. The program is found and left whole.

See: tf.estimator.
"""

from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Verdict, manual, rule

_INSTEAD = {
    "BoostedTrees": "Use TensorFlow Decision Forests.",
    "RNN": "Write the network with tf.keras.layers, and train it with fit and a tf.train.CheckpointManager.",
}
_ELSE = "Keep it on TensorFlow 2.15 for now."


@rule("FT141", "manual", kinds=frozenset({"other-canned"}))
def other_canned(program: Program, draft: Draft) -> Iterator[Verdict]:
    help = next((help for start, help in _INSTEAD.items() if program.name.startswith(start)), _ELSE)
    yield manual(program.site.node, f"{program.name} is not rewritten by this version", help)
