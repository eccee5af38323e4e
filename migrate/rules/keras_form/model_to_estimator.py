"""FT142 · tf.keras.estimator.model_to_estimator

Wraps a compiled Keras model into an Estimator. It trains a copy: the model itself keeps the weights that it had.

Instead: the Keras model itself, trained by ``fit``, with a visible ``tf.train.CheckpointManager`` behind a callback
that obeys it. With ``keras_model_path`` the model is loaded from there. The model stays compiled as it was, and
training begins with the weights that it has, as the Estimator's did.

Fidelity: noted. After training the model holds the trained weights, where the Estimator left it as it was. In
TensorFlow 2.15 the Estimator trained with the optimizer of ``tf.keras.optimizers.legacy`` in the place of the new one:
Adam and SGD agree to rounding, RMSprop and Adagrad add their epsilon under the root. Keras 3 names the inputs of a
``Sequential`` without ``Input`` otherwise than Keras 2. Of a row of an ``Embedding`` that a batch reads more than once,
Keras 3's optimizers other than SGD square each gradient by itself, where the Estimator and Keras 2 square their sum:
such a model trains otherwise there, and the report says so. A model that is compiled with an optimizer of
``tf.compat.v1.train`` blocks the program: Keras 3 takes none. A finished job that is started again does nothing, where
the Estimator trained one step more at each start. TensorBoard shows the training's loss as ``loss_1``, as the
Estimator wrote it. ``metric_names_map`` and ``export_outputs`` block the program.

See: tf.keras.estimator.model_to_estimator, tf.keras.Model.fit.
"""

import ast
import re
from collections.abc import Iterator

from migrate.analysis.arguments import is_none
from migrate.analysis.compiled import compiled_with_tensorflow_1
from migrate.analysis.module import Module
from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, ObjectUnit, Verdict, manual, noted, of_units_too, rule


@rule(
    "FT142",
    "noted",
    Example("keras_model=model", "estimator = model\n", "estimator", kind="keras"),
    Example("keras_model_path='m.h5'", 'estimator = tf.keras.models.load_model("m.h5")', "estimator", kind="keras"),
    Example("model, metric_names_map={'a': 'b'}", None, "estimator", kind="keras"),
    Example("model.compile(tf1.train.AdamOptimizer(), 'mse')", None, "head", kind="keras"),
)
def model_to_estimator(program: Program, draft: Draft) -> Iterator[Verdict]:
    if program.kind != "keras":
        return
    arguments, site = program.arguments, program.site.node
    for name in ("metric_names_map", "export_outputs"):
        if not is_none(arguments.get(name)):
            yield manual(arguments[name], f"{name} is not supported", f"Take {name} out.")
            return
    for optimizer, name in compiled_with_tensorflow_1(program.module):
        yield manual(optimizer, *_optimizer_of_tensorflow_1(name))
        return
    model, path = arguments.get("keras_model"), arguments.get("keras_model_path")
    if model is not None and not is_none(model):
        text = draft.text(model)
    elif path is not None and not is_none(path):
        objects = arguments.get("custom_objects")
        given = "" if objects is None else f", custom_objects={draft.text(objects)}"
        text = f"{draft.tf}.keras.models.load_model({draft.text(path)}{given})"
    else:
        yield manual(site, "neither keras_model nor keras_model_path is given", "Give keras_model.")
        return
    draft.layers.append(f"{draft.model} = {text}")
    draft.tags = '{"loss": "loss_1"}'  # Keras had taken "loss" in the Estimator's graph
    message = "the Keras model itself is trained, from the weights that it has"
    message += "; afterwards it holds the trained weights, where the Estimator trained a copy"
    differences = list(_under_keras_3(program.module)) if draft.settings.target != "keras2" else []
    told = "; ".join([message, *(what for what, _ in differences)])
    yield noted(site, told, " ".join(help for _, help in differences))


@of_units_too
def models_of_unit(unit: ObjectUnit) -> Iterator[Verdict]:
    if any(site.symbol.tail == "estimator.model_to_estimator" for module in unit.modules for site in module.sites):
        for module in unit.modules:
            for node, name in compiled_with_tensorflow_1(module):
                yield manual(node, *_optimizer_of_tensorflow_1(name), module)


def _optimizer_of_tensorflow_1(name: str) -> tuple[str, str]:
    """Why a program is left whose Keras model has such an optimizer, by its name, with what to do about it."""
    reason = f"a Keras model is compiled with tf.compat.v1.{name}, which Keras trains with inside an Estimator alone"
    return reason, "Compile it with the optimizer of tf.keras.optimizers, then migrate again."


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
