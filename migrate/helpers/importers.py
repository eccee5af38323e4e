"""Import lines of programs that follow a name of the helpers into another file of theirs."""

import ast
import os
import re
from collections.abc import Iterator

from migrate.analysis.imports import target_from
from migrate.edits.format import formatted
from migrate.files.parse import parse
from migrate.files.read import read
from migrate.files.sources import NOTEBOOK
from migrate.files.text import SourceText
from migrate.helpers import package
from migrate.results.outcome import FileChange

_COMMENT = re.compile(r"[ \t]*(#[^\r\n]*)?(\r\n|\r|\n)?")


class NotMoved(Exception):
    """An import that cannot follow the names; the message says why."""


def moved(path: str, old: str, folder: str) -> tuple[FileChange | None, set[str]]:
    """A program's file whose imports from one file of helpers name those of this release's folder.

    Args:
      path: the program's file.
      old: the file of helpers that goes, absolute.
      folder: the folder, absolute, that stands where it stood, or around it.

    Returns:
      The change, None for none, and the names that the file imports.

    Raises:
      Unreadable: if the file cannot be read or parsed.
      NotMoved: if it imports otherwise than by name, or a name that this release does not have.
    """
    source = SourceText.decode(path, read(path))
    if path.endswith(NOTEBOOK):
        if re.search(rf"\bfrom\s+[\w.]*{re.escape(_stem(old))}\s+import\b", source.text):
            raise NotMoved(f"{path} imports it, and notebooks are not changed")
        return None, set()
    lines = source.text.splitlines(keepends=True)
    names: set[str] = set()
    for node in sorted(_importing(ast.walk(parse(source)), path, old, folder), key=lambda node: -node.lineno):
        names |= {alias.name for alias in node.names}
        lost = sorted(alias.name for alias in node.names if alias.name not in package.public())
        if lost:
            raise NotMoved(f"{path} imports {lost[0]}, which this release does not have: migrate its program again")
        first, last = node.lineno - 1, node.end_lineno or node.lineno
        indent = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
        if not "".join(lines[first:last]).strip().startswith("from") or len(indent.encode()) != node.col_offset:
            raise NotMoved(f"{path}:{node.lineno} has its import beside another statement")
        rest = lines[last - 1].encode()[node.end_col_offset :].decode()
        if not _COMMENT.fullmatch(rest):
            raise NotMoved(f"{path}:{node.lineno} has its import beside another statement")
        lines[first:last] = _statements(node, _stem(old) == os.path.basename(folder), indent, rest)
    after = "".join(lines)
    return (FileChange(path, source.text, after, source) if after != source.text else None), names


def _stem(path: str) -> str:
    return os.path.basename(path).removesuffix(".py")


def _importing(nodes: Iterator[ast.AST], path: str, old: str, folder: str) -> Iterator[ast.ImportFrom]:
    """The imports of names from a file."""
    directory, first = os.path.dirname(os.path.abspath(path)), os.path.join(folder, "__init__.py")
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] == _stem(old):
            target = target_from(directory, "." * node.level + (node.module or ""))
            if target is not None and target.path in (old, first):
                if any(alias.name == "*" for alias in node.names):
                    raise NotMoved(f"{path} imports all of its names by a star")
                yield node
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                dotted = alias.name if isinstance(node, ast.Import) else f"{node.module or ''}.{alias.name}".lstrip(".")
                level = 0 if isinstance(node, ast.Import) else node.level
                if dotted.rpartition(".")[2] == _stem(old):
                    target = target_from(directory, "." * level + dotted)
                    if target is not None and target.path in (old, first) and not target.names:
                        raise NotMoved(f"{path} imports it as a module")


def _statements(node: ast.ImportFrom, is_module: bool, indent: str, rest: str) -> list[str]:
    """The imports of the same names from where they are now, by the same spelling of the folder; ``rest`` ends them."""
    spelled = "." * node.level + (node.module or "")
    where = spelled if is_module else spelled.rpartition(".")[0]
    names = [alias.name for alias in node.names]
    aliases = {alias.name: alias.asname for alias in node.names if alias.asname is not None}
    newline = "\r\n" if rest.endswith("\r\n") else "\n"
    texts = [formatted(one, len(indent), "    ").rstrip("\n") for one in package.imports(where, names, aliases)]
    found = [(indent + text.replace("\n", f"\n{indent}")).replace("\n", newline) for text in texts]
    return [*(f"{text}{newline}" for text in found[:-1]), found[-1] + rest]
