"""The line of an emitted module that says which release wrote it and whether anybody has edited it since."""

import ast
import hashlib
import re
from dataclasses import dataclass

from migrate import __version__

MARK = "written by estimator-migrate"
"""Stands in the docstring of a module of pieces, so that the tool knows its own files again."""
_STAMP = re.compile(rf"{MARK} (\S+) \(content ([0-9a-f]+)\)")


@dataclass(frozen=True)
class Stamp:
    """What an emitted module says of itself.

    Attributes:
      version: the release that wrote it; "" for one that wrote no stamps.
      is_edited: whether its definitions are others than that release wrote. Their layout and the imports do not
        count; of a module without a stamp nobody knows, and it is taken for edited.
    """

    version: str
    is_edited: bool

    @property
    def is_of_this_release(self) -> bool:
        return self.version == __version__


def header(definitions: str) -> str:
    """The docstring of a module that holds ``definitions``."""
    return f'''"""Checkpoint recovery for TensorFlow 2, {MARK} {__version__} (content {_content(definitions)}).

Needs nothing but TensorFlow, 2.12 or later. Yours to read, keep and change;
`estimator-migrate renew` brings it up to date as long as nobody has changed it.
"""
'''


def read_stamp(text: str) -> Stamp | None:
    """The stamp of an emitted module; None for any other file.

    Raises:
      SyntaxError: for an emitted module that is no Python any more.
    """
    if MARK not in text:
        return None
    docstring = ast.get_docstring(ast.parse(text)) or ""
    if MARK not in docstring:
        return None
    found = _STAMP.search(docstring)
    if found is None:
        return Stamp("", True)
    return Stamp(found[1], found[2] != _content(definitions_of(text)))


def definitions_of(text: str) -> str:
    """What stands below the docstring and the imports at the top of a module."""
    text = text.replace("\r\n", "\n")
    head = (node for node in ast.parse(text).body if isinstance(node, ast.Import | ast.ImportFrom))
    first = ast.parse(text).body[0].end_lineno or 0
    last = max((node.end_lineno or 0 for node in head), default=first)
    return "\n".join(text.split("\n")[last:])


def _content(definitions: str) -> str:
    return hashlib.sha256("".join(definitions.split()).encode()).hexdigest()[:12]
