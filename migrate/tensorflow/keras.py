"""The names of Keras that TensorFlow 2.15's Keras or Keras 3 lacks, and where these have the same object.

``python -m tests.keras_names`` makes the table, ``keras.txt``, from the installed packages and the last Keras before
them. Its rows are ``LINES MODULE > PLACE: name …``: the lines that lack these names of a module, and the module where
every line has them, or ``-``. A name below a lacking name is lacking too.
"""

import os
from functools import cache

from migrate.records import dataclass
from migrate.tensorflow import read_rows
from migrate.tensorflow.known_names import public_spelling

TABLE = os.path.join(os.path.dirname(__file__), "keras.txt")
_LINES = {"keras2": {"2.15"}, "keras3": {"3"}}
_BACKUP = "callbacks.experimental.BackupAndRestore"
_RENAMED = {
    f"keras.optimizers.{name.lower()}": f"keras.optimizers.{name}"
    for name in ("SGD", "RMSprop", "Adagrad", "Adadelta", "Adam", "Adamax", "Nadam")
} | {f"{package}.{_BACKUP}": f"{package}.callbacks.BackupAndRestore" for package in ("keras", "tensorflow.keras")}
"""Names of classes that Keras 2.3.1 also has in lower case, where later Keras has modules; and a callback's old one."""
_TITLES = {"2.15": "the Keras of TensorFlow 2.15", "3": "Keras 3"}


@dataclass(frozen=True)
class Lack:
    """A name that some Keras lacks.

    Attributes:
      path: the part of the name that is lacking: ``keras.layers.convolutional``.
      lines: the Keras versions that lack it, in words for a message.
      place: the whole name by which every Keras has the same object; "" for none.
      name: the whole name in its public spelling.
    """

    path: str
    lines: str
    place: str
    name: str


def lack(qualified: str, target: str = "portable") -> Lack | None:
    """Returns the lack of a name of ``keras``, ``tf_keras`` or ``tensorflow.keras`` in a target; None if it has it.

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
        place = place or _RENAMED.get(path, "")
        return Lack(gone, " and ".join(_TITLES[line] for line in lacking), place, path)
    return None


@cache
def _rows() -> dict[str, tuple[tuple[str, ...], str]]:
    """Maps each name to the lines that lack it and the module where it is now; "" for none."""
    rows = {}
    for text in read_rows(TABLE):
        head, _, names = text.partition(": ")
        lines, module, _, place = head.split(" ")
        for name in names.split(" "):
            rows[f"{module}.{name}"] = (tuple(lines.split(",")), place.removeprefix("-"))
    return rows
