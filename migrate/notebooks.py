"""One notebook examined and rewritten: its own program over all its cells, and the modules that cells write."""

import ast
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from migrate.analysis.versions import unversioned, versioned
from migrate.edits.plan import PACKAGE, import_of_pieces
from migrate.examine import judged
from migrate.examined import Examined, failed
from migrate.files.cells import CellProgram, CellsDiffer, programs
from migrate.files.notebook import Notebook, invalid
from migrate.files.parse import parse
from migrate.files.prefilter import may_hold_site
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable
from migrate.finding import Finding, Span
from migrate.judged import JudgedProgram
from migrate.rewrite.todo import Texts, commented
from migrate.settings import Settings

_LINES = re.compile(r"\bline ([0-9]+)\b")


@dataclass
class _Cells:
    """What becomes of the cells.

    Attributes:
      texts: the new texts of other files.
      sources: their new sources.
      inserted: new cells, by the cell that each goes before.
      reaches: the files that their programs would need changed.
      programs: the programs of their estimators.
    """

    texts: Mapping[str, str]
    sources: dict[int, str] = field(default_factory=dict)
    inserted: dict[int, str] = field(default_factory=dict)
    reaches: list[str] = field(default_factory=list)
    programs: list[JudgedProgram] = field(default_factory=list)


def examine_notebook(
    path: str,
    data: bytes,
    settings: Settings,
    is_named: bool = False,
    texts: Mapping[str, str] | None = None,
    rewrites: bool = True,
) -> Examined:
    """Judges and rewrites the bytes of one notebook.

    Args:
      path: the file.
      data: its bytes.
      settings: the user's choices.
      is_named: whether the user named the file, and so is told what is wrong with it even if it can hold no site.
      texts: the new texts of files that this run rewrites, by their paths, absolute.
      rewrites: whether to make the new text too.

    Returns:
      The findings, the file as it is, its text as it would be, and the files that its programs reach; no text where
      nothing is found.

    Raises:
      Unreadable: if it is no notebook of format 4, or a cell cannot be parsed.
    """
    if not is_named and not may_hold_site(data):
        return Examined(path)
    notebook = Notebook.decode(path, data)
    if not notebook.is_python or not _holds_site(notebook):
        return Examined(path)
    cells, findings = _Cells(texts or {}), list[Finding]()
    try:
        found = programs(notebook.cells)
        trees = [_parsed(path, program) for program in found]
        for program, tree in zip(found, trees, strict=True):
            findings += _program(path, notebook, program, tree, settings, cells, rewrites)
        if not findings:
            return Examined(path)
        if not rewrites:  # which needs no nbformat either
            findings.sort(key=_place)
            return Examined(path, findings, notebook.file, reaches=tuple(cells.reaches), programs=cells.programs)
        notebook.validate()
        after = notebook.replaced(cells.sources, cells.inserted)
        problem = invalid(after) if after != notebook.file.text else None
        if problem is not None:
            raise CellsDiffer(problem[0])
        if settings.todo:
            after = _commented(Notebook.decode(path, notebook.file.encode(after)), settings, cells.texts)
    except Unreadable:
        raise
    except Exception as error:  # a mistake of the tool in one file must lose no other
        left = [one.left("this notebook could not be rewritten") if one.rewritten else one for one in findings]
        found_so_far = [*left, failed(path, error, "examining")]
        return Examined(path, found_so_far, reaches=tuple(cells.reaches), programs=cells.programs)
    findings.sort(key=_place)
    reaches = tuple(cells.reaches)
    return Examined(path, findings, notebook.file, after=after, reaches=reaches, programs=cells.programs)


def _place(finding: Finding) -> tuple[int, Span, str]:
    return finding.cell or 0, finding.span, finding.code


def _holds_site(notebook: Notebook) -> bool:
    """Whether the code alone can hold a site; the words may stand in the text and the outputs around it."""
    return may_hold_site("\n".join(cell.source for cell in notebook.cells).encode(errors="surrogatepass"))


def _source(path: str, text: str) -> SourceText:
    return SourceText(path, text, "utf-8", bom=False, newline="\n")


def _parsed(path: str, program: CellProgram) -> ast.Module:
    """The tree of all cells together, each of which must be Python by itself."""
    for index in range(len(program.parts)):
        try:
            parse(_source(path, program.alone(index)))
        except Unreadable as problem:
            part, span = program.parts[index], problem.finding.span
            above, left = part.skipped.count("\n"), len(part.indent)
            place = Span(span.line + above, span.column + left, span.end_line + above, span.end_column + left)
            raise Unreadable(replace(problem.finding, cell=part.cell, span=place)) from None
    return parse(_source(path, program.text))


def _commented(notebook: Notebook, settings: Settings, others: Mapping[str, str]) -> str:
    """The text of a notebook with the comments of ``--todo`` in its cells."""
    path = notebook.file.path
    sources: dict[int, str] = {}
    for program in programs(notebook.cells):

        def find(texts: Texts, program: CellProgram = program) -> dict[str, list[Finding]]:
            source = _source(path, texts[path])
            findings = judged(source, settings, others).findings
            return {path: [replace(one, message=_in_cell(one, program, source.text).message) for one in findings]}

        text = _variables_apart(program, parse(_source(path, program.text)))
        sources |= program.cut(unversioned(commented({path: text}, find)[path]))
    return notebook.replaced(sources)


def _variables_apart(program: CellProgram, tree: ast.Module) -> str:
    return program.text if program.written is not None else versioned(program.text, tree)


def _program(
    path: str,
    notebook: Notebook,
    program: CellProgram,
    tree: ast.Module,
    settings: Settings,
    cells: _Cells,
    rewrites: bool,
) -> list[Finding]:
    """The findings of one program; what is to be written goes into ``cells``."""
    text = _variables_apart(program, tree)
    source = _source(path, text)
    examined = judged(source, settings, cells.texts)
    cells.reaches += examined.reaches
    cells.programs += examined.programs
    findings = [_in_cell(finding, program, text) for finding in examined.findings]
    declined = frozenset(
        (path, found.code, found.span, None)
        for found, placed in zip(examined.findings, findings, strict=True)
        if (path, placed.code, placed.span, placed.cell) in settings.declined
    )
    if declined:
        examined = judged(source, replace(settings, declined=declined), cells.texts)
        findings = [_in_cell(finding, program, text) for finding in examined.findings]
    if examined.plan is None or not rewrites:
        return findings
    from migrate.rewrite.pieces import NotExtended

    after, module = _rewritten(notebook, program, examined, settings)
    if isinstance(after, Finding):
        left = [one.left("this program could not be rewritten") if one.rewritten else one for one in findings]
        return [*left, _in_cell(after, program, text)]
    sources = program.cut(unversioned(after))
    if module is not None:
        try:
            _put_module(notebook, module, sources, cells)
        except NotExtended as problem:
            reason = f"the cell that writes {module.name}.py {problem}"
            return [one.left(reason) if one.rewritten else one for one in findings]
    cells.sources |= sources
    return findings


@dataclass(frozen=True)
class _Module:
    """The module of emitted code that a notebook writes for itself."""

    name: str
    pieces: frozenset[str]

    @property
    def line(self) -> str:
        return f"%%writefile {self.name}.py\n"


def _rewritten(
    notebook: Notebook, program: CellProgram, examined: Examined, settings: Settings
) -> tuple[str | Finding, _Module | None]:
    """The new text of a program, or why there is none, and the module that it imports from."""
    from migrate.attempt import attempted
    from migrate.rewrite import pieces
    from migrate.rewrite.placement import INLINE_LINES

    assert examined.plan is not None and examined.source is not None
    names = examined.plan.pieces
    definitions = pieces.definitions(names)
    module = None
    is_beside = program.written is None or not os.path.dirname(program.written)  # it finds a module in the same place
    if settings.helpers == "package" and names:
        imports, definitions = [import_of_pieces(PACKAGE, names, examined.plan.aliases)], ""
    elif is_beside and settings.helpers == "module" and len(definitions.splitlines()) > INLINE_LINES:
        stem = re.sub(r"\W", "_", os.path.splitext(os.path.basename(notebook.file.path))[0])
        module = _Module(f"{settings.module_name}_{stem}", frozenset(names))
        imports, definitions = [import_of_pieces(module.name, names, examined.plan.aliases)], ""
    else:
        imports = pieces.imports(names)
    return attempted(examined.source, examined.plan, imports, definitions), module


def _put_module(notebook: Notebook, module: _Module, sources: dict[int, str], cells: _Cells) -> None:
    """Has one cell above all that import the module write it: one that an earlier run made, or a new one."""
    from migrate.rewrite import pieces

    user = min((number for number, text in sources.items() if f"from {module.name} import" in text), default=1)
    needed = set(module.pieces)
    for cell in notebook.cells:
        text = cells.sources.get(cell.number, cell.source)
        if text.startswith(module.line) and cell.number < user:
            cells.sources[cell.number] = module.line + _extended(text.removeprefix(module.line), needed)
            return
    new = next((number for number, text in cells.inserted.items() if text.startswith(module.line)), None)
    if new is None:
        text = pieces.module(needed).rstrip("\n")
    else:
        text = _extended(cells.inserted.pop(new).removeprefix(module.line), needed)
    cells.inserted[min(user, new or user)] = module.line + text


def _extended(text: str, needed: set[str]) -> str:
    from migrate.rewrite import pieces

    return pieces.extended(text + "\n", needed).rstrip("\n")


def _in_cell(finding: Finding, program: CellProgram, text: str) -> Finding:
    """A finding in the joined text as one in its cell."""
    lines = text.split("\n")
    span = finding.span
    cell, line, left = program.place(span.line, text)
    column, end_column = _column(lines, span.line, span.column), _column(lines, span.end_line, span.end_column)
    last = line + span.end_line - span.line
    whole = program.of_ipython(lines[span.line - 1]) if span.line <= len(lines) else None
    if whole is not None:  # a name in `!ls {name}`: its place in the stand-in is none in the cell
        (column, end_column), last = whole, line
    place = Span(line, column + left, last, end_column + left)
    message, help = (_cell_lines(unversioned(words), program, text, cell) for words in (finding.message, finding.help))
    cause = finding.cause
    if cause is not None:
        of_cause, first, indent = program.place(cause.span.line, text)
        span, down = cause.span, first - cause.span.line
        columns = (
            indent + _column(lines, at, column)
            for at, column in ((span.line, span.column), (span.end_line, span.end_column))
        )
        start, end = columns
        cause = replace(cause, span=Span(first, start, span.end_line + down, end), cell=of_cause)
    symbol = unversioned(finding.symbol)
    return replace(finding, cell=cell, span=place, message=message, help=help, symbol=symbol, cause=cause)


def _column(lines: list[str], line: int, column: int) -> int:
    return len(unversioned(lines[line - 1][:column])) if line <= len(lines) else column


def _cell_lines(words: str, program: CellProgram, text: str, own: int) -> str:
    """``line 12`` of the joined text as ``line 3 of cell 5``."""

    def in_cell(found: re.Match[str]) -> str:
        cell, line, _ = program.place(int(found[1]), text)
        return f"line {line}" if cell == own else f"line {line} of cell {cell}"

    return _LINES.sub(in_cell, words)
