"""Keywords and methods of Keras 2 that Keras 3 rejects: removed, renamed or reported (FT205)."""

import ast
from collections.abc import Iterator

from migrate.analysis.program.checkpoint_callbacks import UNKNOWN, path_ending
from migrate.analysis.source.arguments import literal
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.symbols import symbol_of
from migrate.edits.plan import ReplaceExpression, SetArgument
from migrate.rules.rule import Fix, Workbench, exact, manual

_IGNORED = {"batch_size", "embeddings_data", "embeddings_layer_names", "write_grads"}
"""Keywords of TensorBoard that Keras 2 ignores and for which Keras 3 raises."""
_MONITORING_CALLBACKS = ("ModelCheckpoint", "EarlyStopping", "ReduceLROnPlateau")
_LAYER_ADVICE = {
    "batch_input_shape": "Put keras.Input(batch_shape=…) before the layer.",
    "batch_size": "Put keras.Input(shape, batch_size=…) before the layer.",
    "weights": "Call set_weights(…) when the layer is built, or give it an initializer keras.initializers.Constant(…).",
    "time_major": "Transpose the first two axes before the layer and behind it.",
    "fused": "Remove it.",
    "renorm": "Remove it, or keep the layer in tf_keras.",
    "dynamic": "Remove it; run_eagerly=True of compile has its place.",
}
"""Keywords of layers for which Keras 3 raises, with advice."""


def keywords(bench: Workbench) -> Iterator[Fix]:
    """Judges keywords that Keras 3 does not accept, and ``Model(input=…)``, which Keras 2.3 and later do not."""
    module = bench.module
    for call in module.calls_of("keras.Model", "keras.models.Model"):
        old = [one.arg for one in call.keywords if one.arg in ("input", "output")]
        edits = (SetArgument(module.span(call), name, "", called=f"{name}s") for name in old)
        yield from [Fix((exact(call, "gets the names of its arguments of Keras 2"),), tuple(edits))] if old else []
    if bench.settings.target == "keras2":
        return
    for call in module.calls_of("keras.callbacks.TensorBoard"):
        yield from _remove_keywords(bench, call, [one.arg for one in call.keywords if one.arg and one.arg in _IGNORED])
    for call in (one for one in module.names.nodes(ast.Call) if isinstance(one.func, ast.Attribute)):
        is_given = any(keyword.arg == "sample_weight_mode" for keyword in call.keywords)
        if call.func.attr == "compile" and is_given:  # type: ignore[attr-defined]
            yield from _remove_keywords(bench, call, ["sample_weight_mode"])
    layers = [tail for tail in module.uses if tail.startswith("keras.layers.") and tail.count(".") == 2]
    inputs = {*module.calls_of("keras.layers.Input", "keras.layers.InputLayer")}
    for call in module.calls_of(*layers):
        for keyword in call.keywords:
            if keyword.arg in _LAYER_ADVICE and not (keyword.arg == "batch_size" and call in inputs):
                message = f"`{keyword.arg}` of a layer raises a ValueError on Keras 3"
                yield Fix((manual(call, message, _LAYER_ADVICE[keyword.arg]),))
        is_convolved = name_of(call.func).startswith("ConvLSTM")  # the default in Keras 2 only
        by_default = is_convolved and not any(one.arg in ("recurrent_activation", None) for one in call.keywords)
        if by_default or any(literal(one) == "hard_sigmoid" for one in [*call.args, *(k.value for k in call.keywords)]):
            message = "`hard_sigmoid` of Keras 3 is another function, x / 6 + 0.5 for 0.2 * x + 0.5"
            given = f"{'recurrent_' if is_convolved else ''}activation=of_keras_2"
            help = f"Write {given}, where of_keras_2(x) returns tf.clip_by_value(0.2 * x + 0.5, 0.0, 1.0)."
            yield Fix((manual(call, message, help),))


def _remove_keywords(bench: Workbench, call: ast.Call, gone: list[str]) -> Iterator[Fix]:
    if gone:
        edits = tuple(SetArgument(bench.module.span(call), name, None) for name in gone)
        message = f"loses {', '.join(gone)}, which Keras 2 ignores and for which Keras 3 raises a TypeError"
        yield Fix((exact(call, message),), edits)


def resets(bench: Workbench) -> Iterator[Fix]:
    """Judges ``reset_states``: ``reset_state`` of metrics since TensorFlow 2.5, missing in models of Keras 3."""
    module = bench.module
    for node in module.names.attributes.get("reset_states", ()):
        made = module.names.value(node.value)
        found = symbol_of(module.names, made.func) if isinstance(made, ast.Call) else None
        kind = "" if found is None else found.tail.removeprefix("keras.")
        if kind.startswith("metrics."):
            text = f"{module.source.text(node.value)}.reset_state"
            edit = ReplaceExpression(module.span(node), text)
            yield Fix((exact(node, f"becomes {text}, as Keras 3 calls it"),), (edit,))
        elif not kind.startswith("layers."):
            message = "on Keras 3 only layers have reset_states"
            help = "Write reset_state() of a metric; of a model, reset_states() of those of its layers that have it."
            yield Fix((manual(node, message, help),))


def shapes_of_layers(module: Module) -> Iterator[Fix]:
    """Reports ``input_shape`` and ``output_shape`` of layers, which only models have on Keras 3."""
    for name in ("input_shape", "output_shape"):
        for node in module.names.attributes.get(name, ()):
            layer = module.names.value(node.value)
            inner = layer.value if isinstance(layer, ast.Subscript) else layer
            is_call = isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute)
            method = inner.func.attr if is_call else ""  # type: ignore[attr-defined]
            is_listed = inner is not layer and isinstance(inner, ast.Attribute) and inner.attr == "layers"
            if is_listed or method == "get_layer":
                message = f"a layer has no {name} on Keras 3"
                written = f"tuple({module.source.text(node.value)}.{name.removesuffix('_shape')}.shape)"
                yield Fix((manual(node, message, f"Write {written}."),))


def monitors(bench: Workbench) -> Iterator[Fix]:
    """Reports ``monitor="val_acc"``, which the logs of ``metrics=["accuracy"]`` do not have in TensorFlow 2."""
    module = bench.module
    given = {one.value for one in module.names.nodes(ast.Constant) if isinstance(one.value, str)}
    if "accuracy" not in given or "acc" in given:
        return
    for call in module.calls_of(*(f"keras.callbacks.{name}" for name in _MONITORING_CALLBACKS)):
        name = literal(next((one.value for one in call.keywords if one.arg == "monitor"), None))
        if isinstance(name, str) and name.endswith("_acc"):
            message = f"`{name}` is in no logs: the callback does nothing on Keras 2, and may raise on Keras 3"
            yield Fix((manual(call, message, f'Write monitor="{name}uracy", if "accuracy" is meant.'),))


def saves_of_weights(bench: Workbench) -> Iterator[Fix]:
    """Reports ``save_weights`` to a name, or with a format, that Keras 3 rejects."""
    names = bench.module.names
    for call in (one for one in names.nodes(ast.Call) if isinstance(one.func, ast.Attribute)):
        if call.func.attr != "save_weights":  # type: ignore[attr-defined]
            continue
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        path = call.args[0] if call.args else given.get("filepath")
        if path is not None and not path_ending(names, path).endswith((".weights.h5", UNKNOWN, "}")):
            message = "save_weights raises a ValueError on Keras 3 for a name that does not end in .weights.h5"
            help = "End the name in .weights.h5, also where it is loaded; Keras 3 still loads an earlier .h5."
            yield Fix((manual(call, message, help),))
        elif "save_format" in given:
            message = "save_weights takes no save_format on Keras 3"
            yield Fix((manual(call, message, "Give it a name that ends in .weights.h5, which says the form."),))
