"""The successors of the names of ``tf.contrib``, from the table ``contrib.txt``.

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
"""The private part of a path in contrib: of ``framework.python.ops.arg_scope``, ``slim.python.slim.nets``."""


class Row(NamedTuple):
    """The successor of one name of contrib, or of every name of a module.

    Attributes:
      kind: ``tf``, ``by-name``, ``piece``, ``slim``, ``estimator``, ``rule``, ``package`` or ``none``.
      module: the module without ``tf.contrib``.
      name: the name in the module; ``*`` for any.
      successors: the new names: below ``tf.compat.v1``, in the runtime package, or in tf_slim.
      arguments: the parameters of contrib's function that the successor has too, in order; empty for all uses.
      advice: what the user can do if it is not rewritten.
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
        """Whether the successor takes a call with so many positional arguments and these keywords (None for ``**``)."""
        refused = {one[1:] for one in self.arguments if one.startswith("-")}
        if refused:
            return refused.isdisjoint(one or "" for one in keywords)
        placed = self.arguments.index("*") if "*" in self.arguments else len(self.arguments)
        return positional <= placed and set(keywords) <= {*self.arguments} - {"*"}

    def description(self) -> str:
        """Returns the successor in words; "" if there is none."""
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
    """Yields the rows of a name, given without ``tf.contrib``, then those of its public name if it is private."""
    for one in dict.fromkeys((name, _PRIVATE.sub(".", name, count=1))):
        module, _, last = one.rpartition(".")
        yield from _table().get((module, last), ())


def rows_around(name: str) -> Iterator[Row]:
    """Yields the rows of the modules that a name is in, the innermost first, with the successors of the name."""
    divided = {
        (".".join(parts[:end]), ".".join(parts[end:]))
        for parts in (name.split("."), _PRIVATE.sub(".", name, count=1).split("."))
        for end in range(1, len(parts) + 1)
    }
    for module, rest in sorted(divided, key=lambda one: (-one[0].count("."), len(one[1]))):
        for row in _table().get((module, "*"), ()):
            places = tuple(pattern.replace("*", rest).rstrip(".") for pattern in row.successors)
            if row.kind == "slim":
                # Only contrib's module slim is a module of tf_slim, not the other modules.
                places = tuple(one for one in places if (rest or module == "slim") and slim.has(one))
                if not places:
                    continue
            yield Row(row.kind, row.module, rest, places, row.arguments, row.advice)


def tf_slim_name(name: str) -> str | None:
    """Returns the name in tf_slim of an object in contrib; None if tf_slim lacks it.

    Args:
      name: without ``tf.contrib``: ``layers.conv2d`` gives ``conv2d``, ``slim.learning.train`` gives
        ``learning.train``; ``slim``, the module itself, gives "".
    """
    return next((row.successor for row in rows_around(name) if row.kind == "slim"), None)


def advice(name: str) -> str:
    """Returns what to do about a name of contrib that is not rewritten; "" if the table has no advice."""
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
    """Yields the rows of one line of the table, one for each name."""
    match = _ROW.match(line)
    if match is None:
        raise ValueError(f"not a row of {TABLE}: {line}")
    kind, module, names, patterns, arguments, advice = match.groups()
    for one in names.split():
        name, _, other = one.partition("=")
        written = (patterns or "").split()
        successors = tuple(written if name == "*" else (pattern.replace("*", other or name) for pattern in written))
        yield Row(kind, module, name, successors, tuple((arguments or "").split()), advice or "")
