"""FT142 · a Keras model that model_to_estimator wraps

The Estimator trains a copy of the model, in a graph, with Keras 2. The object that replaces it (FT151) trains the model
itself by ``fit``, with the Keras that the program imports.

Instead: an optimizer of ``tf.compat.v1.train`` in ``compile``, which Keras 3 does not accept, becomes the Keras
optimizer with the same constants. One without a counterpart, such as RMSProp, blocks the program.

Fidelity: noted; the optimizer is exact. Keras 3 gives the inputs of a ``Sequential`` without ``Input`` other names than
Keras 2. Where a batch reads a row of an ``Embedding`` more than once, optimizers of Keras 3 other than SGD square each
gradient; the Estimator and Keras 2 square their sum. In TensorFlow 2.15 the Estimator trained with the optimizers of
``tf.keras.optimizers.legacy`` instead of the new ones: Adam and SGD agree up to rounding, RMSprop and Adagrad add their
epsilon under the root.

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
from migrate.rules.rule import EstimatorProgram, Example, Verdict, exact, manual, noted, unit_rule

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
    """An optimizer of ``tf.compat.v1.train`` that is passed to ``compile``.

    Attributes:
      given: the argument of ``compile``.
      made: the call that makes the optimizer.
      is_elsewhere: whether the file uses it for something else too.
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
def model_to_estimator(unit: EstimatorProgram) -> Iterator[Verdict]:
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
        for difference, help in _keras_3_differences(module):
            yield noted(made, difference, help, module)


def _replace_optimizer(optimizer: CompileOptimizer, file: ChangedFile | None) -> Verdict:
    """Replaces an optimizer of ``tf.compat.v1.train`` by the Keras one that trains the same, or skips the program."""
    reason = f"a Keras model has tf.compat.v1.{optimizer.name}, with which Keras trains only inside an Estimator"
    help = "Compile it with the optimizer of tf.keras.optimizers, then migrate again."
    if file is None or optimizer.is_elsewhere:
        return manual(optimizer.given, reason, help)
    try:
        text = f"{file.vocabulary.tf2}.keras.optimizers.{keras_counterpart(file, optimizer.name, optimizer.made)}"
    except Unbindable as why:
        return manual(optimizer.given, f"{reason}: {why}", help)
    edit = ReplaceExpression(file.module.span(optimizer.made), text)
    if edit not in file.edits:
        file.edits.append(edit)
    return exact(
        optimizer.given, f"the optimizer becomes `{text}`, which trains the same: Keras takes none of TensorFlow 1"
    )


def _keras_3_differences(module: Module) -> Iterator[tuple[str, str]]:
    """Yields what Keras 3 does differently with such a model, with advice, as far as the file shows it."""
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
    """Yields the optimizers of ``tf.compat.v1.train`` that are passed to ``compile``."""
    found = list(_optimizers_of_compile(module))
    given = {one for one, _, _ in found}
    for one, made, name in found:
        yield CompileOptimizer(one, made, name, not given.issuperset(module.names.reads_of(one)))


def _optimizers_of_compile(module: Module) -> Iterator[tuple[ast.expr, ast.Call, str]]:
    tails = [tail for tail in module.uses if tail.startswith("train.") and tail.endswith("Optimizer")]
    makers = {node: tail for tail in tails for node in module.uses[tail]}
    for call in module.names.nodes(ast.Call) if makers else ():
        if not (isinstance(call.func, ast.Attribute) and call.func.attr == "compile"):
            continue
        for given in [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "optimizer")]:
            made = module.names.value(given)
            if isinstance(made, ast.Call) and made.func in makers:
                yield given, made, makers[made.func].rpartition(".")[2]
