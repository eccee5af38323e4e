"""The imports that a file seems to have, searched in its bytes; some may be in its strings."""

import re
from collections.abc import Iterator

_STATEMENT = re.compile(rb"\n[ \t]*(from|import)[ \t]([^\n\\(#]*(?:\\\r?\n?[^\n\\(#]*)*)(?:\(([^)]*))?")
"""A line that looks like an import statement."""
_NOISE = re.compile(r"#[^\n]*|\\")
_IMPORT = re.compile(r"\bimport\b")
_WORD = re.compile(r"\w+")


def imported_words(data: bytes) -> set[str]:
    """Returns the words of everything that looks like an import statement."""
    statements = b"\n".join(part for found in _STATEMENT.findall(b"\n" + data) for part in found)
    return set(_WORD.findall(statements.decode(errors="replace")))


def possible_imports(data: bytes) -> Iterator[str]:
    """Yields the dotted names of everything that looks like an import statement."""
    for found in _STATEMENT.finditer(b"\n" + data):
        yield from _names_in(found)


def _names_in(statement: re.Match[bytes]) -> Iterator[str]:
    first, inside = (_NOISE.sub("", (part or b"").decode(errors="replace")) for part in statement.group(2, 3))
    if statement[1] == b"import":
        yield from (words[0] for one in first.split(",") if (words := one.replace(";", " ").split()))
        return
    base, *names = _IMPORT.split(first, maxsplit=1)
    base = "".join(base.split())
    dot = "" if base.endswith(".") else "."
    for one in f"{''.join(names).partition(';')[0]} {inside}".split(","):
        if words := one.split():
            yield base if words[0] == "*" else f"{base}{dot}{words[0]}"
