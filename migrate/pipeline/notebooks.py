"""Examines and rewrites one notebook: the program of its cells, and the modules that cells write."""

import ast
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from migrate.analysis.source.versions import number_assignments, remove_numbers
from migrate.files.cells import CellProgram, CellsDiffer, Part, programs
from migrate.files.distribution import is_distribution_root
from migrate.files.notebook import Notebook, invalid
from migrate.files.parse import parse
from migrate.files.prefilter import may_hold_site_in_json, may_train_imported
from migrate.files.read import read
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable
from migrate.findings.finding import Cause, Finding, Span, skip_with_cause
from migrate.judging.judgement import JudgedProgram
from migrate.pipeline.examine import compiled_text, examine_guarded, holds_code, judge_file
from migrate.pipeline.failure import failure_finding
from migrate.pipeline.outcome import ExaminedFile
from migrate.records import dataclass, field, replace
from migrate.settings import Settings

if TYPE_CHECKING:
    from migrate.edits.plan import Plan

_LINES = re.compile(r"\bline ([0-9]+)\b(?! of (?!cell ))")  # not "line 3 of FILE"


@dataclass
class _Cells:
    """The results for the cells, collected from all programs of a notebook.

    Attributes:
      sources: number of a cell -> its new source.
      reaches: the files that the notebook's own program needs changed.
      programs: the programs that make their estimators in the cells.
      runtime_names: runtime folder -> the names that the cells import from it.
    """

    sources: dict[int, str] = field(default_factory=dict)
    reaches: list[str] = field(default_factory=list)
    programs: list[JudgedProgram] = field(default_factory=list)
    runtime_names: dict[str, set[str]] = field(default_factory=dict)


def examine_notebook(
    path: str,
    data: bytes,
    settings: Settings,
    is_named: bool = False,
    rewrites: bool = True,
    own: ExaminedFile | None = None,
    imports: Sequence[str] = (),
) -> ExaminedFile:
    """Judges and rewrites the bytes of one notebook.

    Args:
      rewrites: whether to make the new text too.
      own: the findings and the plan of its own program, by the lines of ``own_text``, if that reaches other files and
        was judged with them; else None.
      imports: import statements for the runtime files of its own program, if they are known.

    Returns:
      The findings, the file before, and its new text if anything is found. If its own program reaches files that it
      was not judged with, only the paths of these.

    Raises:
      Unreadable: if it is no notebook of format 4, or a cell cannot be parsed.
    """
    if own is None and not (is_named or may_hold_site_in_json(data) or may_train_imported(data)):
        return ExaminedFile(path)
    return examine_guarded(path, lambda: _examine(path, data, settings, rewrites, own, imports))


def _examine(
    path: str, data: bytes, settings: Settings, rewrites: bool, own: ExaminedFile | None, imports: Sequence[str]
) -> ExaminedFile:
    notebook = Notebook.decode(path, data)
    code = "\n".join(cell.source for cell in notebook.cells).encode(errors="surrogatepass")  # without text and outputs
    # A notebook that changes with a program of other files may have no site itself.
    if own is None and not (notebook.is_python and holds_code(path, code)):
        return ExaminedFile(path)
    cells, findings = _Cells(), list[Finding]()
    try:
        found = programs(notebook.cells, path)
        trees = [_parse_cells(path, program) for program in found]
        for program, tree in zip(found, trees, strict=True):
            known = own if program.written is None else None
            findings += _examine_program(path, program, tree, settings, cells, rewrites, known, imports)
            findings += _unread_parts(path, program) if findings or known is not None else []
        if cells.reaches:
            return ExaminedFile(path, reaches=tuple(cells.reaches))
        if not findings and own is None:
            return ExaminedFile(path)
        if not rewrites:  # returns before ``validate``, which needs nbformat
            findings.sort(key=_sort_key)
            return ExaminedFile(
                path, findings, notebook.file, programs=cells.programs, runtime_names=cells.runtime_names
            )
        notebook.validate()
        after = notebook.with_sources(cells.sources)
        problem = invalid(after, notebook.file.text) if after != notebook.file.text else None
        if problem is not None:
            raise CellsDiffer(problem[0])
    except (Unreadable, RecursionError):
        raise
    except Exception as error:  # report the findings anyway
        trouble = failure_finding(path, error, "examining")
        return ExaminedFile(path, [*skip_with_cause(findings, trouble), trouble], programs=cells.programs)
    findings.sort(key=_sort_key)
    return ExaminedFile(
        path, findings, notebook.file, after=after, programs=cells.programs, runtime_names=cells.runtime_names
    )


def rewritten_notebook(
    file: ExaminedFile, settings: Settings, imports: Sequence[str], rewrites: bool = True
) -> str | Finding:
    """Returns the new text of a notebook that was judged together with files, or a finding that says why there is none.

    Args:
      file: the notebook, with the plan for its own program.
      rewrites: whether to make the text; otherwise the unchanged notebook is compiled.
    """
    own = replace(file, findings=[])
    found = examine_notebook(file.path, read(file.path), settings, rewrites=rewrites, own=own, imports=imports)
    problems = [finding for finding in found.findings if finding.error]
    if found.after is None and rewrites:
        return problems[0]
    assert file.source is not None
    return next((finding for finding in problems if finding not in file.findings), found.after or file.source.text)


def own_text(path: str) -> tuple[CellProgram, str]:
    """Returns a notebook's own program, and its text for judging, with numbered variables."""
    notebook = Notebook.decode(path, read(path))
    own = [program for program in programs(notebook.cells, path) if program.written is None]
    program = own[0] if own else CellProgram(None, [])
    return program, _number_variables(program, _parse_cells(path, program))


def place_in_cells(finding: Finding, notebooks: Mapping[str, tuple[CellProgram, str]]) -> Finding:
    """Converts the places of a finding in notebooks, which were judged with other files, to places in cells."""
    if finding.path in notebooks and finding.cell is None:
        finding = _place_in_cell(finding, *notebooks[finding.path])
    cause = cause_in_cells(finding.cause, notebooks)
    return finding if cause is None or cause == finding.cause else finding.skipped_with(cause)


def cause_in_cells(cause: Cause | None, notebooks: Mapping[str, tuple[CellProgram, str]]) -> Cause | None:
    """Converts the place of a cause in a notebook to one in a cell; see ``place_in_cells``."""
    if cause is None or cause.cell is not None or cause.path not in notebooks:
        return cause
    return _cause_in_cell(cause, *notebooks[cause.path])


def _sort_key(finding: Finding) -> tuple[int, Span, str]:
    return finding.cell or 0, finding.span, finding.code


def _parse_cells(path: str, program: CellProgram) -> ast.Module:
    """Returns the tree of the joined cells; raises Unreadable if a cell alone is not Python."""
    with suppress(Unreadable):
        tree = parse(SourceText(path, program.text))
        if program.separates_parts(tree):
            return tree
    for index, part in enumerate(program.parts):
        try:
            parse(SourceText(path, program.part_text(index)), keeps=False)
        except Unreadable as problem:
            raise Unreadable(_place_in_part(problem.finding, part)) from None
    return parse(SourceText(path, program.text))


def _place_in_part(finding: Finding, part: Part) -> Finding:
    """Converts the place of a finding in the Python of one cell to one in the cell."""
    span, above, left = finding.span, part.skipped.count("\n"), len(part.indent)
    place = Span(span.line + above, span.column + left, span.end_line + above, span.end_column + left)
    return replace(finding, cell=part.cell, span=place)


def _unread_parts(path: str, program: CellProgram) -> list[Finding]:
    """Returns the errors of the cells that are left out because they are not Python 3."""
    found = []
    for part in (program.parts[index] for index in program.unread):
        try:
            parse(SourceText(path, part.text + "\n"), keeps=False)
        except Unreadable as problem:
            help = f"{problem.finding.help.removesuffix('.')}; the other cells are read without it."
            found.append(_place_in_part(replace(problem.finding, help=help), part))
    return found


def _number_variables(program: CellProgram, tree: ast.Module) -> str:
    return program.text if program.written is not None else number_assignments(program.text, tree)


def _examine_program(
    path: str,
    program: CellProgram,
    tree: ast.Module,
    settings: Settings,
    cells: _Cells,
    rewrites: bool,
    known: ExaminedFile | None,
    imports: Sequence[str],
) -> list[Finding]:
    """Returns the findings of one program, and adds its new sources to ``cells``."""
    text = _number_variables(program, tree)
    source = SourceText(path, text)
    is_alone = program.written is not None
    examined = replace(known, source=source) if known else judge_file(source, settings, is_alone=is_alone)
    if examined.reaches and not is_alone:
        cells.reaches += examined.reaches
        return []
    cells.programs += examined.programs
    findings = [_place_in_cell(finding, program, text) for finding in examined.findings]
    if not examined.plan:
        return findings
    names, reason = examined.plan.runtime_names, _no_runtime_reason(path, program, settings)
    if names and reason:
        return [one.skipped_for(reason) if one.rewritten else one for one in findings]
    if known is None and names:
        where = os.path.join(_written_directory(path, program.written or ""), settings.module_name)
        cells.runtime_names.setdefault(where, set()).update(names)
    known_imports = imports if program.written is None else ()
    known_imports = known_imports or _imports(program, examined.plan, settings)
    if rewrites:
        from migrate.pipeline.attempt import attempt_rewrite

        after = attempt_rewrite(source, examined.plan, known_imports)
    else:
        after = compiled_text(source)
    if isinstance(after, Finding):
        trouble = _place_in_cell(after, program, text)
        return [*skip_with_cause(findings, trouble), trouble]
    cells.sources |= program.cut(remove_numbers(after)) if rewrites else {}
    return findings


def _no_runtime_reason(path: str, program: CellProgram, settings: Settings) -> str:
    """Returns why runtime files cannot be put next to the file that cells write; "" if they can or need not be."""
    written = os.path.normpath(os.path.dirname(program.written or ""))
    if settings.helpers != "copy" or written == os.curdir:
        return ""
    if os.path.isabs(written) or written.split(os.sep)[0] == os.pardir:
        return "the notebook writes it outside of its own directory, where no runtime files are made"
    if not os.path.isdir(_written_directory(path, program.written or "")):
        return "the notebook writes it to a directory that is not there, where its runtime files would be"
    return ""


def _written_directory(path: str, written: str) -> str:
    """Returns the directory of a file that cells write, perhaps below a parent of the notebook's directory.

    A notebook may change to the parent first; then the file of an earlier run is there.
    """
    above = own = os.path.dirname(path)
    if not written or os.path.isdir(os.path.join(own, os.path.dirname(written))):
        return os.path.join(own, os.path.dirname(written))
    while not os.path.isfile(os.path.join(above, written)):
        above, last = os.path.normpath(os.path.join(above, os.pardir)), os.path.abspath(above)
        if os.path.abspath(above) == last or os.path.exists(os.path.join(last, ".git")) or is_distribution_root(last):
            return os.path.join(own, os.path.dirname(written))
    return os.path.join(above, os.path.dirname(written))


def _imports(program: CellProgram, plan: "Plan", settings: Settings) -> Sequence[str]:
    """Returns the import statements for a program's runtime files."""
    from migrate.runtime_files import package

    if settings.helpers == "package":
        return package.imports(package.PACKAGE, plan.runtime_names, plan.aliases)
    if program.written is not None and os.path.dirname(program.written):
        return package.imports_either_way(settings.module_name, plan.runtime_names, plan.aliases)
    return package.imports(settings.module_name, plan.runtime_names, plan.aliases)


def _place_in_cell(finding: Finding, program: CellProgram, text: str) -> Finding:
    """Converts the place of a finding in the joined text to one in its cell."""
    lines = text.split("\n")
    span = finding.span
    cell, line, left = program.place(span.line, text)
    column, end_column = _column(lines, span.line, span.column), _column(lines, span.end_line, span.end_column)
    last = line + span.end_line - span.line
    whole = program.magic_columns(lines[span.line - 1]) if span.line <= len(lines) else None
    if whole is not None:  # a name in `!ls {name}` has another column in the statement that masks the magic
        (column, end_column), last = whole, line
    place = Span(line, column + left, last, end_column + left)
    message, help = (
        _cell_lines(remove_numbers(words), program, text, cell) for words in (finding.message, finding.help)
    )
    cause = finding.cause
    if cause is not None and cause.path == finding.path:
        cause = _cause_in_cell(cause, program, text)
    symbol = remove_numbers(finding.symbol)
    found = replace(finding, cell=cell, span=place, message=message, help=help, symbol=symbol, cause=cause)
    return found if cause is None else found.skipped_with(cause)


def _cause_in_cell(cause: Cause, program: CellProgram, text: str) -> Cause:
    lines, span = text.split("\n"), cause.span
    cell, first, indent = program.place(span.line, text)
    start, end = (
        indent + _column(lines, line, column)
        for line, column in ((span.line, span.column), (span.end_line, span.end_column))
    )
    span = Span(first, start, span.end_line + first - span.line, end)
    return cause._replace(span=span, cell=cell, symbol=remove_numbers(cause.symbol))


def _column(lines: list[str], line: int, column: int) -> int:
    return len(remove_numbers(lines[line - 1][:column])) if line <= len(lines) else column


def _cell_lines(words: str, program: CellProgram, text: str, own: int) -> str:
    """Replaces ``line 12`` of the joined text by ``line 3 of cell 5`` in a message."""

    def in_cell(found: re.Match[str]) -> str:
        cell, line, _ = program.place(int(found[1]), text)
        return f"line {line}" if cell == own else f"line {line} of cell {cell}"

    return _LINES.sub(in_cell, words)
