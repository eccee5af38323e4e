"""Joins the cells of a notebook to the text of a Python program, and cuts a rewritten text into cells again.

Code that only IPython runs, such as ``%matplotlib inline`` and ``!pip install``, is replaced in the joined text by a
statement of the same number of lines, and restored when the text is cut.
"""

import ast
import keyword
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from migrate.files.notebook import Cell, Notebook
from migrate.files.parse import parse
from migrate.files.prefilter import names_site
from migrate.files.read import read
from migrate.files.run_cache import tree_cache
from migrate.files.text import CELL_BORDER, SourceText
from migrate.files.trouble import Unreadable
from migrate.records import dataclass, field

_CELL_MAGIC = re.compile(r"\s*%%(\w+)(.*)")
_PYTHON_MAGICS = frozenset({"time", "timeit", "capture", "prun"})
_WRITING_MAGICS = frozenset({"writefile", "file"})
_TOKEN = re.compile(
    r"""
      \#[^\n]*
    | (?:[rbuf]|rb|br|fr|rf)?(?P<triple>\"\"\"|''')
    | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
    | (?P<open>[(\[{]) | (?P<close>[)\]}])
    | (?P<joined>\\\n)
    | (?P<end>\n)
    | [^\#"'()\[\]{}\\\n]+ | .
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_LINE_MAGIC = re.compile(r"[ \t]*(?P<magic>[%!].*|\?{1,2}[\w.%*]+.*|%{0,2}[\w.*]+\?{1,2}[ \t]*$)")
_ASSIGNED_MAGIC = re.compile(r"[ \t]*[\w.,*\[\]'\" \t]+=[ \t]*(?P<magic>(?:!|%\w).*)")
_SIGN = re.compile(r"[%!?]")
"""The signs of magics; some magics need none."""
_FUTURE = re.compile(r"(?P<magic>from[ \t]+__future__[ \t]+import\b.*)")
_AUTOMAGIC = re.compile(
    r"(?:cat|cd|conda|cp|env|history|less|ll|ls|mamba|man|mkdir|more|mv|pip|pwd|rm|rmdir|run|whos?)"
    r"[ \t]+[^=()<>,+*/%^&|!]"
)
_TIMING_MAGIC = re.compile(r"%(?:time|timeit|prun|lprun|mprun|memit)\b")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_TENSORFLOW_IMPORT = re.compile(
    r"\b(?:import\s+tensorflow[\w.]*\s+as\s+(\w+)|from\s+tensorflow[\w.]*\s+import\s+([\w \t,()\n]+))"
)
_TENSORFLOW_USE = re.compile(r"\b(?:tf|tensorflow|tf1|keras)\b|^\s*(?:from|import)\s", re.MULTILINE)


class CellsDiffer(Exception):
    """A rewritten text cannot be cut into its cells."""


@dataclass(frozen=True)
class Part:
    """The Python of one cell.

    Attributes:
      cell: the number of the cell in the notebook, from 1.
      skipped: the lines above the Python, such as ``%%writefile task.py``.
      text: the Python with its magics, without ``indent``.
      indent: the white space before its first line, which IPython removes from every line that has it.
    """

    cell: int
    skipped: str
    text: str
    indent: str = ""

    @classmethod
    def dedent(cls, cell: int, skipped: str, text: str) -> "Part":
        """Makes the part of a cell from the text below its skipped lines."""
        indent = text[: len(text) - len(text.lstrip(" \t"))]
        if not indent or indent == text:
            return cls(cell, skipped, text)
        return cls(cell, skipped, "\n".join(line.removeprefix(indent) for line in text.split("\n")), indent)


@dataclass
class CellProgram:
    """Cells that run as one program.

    Attributes:
      written: the file that the cells write by ``%%writefile``; None for the notebook's own program.
      parts: the cells' Python, in the order in which they run.
      path: the path of the notebook, under which the tree of its own program is cached.
      text: the joined text, which is Python if all cells are. ``from __future__`` imports, which IPython allows at the
        top of every cell, are masked like magics.
      unread: the indices of parts that are no Python 3 and name nothing of TensorFlow. They are masked as a whole:
        they cannot run, whether the other cells are rewritten or not.
    """

    written: str | None
    parts: list[Part]
    path: str = ""
    text: str = ""
    unread: list[int] = field(default_factory=list)
    _token: str = CELL_BORDER[1:]
    _first: list[int] = field(default_factory=list)
    _masked: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        everything = "".join(part.text for part in self.parts)
        while self._token in everything:
            self._token += "-"
        self._join()
        if self.written is None and len(self.parts) > 1 and not _is_python(self.text, self.path):
            imported = _names_of_tensorflow(everything)
            self.unread = [index for index in range(len(self.parts)) if self._is_unread(index, imported)]
            if self.unread:
                self._join()

    def _is_unread(self, index: int, imported: set[str]) -> bool:
        text, uses = self.parts[index].text, _TENSORFLOW_USE
        if _is_python(self.part_text(index)) or uses.search(text) or not imported.isdisjoint(_NAME.findall(text)):
            return False
        return not names_site(text.encode(errors="surrogatepass"))

    def _join(self) -> None:
        self._first.clear()
        self._masked.clear()
        lines: list[str] = []
        for index in range(len(self.parts)):
            if index:
                lines.append(self._border(index))
            self._first.append(len(lines) + 1)
            lines += self._masked_text(index).split("\n")
        self.text = "\n".join(lines) + "\n"

    def part_text(self, index: int) -> str:
        """Returns one part's lines of the joined text."""
        last = self._first[index + 1] - 2 if index + 1 < len(self.parts) else None
        return "\n".join(self.text.split("\n")[self._first[index] - 1 : last]) + "\n"

    def separates_parts(self, tree: ast.Module) -> bool:
        """Whether each border is a top-level statement in the tree of ``text``: then each part is Python by itself."""
        at_top = {node.lineno for node in tree.body}
        return all(first - 1 in at_top for first in self._first[1:])

    def place(self, line: int, text: str) -> tuple[int, int, int]:
        """Returns the place of a line of ``text``, which is the joined text or its rewritten form.

        Returns:
          The cell, the line in that cell, and the columns of indent that the joined text lacks.
        """
        above = text.split("\n")[: line - 1]
        borders = [number for number, one in enumerate(above, start=1) if one.startswith(f'"{self._token} ')]
        part = self.parts[len(borders)]
        return part.cell, line - max(borders, default=0) + part.skipped.count("\n"), len(part.indent)

    def magic_columns(self, line: str) -> tuple[int, int] | None:
        """Returns the columns, in its cell, of the magic that a line of the joined text masks; None without a magic."""
        for token, original in self._masked.items():
            at = line.find(f'("{token}"')
            if at >= 0:
                return at, at + len(original.partition("\n")[0])
        return None

    def cut(self, text: str) -> dict[int, str]:
        """Returns the new source of each cell that changes; raises CellsDiffer if a border or a magic is lost."""
        pieces = []
        rest = text
        for index in range(1, len(self.parts)):
            before, border, rest = rest.partition(self._border(index) + "\n")
            if not border:
                raise CellsDiffer(f"the border above cell {self.parts[index].cell} is lost")
            pieces.append(before)
        pieces.append(rest)
        found = [self._restore_magics(piece) for piece in pieces]
        lost = [token for token in self._masked if text.count(token) != 1]
        if lost or any(self._token in source for source in found):
            raise CellsDiffer("a line for IPython is lost or is there twice")
        return {
            part.cell: part.skipped + self._cell_source(part, source)
            for part, source in zip(self.parts, found, strict=True)
            if source != part.text
        }

    def _border(self, index: int) -> str:
        return f'"{self._token} {index}"'

    def _restore_magics(self, piece: str) -> str:
        """Returns the joined text of one cell with its magics restored."""
        for token, original in self._masked.items():
            at = piece.find(f'("{token}"')
            if at >= 0:
                piece = piece[:at] + original + piece[piece.index(")", at) + 1 :]
        return piece.removesuffix("\n")

    def _cell_source(self, part: Part, text: str) -> str:
        # Added and removed imports leave blank lines, which separate nothing at the border of a cell.
        if not part.text.endswith("\n"):
            text = text.rstrip("\n")
        if not part.text.startswith("\n"):
            text = text.lstrip("\n")
        return "\n".join(part.indent + line if line else line for line in text.split("\n"))

    def _masked_text(self, index: int) -> str:
        """Returns the text of a part with a statement in place of each magic, or of all of it if it is unread."""
        text = self.parts[index].text
        changed = []
        done = 0
        whole = [(0, len(text))] if index in self.unread else None
        for start, end in whole or _magics(text, with_future=self.written is None):
            original = text[start:end]
            token = f"{self._token} {index} magic {len(self._masked)}"
            self._masked[token] = original
            names = "".join(f", {name}" for name in (_names_in if whole else _variables_in)(original))
            changed += [text[done:start], f'("{token}"{names}{"," * (not names)}', "\n" * original.count("\n"), ")"]
            done = end
        return "".join([*changed, text[done:]])


def programs(cells: Sequence[Cell], path: str = "") -> list[CellProgram]:
    """Returns the programs in the cells of a notebook: its own, then each module that it writes by ``%%writefile``.

    Cells in other languages are left out: those with ``%%bash``, or ``%bash`` in the first line, as Datalab wrote it.
    """
    return [*_programs((*cells,), os.path.abspath(path) if path else "")]


@tree_cache
def _programs(cells: tuple[Cell, ...], path: str) -> list[CellProgram]:
    own: list[Part] = []
    written: list[tuple[str, list[Part]]] = []
    for cell in cells:
        source = cell.source.replace("\r\n", "\n")
        if source != cell.source or "\r" in source:
            continue  # its line ends could not be restored
        magic = _CELL_MAGIC.match(source)
        if magic is None:
            part = Part.dedent(cell.number, "", source)
            if not (part.text.startswith("%") and not _is_python(CellProgram(None, [part]).text)):
                own.append(part)
            continue
        below = magic.end() + 1
        skipped, text = source[:below], source[below:]
        if magic[1] in _PYTHON_MAGICS:
            own.append(Part.dedent(cell.number, skipped, text))
        elif magic[1] in _WRITING_MAGICS:
            *options, name = magic[2].split() or [""]
            if not name.endswith(".py"):
                continue
            if {"-a", "--append"} & set(options) and written and name in dict(written):
                next(parts for other, parts in reversed(written) if other == name).append(
                    Part(cell.number, skipped, text)
                )
            else:
                written.append((name, [Part(cell.number, skipped, text)]))
    found = [CellProgram(name, parts) for name, parts in written]
    return [CellProgram(None, own, path), *found] if own else found


def join_cells(path: str, data: bytes) -> SourceText:
    """Returns a notebook's own program as one Python file; raises Unreadable if it is no notebook."""
    notebook = Notebook.decode(path, data)
    found = programs(notebook.cells, path) if notebook.is_python else []
    own = "".join(program.text for program in found if program.written is None)
    return SourceText(path, own)


def place_in_cell(path: str, line: int) -> str:
    """Returns the place of a line of ``join_cells``'s text in the notebook, such as ``cell 3:1``."""
    own = [one for one in programs(Notebook.decode(path, read(path)).cells, path) if one.written is None]
    cell, in_cell, _ = own[0].place(line, own[0].text)
    return f"cell {cell}:{in_cell}"


def _is_python(text: str, path: str = "") -> bool:
    with suppress(Unreadable):
        parse(SourceText(path, text), keeps=bool(path))
        return True
    return False


def _magics(text: str, with_future: bool) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each magic in a cell, and of each ``__future__`` import if ``with_future``."""
    alone = text.strip()
    # IPython allows a magic without its % only in a cell of one line.
    if "\n" not in alone and _AUTOMAGIC.match(alone) and not _is_python(alone):
        start = text.index(alone)
        yield start, start + len(alone)
        return
    if not _SIGN.search(text) and not (with_future and "__future__" in text):
        return
    at, depth, at_start = 0, 0, True
    while at < len(text):
        if at_start:
            line_end = text.find("\n", at)
            line = text[at : line_end if line_end >= 0 else len(text)]
            found = _LINE_MAGIC.match(line) or _ASSIGNED_MAGIC.match(line)
            if found is None and with_future:
                found = _FUTURE.match(line)
            if found is not None:
                start, end = at + found.start("magic"), _end_of_statement(text, at + len(line), depth_of=line)
                yield start, end
                at = end
                at_start = False
                continue
        token = _TOKEN.match(text, at)
        assert token is not None
        at = token.end()
        at_start = False
        if token["triple"]:
            at = _string_end(text, at, token["triple"])
        elif token["open"]:
            depth += 1
        elif token["close"]:
            depth = max(depth - 1, 0)
        elif token["end"]:
            at_start = depth == 0


def _end_of_statement(text: str, end: int, depth_of: str) -> int:
    """Returns the end of a statement that a backslash or an import's open bracket may continue on further lines."""
    if depth_of.startswith("from") and "(" in depth_of and ")" not in depth_of:
        closed = text.find(")", end)
        return closed + 1 if closed >= 0 else end
    while end < len(text) and text[:end].endswith("\\"):
        following = text.find("\n", end + 1)
        end = following if following >= 0 else len(text)
    return end


def _string_end(text: str, at: int, quotes: str) -> int:
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text.startswith(quotes, at):
            return at + 3
        else:
            at += 1
    return len(text)


def _names_of_tensorflow(text: str) -> set[str]:
    """Returns the names that the cells import from TensorFlow."""
    found = _TENSORFLOW_IMPORT.finditer(text)
    return {name for one in found for name in _NAME.findall(one[1] or one[2]) if not keyword.iskeyword(name)}


def _names_in(text: str) -> list[str]:
    return [name for name in dict.fromkeys(_NAME.findall(text)) if not keyword.iskeyword(name)]


def _variables_in(magic: str) -> list[str]:
    """Returns the program's variables that a magic uses, which the rewriting must not remove."""
    if magic.startswith("from"):
        return []
    if _TIMING_MAGIC.match(magic):
        found = _NAME.findall(magic.partition(" ")[2])
    else:
        found = [
            name for part in re.findall(r"\{([^{}]*)\}|\$([^\W\d]\w*)", magic) for name in _NAME.findall(" ".join(part))
        ]
    return [name for name in dict.fromkeys(found) if not keyword.iskeyword(name)]
