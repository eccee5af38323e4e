"""Runs the command line: reads arguments, prints reports and returns an exit code.

Modules that not every run needs are imported in functions, so that a run without findings starts fast.
"""

import gc
import os
import signal
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, BinaryIO, TextIO

from migrate.cli.command_line import Arguments, parse, parse_plan
from migrate.findings.invocation import program
from migrate.findings.printable import printable
from migrate.parser import Parser
from migrate.pipeline.outcome import Outcome
from migrate.pipeline.processes import WorkerKilled
from migrate.records import replace
from migrate.report import summary
from migrate.report.pages import pages
from migrate.report.report import Report
from migrate.report.terminal import as_text, show
from migrate.settings import SettingsError, unknown_code

if TYPE_CHECKING:
    from migrate.planning.rows import ProgramRow

_INTERRUPTED_MESSAGE = "Interrupted: no file was changed."


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
      argv: the arguments without the program's name; by default the process's own.

    Returns:
      The exit code: 0 nothing found, 1 something to change or skipped, 2 an error in a file or in the arguments, 130
      after Ctrl-C.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    command = _COMMANDS.get(arguments[0]) if arguments else None
    if argv is None and command is None:
        gc.disable()  # for the reason in migrate/pipeline/processes.py; the process ends with the run
    try:
        return command(arguments[1:]) if command else _migrate(arguments)
    except (SettingsError, WorkerKilled) as error:
        message = f"{program()}: error: {error}\n"
        _print(sys.stderr, lambda stream: stream.write(message))
        return 2
    except KeyboardInterrupt as stop:
        if argv is None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not interrupt the end of the process
        message = f"{str(stop) or _INTERRUPTED_MESSAGE}\n"
        _print(sys.stderr, lambda stream: stream.write(message))
        return 130
    except SystemExit as stop:
        # argparse exits after --help and after an error; flush its output.
        _print(sys.stdout, lambda stream: None)
        return stop.code if isinstance(stop.code, int) else 0
    except BrokenPipeError:
        # In Python 3.10 argparse raises this if the reader of its help has closed the pipe.
        _silence(sys.stdout)
        return 0


def _migrate(arguments: Sequence[str]) -> int:
    asked = parse(arguments, (*_COMMANDS,))
    outcome = _find(asked)
    try:
        return _write_and_report(asked, outcome)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(summary.interruption_note(outcome)) from None


def _write_and_report(options: Arguments, outcome: Outcome) -> int:
    """Writes the changes, prints the report, and returns the exit code."""
    # Open the file before anything is written, so that a wrong name does no harm.
    file = None if options.output is None else _open_output(options.output)
    needs = _program_needs(outcome) if options.write else {}
    written = _write_changes(outcome) if options.write else None
    report = replace(_report(options, outcome, written), needs=needs)
    if file is not None:
        _save(report, file)
    else:
        _print(sys.stdout, report.show)
    errors_are_shown = options.format in ("text", "concise") and file is None
    _print(sys.stderr, lambda stream: report.summarise(stream, with_errors=not errors_are_shown, quiet=options.quiet))
    return 0 if options.exit_zero and outcome.exit_code == 1 else outcome.exit_code


def _find(options: Arguments) -> Outcome:
    from migrate.pipeline.run import run

    def work(progress: Callable[[str, int, int], None] | None) -> Outcome:
        rewrites, writes = options.needs_rewrites, options.write
        return run(
            options.paths, options.settings, jobs=options.jobs, progress=progress, rewrites=rewrites, writes=writes
        )

    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        outcome = work(None)
    else:
        from migrate.report.terminal import ProgressBar

        with closing(ProgressBar(sys.stderr)) as bar:
            outcome = work(bar)
    _print_notes(outcome.notes)
    return outcome


def _program_needs(outcome: Outcome) -> Mapping[str, Sequence[str]]:
    """Maps the entry points of the written programs to what they need in addition to TensorFlow."""
    if not outcome.changes:
        return {}
    from migrate.planning.rows import needs_of_programs

    return needs_of_programs(outcome)


def _write_changes(outcome: Outcome) -> set[str]:
    """Writes the changes, adds the errors to the outcome's findings, and returns the written paths."""
    if outcome.changes:
        from migrate.api import write

        _warn_of_uncommitted(outcome)
        before = len(outcome.notes)
        outcome.findings.extend(write(outcome))
        _print_notes(outcome.notes[before:])
    return outcome.written


def _warn_of_uncommitted(outcome: Outcome) -> None:
    from migrate.files.repository import uncommitted_files

    texts = {one.path: one.source.encode() for one in outcome.changes if one.source is not None}
    _print_notes([summary.uncommitted_note(paths)] if (paths := uncommitted_files(texts)) else [])


def _print_notes(notes: Sequence[str]) -> None:
    """Prints notes in addition to the report."""
    if notes:
        _print(sys.stderr, lambda stream: show([[(note, "bold")] for note in map(printable, notes)], stream))


def _report(options: Arguments, outcome: Outcome, written: Collection[str] | None) -> Report:
    programs: Sequence[ProgramRow] = ()
    if options.format == "html":
        from migrate.planning.rows import rows

        programs = rows(outcome, options.settings)
    return Report(
        outcome, options.format, written=written, check=options.check, programs=programs, select=options.settings.select
    )


def _open_output(output: str) -> BinaryIO:
    try:
        return open(output, "wb")
    except OSError as error:
        raise _write_error(output, error) from None


def _save(report: Report, file: BinaryIO) -> None:
    try:
        with file:
            report.save(file)
    except OSError as error:
        raise _write_error(file.name, error) from None


def _write_error(name: str, error: OSError) -> SettingsError:
    return SettingsError(f"{name} cannot be written: {error.strerror}")


def _print(stream: TextIO | None, content: Callable[[TextIO], object]) -> None:
    # The stream is None if the caller of Python has closed it.
    if stream is None:
        return
    try:
        content(stream)
        stream.flush()
    except OSError as error:
        _silence(stream)
        # It is no error if a reader such as head closes the pipe.
        if not isinstance(error, BrokenPipeError):
            raise _write_error(stream.name, error) from None


def _silence(stream: TextIO) -> None:
    """Redirects a stream to the null device, so that flushing its buffer does not fail again when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _explain(arguments: Sequence[str]) -> int:
    parser = Parser(prog=f"{program()} explain", description="Prints the page of a rule.")
    parser.add_argument("code", metavar="CODE", help="the rule's code or name, such as FT152 or visible_checkpoints")
    asked = parser.parse_args(arguments).code
    known = pages()
    code = next((code for code, page in known.items() if page.name == asked), asked.upper())
    if code not in known:
        names = (*known, *(page.name for page in known.values()))
        raise SettingsError(unknown_code(code if code.startswith("FT") else asked, names))
    from migrate.cli.explain import explanation

    _print(sys.stdout, lambda stream: show([*explanation(code)], stream))
    return 0


def _rules(arguments: Sequence[str]) -> int:
    parser = Parser(
        prog=f"{program()} rules", description="Lists all rules: the code, the best fidelity of a rewrite, the title."
    )
    parser.parse_args(arguments)
    from migrate.rules import RULES

    lines = [[(code, "cyan"), (f"  {rule.fidelity.value:6}  {rule.title}", "")] for code, rule in RULES.items()]
    _print(sys.stdout, lambda stream: show(lines, stream))
    return 0


def _plan(arguments: Sequence[str]) -> int:
    asked = parse_plan(arguments)
    file = None if asked.output is None else _open_output(asked.output)
    outcome = _find(asked)
    from migrate.planning.baseline import compare_plans, new_findings
    from migrate.planning.rows import rows
    from migrate.report import plan_report

    found = rows(outcome, asked.settings)
    errors = [finding for finding in outcome.findings if finding.error]
    comparison = None if asked.baseline is None else compare_plans(asked.baseline, found, errors, outcome.paths)
    plan = plan_report.Plan(
        found,
        errors,
        comparison,
        plan_report.copies(outcome.changes),
        summary.nothing_found_note(outcome, asked.settings.select),
        asked.quiet,
    )
    text = None
    if asked.format == "github":
        new = replace(outcome, findings=new_findings(comparison, outcome.findings))
        text = _report(asked, new, None).document()
        changed = () if comparison is None else plan_report.comparison_report(comparison)
        _print(sys.stderr, lambda stream: show(changed, stream))
    elif asked.format == "json":
        text = plan_report.document(plan)
    if file is not None:
        with file:
            file.write((as_text(plan_report.lines(plan)) if text is None else text).encode("utf-8", "surrogateescape"))
    elif text is not None:
        content = text.encode("utf-8", "surrogateescape")
        _print(sys.stdout, lambda stream: stream.buffer.write(content))
    else:
        _print(sys.stdout, lambda stream: show(plan_report.lines(plan), stream))
    code = outcome.exit_code if comparison is None else comparison.exit_code
    return 0 if asked.exit_zero and code == 1 else code


def _verify(arguments: Sequence[str]) -> int:
    from migrate.verify.cli import main as verify

    return verify(list(arguments))


def _renew(arguments: Sequence[str]) -> int:
    from migrate.cli.renew import main as renew

    return renew(list(arguments))


def _mode_command(option: str) -> Callable[[Sequence[str]], int]:
    """Returns the subcommand for a mode of the main command."""
    return lambda arguments: _migrate([option, *arguments])


_COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "check": _mode_command("--check"),
    "diff": _mode_command("--diff"),
    "explain": _explain,
    "plan": _plan,
    "renew": _renew,
    "rules": _rules,
    "verify": _verify,
    "write": _mode_command("--write"),
}
