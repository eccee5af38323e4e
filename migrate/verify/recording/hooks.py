"""The program's own hooks and callbacks: where a fault may strike inside them, in their place among the framework's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import event_log, fault, steps, training

FRAMEWORKS = ("tensorflow", "tensorflow_estimator", "keras", "tf_keras", "_migrate_recording")

HELPERS = "tf2_recovery"
"""The package of helpers, which may be a folder of the program's own package."""

_told: set[str] = set()


def watch_hooks(module: ModuleType) -> None:
    """Watch ``after_run`` of the classes that the program derives from ``SessionRunHook``."""
    _watch(module.SessionRunHook, "after_run", lambda hook: None)


def watch_callbacks(module: ModuleType) -> None:
    """Watch ``on_train_batch_end`` of the classes that the program derives from Keras's ``Callback``."""
    _watch(module.Callback, "on_train_batch_end", lambda callback: steps.of_model(callback.model))


def _watch(base: Any, name: str, read: Callable[[Any], int | None]) -> None:
    before = base.__init_subclass__

    def init_subclass(cls: Any, **kwargs: Any) -> None:
        before(**kwargs)
        parts = cls.__module__.split(".")
        is_program_s_own = parts[0] not in FRAMEWORKS and HELPERS not in parts
        if is_program_s_own and name in cls.__dict__:
            setattr(cls, name, _followed(cls.__dict__[name], read))

    base.__init_subclass__ = classmethod(init_subclass)


def _followed(method: Any, read: Callable[[Any], int | None]) -> Any:
    """``method``, and after it the fault."""

    @functools.wraps(method)
    def followed(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = method(self, *args, **kwargs)
        _ran(type(self).__name__, read(self))
        return result

    followed.autograph_info__ = {}  # type: ignore[attr-defined]
    return followed


def _ran(name: str, step: int | None) -> None:
    """A hook of the program's own has run at a step of training, which is told here, before the fault strikes."""
    if training.phase != "train":
        return
    if name not in _told:
        _told.add(name)
        event_log.write("hook", name=name)
    if not fault.asks_for(fault.IN_HOOK, name):
        return
    now = step if step is not None else _counted()
    now = (training.step or 0) + 1 if now is None else now
    if fault.due_after(now) > 0:
        return
    if training.step is not None and now > training.step:
        training.stepped(now, [], [], "step")
    fault.strike_in_hook(now)


def _counted() -> int | None:
    """The counter's value, also where a hook runs in a graph beside a loop that counts outside of it."""
    from tensorflow.python.eager import context

    now = steps.read()
    if now is not None or not steps.found():
        return now
    with context.eager_mode():
        return steps.read()
