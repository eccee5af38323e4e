"""The names of tf_slim, the package that has much of ``tf.contrib``.

``python -m tests.slim_names`` makes the table, ``slim.txt``, from tf_slim 1.1.0; a row is a module and its names.
"""

import os
from functools import cache

from migrate.tensorflow import read_rows

TABLE = os.path.join(os.path.dirname(__file__), "slim.txt")
REQUIREMENT = "tf_slim==1.1.0"


def has(path: str) -> bool:
    """Whether tf_slim has a name, such as ``conv2d`` or ``nets.resnet_v1``; "" is tf_slim itself."""
    parts = path.split(".") if path else []
    module = ""
    for number, part in enumerate(parts):
        if part not in _names().get(module, ()):
            return False
        inner = ".".join(parts[: number + 1])
        if inner not in _names():
            break  # attributes of a function or a class are not checked
        module = inner
    return True


@cache
def _names() -> dict[str, frozenset[str]]:
    rows = (line.partition(": ") for line in read_rows(TABLE))
    return {module: frozenset(names.split(" ")) for module, _, names in rows}
