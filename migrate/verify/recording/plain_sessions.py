"""Loops on a plain TF1 ``Session``: a run that moves the global step on is a step."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import batches, journal, training
from .wrapping import around

_setting = False
"""Whether a Saver restores: it moves the global step, and trains nothing."""


def watch(module: ModuleType) -> None:
    """Watch the class of all sessions."""
    around(module.BaseSession, "run", _run)


def watch_apply_gradients(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
    """Remember the step that a TF1 optimizer moves on."""
    counter = args[1] if len(args) > 1 else kwargs.get("global_step")
    if counter is not None and not hasattr(counter.graph, "_recorded_counter"):
        counter.graph._recorded_counter = counter
    return original(self, *args, **kwargs)


def remember_loss(loss: Any) -> None:
    """Remember what a TF1 optimizer minimizes, a tensor of a graph."""
    loss.graph._recorded_losses = [*getattr(loss.graph, "_recorded_losses", []), loss.name]


def restore(original: Callable[..., Any], saver: Any, session: Any, path: Any) -> Any:
    """Call ``Saver.restore``; the session stands at the restored step then."""
    global _setting
    before, _setting = _setting, True
    try:
        return original(saver, session, path)
    finally:
        _setting = before


def _run(
    original: Callable[..., Any], self: Any, fetches: Any, feed_dict: Any = None, *args: Any, **kwargs: Any
) -> Any:
    result = original(self, fetches, feed_dict, *args, **kwargs)
    # Threads beside the program's own, such as a queue's, make no steps.
    if training.driver is None and training.phase == "train" and threading.current_thread() is threading.main_thread():
        step: tuple[int, list[float], list[int]] | None = None
        with journal.observing("step"):
            step = _moved(self, fetches, feed_dict, result)
        if step is not None:
            training.stepped_in_loop(*step)
    return result


def _moved(session: Any, fetches: Any, feed_dict: Any, result: Any) -> tuple[int, list[float], list[int]] | None:
    """The step that the run has come to, its loss and its batch; None where it has trained nothing."""
    now = _read(session)
    before = getattr(session, "_recorded_step", None)
    session._recorded_step = now
    if now is None or now == before:
        return None
    if before is None or now < before or _setting or (now > before + 1 and _sets(session, fetches)):
        training.stands_at(now)
        return None
    training.stands_at(before)
    return now, _loss(session.graph, fetches, result), _batch(feed_dict)


def _read(session: Any) -> int | None:
    """The global step; None where the graph has none, or it has no value yet."""
    import tensorflow as tf

    if not hasattr(session, "_read_step"):
        counter = _counter(session.graph)
        if counter is None:
            return None
        # Adds nothing to the graph, which may be finalized, and takes half as long as session.run.
        session._read_step = session.make_callable(counter)
    try:
        return int(session._read_step())
    except tf.errors.FailedPreconditionError:
        return None


def _counter(graph: Any) -> Any:
    """What an optimizer moves on, else the graph's global step, if it has one."""
    import tensorflow as tf

    counter = getattr(graph, "_recorded_counter", None)
    if counter is None:
        with contextlib.suppress(TypeError):  # something else has its name
            counter = tf.compat.v1.train.get_global_step(graph)
    return counter


def _sets(session: Any, fetches: Any) -> bool:
    """Whether the run was told to give the counter a value, as by ``global_step.load`` or ``global_step.assign``."""
    import tensorflow as tf

    counter = _counter(session.graph)
    stored = getattr(counter, "handle", counter).op
    elements = [_element(session.graph, fetch) for fetch in tf.nest.flatten(fetches)]
    near = [getattr(element, "op", element) for element in elements if element is not None]
    for _ in range(2):  # what a variable's assign returns reads it again
        near += [each for one in near for each in (*one.control_inputs, *(tensor.op for tensor in one.inputs))]
    assigns = [each for each in near if each.type in ("Assign", "AssignVariableOp")]
    return any(each.inputs[0].op is stored for each in assigns)


def _element(graph: Any, fetch: Any) -> Any:
    """The tensor or operation that is meant by a fetch, which may be its name or a variable."""
    try:
        return graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
    except (TypeError, ValueError, KeyError):
        return None


def _loss(graph: Any, fetches: Any, result: Any) -> list[float]:
    """The loss among what the program itself fetched: what an optimizer minimizes, or a scalar of that name."""
    import tensorflow as tf

    tensors, values = tf.nest.flatten(fetches), tf.nest.flatten(result)
    if len(tensors) != len(values):
        return []
    minimized = getattr(graph, "_recorded_losses", [])
    named = []
    for index, value in enumerate(values):
        tensor = _element(graph, tensors[index])
        if not tf.is_tensor(tensor) or not tensor.dtype.is_floating or tensor.shape.rank != 0:
            continue
        if tensor.name in minimized:
            return [float(value)]
        if "loss" in tensor.name.lower():
            named.append(float(value))
    return named[:1]


def _batch(feed_dict: Any) -> list[int]:
    """The digest of the arrays that were fed; a number alone, such as a rate, is no part of a batch."""
    import numpy as np

    arrays = [np.asarray(value) for value in (feed_dict or {}).values() if not hasattr(value, "graph")]
    examples = [array for array in arrays if array.ndim and array.dtype.kind in "fiub"]
    return [batches.of_arrays(examples)] if examples else []
