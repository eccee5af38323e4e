"""The parsers of the command line, and the arguments read from one."""

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from migrate import __version__
from migrate.cli.given_paths import check_output, check_paths_exist, program_files
from migrate.findings.invocation import program
from migrate.parser import Parser
from migrate.records import dataclass, replace
from migrate.settings import CHOICES, Settings, read_project, split_codes, suggestion

FORMATS = ("diff", "text", "concise", "json", "sarif", "github", "html")
"""The formats of reports, the default first."""

PLAN_FORMATS = ("text", "json", "github")
"""The formats of ``plan``; ``github`` has only the sites that are not in the baseline."""

_NEW_TEXT_FORMATS = ("diff", "html")
"""The formats that show the new texts."""

_DESCRIPTION = """\
Finds tf.estimator training code and prints the diff that turns it into TensorFlow 2 code that recovers the same way.
"""

_EPILOG = """\
commands, where one of these words is the first argument:
  check PATH...        the same as --check: one line for each call site
  diff PATH...         the same as --diff, the default: print what --write would change
  explain CODE         print the page of a rule
  plan PATH...         a row for each program: what it becomes, what blocks it, what to run
  renew PATH...        the diff that brings the runtime files of an earlier release up to this one; --write makes it
  rules                list all rules
  verify [OLD] NEW     interrupt a program, or two in the same ways, and compare how they resume
  write PATH...        the same as --write: make the changes
A file or directory of that name is reached as ./rules, or after --.

settings: [tool.migrate] in pyproject.toml, from the current directory up to the root of the repository, may set
recovery, target, input, tpu, helpers, select, ignore, exclude and module_name; the command line wins.

exit code: 0 nothing found; 1 something to change or skipped; 2 an error in a file or the arguments (the rest is done).
"""


@dataclass(frozen=True)
class Arguments:
    """The arguments of a command line.

    Attributes:
      settings: the choices for the run, those of the project's file included.
      jobs: the maximum number of processes, at least 1.
      check: whether to find only, and change nothing.
      exit_zero: whether the exit code is 0 if there are findings but no errors.
      quiet: whether to print only errors in addition to the report.
      write: whether to make the changes.
      format: the report to print, one of ``FORMATS`` or, for ``plan``, ``PLAN_FORMATS``; None for only the summary.
      output: the file to print the report to; None for standard output.
      baseline: an earlier plan to compare with, or None.
    """

    paths: tuple[str, ...]
    settings: Settings
    jobs: int
    format: str | None
    output: str | None
    write: bool = False
    check: bool = False
    exit_zero: bool = False
    quiet: bool = False
    baseline: str | None = None

    @property
    def needs_rewrites(self) -> bool:
        """Whether the new texts are needed; ``--check`` only finds, which takes half the time."""
        return not self.check or self.format in _NEW_TEXT_FORMATS


def plan_parser() -> Parser:
    """Returns the parser of the arguments after ``plan``."""
    parser = Parser(
        prog=f"{program()} plan",
        description="Print a row for each program: what it becomes, what blocks it, what to run. Changes nothing.",
        epilog="exit code: 0 no program found, or with --baseline no new one; 1 programs found, or new ones; "
        "2 an error in a file (with --baseline: in one that the baseline does not name) or the arguments",
        allow_abbrev=False,
    )
    parser.add_argument("--format", choices=PLAN_FORMATS, default="text", help="what to print (default: text)")
    baseline = "compare with an earlier plan (of --format json), and fail only for new code"
    parser.add_argument("--baseline", metavar="FILE", help=baseline)
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="print only the programs, without roll-ups and totals"
    )
    _add_common_arguments(parser)
    return parser


def parse_plan(arguments: Sequence[str]) -> Arguments:
    """Returns the arguments after ``plan``, with the settings of the project's file."""
    parser = plan_parser()
    options = parser.parse_intermixed_args(arguments)
    if not options.paths and not options.program:
        parser.error("no PATH given")
    paths = _paths(options)
    check_output(options.output, paths)
    return _arguments(options, paths, options.format, baseline=options.baseline)


def parse(arguments: Sequence[str], commands: Sequence[str] = ()) -> Arguments:
    """Returns the arguments of a command line without a subcommand, with the settings of the project's file.

    Args:
      commands: the names of the subcommands, for the message if the first word is a mistyped one.

    Raises:
      SettingsError: a settings file or a rule code cannot be used.
      SystemExit: argparse printed the help or an error.
    """
    parser = main_parser()
    # argparse allows options and paths in any order only without "--", so the paths after it are added here.
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_intermixed_args(arguments[:cut])
    _check_first_path(parser, options.paths, commands)
    options.paths += arguments[cut + 1 :]
    if not options.paths and not options.program:
        parser.print_usage(sys.stderr)
        parser.error("no PATH given")
    paths = _paths(options)
    check_output(options.output, paths)
    if options.write:
        check_paths_exist(paths)
    # With --write the diff is printed only if the user asks for it.
    default = "concise" if options.check else None if options.write and not options.output else "diff"
    format = options.format or default
    return _arguments(options, paths, format, write=options.write, check=options.check)


def _arguments(options: argparse.Namespace, paths: tuple[str, ...], format: str | None, **more: Any) -> Arguments:
    """Returns the arguments that all commands have, and those in ``more``."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    jobs, is_quiet = options.jobs or cores or 1, options.quiet
    return Arguments(
        paths, _settings(options), jobs, format, options.output, exit_zero=options.exit_zero, quiet=is_quiet, **more
    )


def main_parser() -> Parser:
    """Returns the parser of a command line without a subcommand."""
    parser = Parser(
        prog=program(),
        usage="%(prog)s [--diff | --check | --write] [OPTION]... PATH...\n       %(prog)s COMMAND ...",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=80),  # without a look at the terminal
        allow_abbrev=False,
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--diff", action="store_true", help="print what --write would change (the default)")
    mode.add_argument("--write", action="store_true", help="make the changes")
    mode.add_argument("--check", action="store_true", help="find only: print one line per site, change nothing")
    parser.add_argument("--format", choices=FORMATS, help="what to print (default: diff; with --check: concise)")
    _add_common_arguments(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="print the report and errors, and no summary")
    parser.add_argument("-V", "--version", action="version", version=f"estimator-migrate {__version__}")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    return parser


def _add_common_arguments(parser: Parser) -> None:
    """Adds the arguments that all commands have."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a file or a directory")
    parser.add_argument("--output", metavar="FILE", help="print to FILE instead of stdout")
    add_program(parser)
    parser.add_argument(
        "--recovery", choices=CHOICES["recovery"], help="what a Keras program recovers with (default: auto)"
    )
    parser.add_argument("--target", choices=CHOICES["target"], help="where the output runs (default: portable)")
    parser.add_argument("--input", choices=CHOICES["input"], help="the input after a resume (default: restart)")
    place = "where runtime files are (default: copy, a folder beside yours; package: installed, as tf2-recovery)"
    parser.add_argument("--helpers", choices=CHOICES["helpers"], help=place)
    tpu = "what happens to programs that may run on TPUs (default: refuse; they reject a TPU when they start)"
    parser.add_argument("--tpu", choices=CHOICES["tpu"], help=tpu)
    parser.add_argument(
        "--select", action="append", metavar="CODE", help="use only these rules, by code, prefix or name"
    )
    parser.add_argument(
        "--ignore", action="append", metavar="CODE", help="leave out these rules, by code, prefix or name"
    )
    exclude = "skip matching files below the given directories; may be repeated"
    parser.add_argument("--exclude", action="append", metavar="PATTERN", help=exclude)
    parser.add_argument(
        "-j", "--jobs", type=_jobs, metavar="N", help="maximum number of processes (default: one per core)"
    )
    parser.add_argument(
        "--exit-zero", action="store_true", help="exit with 0 even if something is found; with 2 after an error"
    )


def add_program(parser: Parser) -> None:
    """Adds the option that names a program's files by the file that starts it."""
    help = "read the file that starts a program and what it imports, as one PATH each; may be repeated"
    parser.add_argument("--program", action="append", default=[], metavar="FILE", help=help)


def _paths(options: argparse.Namespace) -> tuple[str, ...]:
    return (*options.paths, *program_files(options.program))


def _jobs(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")
    return int(text)


def _check_first_path(parser: Parser, paths: Sequence[str], commands: Sequence[str]) -> None:
    """Rejects a first word that is no path: after a mistyped command all paths would be rewritten."""
    first = paths[0] if paths else os.curdir
    if not os.path.lexists(first) and os.sep not in first and not os.path.splitext(first)[1]:
        if first in commands:
            parser.error(f"{first} is a command only as the first word, before all options")
        meant = suggestion(first, commands)
        parser.error(f"{first}: no such file or directory, and no command{meant}")


def _settings(options: argparse.Namespace) -> Settings:
    project = read_project(os.curdir)
    given: dict[str, object] = {name: value for name in CHOICES if (value := getattr(options, name)) is not None}
    for name in ("select", "ignore"):
        texts: list[str] | None = getattr(options, name)
        if texts is not None:
            given[name] = split_codes(",".join(texts))
    settings = replace(project.settings, **given)  # type: ignore[arg-type]
    if options.exclude:
        # Patterns of the command line are relative to the current directory, those of a file to the file's directory.
        below = os.path.relpath(os.curdir, settings.root or os.curdir)
        settings = replace(settings, exclude=(*settings.exclude, *(_rebase(below, one) for one in options.exclude)))
    if settings.select or settings.ignore:
        from migrate.judging.selection import with_rule_codes

        places = {name: f"{place}: {name}" for name, place in project.places.items()}
        return with_rule_codes(settings, places | {name: f"--{name}" for name in given})
    return settings


def _rebase(below: str, pattern: str) -> str:
    """Returns a pattern of the directory ``below`` as a pattern of the directory above it."""
    if below == os.curdir:
        return pattern
    name = pattern.removesuffix("/")
    return f"{below}/{pattern.removeprefix('/')}" if "/" in name else f"{below}/**/{pattern}"
