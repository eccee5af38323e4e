"""Reads a Jupyter notebook, and replaces the sources of its code cells without changing a byte around them."""

import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable, trouble
from migrate.findings.finding import Span
from migrate.records import dataclass

_SPACE = re.compile(r"[ \t\n\r]*")
_ESCAPED_CHARACTER = re.compile(r"\\u(?!00[0-7])[0-9a-fA-F]{4}")
"""An escaped character that is no control character."""

_DECODER = json.JSONDecoder()
_LETTER = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|[^\\]", re.DOTALL)
"""One character of a JSON string, escaped or not."""
_SAVE_AGAIN = "Open it in Jupyter and save it again, or leave it out."


@dataclass(frozen=True)
class Cell:
    """One code cell.

    Attributes:
      number: its place among all cells of the notebook, from 1.
    """

    number: int
    source: str


@dataclass(frozen=True)
class Notebook:
    """A notebook file.

    Attributes:
      file: its JSON as text.
      cells: its code cells.
      is_python: whether its kernel runs Python; true if the notebook does not say.
    """

    file: SourceText
    cells: tuple[Cell, ...]
    is_python: bool

    @classmethod
    def decode(cls, path: str, data: bytes) -> "Notebook":
        """Returns the notebook of a file's bytes.

        Raises:
          Unreadable: FT002 if it is not UTF-8, FT003 if it is not JSON, FT007 if it is no notebook of format 4.
        """
        try:
            file = SourceText.decode(path, data)
        except Unreadable as problem:
            finding = problem.finding
            help = "A notebook is UTF-8: save it so."
            raise Unreadable(trouble(finding.code, path, finding.message, help, finding.span)) from None
        text = file.text
        try:
            top = _json_of(text)
            _check_format(path, top)
            cells = tuple(_code_cells(path, top["cells"]))
        except json.JSONDecodeError as error:
            place = Span(error.lineno, error.colno - 1, error.lineno, error.colno)
            message = f"is not JSON, as a notebook must be: {error.msg[:1].lower()}{error.msg[1:]}"
            help = "Fix it (a merge conflict?), or exclude it."
            raise Unreadable(trouble("FT003", path, message, help, place)) from error
        except RecursionError as error:
            raise Unreadable(trouble("FT003", path, "is nested too deeply", "Leave it out.")) from error
        except ValueError as error:  # Python reads no integer of more than 4,300 digits
            message = "holds an integer of more digits than Python reads"
            raise Unreadable(trouble("FT003", path, message, "Clear its outputs, or leave it out.")) from error
        metadata = top["metadata"] if isinstance(top.get("metadata"), dict) else {}
        return cls(file, cells, _is_python(metadata))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The offset of each cell's JSON in the text, markdown cells included."""
        text = self.file.text
        spans = {key: (start, end) for key, start, end in _members(text, _skip(text, 0))}
        return tuple(start for start, _ in _elements(text, spans["cells"][0]))

    @cached_property
    def sources(self) -> dict[int, tuple[int, int]]:
        """Number of a code cell -> start and end of the JSON of its source in the text."""
        text = self.file.text
        spans = {cell.number: _members(text, self.starts[cell.number - 1]) for cell in self.cells}
        return {number: {key: (start, end) for key, start, end in own}["source"] for number, own in spans.items()}

    def validate(self) -> None:
        """Checks the notebook by nbformat; see ``invalid``.

        Raises:
          Unreadable: FT007, if it is not valid, or nbformat is not installed.
        """
        problem = invalid(self.file.text)
        if problem is not None:
            raise Unreadable(trouble("FT007", self.file.path, *problem))

    def with_sources(self, sources: Mapping[int, str]) -> str:
        """Returns the file's text with new sources for some cells, by number; every other byte stays the same."""
        text = self.file.text
        for cell in reversed(self.cells):
            if sources.get(cell.number, cell.source) != cell.source:
                start, end = self.sources[cell.number]
                text = text[:start] + self._source(text[start:end], sources[cell.number]) + text[end:]
        return text

    def file_span(self, number: int, span: Span) -> Span:
        """Converts a span in the source of a cell to the span in the file, which is JSON.

        Args:
          span: the span; an end beyond the end of a line or of the source means the end.
        """
        cell = next(cell for cell in self.cells if cell.number == number)
        letters = list(_letters(self.file.text, *self.sources[number]))
        lines = cell.source.split("\n")
        first, last = (
            sum(len(one) + 1 for one in lines[: line - 1])
            + min(column, len(lines[line - 1]) if line <= len(lines) else 0)
            for line, column in ((span.line, span.column), (span.end_line, span.end_column))
        )
        start = letters[min(first, len(letters) - 1)][0] if letters else self.sources[number][0]
        end = letters[min(last, len(letters)) - 1][1] if last > first and letters else start
        return Span(*_line_and_column(self.file.text, start), *_line_and_column(self.file.text, max(start, end)))

    @property
    def _is_ascii(self) -> bool:
        """Whether the program that saved the file escaped every character beyond ASCII."""
        return self.file.text.isascii() and _ESCAPED_CHARACTER.search(self.file.text) is not None

    def _string(self, value: str) -> str:
        return json.dumps(value, ensure_ascii=self._is_ascii)

    def _source(self, old: str, new: str) -> str:
        """Returns the JSON of a new source in the layout of the old one; unchanged lines keep their bytes."""
        if old.startswith('"'):
            return self._string(new)
        spans = list(_elements(old, 0))
        lines = new.splitlines(keepends=True)  # as nbformat splits them
        if not lines:
            return "[]"
        known = {_DECODER.raw_decode(old, start)[0]: old[start:end] for start, end in spans}
        values = [known.get(line) or self._string(line) for line in lines]
        lead, between, tail = self._gaps(old, spans)
        return f"[{lead}{between.join(values)}{tail}]"

    @staticmethod
    def _gaps(old: str, spans: list[tuple[int, int]]) -> tuple[str, str, str]:
        """Returns the text before, between and after the strings of a list."""
        if not spans:
            return "", ", ", ""  # an empty cell has no site
        lead, tail = old[1 : spans[0][0]], old[spans[-1][1] : -1]
        if len(spans) > 1:
            return lead, old[spans[0][1] : spans[1][0]], tail
        return lead, f",{lead}" if lead else ", ", tail


@lru_cache(maxsize=2)
def _json_of(text: str) -> Any:
    """Returns the parsed JSON of a notebook, which callers share and must not change."""
    return json.loads(text)


def invalid(text: str, before: str | None = None) -> tuple[str, str] | None:
    """Returns nbformat's first error in a notebook and the help for it; None if the notebook can be rewritten.

    Errors within a cell (a ``heading``) or an item of the metadata do not count: Jupyter opens such a notebook.

    Args:
      text: the notebook's JSON.
      before: the JSON before a rewrite, if ``text`` is a rewritten one, which must not have more errors than that.
    """
    try:
        found = list(_validation_errors(text))
        whole = [reason for place, reason in found if len(place) < 2]
        known = len(found) if before is None else len(list(_validation_errors(before)))
    except ImportError:
        return "notebook skipped: nbformat is not installed", "Run `pip install nbformat`."
    except Exception as error:  # nbformat's validators each have errors of their own
        whole, found, known = [str(error)], [], 0
    if len(found) > known:
        whole.append(found[-1][1])
    if whole:
        return f"is no valid notebook: {whole[0].strip().partition(chr(10))[0]}", _SAVE_AGAIN
    return None


def _validation_errors(text: str) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yields the errors that nbformat finds, each after the keys that lead to its place."""
    from nbformat import reader, validator

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about cells without ids
        for error in validator.iter_validate(reader.reads(text)):
            yield tuple(getattr(error, "absolute_path", ())), str(error)


def is_notebook(data: bytes) -> bool:
    """Whether bytes are the JSON of a notebook, which may be a valid Python expression too."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "nbformat" in found


def _check_format(path: str, top: object) -> None:
    """Raises Unreadable (FT007) unless the JSON is a notebook of format 4."""
    message = help = ""
    version = top.get("nbformat") if isinstance(top, dict) else None
    if not isinstance(top, dict) or not isinstance(version, int):
        message, help = "is JSON, but no notebook: it names no nbformat", "Leave it out."
    elif version < 4:
        from shlex import quote

        message = f"is a notebook of the old format {version}"
        help = f"Run `jupyter nbconvert --to notebook --nbformat 4 --inplace {quote(path)}` first."
    elif version > 4:
        message, help = f"is a notebook of format {version}, which is too new", "Save it in format 4."
    elif not isinstance(top.get("cells"), list) or not all(isinstance(cell, dict) for cell in top["cells"]):
        message, help = "is no valid notebook: it has no list of cells", _SAVE_AGAIN
    if message:
        raise Unreadable(trouble("FT007", path, message, help))


def _code_cells(path: str, cells: Sequence[Mapping[str, object]]) -> Iterator[Cell]:
    for number, cell in enumerate(cells, start=1):
        if cell.get("cell_type") != "code":
            continue
        source = cell.get("source")
        lines = source if isinstance(source, list) else [source]
        texts = [line for line in lines if isinstance(line, str)]
        if len(texts) < len(lines):
            message = f"is no valid notebook: the source of cell {number} is neither text nor a list of lines"
            raise Unreadable(trouble("FT007", path, message, _SAVE_AGAIN))
        yield Cell(number, "".join(texts))


def _is_python(metadata: Mapping[str, object]) -> bool:
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        named = metadata.get(key)
        language = named.get(name) if isinstance(named, dict) else None
        if isinstance(language, str):
            return language.lower() in ("python", "ipython")
    return True


def _letters(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the start and end, in the file's text, of each character of the source whose JSON is in this range."""
    spans = [(start, end)] if text[start] == '"' else _elements(text, start)
    for start, end in spans:
        yield from (letter.span() for letter in _LETTER.finditer(text, start + 1, end - 1))


def _line_and_column(text: str, at: int) -> tuple[int, int]:
    """Returns the line, from 1, and the column, from 0, of an offset in a text."""
    lines = re.split(r"\r\n|\r|\n", text[:at])
    return len(lines), len(lines[-1])


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def _members(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Yields the keys of the JSON object that begins at ``at``, with the start and end of their values."""
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        start = _skip(text, _skip(text, at) + 1)
        end = _DECODER.raw_decode(text, start)[1]
        yield key, start, end
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at


def _elements(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each element of the array that begins at ``at``."""
    at = _skip(text, at + 1)
    while text[at] != "]":
        end = _DECODER.raw_decode(text, at)[1]
        yield at, end
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
