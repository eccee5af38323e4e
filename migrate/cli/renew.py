"""The command ``renew``: updates runtime files of an earlier release that nobody has edited."""

import sys
from collections.abc import Iterator, Sequence

from migrate.cli.command_line import add_program
from migrate.cli.given_paths import check_paths_exist, program_files
from migrate.files.boundary import Boundary
from migrate.files.sources import NOTEBOOK
from migrate.files.trouble import Unreadable
from migrate.files.walk import run_on_settled_files, walk
from migrate.findings.finding import Finding
from migrate.findings.invocation import program
from migrate.findings.printable import printable
from migrate.parser import Parser
from migrate.pipeline.outcome import Outcome
from migrate.pipeline.run import write
from migrate.report.diff import render, style_diff
from migrate.report.summary import count_in_words
from migrate.report.terminal import show
from migrate.runtime_files.folder import Renewal, find_renewal


def make_parser() -> Parser:
    """Returns the parser of the command line."""
    parser = Parser(
        prog=f"{program()} renew",
        description="Prints a diff that updates runtime files of an earlier release to this one; with --write, changes"
        " them. A folder with an edited file is not changed.",
    )
    parser.add_argument("paths", metavar="PATH", nargs="*", help="files and directories")
    add_program(parser)
    parser.add_argument("--write", action="store_true", help="replace the files instead of printing the diff")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Runs the command.

    Returns:
      The exit code: 0 all files are of this release now, 1 some are not or would be renewed, 2 an error in a file.
    """
    parser = make_parser()
    asked = parser.parse_args(arguments)
    paths = [*asked.paths, *program_files(asked.program)]
    if not paths:
        parser.error("no PATH given")
    if asked.write:
        check_paths_exist(paths)
    boundary = Boundary(paths) if asked.write else None
    (outcome, found), notes = run_on_settled_files(lambda: _find_runtime(paths, boundary))
    if asked.write:
        outcome.findings += write(outcome)
    elif sys.stdout.isatty():
        show(style_diff(render(outcome.changes)), sys.stdout)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(render(outcome.changes))
    count = len(outcome.written if asked.write else outcome.changes)
    summary = f"{count_in_words(count, 'file')} {'renewed' if asked.write else 'to renew with --write'}"
    if found.stale:
        summary += (
            f"; {count_in_words(found.stale, 'file')} of earlier releases {'stays' if found.stale == 1 else 'stay'}"
        )
    errors = [f"{finding.place}: {finding.message}" for finding in outcome.findings]
    for line in [*notes, *outcome.notes, *errors, *found.reasons, summary]:
        print(printable(line, keep=""), file=sys.stderr)
    return 2 if outcome.findings else 1 if found.reasons or (outcome.changes and not asked.write) else 0


def _find_runtime(paths: Sequence[str], boundary: Boundary | None) -> tuple[Outcome, Renewal]:
    """Returns the changes and errors, and the renewal that they come from."""
    outcome, found = Outcome(paths=(*paths,)), Renewal()
    try:
        found = find_renewal(_files(paths, boundary, outcome))
    except Unreadable as problem:
        outcome.findings.append(problem.finding)
    outcome.changes = found.changes
    return outcome, found


def _files(paths: Sequence[str], boundary: Boundary | None, outcome: Outcome) -> Iterator[str]:
    for found in walk(paths, boundary=boundary):
        if isinstance(found, Finding):
            outcome.findings.append(found)
        elif not found.endswith(NOTEBOOK):
            yield found
