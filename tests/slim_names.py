"""Writes the table of tf_slim's names, from the installed package: ``python -m tests.slim_names``."""

import functools
import importlib
import types
from pathlib import Path

import tf_slim

from migrate.tensorflow.slim import TABLE


def rows():
    """A line for tf_slim, and one for each of its modules that it shows: the module, and its functions and classes."""
    shown = {"nets": importlib.import_module("tf_slim.nets")}
    shown |= {name: value for name, value in vars(tf_slim).items() if is_own(value)}
    yield row("", tf_slim, shown)
    for name, module in sorted(shown.items()):
        inner = {one: value for one, value in vars(module).items() if is_own(value)} if name == "nets" else {}
        yield row(name, module, inner)
        yield from (row(f"{name}.{one}", value, {}) for one, value in sorted(inner.items()))


def row(path, module, modules):
    own = {name for name, value in vars(module).items() if not name.startswith("_") and is_made_by_slim(value)}
    return f"{path}: {' '.join(sorted(own | modules.keys()))}\n"


def is_made_by_slim(value):
    made = value.func if isinstance(value, functools.partial) else value  # relu, linear
    is_private = getattr(made, "__name__", "").startswith("_")  # of TensorFlow, which slim alone shows
    return str(getattr(made, "__module__", None)).startswith(("tf_slim", "tensorflow.") if is_private else "tf_slim")


def is_own(value):
    return isinstance(value, types.ModuleType) and value.__name__.startswith("tf_slim.")


def unlike_the_table():
    """The lines in which the table and the package differ."""
    return sorted(set(rows()) ^ set(Path(TABLE).read_text(encoding="utf-8").splitlines(keepends=True)))


if __name__ == "__main__":
    Path(TABLE).write_text("".join(rows()), encoding="utf-8")
