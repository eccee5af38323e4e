"""FT142 · a Keras model that model_to_estimator wraps

The Estimator trains a copy of the model, in a graph, by Keras 2. Its object (FT151) trains the model itself by ``fit``,
with the Keras that the program imports.

Instead: where the model is compiled with an optimizer of ``tf.compat.v1.train``, of which Keras 3 takes none, that
becomes Keras's with the same constants. One without a counterpart, RMSProp among them, blocks the program.

Fidelity: noted; the optimizer is exact. Keras 3 names the inputs of a ``Sequential`` without ``Input`` otherwise than
Keras 2. Of a row of an ``Embedding`` that a batch reads more than once, its optimizers other than SGD square each
gradient by itself, where the Estimator and Keras 2 square their sum. In TensorFlow 2.15 the Estimator trained with the
optimizer of ``tf.keras.optimizers.legacy`` in the place of the new one: Adam and SGD agree to rounding, RMSprop and
Adagrad add their epsilon under the root.

See: tf.keras.estimator.model_to_estimator, tf.keras.Model.fit.
"""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from migrate.analysis.source.arguments import Unbindable
from migrate.analysis.source.module import Module
from migrate.edits.plan import ReplaceExpression
from migrate.rewrite.changed_file import ChangedFile
from migrate.rewrite.v1_optimizers import keras_counterpart
from migrate.rules.rule import Example, ObjectUnit, Verdict, exact, manual, noted, unit_rule

_PROGRAM = """\
import tensorflow as tf
import tensorflow.compat.v1 as tf1


def input_fn():
    return tf.data.Dataset.range(9)


def main(model):
    model.compile(tf1.train.OPTIMIZER(0.1), 'mse')
    estimator = tf.keras.estimator.model_to_estimator(model, model_dir='m')
    estimator.train(input_fn, max_steps=10)
"""
_ADAM = _PROGRAM.replace("OPTIMIZER", "AdamOptimizer")
_RMSPROP = _PROGRAM.replace("OPTIMIZER", "RMSPropOptimizer")


class CompileOptimizer(NamedTuple):
    """An optimizer of ``tf.compat.v1.train`` that ``compile`` gets.

    Attributes:
      is_elsewhere: whether the file reads it for something else too.
    """

    given: ast.expr
    made: ast.Call
    name: str
    is_elsewhere: bool


@unit_rule(
    "FT142",
    "noted",
    Example(_ADAM, "model.compile(tf.keras.optimizers.Adam(0.1, epsilon=1e-08), 'mse')", "module"),
    Example(_RMSPROP, None, "module"),
)
def model_to_estimator(unit: ObjectUnit) -> Iterator[Verdict]:
    sites = [
        (module, site.node)
        for module in unit.modules
        for site in module.sites
        if site.symbol.tail == "estimator.model_to_estimator"
    ]
    for module in unit.modules if sites else ():
        for one in compiled_with_tensorflow_1(module):
            yield _replace_optimizer(one, unit.files.get(module.path))._replace(module=module)
    for module, made in sites if unit.settings.target != "keras2" else ():
        for difference, help in _under_keras_3(module):
            yield noted(made, difference, help, module)


def _replace_optimizer(found: CompileOptimizer, file: ChangedFile | None) -> Verdict:
    """Gives a Keras model Keras's optimizer that trains as one of ``tf.compat.v1.train``, or leaves the program."""
    reason = (
        f"a Keras model is compiled with tf.compat.v1.{found.name}, which Keras trains with inside an Estimator alone"
    )
    help = "Compile it with the optimizer of tf.keras.optimizers, then migrate again."
    if file is None or found.is_elsewhere:
        return manual(found.given, reason, help)
    try:
        text = f"{file.vocabulary.tf2}.keras.optimizers.{keras_counterpart(file, found.name, found.made)}"
    except Unbindable as why:
        return manual(found.given, f"{reason}: {why}", help)
    edit = ReplaceExpression(file.module.span(found.made), text)
    if edit not in file.edits:
        file.edits.append(edit)
    return exact(
        found.given, f"the optimizer becomes `{text}`, which trains the same: Keras takes none of TensorFlow 1"
    )


def _under_keras_3(module: Module) -> Iterator[tuple[str, str]]:
    """What Keras 3 does otherwise with such a model, and what helps, as far as the file shows it."""
    classes = {tail.rpartition(".")[2] for tail in module.uses}
    texts = (node.value for node in module.names.nodes(ast.Constant))
    named = next((text for text in texts if isinstance(text, str) and re.fullmatch(r"\w+_input", text)), None)
    if named is not None and "Sequential" in classes:
        help = f'Let the model begin with tf.keras.Input(…, name="{named}").'
        yield f"Keras 3 gives a Sequential without Input no input called {named}", help
    if "Embedding" in classes:
        help = "Run it with tf_keras (TF_USE_LEGACY_KERAS=1), whose optimizers sum such gradients."
        yield "Keras 3 trains an Embedding otherwise where a batch reads a row of it twice", help


def compiled_with_tensorflow_1(module: Module) -> Iterator[CompileOptimizer]:
    """The optimizers of ``tf.compat.v1.train`` that ``compile`` gets."""
    found = list(_compiled(module))
    given = {one for one, _, _ in found}
    for one, made, name in found:
        yield CompileOptimizer(one, made, name, not given.issuperset(module.names.reads_of(one)))


def _compiled(module: Module) -> Iterator[tuple[ast.expr, ast.Call, str]]:
    tails = [tail for tail in module.uses if tail.startswith("train.") and tail.endswith("Optimizer")]
    makers = {node: tail for tail in tails for node in module.uses[tail]}
    for call in module.names.nodes(ast.Call) if makers else ():
        if not (isinstance(call.func, ast.Attribute) and call.func.attr == "compile"):
            continue
        for given in [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "optimizer")]:
            made = module.names.value(given)
            if isinstance(made, ast.Call) and made.func in makers:
                yield given, made, makers[made.func].rpartition(".")[2]
