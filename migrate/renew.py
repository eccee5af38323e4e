"""``renew``: emitted modules brought up to this release, those alone that nobody has changed."""

import sys
from collections.abc import Iterator, Sequence

from migrate.arguments import check_named
from migrate.files.read import read
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable
from migrate.files.walk import NOTEBOOK, settled, walk
from migrate.finding import Finding
from migrate.invocation import program
from migrate.outcome import FileChange, Outcome
from migrate.parser import Parser
from migrate.report.diff import render
from migrate.rewrite.pieces import NotExtended, renewed
from migrate.rewrite.stamp import read_stamp
from migrate.run import write


def main(arguments: Sequence[str]) -> int:
    """Runs the command.

    Args:
      arguments: those behind ``renew``.

    Returns:
      The exit code: 0 all modules are of this release now, 1 one is left or would be renewed, 2 an error in a file.
    """
    parser = Parser(
        prog=f"{program()} renew",
        description="Prints the diff that brings the modules that an earlier release wrote beside migrated programs"
        " up to this one; with --write, makes it. A module that somebody has changed stays as it is, and is named.",
    )
    parser.add_argument("paths", metavar="PATH", nargs="+", help="files and directories")
    parser.add_argument("--write", action="store_true", help="replace the modules in place of printing the diff")
    asked = parser.parse_args(arguments)
    if asked.write:
        check_named(asked.paths)
    (outcome, left), notes = settled(lambda: _found(asked.paths))
    if asked.write:
        outcome.findings += write(outcome)
    else:
        sys.stdout.buffer.write(render(outcome.changes))
    failed = {finding.path for finding in outcome.findings}
    count = sum(change.path not in failed for change in outcome.changes)
    summary = f"{count} {'module' if count == 1 else 'modules'} {'renewed' if asked.write else 'to renew with --write'}"
    for line in [
        *notes,
        *outcome.notes,
        *(f"{finding.place}: {finding.message}" for finding in outcome.findings),
        *left,
        summary,
    ]:
        print(line, file=sys.stderr)
    return 2 if outcome.findings else 1 if left or (outcome.changes and not asked.write) else 0


def _found(paths: Sequence[str]) -> tuple[Outcome, list[str]]:
    """The changes and errors, and a line for each module that stays as it is."""
    outcome, left = Outcome(), list[str]()
    for path in _files(paths, outcome):
        try:
            change = _renewed(path)
        except Unreadable as problem:
            outcome.findings.append(problem.finding)
        except (NotExtended, SyntaxError) as problem:
            reason = problem if isinstance(problem, NotExtended) else "is no Python any more"
            left.append(f"{path} stays: it {reason}")
        else:
            outcome.changes += [change] if change is not None else []
    return outcome, left


def _files(paths: Sequence[str], outcome: Outcome) -> Iterator[str]:
    for found in walk(paths, settles=True):
        if isinstance(found, Finding):
            outcome.findings.append(found)
        elif not found.endswith(NOTEBOOK):
            yield found


def _renewed(path: str) -> FileChange | None:
    """The change that brings a module up to this release; None for one of it, and for any other file.

    Raises:
      Unreadable: if the file cannot be read.
      NotExtended: if somebody has changed it.
      SyntaxError: if it is no Python any more.
    """
    source = SourceText.decode(path, read(path))
    if read_stamp(source.text) is None:
        return None
    after = renewed(source.text)
    return FileChange(path, source.text, after, source) if after != source.text else None
