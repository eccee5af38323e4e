"""The names of TensorFlow: which versions have a name, and the public name of an object at a private path.

``python -m tests.tensorflow_names`` makes the table, ``names.txt``, from the installed packages. Its rows:

- ``v1 MODULE LINES < ORIGIN: name other=defined …``: public names of ``tf.compat.v1`` (in 1.15 of ``tensorflow``
  itself, contrib's too), the TensorFlow versions that have them, and the private module that defines them. ``v2``
  likewise for ``tensorflow``. ``2.21k`` has a name only with ``TF_USE_LEGACY_KERAS=1``.
- ``module PACKAGE LINES: name …``: private modules.
- ``gone MODULE LINES: name …``: names that an older TensorFlow had in a private module and these versions lack.
- ``same MODULE - < ORIGIN: name …``: names in a private module of objects that another module defines.
"""

import os
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from migrate.tensorflow import read_rows

TABLE = os.path.join(os.path.dirname(__file__), "names.txt")
OLD, NEW = "2.15", "2.21"
"""The TensorFlow versions on which a migrated program may run."""

_V1 = "tensorflow.compat.v1"
_RENAMED_FUNCTIONS = {"tensorflow.python.util.nest.is_sequence": "tensorflow.python.util.nest.is_nested"}
"""Private function of TensorFlow 1.15 -> the function with a public name that calls it."""
_MIXED_PRECISION = "keras.mixed_precision"
_SUCCESSORS = {
    f"{_MIXED_PRECISION}.experimental.Policy": f"{_MIXED_PRECISION}.Policy",
    f"{_MIXED_PRECISION}.experimental.global_policy": f"{_MIXED_PRECISION}.global_policy",
    f"{_MIXED_PRECISION}.experimental.set_policy": f"{_MIXED_PRECISION}.set_global_policy",
}
"""Experimental name -> its name since TensorFlow 2.4."""
IN_COMPAT_V2_ALONE = "compat.v2.enable_v2_behavior"
"""The only name of ``tf.compat.v2`` that ``tf`` lacks."""
KERAS_INSIDE = "python.keras."
"""The path of TensorFlow's copy of Keras, which was ``tf.keras`` until 2.5 and cannot use its layers since."""
_SHOWN_BY_PYTHON = {
    "feature_column": "feature_column_lib",
    **{name: name for name in ("layers", "profiler", "saved_model", "summary", "user_ops")},
}
"""Package -> its module that TensorFlow 1's ``tensorflow.python`` has under the package's name."""
_TOOLS = ("common", "compatibility", "docs", "pip_package")
"""The packages in TensorFlow 2's ``tensorflow.tools``."""
_KERAS_API = re.compile(r"^python\.keras\.api\._v\d\.")
"""The path of ``tf.keras``'s names in TensorFlow 2.0 to 2.5, from which code completion imports them."""
_LOGGER = "logging._logger"
"""TensorFlow's logger before 1.14, which has a function for it."""
_OPEN = ("raw_ops.", "compat.v1.", "compat.v2.")
"""Modules in which every name is assumed to exist."""


def lines_of(target: str) -> tuple[str, ...]:
    """Returns the TensorFlow versions on which a program for a target runs."""
    return {"keras2": (OLD,), "keras3": (NEW,)}.get(target, (OLD, NEW))


class Public(NamedTuple):
    """A public name of TensorFlow.

    Attributes:
      api: ``v1`` if ``tf.compat.v1`` or TensorFlow 1 has the object by this name, ``v2`` if ``tensorflow`` of
        TensorFlow 2 has it, ``both`` if it is the same object in both.
      tail: the name within it: ``estimator.ModeKeys``, ``contrib.layers.xavier_initializer``.
    """

    api: str
    tail: str


def public_name(qualified: str) -> Public | None:
    """Returns the public name of the object at a private path or a name of contrib; None if it has none.

    Args:
      qualified: the whole path, with attributes of the object:
        ``tensorflow.python.estimator.model_fn.ModeKeys.TRAIN`` gives ``estimator.ModeKeys.TRAIN``.
    """
    parts = public_spelling(qualified).split(".")
    for end in range(len(parts), 1, -1):
        found = _public(".".join(parts[:end]))
        if found is not None:
            return Public(found.api, ".".join([found.tail, *parts[end:]]))
    return None


def is_module_of_contrib(tail: str) -> bool:
    """Whether a name below ``tf`` is ``contrib`` itself, or a module of it."""
    return tail == "contrib" or (tail.startswith("contrib.") and bool(_rows("v1", tail)))


def public_path(qualified: str, lines: tuple[str, ...]) -> str | None:
    """Returns the name of an object below ``tensorflow.compat.v1``: ``losses.Loss`` or ``compat.v2.losses.Loss``.

    It is one of ``compat.v2`` for names that TensorFlow 1 never had, and for names of ``tf.keras`` in private paths.

    Args:
      qualified: the name with its package, private or not.
      lines: the TensorFlow versions that must have it.

    Returns:
      The name; None if one of the versions has none.
    """
    path = public_spelling(qualified).removeprefix("tensorflow.").removeprefix("compat.v1.")
    own = _KERAS_API.sub("", path)
    if own != path and _is_there("v2", own, lines):
        return f"compat.v2.{own}"
    if f"{path}.".startswith(f"{_LOGGER}."):
        return f"get_logger(){path.removeprefix(_LOGGER)}"
    if path in _SUCCESSORS:
        return f"compat.v2.{_SUCCESSORS[path]}"
    public = public_name(qualified)
    tails = [public.tail] if public is not None and not public.tail.startswith("contrib.") else []
    tails += [path.removeprefix("python.")] if path.startswith(KERAS_INSIDE) else []
    tails += [path] if not path.startswith("python.") else []
    for tail in tails:
        if _is_there("v1", tail, lines):
            return tail
        if _is_there("v2", tail, lines) and not _is_there("v1", tail, ("1.15",)):
            return f"compat.v2.{tail}"
    return None


def _is_there(api: str, tail: str, lines: tuple[str, ...]) -> bool:
    """Whether each version has a module, a public name or an attribute of one, by the rows of an API."""
    if rows := _rows(api, tail):
        return all(any({line, f"{line}k"} & row.lines for row in rows) for line in lines)
    parts = tail.split(".")
    for end in range(len(parts), 0, -1):
        name = ".".join(parts[:end])
        if _rows(api, name):
            return False
        if has := {line.rstrip("k") for row, _ in _find(api, name) for line in row.lines}:
            return has.issuperset(lines)
    return False


def lines_without(qualified: str, lines: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the TensorFlow versions that lack a name; empty for a name that no TensorFlow ever had.

    Args:
      qualified: the name with its package: ``tensorflow.compat.v1.layers.dense``, ``tensorflow.examples.tutorials``.
        A name of plain ``tensorflow`` means TensorFlow 2's.
      lines: the versions to look at, ``OLD``, ``NEW`` or both.
    """
    has = _versions_with(public_spelling(qualified))
    return tuple(line for line in lines if has is not None and line not in has and f"{line}k" not in has)


def absence_message(qualified: str, lines: tuple[str, ...]) -> str:
    """Returns the message for a name that some of the versions lack."""
    return f"`{qualified}` does not exist in TensorFlow {' and '.join(lines_without(qualified, lines))}"


def is_in_no_version(tail: str) -> bool:
    """Whether no version has a name in a module that some version has."""
    module = tail.rpartition(".")[0]
    return _is_public_module(module) and not any(_find("v1", tail)) and not any(_find("v2", tail))


@cache
def is_only_in(version: int, tail: str) -> bool:
    """Whether a name or its parent is only in TensorFlow 1 and ``compat.v1`` (version 1) or only in TensorFlow 2."""
    parts = tail.split(".")
    for name in (".".join(parts[:end]) for end in range(1, len(parts) + 1)):
        v1, v2 = ({line.rstrip("k") for row, _ in _find(kind, name) for line in row.lines} for kind in ("v1", "v2"))
        if {"1.15", OLD, NEW} <= v1 and not v2 if version == 1 else {OLD, NEW} <= v2 and "1.15" not in v1:
            return True
    return False


@cache
def names_in(module: str) -> frozenset[str]:
    """Returns the public names of a module, such as ``keras.layers``, in any TensorFlow version."""
    rows = (row for kind in ("v1", "v2") for row in _rows(kind, module))
    return frozenset(name for row in rows for name, _ in row.pairs)


def needs_legacy_keras(qualified: str) -> bool:
    """Whether the newest TensorFlow has a name only with ``TF_USE_LEGACY_KERAS=1``."""
    return f"{NEW}k" in (_versions_with(public_spelling(qualified)) or ())


def public_spelling(qualified: str) -> str:
    """Returns a path without internal packages of TensorFlow (``tensorflow_core``, ``tensorflow._api.v1``)."""
    root, _, rest = qualified.partition(".")
    root = "tensorflow" if root == "tensorflow_core" else root
    for inner in ("_api.v1.", "_api.v2."):
        rest = rest.removeprefix(inner)
    return f"{root}.{rest}" if rest else root


class _Row(NamedTuple):
    lines: frozenset[str]
    module: str
    origin: str
    names: str

    @property
    def pairs(self) -> Iterator[tuple[str, str]]:
        """Pairs of each name and the name of its definition."""
        for name in self.names.split(" "):
            shown, _, defined = name.partition("=")
            yield shown, defined or shown

    def definition_of(self, name: str) -> str:
        """Returns the name of a name's definition; "" if the row does not have the name."""
        if name not in self.names:
            return ""
        words = f" {self.names} "
        return name if f" {name} " in words else words.partition(f" {name}=")[2].partition(" ")[0]


def _row(text: str) -> _Row:
    head, _, names = text.partition(": ")
    _, module, versions, *origin = head.split(" ")
    return _Row(frozenset(versions.split(",")), module, "".join(origin[1:]), names)


@cache
def _rows(kind: str, module: str) -> list[_Row]:
    """Returns the rows of a module: the table is sorted, and a run asks for few of its modules."""
    first, end = (bisect_left(read_rows(TABLE), f"{kind} {module}{mark}") for mark in " !")  # "!" follows " "
    return [_row(text) for text in read_rows(TABLE)[first:end]]


@cache
def _lines_of_origins() -> dict[tuple[str, str], list[str]]:
    """Maps ``v1`` or ``v2`` and a private module to the lines of names that it defines."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for text in read_rows(TABLE)[bisect_left(read_rows(TABLE), "v1 ") :]:
        found[text[:2], text.partition(": ")[0].partition(" < ")[2]].append(text)
    return found


def _find(kind: str, path: str) -> Iterator[tuple[_Row, str]]:
    """Yields the rows that have a dotted name, and the name of its definition there."""
    module, _, name = path.rpartition(".")
    for row in _rows(kind, module):
        if defined := row.definition_of(name):
            yield row, defined


@cache
def _public(path: str) -> Public | None:
    """Returns the public name of the object at a private path; None if it has none."""
    for definition in _definitions(path):
        origin, _, name = definition.rpartition(".")
        tails = {
            api: {
                f"{row.module}.{shown}".lstrip(".")
                for row in map(_row, _lines_of_origins().get((api, origin), ()) if origin else ())
                for shown, defined in row.pairs
                if defined == name
            }
            for api in ("v1", "v2")
        }
        found = tails["v1"] or tails["v2"]
        if found:
            tail = min(found, key=lambda one: _sort_key(one, origin, path))
            return Public("v1" if tail not in tails["v2"] else "both" if tails["v1"] else "v2", tail)
    return _keras_public_name(path)


def _keras_public_name(path: str) -> Public | None:
    """Returns the public name of an object in Keras that another package defines (``keras_preprocessing``)."""
    tail = path.removeprefix("tensorflow.python.")
    if _rows("v1", tail) or not tail.startswith("keras.") or all(row.origin for row, _ in _find("v1", tail)):
        return None
    return Public("both" if any(_find("v2", tail)) else "v1", tail)


def _definitions(path: str) -> Iterator[str]:
    """Yields the private paths that may define the object at a path."""
    tail = path.removeprefix(f"{_V1}.").removeprefix("tensorflow.")
    yield from (f"{row.origin}.{defined}" for row, defined in _find("v1", tail) if row.origin)
    shown = _path_behind_python(path) or path
    yield from (f"{row.origin}.{defined}" for row, defined in _find("same", shown))
    yield _RENAMED_FUNCTIONS.get(shown, shown)


def _path_behind_python(path: str) -> str:
    """Returns the path of the module that TensorFlow 1's ``tensorflow.python`` has instead of a package; else ""."""
    parts = path.split(".")
    if parts[:2] != ["tensorflow", "python"] or len(parts) < 4 or parts[2] not in _SHOWN_BY_PYTHON:
        return ""
    is_below = any(_find("module", ".".join(parts[:4])))
    return "" if is_below else ".".join([*parts[:3], _SHOWN_BY_PYTHON[parts[2]], *parts[3:]])


def _sort_key(tail: str, origin: str, path: str) -> tuple[bool | int | str, ...]:
    """Returns the sort key of public names of one object.

    Names outside of contrib and ``tf.estimator`` come first, among these the name nearest to the program's spelling,
    and then the name nearest to the definition.
    """
    is_contrib, is_other = tail.startswith("contrib."), not path.endswith(f".{tail}")
    is_renamed = tail.rpartition(".")[2] != path.rpartition(".")[2]
    otherwise = (False, False) if is_contrib else (is_other, is_renamed)
    is_far = not origin.startswith(f"tensorflow.{tail.rpartition('.')[0]}.")
    return is_contrib, tail.startswith("estimator."), *otherwise, is_far, tail.count("."), len(tail), tail


@cache
def _versions_with(path: str) -> frozenset[str] | None:
    """Returns the versions that have a name; empty if only older ones had it, None if no version ever had it."""
    package, _, tail = path.partition(".")
    if package == "tensorflow" and tail == IN_COMPAT_V2_ALONE:
        return frozenset({OLD, NEW})
    api = "v2"
    while tail.startswith(("compat.v1.", "compat.v2.")):
        api, tail = tail[7:9], tail[10:]
    if package == "tensorflow_estimator" and not tail.startswith("python."):
        return frozenset({OLD})  # it imports no newer TensorFlow
    if tail.startswith(_OPEN) or not tail:
        return None
    if package not in ("tensorflow", "tensorflow_estimator"):
        return None
    is_gone_tool = tail.startswith("tools.") and tail.split(".")[1] not in _TOOLS
    if f"{tail}.".startswith("contrib.") or is_gone_tool or _KERAS_API.match(f"{tail}."):
        return frozenset()
    if package == "tensorflow_estimator" or f"{tail}.".startswith(("core.", "examples.", "python.")):
        return _versions_with_private(f"{package}.{tail}")
    parts = tail.split(".")
    private = [end for end, name in enumerate(parts) if name.startswith("_") and not name.startswith("__")]
    if any(_is_public_module(".".join(parts[:end])) for end in private if end):
        return frozenset()  # such as TensorFlow 1.12's tf.logging._logger
    for end in range(len(parts), 0, -1):
        name = ".".join(parts[:end])
        own = frozenset(line for row, _ in _find(api, name) for line in row.lines)
        if own or any(_find("v1", name)):
            return None if end < len(parts) and _rows(api, name) and {OLD, NEW} <= own else own
    return None


def _is_public_module(module: str) -> bool:
    return any(_rows(api, module) for api in ("v1", "v2"))


def _versions_with_private(path: str) -> frozenset[str] | None:
    parts = path.split(".")
    is_of_python = parts[:2] == ["tensorflow", "python"] and len(parts) > 2 and not parts[2].startswith("_")
    if _path_behind_python(path) or (is_of_python and not any(_find("module", ".".join(parts[:3])))):
        return frozenset()  # tensorflow.python of 2.15 and 2.21 has only its packages
    for end in range(len(parts), 1, -1):
        has = [row.lines for row, _ in _find("module", ".".join(parts[:end]))]
        if has:
            gone = _find("gone", ".".join(parts[: end + 1]))
            return has[0] - {line for row, _ in gone for line in row.lines}
    return None
