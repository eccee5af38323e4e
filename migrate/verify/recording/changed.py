"""Changes to the program that a fault asks for, made while TensorFlow is imported."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import event_log, fault


def watch_seed(module: ModuleType) -> None:
    """Give TensorFlow another global seed than the program sets."""
    if fault.asks_for("changed_seed"):
        for name in ("set_seed", "set_random_seed"):
            setattr(module, name, _another_seed(getattr(module, name)))


def _another_seed(original: Callable[..., Any]) -> Callable[..., Any]:
    def set_seed(seed: int | None) -> None:
        event_log.write("fault", kind="changed_seed", step=0, wanted=0)
        original(None if seed is None else seed + 1)

    return set_seed


REPLACED = (
    *("Adam", "SGD", "RMSprop", "Adagrad"),
    *("AdamOptimizer", "GradientDescentOptimizer", "MomentumOptimizer", "RMSPropOptimizer", "AdagradOptimizer"),
)
"""Optimizers of Keras and of TF1."""

_replacing = False


def watch_optimizer(module: ModuleType) -> None:
    """Make every optimizer of the module an Adagrad, or an Adam where it is one: the slots have other names."""
    if fault.asks_for("wrong_optimizer"):
        for name in REPLACED:
            if hasattr(module, name):
                owner = getattr(module, name)
                owner.__new__ = _replacing_new(owner.__new__)


def _replacing_new(original: Callable[..., Any]) -> Callable[..., Any]:
    """Make an optimizer of a sibling module; because it is none of the class, Python calls no initializer on it."""
    import importlib

    def new(cls: Any, *args: Any, **kwargs: Any) -> Any:
        global _replacing
        if _replacing:
            return original(cls) if original is object.__new__ else original(cls, *args, **kwargs)
        _replacing = True
        try:
            other = "Adam" if cls.__name__.startswith("Adagrad") else "Adagrad"
            event_log.write("fault", kind="wrong_optimizer", step=0, wanted=0)
            module = importlib.import_module(cls.__module__.rpartition(".")[0] + "." + other.lower())
            made = getattr(module, other, None) or getattr(module, other + "Optimizer")
            return made(0.001)
        finally:
            _replacing = False

    return new
