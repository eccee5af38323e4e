"""Rewrites calls of ``fit``, ``evaluate`` and ``predict`` of Keras 1 and 2 for Keras 3: names and arguments."""

import ast

from migrate.analysis.keras.trainings import FIT, FIT_GENERATOR, KERAS_1_ARGUMENTS
from migrate.analysis.source.module import Module
from migrate.analysis.values.values import Values
from migrate.edits.plan import Edit, ReplaceExpression, SetArgument
from migrate.rewrite.vocabulary import Vocabulary

QUEUE_PARAMETERS = ("max_queue_size", "workers", "use_multiprocessing")
GENERATORS = {
    "fit_generator": FIT_GENERATOR,
    "evaluate_generator": ("x", "steps", "callbacks", *QUEUE_PARAMETERS, "verbose"),
    "predict_generator": ("x", "steps", "callbacks", *QUEUE_PARAMETERS, "verbose"),
}
"""Methods of Keras 2 that lost the suffix ``_generator`` in Keras 3, with their parameters."""
_SAMPLE_COUNTS = ("samples_per_epoch", "nb_val_samples", "val_samples")
_STEPS = ("steps_per_epoch", "validation_steps", "steps")


def renew_call(
    module: Module, values: Values, vocabulary: Vocabulary, call: ast.Call, target: str
) -> tuple[list[Edit], list[str]]:
    """Returns the edits of a call of a model's method, and notes on them for the user.

    Args:
      call: ``fit``, ``evaluate`` or ``predict``, also with ``_generator``; without ``*`` and ``**`` arguments.
    """
    if not isinstance(call.func, ast.Attribute):
        return [], []
    span, text, method = module.span(call), module.source.text, call.func.attr
    new, parameters = method.removesuffix("_generator"), GENERATORS.get(method, FIT)
    edits: list[Edit] = []
    if new != method:
        edits.append(ReplaceExpression(module.span(call.func), f"{text(call.func.value)}.{new}"))
    given: list[tuple[str, ast.expr, int | None]] = []
    given += [(name, value, at) for at, (name, value) in enumerate(zip(parameters, call.args, strict=False))]
    given += [(one.arg, one.value, None) for one in call.keywords if one.arg is not None]
    removed, notes = list[str](), list[str]()
    for old, value, at in reversed(given):  # from the last, because a removal shifts the positions after it
        name = "x" if old == "generator" and new != method else KERAS_1_ARGUMENTS.get(old, old)
        if name in QUEUE_PARAMETERS and target != "keras2":
            removed.insert(0, name)
            edits.append(SetArgument(span, old, None, at))
            continue
        if name in _STEPS and target != "keras2" and values.may_be_fraction(module, value):
            notes.append(f"{name} is rounded up, as Keras 2 does with a fraction")
            edits.append(SetArgument(span, old, f"{vocabulary.standard_module('math')}.ceil({text(value)})", at))
        if name != old or (at and new != method):
            edits.append(SetArgument(span, old, "", at, at is not None and call.lineno == call.end_lineno, name))
    if removed:
        notes.append(f"without {', '.join(removed)}, which {new} of Keras 3 does not have")
    return edits, notes[::-1]


def sample_count_reason(call: ast.Call) -> str:
    """Returns why a Keras 1 call that counts samples cannot be rewritten, as a part of a sentence; "" for others."""
    old = next((one.arg for one in call.keywords if one.arg in _SAMPLE_COUNTS), "")
    return f"`{old}` is an argument of Keras 1, which no Keras of TensorFlow 2 takes" if old else ""
