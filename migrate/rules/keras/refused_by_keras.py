"""FT205 · calls that the target Keras rejects, or understands differently

Keras 3 has no ``fit_generator``, ``evaluate_generator`` and ``predict_generator``, and its optimizers no ``lr``;
TensorFlow 2.15 ignores ``lr`` with a warning and trains at another rate.

Instead: ``fit``, ``evaluate`` and ``predict``, which lose ``workers`` and the like; fractions of steps are rounded up,
as by Keras 2. ``lr`` becomes ``learning_rate``, and ``decay=0`` is removed. The names of Keras 1 (``nb_epoch``,
``Model(input=…)``) become those of Keras 2.
``optimizer.lr`` becomes ``optimizer.learning_rate``, and ``backend.set_value(variable, value)`` becomes
``variable.assign(value)``. A metric's ``reset_states`` becomes ``reset_state``. Arguments that Keras 2 ignores are
removed: ``write_grads`` of ``TensorBoard``, ``sample_weight_mode``. Such calls in imported files are reported.

Fidelity: noted. Where ``lr`` was ignored, its rate is now used. Manual, with advice: ``decay``, which raises on
TensorFlow 2.15 and is ignored by Keras 3; ``learning_rate=tf.constant(…)``; ``clipnorm`` with ``clipvalue``; one
optimizer for several models; ``predict_classes`` and ``to_yaml``; ``batch_input_shape``, ``weights`` and the like of
layers, and their ``input_shape``; ``hard_sigmoid``, which Keras 3 computes differently, and which is the default of
``ConvLSTM2D`` in Keras 2; ``reset_states`` of a model; ``monitor="val_acc"`` for ``metrics=["accuracy"]``;
``save_weights`` to a name that Keras 3 rejects, because others may read that name; and the program's own optimizers
with methods of TensorFlow before 2.11 (``_set_hyper``).

Found only in a program that is rewritten or has a recovery.

See: tf.keras.Model.evaluate, tf.keras.optimizers.Optimizer.
"""

import ast
from collections.abc import Iterator
from functools import partial

from migrate.analysis.keras.trainings import trainings_by_model
from migrate.analysis.source.module import Module
from migrate.analysis.source.places import key_of
from migrate.analysis.values.values import Values
from migrate.edits.plan import ReplaceExpression
from migrate.records import replace
from migrate.rewrite.renewed_call import GENERATORS, QUEUE_PARAMETERS, renew_call, sample_count_reason
from migrate.rules.keras.imported_files import ImportedFinding, findings_at_imports
from migrate.rules.keras.refused_keywords import keywords, monitors, resets, saves_of_weights, shapes_of_layers
from migrate.rules.keras.refused_optimizers import arguments_of_optimizers, old_optimizers, shared_optimizers
from migrate.rules.rule import Example, Fix, Workbench, exact, manual, noted, site_rule

_REPLACEMENTS = {
    "predict_classes": "predict(…).argmax(axis=-1)",
    "predict_proba": "predict(…)",
    "to_yaml": "to_json(), and model_from_json where it is read",
}
"""Methods of models that TensorFlow 2.6 removed, with their replacements."""
_PROGRAM = """\
import os
import tensorflow as tf

{}
if os.path.exists("/job/w.weights.h5"):
    model.load_weights("/job/w.weights.h5")
model.fit(x, y, callbacks=[tf.keras.callbacks.ModelCheckpoint("/job/w.weights.h5", save_weights_only=True)])
{}
"""
_COMPILE_CALL = 'model.compile(tf.keras.optimizers.Adam({}), "mse")'


def _case(optimizer: str, end: str, after: str | None) -> Example:
    return Example(_PROGRAM.format(f"model = build()\n{_COMPILE_CALL.format(optimizer)}", end), after, "module")


@site_rule(
    "FT205",
    "noted",
    _case("", "print(model.evaluate_generator(batches, 9, workers=4))", "print(model.evaluate(batches, steps=9))"),
    _case("", "print(model.predict(batches, workers=4))", "print(model.predict(batches))"),
    _case("", "print(tf.keras.Model(input=a, output=b))", "print(tf.keras.Model(inputs=a, outputs=b))"),
    _case("lr=0.1, decay=0.0", "", "Adam(learning_rate=0.1)"),
    _case("", "print(model.optimizer.lr)", "print(model.optimizer.learning_rate)"),
    _case("", "tf.keras.backend.set_value(model.optimizer.lr, 0.1)", "\nmodel.optimizer.learning_rate.assign(0.1)\n"),
)
def refused_by_keras(bench: Workbench) -> Iterator[Fix]:
    yield from _judge_file(bench)
    yield from findings_at_imports(bench, partial(_findings_in, bench), "Keras 3 refuses calls in these lines")


def _judge_file(bench: Workbench) -> Iterator[Fix]:
    yield from _renew_methods(bench)
    yield from keywords(bench)
    if bench.settings.target != "keras2":
        yield from _renew_variables(bench)
        yield from resets(bench)
        yield from saves_of_weights(bench)
        yield from shapes_of_layers(bench.module)
    yield from monitors(bench)
    yield from arguments_of_optimizers(bench)
    yield from shared_optimizers(bench.module)
    yield from old_optimizers(bench.module)


def _findings_in(bench: Workbench, other: Module) -> list[ImportedFinding]:
    """Returns the findings in a file that another one imports."""
    verdicts = [one for fix in _judge_file(replace(bench, module=other)) for one in fix.verdicts]
    return [
        ImportedFinding(one.node, f"{one.message[0].upper()}{one.message[1:]}. {one.help}".strip()) for one in verdicts
    ]


def _renew_methods(bench: Workbench) -> Iterator[Fix]:
    """Rewrites methods and arguments of models that Keras 3 does not have."""
    module, target = bench.module, bench.settings.target
    models, values = trainings_by_model(module.names), Values(bench.tree)
    for call in (node for node in module.names.nodes(ast.Call) if isinstance(node.func, ast.Attribute)):
        assert isinstance(call.func, ast.Attribute)
        receiver, method = call.func.value, call.func.attr
        model, new = module.source.text(receiver), method.removesuffix("_generator")
        is_gone = method in GENERATORS and target != "keras2" and not bench.reach.functions(call)
        is_seen = not any(isinstance(one, ast.Starred) for one in call.args) and all(one.arg for one in call.keywords)
        if is_gone and (samples := sample_count_reason(call) or ("" if is_seen else f"Keras 3 has no {method}")):
            help = f"Write {model}.{new}(…), which counts batches, and takes no {', '.join(QUEUE_PARAMETERS)}."
            yield Fix((manual(call, samples, help),))
            continue
        if not is_gone and key_of(module.names, receiver) not in models:
            continue
        if method in _REPLACEMENTS:
            message = f"`{method}` does not exist since TensorFlow 2.6"
            yield Fix((manual(call, message, f"Write {model}.{_REPLACEMENTS[method]}."),))
            continue
        if not is_gone and method not in ("fit", "evaluate", "predict"):
            continue
        edits, notes = renew_call(module, values, bench.vocabulary, call, target)
        notes = [f"becomes {model}.{new}, which Keras 3 has too", *notes] if is_gone else notes
        if edits and not bench.reach.functions(call):
            told = "; ".join(notes) or "gets the names of its arguments of Keras 2"
            yield Fix((noted(call, told),), tuple(edits))


def _renew_variables(bench: Workbench) -> Iterator[Fix]:
    """Rewrites reads and writes of an optimizer's rate, and of other variables of Keras."""
    module, text = bench.module, bench.module.source.text
    renamed: dict[ast.expr, str] = {
        node: f"{text(node.value)}.learning_rate"
        for node in module.names.attributes.get("lr", ())
        if isinstance(node.value, ast.Attribute) and node.value.attr == "optimizer"
    }
    for node, new in renamed.items():
        yield Fix((exact(node, f"becomes {new}, as Keras 3 calls it"),), (ReplaceExpression(module.span(node), new),))
    for call in module.calls_of("keras.backend.set_value"):
        is_plain = len(call.args) == 2 and not call.keywords and isinstance(call.args[0], ast.Name | ast.Attribute)
        if is_plain and isinstance(module.names.parent(call), ast.Expr):
            new = f"{text(call.args[0], renamed)}.assign({text(call.args[1])})"
            message = f"becomes {new}: backend.set_value takes no variable of Keras 3"
            yield Fix((exact(call, message),), (ReplaceExpression(module.span(call), new),))
        else:
            message = "backend.set_value takes no variable of Keras 3"
            yield Fix((manual(call, message, "Write VARIABLE.assign(VALUE)."),))
