"""FT141 · premade estimators that become no Keras model

All but ``DNNClassifier`` and ``DNNRegressor``: linear, combined and baseline ones, those that are given a head, boosted
trees, RNNs, and what only ``tf.contrib`` had.

Instead: with ``--canned auto`` or ``object`` an object of the same name (FT151). It stands for none of the last three:
for boosted trees there is TensorFlow Decision Forests, for recurrent networks ``tf.keras.layers.RNN``.

Fidelity: manual with ``--canned keras``. The program is found and left whole.

See: tf.estimator.
"""

from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.rewrite.counterparts import counterpart
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Verdict, manual, rule, without_counterpart

_INSTEAD = {
    "BoostedTrees": "Use TensorFlow Decision Forests.",
    "RNN": "Write the network with tf.keras.layers, and train it with fit and a tf.train.CheckpointManager.",
}
_ELSE = "Use --canned object."


@rule("FT141", "manual", kinds=frozenset({"other-canned"}))
def other_canned(program: Program, draft: Draft) -> Iterator[Verdict]:
    if program.site.symbol.is_contrib:
        yield _of_contrib(program)
        return
    help = next((help for start, help in _INSTEAD.items() if program.name.startswith(start)), _ELSE)
    yield manual(program.site.node, f"{program.name} becomes no Keras model", help)


def _of_contrib(program: Program) -> Verdict:
    node, found = program.site.node, program.site.symbol
    if counterpart(found, is_v1=True) is None:
        return without_counterpart(node, found, program.module)
    return manual(node, f"`{found.qualified}` has a counterpart in object form alone", "Use --canned object.")
