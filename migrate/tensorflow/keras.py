"""Which names of Keras the Keras of TensorFlow 2.15, or Keras 3, does not have, and where it has the same object.

The table, ``keras.txt``, is made by ``python -m tests.keras_names`` from the installed packages and the last Keras
before them. Its rows are ``LINES MODULE > PLACE: name …``: the names of a module that those lines lack, and the module
where every line has them, which is ``-`` where one has none. What stands below a name that is gone is gone too.
"""

import os
from dataclasses import dataclass
from functools import cache

from migrate.tensorflow import read_rows
from migrate.tensorflow.known_names import public_spelling

TABLE = os.path.join(os.path.dirname(__file__), "keras.txt")
_LINES = {"keras2": {"2.15"}, "keras3": {"3"}}
_LOWER = {
    f"keras.optimizers.{name.lower()}": f"keras.optimizers.{name}"
    for name in ("SGD", "RMSprop", "Adagrad", "Adadelta", "Adam", "Adamax", "Nadam")
}
"""What Keras 2.3.1 calls the same classes too; below them are modules since."""
_CALLED = {"2.15": "the Keras of TensorFlow 2.15", "3": "Keras 3"}


@dataclass(frozen=True)
class Lack:
    """A name that some Keras lacks.

    Attributes:
      path: the part of the name that is gone: ``keras.layers.convolutional``.
      lines: the Keras that lack it, as a message calls them.
      place: the whole name where every Keras has the same object; "" where there is none.
    """

    path: str
    lines: str
    place: str
    name: str


def lack(qualified: str, target: str = "portable") -> Lack | None:
    """What a target lacks of a name of ``keras``, ``tf_keras`` or ``tensorflow.keras``; None for a name that it has.

    Args:
      qualified: the name with its package: ``keras.layers.convolutional.Conv2D``.
    """
    path, is_tf_keras = public_spelling(qualified), qualified.startswith("tf_keras.")
    parts = (f"keras.{path.removeprefix('tf_keras.')}" if is_tf_keras else path).split(".")
    if parts[0] != "keras" and parts[:2] != ["tensorflow", "keras"]:
        return None
    wanted = {"2.15"} if is_tf_keras else _LINES.get(target, {"2.15", "3"})
    known = ((end, _rows().get(".".join(parts[:end]))) for end in range(len(parts), 1, -1))
    for end, (lines, place) in ((end, row) for end, row in known if row is not None):
        lacking = [line for line in lines if line in wanted]
        if not lacking:
            return None
        place = ".".join([place, *parts[end - 1 :]]) if place else ""
        if is_tf_keras:
            place = f"tf_keras.{place.removeprefix('tensorflow.').removeprefix('keras.')}" if place else ""
        gone = ".".join(path.split(".")[:end])
        place = place or _LOWER.get(path, "")
        return Lack(gone, " and ".join(_CALLED[line] for line in lacking), place, path)
    return None


@cache
def _rows() -> dict[str, tuple[tuple[str, ...], str]]:
    """The lines that lack each name, and the module where it is now."""
    rows = {}
    for text in read_rows(TABLE):
        head, _, names = text.partition(": ")
        lines, module, _, place = head.split(" ")
        for name in names.split(" "):
            rows[f"{module}.{name}"] = (tuple(lines.split(",")), place.removeprefix("-"))
    return rows
