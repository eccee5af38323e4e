"""Where tf_slim, a package of its own, has the names of ``tf.contrib`` that it was made from.

The table, ``slim.txt``, is made by ``python -m tests.slim_names`` from tf_slim 1.1.0: a module of it, and its names.
"""

import re
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("slim.txt")
REQUIREMENT = "tf_slim==1.1.0"

_WHERE = {
    "slim": ("",),
    "layers": ("",),
    "framework": ("",),
    "losses": ("losses",),
    "metrics": ("metrics",),
    "training": ("training", "train_eval"),
}
"""The modules of contrib, and the modules of tf_slim that have their names."""

_PRIVATE = re.compile(r"(?<=[a-z])\.python\.[a-z]+\.")
"""Below it a package of contrib keeps what it shows: ``framework.python.ops.arg_scope``, ``slim.python.slim.nets``."""


def in_tf_slim(name: str) -> str | None:
    """The name in tf_slim of what contrib has, or None.

    Args:
      name: without ``tf.contrib``: ``layers.conv2d`` gives ``conv2d``, ``slim.learning.train`` gives
        ``learning.train``; ``slim``, the module itself, gives "".
    """
    package, _, rest = _PRIVATE.sub(".", name, count=1).partition(".")
    if package not in _WHERE or (package != "slim" and not rest):
        return None
    paths = (".".join(part for part in (module, rest) if part) for module in _WHERE[package])
    return next((path for path in paths if _has(path)), None)


def _has(path: str) -> bool:
    parts = path.split(".") if path else []
    module = ""
    for number, part in enumerate(parts):
        if part not in _names().get(module, ()):
            return False
        inner = ".".join(parts[: number + 1])
        if inner not in _names():
            break  # what is read off a function or a class is its own matter
        module = inner
    return True


@cache
def _names() -> dict[str, frozenset[str]]:
    rows = (line.partition(": ") for line in TABLE.read_text(encoding="utf-8").splitlines())
    return {module: frozenset(names.split(" ")) for module, _, names in rows}
