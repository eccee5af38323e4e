"""The line at the head of a file of the runtime package: which release wrote it, and whether it was edited since."""

import ast
import hashlib
import re
from dataclasses import dataclass

from migrate import __version__
from migrate.files.generated import MARK

_STAMP = re.compile(rf"{MARK} (\S+) \(content ([0-9a-f]+)\)")
_HEAD = re.compile(rf"\A\ufeff?(?:[ \t]*(?:#.*)?\r?\n)*?# .*{_STAMP.pattern}.*(?:\r?\n|\Z)")


@dataclass(frozen=True)
class Stamp:
    """What a file says of itself.

    Attributes:
      version: the release that wrote it; "" for one that wrote no stamps.
      is_edited: whether it holds anything else than that release wrote. Its layout does not count; of a module without
        a stamp nobody knows, and it is taken for edited.
      content: the digest of what that release wrote; "" for one that wrote no stamps.
      is_module: whether it is the one module of an earlier release, which held all helpers of its programs.
    """

    version: str
    is_edited: bool
    content: str = ""
    is_module: bool = False

    @property
    def is_of_this_release(self) -> bool:
        return self.version == __version__


def stamped(text: str) -> str:
    """A file of the package with this release at its head."""
    return f"# Part of tf2_recovery, {MARK} {__version__} (content {content(text)}).\n{text}"


def content(text: str) -> str:
    """The digest of what stands in a file, whatever its layout."""
    return hashlib.sha256("".join(text.split()).encode()).hexdigest()[:16]


def read_stamp(text: str) -> Stamp | None:
    """The stamp of a file of the package, or of an earlier release's module; None for any other file."""
    if MARK not in text:
        return None
    head = _HEAD.match(text)
    if head is not None:
        return Stamp(head[1], content(text[head.end() :]) != head[2], head[2])
    try:
        docstring = ast.get_docstring(ast.parse(text)) or ""
    except (SyntaxError, ValueError):
        return None
    if MARK not in docstring:
        return None
    found = _STAMP.search(docstring)
    if found is None:
        return Stamp("", True, is_module=True)
    return Stamp(found[1], found[2] != content(_definitions_of(text))[: len(found[2])], found[2], is_module=True)


def _definitions_of(text: str) -> str:
    """What stands below the docstring and the imports at the top of an earlier release's module."""
    text = text.replace("\r\n", "\n")
    head = (node for node in ast.parse(text).body if isinstance(node, ast.Import | ast.ImportFrom))
    first = ast.parse(text).body[0].end_lineno or 0
    last = max((node.end_lineno or 0 for node in head), default=first)
    return "\n".join(text.split("\n")[last:])
