"""Put a function around a method of a class of TensorFlow or Keras."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def around(owner: Any, name: str, wrapper: Callable[..., Any]) -> None:
    """Let ``owner.name`` call ``wrapper(original, self, *args, **kwargs)``; an absent name is left."""
    original = owner.__dict__.get(name)
    if original is None:
        return

    @functools.wraps(original)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        return wrapper(original, self, *args, **kwargs)

    # Tells autograph that there is nothing to convert here, as tf.autograph.experimental.do_not_convert does.
    wrapped.autograph_info__ = {}  # type: ignore[attr-defined]
    setattr(owner, name, wrapped)
