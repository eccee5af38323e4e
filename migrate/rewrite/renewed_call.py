"""Trainings, evaluations and predictions of Keras 1 and 2 as Keras 3 takes them: their names and arguments."""

import ast

from migrate.analysis.keras.trainings import FIT, FIT_GENERATOR, OF_KERAS_1
from migrate.analysis.source.module import Module
from migrate.analysis.values.values import Values
from migrate.edits.plan import Edit, ReplaceExpression, SetArgument

QUEUE = ("max_queue_size", "workers", "use_multiprocessing")
GENERATORS = {
    "fit_generator": FIT_GENERATOR,
    "evaluate_generator": ("x", "steps", "callbacks", *QUEUE, "verbose"),
    "predict_generator": ("x", "steps", "callbacks", *QUEUE, "verbose"),
}
"""Methods of Keras 2 that Keras 3 has by shorter names, with their arguments."""
_IN_SAMPLES = ("samples_per_epoch", "nb_val_samples", "val_samples")
_STEPS = ("steps_per_epoch", "validation_steps", "steps")


def renew_call(module: Module, values: Values, call: ast.Call, target: str) -> tuple[list[Edit], list[str]]:
    """The edits of a call of a model's method, and what the user is to know of them.

    Args:
      call: ``fit``, ``evaluate`` or ``predict``, also of a generator; no argument is given by ``*`` or ``**``.
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
    gone, notes = list[str](), list[str]()
    for old, value, at in reversed(given):  # where one goes, those behind it stand elsewhere
        name = "x" if old == "generator" and new != method else OF_KERAS_1.get(old, old)
        if name in QUEUE and target != "keras2":
            gone.insert(0, name)
            edits.append(SetArgument(span, old, None, at))
            continue
        if name in _STEPS and target != "keras2" and values.may_be_fraction(module, value):
            notes.append(f"{name} is made an int, which Keras 3 wants")
            edits.append(SetArgument(span, old, f"int({text(value)})", at))
        if name != old or (at and new != method):
            edits.append(SetArgument(span, old, "", at, at is not None and call.lineno == call.end_lineno, name))
    if gone:
        notes.append(f"{', '.join(gone)} go, which {new} of Keras 3 does not take")
    return edits, notes[::-1]


def sample_count_reason(call: ast.Call) -> str:
    """Why a call of Keras 1 that counts samples trains otherwise since, as a sentence's part; "" for another."""
    old = next((one.arg for one in call.keywords if one.arg in _IN_SAMPLES), "")
    return f"`{old}` is an argument of Keras 1, which no Keras of TensorFlow 2 takes" if old else ""
