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
such a model trains otherwise there, and the report says so. Where the model is compiled with an optimizer of
``tf.compat.v1.train``, which Keras 3 takes none of, that becomes Keras's with the same constants, as FT122 tells; one
without a counterpart, RMSProp among them, blocks the program. A finished job that is started again does nothing, where
the Estimator trained one step more at each start. TensorBoard shows the training's loss as ``loss_1``, as the
Estimator wrote it. ``metric_names_map`` and ``export_outputs`` block the program.

See: tf.keras.estimator.model_to_estimator, tf.keras.Model.fit.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from migrate.analysis.arguments import Unbindable, is_none
from migrate.analysis.compiled import Compiled, compiled_with_tensorflow_1
from migrate.analysis.module import Module
from migrate.analysis.program import Program
from migrate.edits.plan import ReplaceExpression
from migrate.findings.finding import Fidelity
from migrate.rewrite.draft import ChangedFile, Draft
from migrate.rewrite.v1_optimizers import keras_counterpart
from migrate.rules.rule import Example, ObjectUnit, Verdict, exact, manual, noted, of_units_too, rule


@rule(
    "FT142",
    "noted",
    Example("keras_model=model", "estimator = model\n", "estimator", kind="keras"),
    Example("keras_model_path='m.h5'", 'estimator = load_compiled_model("m.h5")', "estimator", kind="keras"),
    Example("model, metric_names_map={'a': 'b'}", None, "estimator", kind="keras"),
    Example(
        "import tensorflow as tf\nimport tensorflow.compat.v1 as tf1\n\n\n"
        "def input_fn():\n    return tf.data.Dataset.range(9)\n\n\ndef main(model):\n"
        "    model.compile(tf1.train.AdamOptimizer(0.1), 'mse')\n"
        "    estimator = tf.keras.estimator.model_to_estimator(model, model_dir='m')\n"
        "    estimator.train(input_fn, max_steps=10)\n",
        "model.compile(tf.keras.optimizers.Adam(0.1, epsilon=1e-08), 'mse')",
        "module",
        kind="keras",
    ),
    Example("model.compile(tf1.train.RMSPropOptimizer(0.1), 'mse')", None, "head", kind="keras"),
)
def model_to_estimator(program: Program, draft: Draft) -> Iterator[Verdict]:
    if program.kind != "keras":
        return
    arguments, site = program.arguments, program.site.node
    for name in ("metric_names_map", "export_outputs"):
        if not is_none(arguments.get(name)):
            yield manual(arguments[name], f"{name} is not supported", f"Take {name} out.")
            return
    verdicts = [_compiled(one, draft) for one in compiled_with_tensorflow_1(program.module)]
    yield from verdicts
    if any(one.fidelity is Fidelity.MANUAL for one in verdicts):
        return
    model, path = arguments.get("keras_model"), arguments.get("keras_model_path")
    if model is not None and not is_none(model):
        text = draft.text(model)
    elif path is not None and not is_none(path):
        objects = arguments.get("custom_objects")
        given = "" if objects is None else f", custom_objects={draft.text(objects)}"
        is_new = draft.settings.target != "keras2"  # Keras 3 trains no model in HDF5 further, which it may be
        load = draft.piece("load_compiled_model") if is_new else f"{draft.tf}.keras.models.load_model"
        text = f"{load}({draft.text(path)}{given})"
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
            for one in compiled_with_tensorflow_1(module):
                yield replace(_compiled(one, unit.files.get(module.path)), module=module)


def _compiled(found: Compiled, file: ChangedFile | None) -> Verdict:
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
