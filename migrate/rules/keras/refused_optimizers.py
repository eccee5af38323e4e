"""Optimizers that Keras 2.11 and Keras 3 reject or understand differently (FT205)."""

import ast
from collections.abc import Iterator

from migrate.analysis.source.arguments import literal
from migrate.analysis.source.module import Module
from migrate.analysis.source.symbols import symbol_of
from migrate.edits.plan import SetArgument
from migrate.rules.rule import Fix, Workbench, exact, manual, noted

_KERAS = "keras.optimizers."
_OLD_METHODS = {"_set_hyper", "_get_hyper", "_create_slots", "_resource_apply_dense", "get_updates"}


def arguments_of_optimizers(bench: Workbench) -> Iterator[Fix]:
    """Judges arguments of optimizers that Keras 2.11 and Keras 3 understand differently or ignore."""
    module, text = bench.module, bench.module.source.text
    tails = [tail for tail in module.uses if tail.startswith("keras.optimizers.") and tail.count(".") == 2]
    for call in module.calls_of(*tails):
        given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
        span, rate, decay = module.span(call), given.get("lr"), given.get("decay")
        symbol = symbol_of(module.names, call.func)
        is_v1 = module.is_tf1 or (symbol is not None and symbol.api == "v1")  # Keras 2 accepts both there.
        if rate is not None and "learning_rate" not in given and not call.args:
            message = "lr becomes learning_rate: Keras 3 raises" + ("" if is_v1 else ", TensorFlow 2.15 ignores lr")
            edits = (SetArgument(span, "lr", "", called="learning_rate"),)
            yield Fix((noted(call, message),), edits)
        if decay is not None and literal(decay) in (0, 0.0):
            message, edit = "decay=0 is removed: TensorFlow 2.15 raises for it", SetArgument(span, "decay", None)
            yield Fix((exact(call, message),), (edit,))
        elif decay is not None:
            message = "Keras 3 ignores decay" + (" and trains at another rate" if is_v1 else ", TensorFlow 2.15 raises")
            schedule = f"tf.keras.optimizers.schedules.InverseTimeDecay(RATE, 1, {text(decay)})"
            help = f"Write learning_rate={schedule}, where no callback sets the rate."
            yield Fix((manual(call, message, help),))
        rate = given.get("learning_rate", rate or (call.args[0] if call.args else None))
        found = symbol_of(module.names, rate.func) if isinstance(rate, ast.Call) else None
        if bench.settings.target != "keras2" and found is not None and found.tail == "constant":
            message = "a tensor as the learning rate raises a ValueError on Keras 3"
            yield Fix((manual(call, message, "Give it a float."),))
        if bench.settings.target != "keras2" and {"clipnorm", "clipvalue"} <= given.keys():
            message = "clipnorm with clipvalue raises a ValueError on Keras 3"
            yield Fix((manual(call, message, "Keep one of them."),))


def old_optimizers(module: Module) -> Iterator[Fix]:
    """Reports the program's own optimizers with methods of TensorFlow before 2.11."""
    for owner in module.names.nodes(ast.ClassDef):
        bases = [
            one for one in owner.bases if (found := symbol_of(module.names, one)) and found.tail.startswith(_KERAS)
        ]
        names = (getattr(node, "attr", getattr(node, "name", "")) for node in (ast.walk(owner) if bases else ()))
        old = next((name for name in names if name in _OLD_METHODS), "")
        if old and "legacy" not in ast.unparse(bases[0]):
            message = f"`{old}` is no part of an optimizer since TensorFlow 2.11"
            help = "Derive the class from tf.keras.optimizers.legacy on TensorFlow 2.15; on Keras 3 write update_step."
            yield Fix((manual(bases[0], message, help),))


def shared_optimizers(module: Module) -> Iterator[Fix]:
    """Reports optimizers that several trained models share, which only Keras before 2.11 accepted."""
    names, text = module.names, module.source.text
    made = set(module.calls_of(*(tail for tail in module.uses if tail.startswith("keras.optimizers."))))
    trains = [*names.attributes.get("train_on_batch", ()), *names.attributes.get("fit", ())]
    models = {text(node.value) for node in trains}
    compiled: dict[ast.expr, list[ast.Call]] = {}
    for call in names.nodes(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "compile" and text(call.func.value) in models:
            given = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "optimizer")]
            for one in (names.value(each) for each in given):
                if one in made and "legacy" not in text(one.func):
                    compiled.setdefault(one, []).append(call)
    for optimizer, calls in compiled.items():
        if len({text(call.func.value) for call in calls}) > 1:  # type: ignore[attr-defined]
            message = "an optimizer of several models raises on TensorFlow 2.15 and Keras 3 when it trains the second"
            yield Fix((manual(optimizer, message, f"Give each its own: optimizer={text(optimizer)}."),))
