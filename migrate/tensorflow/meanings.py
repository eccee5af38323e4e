"""Names that mean one thing in TensorFlow 2's ``tf`` and another in TensorFlow 1, which is ``tf.compat.v1``.

``python -m tests.tensorflow_meanings`` makes the table, ``meanings.txt``, from the installed packages. Its rows:

- ``other MODULE: name …``: names with different results or parameters. ``wider`` likewise, for classes of TensorFlow 2
  that are base classes of TensorFlow 1's.
- ``same NAME: parameters | parameters``: a function with the same result if the same parameters get the arguments:
  first TensorFlow 1's, ``value=input`` if TensorFlow 2 has another name for one, then TensorFlow 2's.
- ``part NAME: parameters | parameters``: a function with the same result for these parameters, which has others too.
- ``takes NAME: parameters | parameters``: the parameters of a function with another result.
"""

import ast
import os
from functools import cache
from typing import NamedTuple

from migrate.tensorflow import read_rows

TABLE = os.path.join(os.path.dirname(__file__), "meanings.txt")
METHODS_OF_1 = {"make_initializable_iterator", "make_one_shot_iterator"}
"""Methods that a ``tf.data.Dataset`` has only in TensorFlow 1."""


def has_two_meanings(tail: str) -> bool:
    """Whether a name, or an object that it is an attribute of (``data.Dataset.range``), has two meanings."""
    return bool(_listed_name(tail))


def is_wider(tail: str) -> bool:
    """Whether TensorFlow 1's class of this name is derived from TensorFlow 2's."""
    return tail in _table() and _table()[tail].kind == "wider"


def means_same(tail: str, call: ast.Call) -> bool:
    """Whether a call means the same in both, because all its arguments go to the same parameters."""
    row = _table().get(tail)
    if row is None or row.kind not in ("same", "part") or _is_open(call):
        return False
    given = len(call.args)
    places = [one.rpartition("=")[2] for one in row.one[:given]]
    named = {keyword.arg for keyword in call.keywords}
    return len(places) == given and places == [*row.two[:given]] and named <= row.words_of_1 & row.words_of_2


def only_in(tail: str, call: ast.Call) -> int | None:
    """Returns 1 or 2 if only that TensorFlow's function accepts the arguments of a call; None if both or none do."""
    row = _table().get(tail)
    if row is None or row.kind == "part" or not (row.one or row.two) or _is_open(call):
        return None
    named = {keyword.arg for keyword in call.keywords}
    takes_1 = len(call.args) <= len(row.one) and named <= row.words_of_1
    takes_2 = len(call.args) <= len(row.two) and named <= row.words_of_2
    return None if takes_1 == takes_2 else 1 if takes_1 else 2


class _Row(NamedTuple):
    kind: str
    one: tuple[str, ...] = ()
    two: tuple[str, ...] = ()

    @property
    def words_of_1(self) -> frozenset[str]:
        return frozenset(one.partition("=")[0] for one in self.one)

    @property
    def words_of_2(self) -> frozenset[str]:
        return frozenset(self.two)


def _is_open(call: ast.Call) -> bool:
    """Whether a call has unknown arguments: ``*args`` or ``**kwargs``."""
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    return starred or any(keyword.arg is None for keyword in call.keywords)


@cache
def _listed_name(tail: str) -> str:
    parts = tail.split(".")
    names = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
    return next((name for name in names if name in _table()), "")


@cache
def _table() -> dict[str, _Row]:
    rows: dict[str, _Row] = {}
    listed: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    for text in read_rows(TABLE):
        head, _, rest = text.partition(":")
        kind, _, place = head.partition(" ")
        if kind in ("other", "wider"):
            module = place.strip()
            rows |= {f"{module}.{name}".lstrip("."): _Row(kind) for name in rest.split()}
            continue
        one, _, two = rest.partition("|")
        listed[place] = tuple(one.split()), tuple(two.split())
        if kind != "takes":
            rows[place] = _Row(kind)
    return rows | {name: _Row(rows[name].kind, *both) for name, both in listed.items()}
