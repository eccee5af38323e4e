"""Python 2 read as Python 3, to say what a program does: its lines keep their numbers, and nothing of it is written."""

import re
from dataclasses import replace

from migrate.analysis.program.tree import Tree
from migrate.files.parse import parse
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable

_WRITTEN = (
    (r"(?m)^((?:[^#'\"\n]*[:;])?[ \t]*)print\b[ \t]*(?:>>[ \t]*|(?=[^\s(=.,)]))", r"\1print_ = "),
    (r"(?m)^([ \t]*except[ \t]+[^:\n]+?)[ \t]*,[ \t]*(\w+)[ \t]*:", r"\1 as \2:"),
    (r"(?m)^([ \t]*raise[ \t]+[\w.]+)[ \t]*,[ \t]*(.+)$", r"\1(\2)"),
)
"""Statements that Python 2 alone reads, and what stands for them."""


class Python2Tree(Tree):
    """The files around those of a program for Python 2."""

    def source(self, path: str) -> SourceText:
        """The text of a file, absolute, as Python 3 reads it."""
        source = super().source(path)
        try:
            parse(source)
        except Unreadable:
            self._sources[path] = source = read_as_python_3(source)
        return source


def read_as_python_3(source: SourceText) -> SourceText:
    """Returns a file with each statement of Python 2 replaced in its own lines, and its tabs spread."""
    text = source.text.expandtabs()
    for statement, written in _WRITTEN:
        text = re.sub(statement, written, text)
    return replace(source, text=text)
