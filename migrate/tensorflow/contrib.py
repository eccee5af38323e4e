"""What stands for each name of ``tf.contrib``: the one table of its successors, ``contrib.txt``.

``python -m tests.contrib_names`` checks it against the names that TensorFlow 1.15 has.
"""

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import cache
from typing import NamedTuple

from migrate.tensorflow import read_rows, slim
from migrate.tensorflow.known_names import public_name

TABLE = os.path.join(os.path.dirname(__file__), "contrib.txt")

_ROW = re.compile(r"(\S+) (\S+): ([^=|(]+(?:=\S+[^=|(]*)*?)(?: = ([^|(]+?))?(?: \(([^)]*)\))?(?: \| (.+))?$")
_PRIVATE = re.compile(r"(?<=[a-z])\.python\.[a-z_]+\.")
"""Below it a package of contrib keeps what it shows: ``framework.python.ops.arg_scope``, ``slim.python.slim.nets``."""


class Row(NamedTuple):
    """What stands for one name of contrib, or for every name of a module.

    Attributes:
      kind: ``tf``, ``by-name``, ``piece``, ``slim``, ``estimator``, ``rule``, ``package`` or ``none``.
      module: of contrib, without ``tf.contrib``.
      name: within it; ``*`` for any.
      successors: where it is now: below ``tf.compat.v1``, of the emitted pieces, in tf_slim.
      arguments: contrib's that are carried over, in their order; empty where any use is.
      advice: what to do where it is not written.
    """

    kind: str
    module: str
    name: str
    successors: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    advice: str = ""

    @property
    def successor(self) -> str:
        return self.successors[0] if self.successors else ""

    def takes(self, positional: int, keywords: Collection[str | None]) -> bool:
        """Whether a call with so many positional arguments and these keywords (None for ``**``) is carried over."""
        refused = {one[1:] for one in self.arguments if one.startswith("-")}
        if refused:
            return refused.isdisjoint(one or "" for one in keywords)
        placed = self.arguments.index("*") if "*" in self.arguments else len(self.arguments)
        return positional <= placed and set(keywords) <= {*self.arguments} - {"*"}

    def words(self) -> str:
        """What stands for the name, in words; "" where nothing does."""
        if self.kind in ("tf", "by-name"):
            return f"tf.compat.v1.{self.successor}"
        if self.kind == "piece":
            return f"the generated {self.successor}"
        if self.kind == "slim":
            return f"tf_slim{'.' if self.successor else ''}{self.successor} of the package {slim.REQUIREMENT}"
        return ""


def name_of(qualified: str) -> str:
    """Returns the public name of an object of contrib, without ``tf.contrib``, also for a private path.

    Args:
      qualified: ``tensorflow.contrib.learn.python.learn.experiment.Experiment`` gives ``learn.Experiment``.
    """
    public = public_name(qualified)
    if public is not None and public.tail.startswith("contrib."):
        return public.tail.removeprefix("contrib.")
    return _PRIVATE.sub(".", qualified.partition(".contrib.")[2], count=1)


def rows_of(name: str) -> Iterator[Row]:
    """Yields the rows of a name, given without ``tf.contrib``, the nearest first, then of the one that it shows."""
    for one in dict.fromkeys((name, _PRIVATE.sub(".", name, count=1))):
        module, _, last = one.rpartition(".")
        yield from _table().get((module, last), ())


def rows_around(name: str) -> Iterator[Row]:
    """The rows of the modules that a name is in, the nearest first, with its own successors."""
    divided = {
        (".".join(parts[:end]), ".".join(parts[end:]))
        for parts in (name.split("."), _PRIVATE.sub(".", name, count=1).split("."))
        for end in range(1, len(parts) + 1)
    }
    for module, rest in sorted(divided, key=lambda one: (-one[0].count("."), len(one[1]))):
        for row in _table().get((module, "*"), ()):
            places = tuple(pattern.replace("*", rest).rstrip(".") for pattern in row.successors)
            if row.kind == "slim":
                # A module of contrib is no other module of tf_slim, but for slim itself.
                places = tuple(one for one in places if (rest or module == "slim") and slim.has(one))
                if not places:
                    continue
            yield Row(row.kind, row.module, rest, places, row.arguments, row.advice)


def in_tf_slim(name: str) -> str | None:
    """The name in tf_slim of what contrib has, or None.

    Args:
      name: without ``tf.contrib``: ``layers.conv2d`` gives ``conv2d``, ``slim.learning.train`` gives
        ``learning.train``; ``slim``, the module itself, gives "".
    """
    return next((row.successor for row in rows_around(name) if row.kind == "slim"), None)


def advice(name: str) -> str:
    """What to do about a name of contrib that is not written; "" where the table does not say."""
    rows = [*rows_of(name), *rows_around(name)]
    return next((row.advice for row in rows if row.advice), "")


@cache
def _table() -> dict[tuple[str, str], list[Row]]:
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for line in read_rows(TABLE):
        if line and not line.startswith("#"):
            for row in read_row(line):
                found[row.module, row.name].append(row)
    return found


def read_row(line: str) -> Iterator[Row]:
    """Returns the rows of one line of the table, one for each name."""
    match = _ROW.match(line)
    if match is None:
        raise ValueError(f"not a row of {TABLE}: {line}")
    kind, module, names, patterns, arguments, advice = match.groups()
    for one in names.split():
        name, _, other = one.partition("=")
        written = (patterns or "").split()
        successors = tuple(written if name == "*" else (pattern.replace("*", other or name) for pattern in written))
        yield Row(kind, module, name, successors, tuple((arguments or "").split()), advice or "")
