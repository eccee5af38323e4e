"""The line at the head of a file of the runtime package: which release wrote it, and whether it was edited since."""

import hashlib
import re
from dataclasses import dataclass

from migrate import __version__
from migrate.files.generated_mark import MARK

_STAMP = re.compile(rf"{MARK} (\S+) \(content ([0-9a-f]+)\)")
_HEAD = re.compile(rf"\A\ufeff?(?:[ \t]*(?:#.*)?\r?\n)*?# .*{_STAMP.pattern}.*(?:\r?\n|\Z)")


@dataclass(frozen=True)
class Stamp:
    """What a file says of itself.

    Attributes:
      is_edited: whether it holds anything else than that release wrote. Its layout does not count.
      content: the digest of what that release wrote.
    """

    version: str
    is_edited: bool
    content: str

    @property
    def is_of_this_release(self) -> bool:
        return self.version == __version__


def add_stamp(text: str) -> str:
    """A file of the package with this release at its head."""
    return f"# Part of tf2_recovery, {MARK} {__version__} (content {content(text)}).\n{text}"


def content(text: str) -> str:
    """The digest of what stands in a file, whatever its layout."""
    return hashlib.sha256("".join(text.split()).encode()).hexdigest()[:16]


def read_stamp(text: str) -> Stamp | None:
    """The stamp of a file of the package; None for any other file."""
    head = _HEAD.match(text) if MARK in text else None
    return None if head is None else Stamp(head[1], content(text[head.end() :]) != head[2], head[2])
