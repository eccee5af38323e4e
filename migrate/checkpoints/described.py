"""The checkpoint that a migrated program saves, found by starting the program and stopping it before it trains."""

import contextlib
import importlib
import itertools
import os
import runpy
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import tensorflow as tf
from tensorflow.python.ops.resource_variable_ops import (
    UninitializedVariable,  # no public name makes one
)

SMALL_BYTES = 2**20
"""A variable that is larger is given no memory: only its shape is of use here."""


class NotDescribed(Exception):
    """No checkpoint could be found in a program; the text says why."""


@dataclass(frozen=True)
class Described:
    """A migrated program.

    Attributes:
      checkpoint: the ``tf.train.Checkpoint`` that it saves.
      settings: the configuration of a Keras program's optimizer, before any variable is emptied.
    """

    checkpoint: Any
    settings: Mapping[str, Any] = field(default_factory=dict)


class _Found(BaseException):
    """Ends a program where it makes its manager; no ``except Exception`` of the program's catches it."""

    def __init__(self, checkpoint: Any) -> None:
        super().__init__()
        self.checkpoint = checkpoint


class _Unreachable(BaseException):
    """Ends a program that would train on its way to a manager."""


def of_program(path: str, arguments: list[str], number: int = 1) -> Described:
    """Starts a program as ``__main__``, up to where it makes a ``tf.train.CheckpointManager``.

    Args:
      path: the program's file.
      arguments: its command line; ``{model_dir}`` stands for an empty directory, so that none of the user's is touched.
      number: which of its managers, in the order in which it makes them, from 1. On the way ``fit`` does nothing.

    Raises:
      NotDescribed: the program ended, or failed, before it made a manager.
    """
    with tempfile.TemporaryDirectory() as model_dir, _as_main(path, arguments, model_dir), _stopped_at_manager(number):
        try:
            runpy.run_path(path, run_name="__main__")
        except _Found as found:
            return describe(found.checkpoint)
        except SystemExit as stop:
            raise NotDescribed(f"{path} ended ({stop.code}) before it made a CheckpointManager; see --args.") from stop
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise NotDescribed(f"{path} failed before it made a CheckpointManager: {reason}") from error
    if number > 1:
        raise NotDescribed(f"{path} makes fewer than {number} of tf.train.CheckpointManager.")
    raise NotDescribed(f"{path} makes no tf.train.CheckpointManager; name a function with --model.")


def of_function(name: str) -> Described:
    """Calls ``module:function``.

    Args:
      name: the function's; it takes nothing and returns a compiled ``tf.keras.Model``, or a ``tf.train.Checkpoint``.

    Raises:
      NotDescribed: there is no such function, it fails, or it returns something else.
    """
    module, _, function = name.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        with _without_memory():
            made = getattr(importlib.import_module(module), function)()
    except Exception as error:
        raise NotDescribed(f"{name} cannot be called: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(os.getcwd())
    if isinstance(made, tf.keras.Model):
        return describe(tf.train.Checkpoint(model=made, optimizer=made.optimizer))
    checkpoint = getattr(made, "checkpoint", made)
    if not isinstance(checkpoint, tf.train.Checkpoint):
        raise NotDescribed(f"{name} returned {type(made).__name__}, which is no Keras model and no Checkpoint.")
    return describe(checkpoint)


def describe(checkpoint: Any) -> Described:
    """Finds out what a ``tf.train.Checkpoint`` of a migrated Keras program is made of.

    Raises:
      NotDescribed: it is that of a model_fn, which no Estimator needs converted.
    """
    if hasattr(checkpoint, "write_session"):  # what a ModelCheckpoints saves
        raise NotDescribed(
            "The program trains a model_fn, and there is nothing to convert: its checkpoints are the Estimator's. "
            "Start either program in the directory of the other. Where that holds ckpt-N of an earlier version of "
            "this tool, start the migrated program first: it resumes from them, and saves by name."
        )
    model, optimizer = getattr(checkpoint, "model", None), getattr(checkpoint, "optimizer", None)
    if model is None or optimizer is None:
        return Described(checkpoint)
    with _without_memory(), model.distribute_strategy.scope():
        optimizer.build(model.trainable_variables)
    return Described(checkpoint, settings=optimizer.get_config())


@contextlib.contextmanager
def _as_main(path: str, arguments: list[str], model_dir: str) -> Iterator[None]:
    """Gives the program its own command line and folder; what it prints goes to stderr."""
    before = sys.argv, sys.path[:]
    sys.argv = [path, *(argument.replace("{model_dir}", model_dir) for argument in arguments)]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sys.argv, sys.path[:] = before


@contextlib.contextmanager
def _stopped_at_manager(number: int) -> Iterator[None]:
    counted = itertools.count(1)
    manager = tf.train.CheckpointManager
    init, fit = manager.__init__, tf.keras.Model.fit

    def stop(self: Any, checkpoint: Any, *args: Any, **kwargs: Any) -> None:
        if next(counted) == number:
            raise _Found(checkpoint)
        if not hasattr(checkpoint, "model"):
            reason = "The manager before it belongs to a model_fn, whose loop would train on the way"
            raise _Unreachable(f"{reason}: name a function with --model.")
        init(self, checkpoint, *args, **kwargs)

    # The class itself: a module that was imported before has it under a name, or as a base, of its own.
    manager.__init__, tf.keras.Model.fit = stop, lambda *_, **__: None
    try:
        with _without_memory():
            yield
    except _Unreachable as reason:
        raise NotDescribed(str(reason)) from None
    finally:
        manager.__init__, tf.keras.Model.fit = init, fit


def _shape_and_dtype(initial: Any, dtype: Any) -> tuple[Any, Any]:
    """Those of a variable that begins with a value, or with what a function returns; it is not computed."""
    if callable(initial):
        with contextlib.suppress(Exception), tf.Graph().as_default():  # one that works eagerly alone is called below
            value = tf.convert_to_tensor(initial(), dtype)
            if value.shape.is_fully_defined():
                return value.shape, value.dtype
        initial = initial()
    value = tf.convert_to_tensor(initial, dtype)
    return value.shape, value.dtype


@contextlib.contextmanager
def _without_memory() -> Iterator[None]:
    """Within, a large variable has a shape and no value."""

    def make(next_creator: Any, **settings: Any) -> Any:
        if not tf.executing_eagerly():
            return next_creator(**settings)
        shape, dtype = _shape_and_dtype(settings["initial_value"], settings.get("dtype"))
        if shape.num_elements() * dtype.size <= SMALL_BYTES:
            return next_creator(**settings)
        return UninitializedVariable(
            trainable=settings.get("trainable", True), shape=shape, dtype=dtype, name=settings.get("name")
        )

    with tf.variable_creator_scope(make):
        yield
