"""``python -m migrate verify``: the arguments, the progress and the exit status."""

import argparse
import contextlib
import inspect
import io
import math
import os
import re
import shlex
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from rich.console import Console

from migrate.findings.invocation import program
from migrate.parser import Parser, join_values
from migrate.verify import document, page
from migrate.verify.bench import MOST_CHANGES, QUICK, QUICK_CHANGES, Request
from migrate.verify.faults import FAULTS
from migrate.verify.interpreters import find_interpreter, keras_2_variable, old_interpreter, refusal
from migrate.verify.interruption import TIMEOUT_SECONDS, Progress
from migrate.verify.table import tables
from migrate.verify.training_program import Program, ProgramError, earlier_saves
from migrate.verify.verification import Verification, verify

MATCHES, DIFFERS, CANNOT = 0, 1, 2
INTERRUPTED_CODE = 130

OPTIONS_WITH_FLAGS = ("--args", "--old-args", "--new-args", "--model-dir-flag")
VARIABLE = re.compile(r"[A-Za-z_]\w*=")


def make_parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    faults = "\n".join(f"  {name:22} {(inspect.getdoc(fault) or '').splitlines()[0]}" for name, fault in FAULTS.items())
    parser = Parser(
        prog=f"{program()} verify",
        usage="%(prog)s NEW [options]\n       %(prog)s OLD NEW [options]",
        description="Interrupt a program and compare how it ends with its own undisturbed run; "
        "or interrupt an old and a new program in the same ways and compare how they resume.",
        epilog=f"faults (by default {', '.join(QUICK)}):\n{faults}\n\n"
        "exit status: 0 everything compared matches, 1 something differs, 2 the programs could not be verified",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for group in (_add_program_arguments, _add_fault_arguments, _add_tolerance_argument, _add_output_arguments):
        group(parser)
    return parser


def _add_program_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "old",
        metavar="OLD",
        nargs="?",
        help="the program to be matched, for TensorFlow 2.15 or earlier if it uses "
        "Estimator; without it NEW is compared with itself",
    )
    add("new", metavar="NEW", help="the program that should match it, or resume as if nothing had happened")
    add("--old-python", metavar="PATH", help="OLD's interpreter; NEW's, or this one, by default")
    add("--new-python", metavar="PATH", help="NEW's interpreter; OLD's, or this one, by default")
    add("--args", type=_words, default=[], help="arguments of both programs, in one text")
    add("--old-args", type=_words, default=[], help="arguments of OLD alone")
    add("--new-args", type=_words, default=[], help="arguments of NEW alone")
    for flag, whose in (("--env", "both programs"), ("--old-env", "OLD alone"), ("--new-env", "NEW alone")):
        help = f"a variable of the environment of {whose}; may be repeated"
        add(flag, metavar="NAME=VALUE", type=_variable, action="append", default=[], help=help)
    module = "OLD and NEW are modules of packages: run them as python -m does, above the outermost __init__.py"
    add("-m", "--module", action="store_true", help=module)
    workers = "workers that make one job, told of one another by TF_CONFIG (%(default)s)"
    add("--workers", metavar="N", type=_step, default=1, help=workers)
    add("--chief", action="store_true", help="a chief beside the workers, of which the first is the chief otherwise")
    add("--ps", metavar="N", type=_step, default=0, help="parameter servers beside them (%(default)s)")
    add("--evaluator", action="store_true", help="an evaluator beside them")
    directory = "the programs' flag for their directory, if {model_dir} is in no argument and no --env (%(default)s)"
    allow = "a directory beside the runs' own that the programs may write to and restore from; may be repeated"
    add("--allow", metavar="DIR", action="append", default=[], help=allow)
    own = (
        "start each run in a directory of its own, with links to the files of this one, without earlier saves: for "
        "programs that save into a relative path of their code"
    )
    add("--own-cwd", action="store_true", help=own)
    file = "with --own-cwd: a file that looks like an earlier save, and that each run begins with; may be repeated"
    add("--begin-with", metavar="FILE", action="append", default=[], help=file)
    add("--model-dir-flag", metavar="FLAG", default="--model_dir", help=directory)


def _add_fault_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    at = "interrupt after these steps; after one between two saves by default"
    add("--at", metavar="STEP", type=_step, nargs="+", default=[], help=at)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--fault", metavar="NAME", nargs="+", choices=list(FAULTS), help="only these faults")
    which.add_argument("--all-faults", action="store_true", help="every fault, and every moment of a save")
    share = "start both from OLD's first checkpoint, to compare every loss (default: where NEW can read it)"
    add("--share-initial", action=argparse.BooleanOptionalAction, default=None, help=share)
    continued = "interrupt OLD, let NEW go on in a copy of its directory, and compare with OLD going on by itself"
    add("--continue-old", action="store_true", help=continued)
    add("--timeout", metavar="S", type=_seconds, default=TIMEOUT_SECONDS, help="seconds for each run (%(default)g)")
    changes = f"how many moments of a save sigkill-in-save tries at most ({QUICK_CHANGES}; all faults: {MOST_CHANGES})"
    add("--changes", metavar="N", type=_step, help=changes)


def _add_tolerance_argument(parser: argparse.ArgumentParser) -> None:
    tolerance = (
        "relative tolerance for losses and variables (default: %(default)s, bit-equal; between two lines of TensorFlow "
        "what one rounding grows to in OLD)"
    )
    parser.add_argument("--tolerance", metavar="X", type=_tolerance, default=0.0, help=tolerance)


def _add_output_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", metavar="DIR", help="write verify.json and verify.html there")
    parser.add_argument("--junit", metavar="FILE", help="write the comparisons as test cases in JUnit's XML")
    add = parser.add_argument
    add("-v", "--verbose", action="store_true", help="print a table for each comparison that matches too")
    printed = "what is printed (%(default)s)"
    parser.add_argument("--format", choices=["text", "json", "html"], default="text", help=printed)


def main(argv: list[str]) -> int:
    """Runs the command with the arguments after ``verify`` and returns the exit status."""
    options = make_parser().parse_args(join_values(argv, OPTIONS_WITH_FLAGS))
    errors = Console(stderr=True)
    try:
        directory = _output_directory(options.output)
        with _interrupt_on_signals(), _progress(errors) as progress:
            done = verify(_request(options), progress)
        done.notes += _missing_saves_note(options)
    except ProgramError as error:
        errors.print(f"cannot verify: {error}", markup=False, highlight=False, soft_wrap=True)
        for note in _missing_saves_note(options):
            errors.print(f"note: {note}", markup=False, highlight=False, soft_wrap=True)
        return CANNOT
    except KeyboardInterrupt:
        errors.print("interrupted: every program has been ended", markup=False)
        return INTERRUPTED_CODE
    _print(done, options.format, options.verbose)
    try:
        if directory is not None:
            _write(done, directory)
        if options.junit is not None:
            Path(options.junit).write_text(document.junit(done), encoding="utf-8", errors="xmlcharrefreplace")
    except OSError as error:
        errors.print(f"cannot write {error.filename}: {error.strerror}", markup=False, highlight=False, soft_wrap=True)
        return CANNOT
    return MATCHES if done.matches else DIFFERS


def _missing_saves_note(options: argparse.Namespace) -> list[str]:
    """Returns a note that names the earlier saves that the runs do not get; an empty list if there are none."""
    left = earlier_saves(os.curdir, options.begin_with) if options.own_cwd else []
    shown = f"{', '.join(left[:3])}{', …' if len(left) > 3 else ''}"
    help = f"to begin each with a copy, give --begin-with {shlex.quote(left[0])}" if left else ""
    return [f"the runs begin without {shown}, which looks like an earlier save; {help}"] if left else []


def _step(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of 1 or more, not {text!r}")
    return int(text)


def _seconds(text: str) -> float:
    seconds = _tolerance(text)
    if seconds == 0:
        raise argparse.ArgumentTypeError("must be more than 0")
    return seconds


def _tolerance(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number of 0 or more, not {text!r}")
    return number


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{str(error).lower()} in {text!r}") from error


def _variable(text: str) -> tuple[str, str]:
    if not VARIABLE.match(text):
        raise argparse.ArgumentTypeError(f"must be NAME=VALUE, not {text!r}")
    name, _, value = text.partition("=")
    return name, value


def _request(options: argparse.Namespace) -> Request:
    if options.old is None and (options.share_initial or options.continue_old):
        raise ProgramError("--share-initial and --continue-old need OLD and NEW")
    for path in filter(None, (options.old, options.new)):
        if not os.path.isfile(path):
            raise ProgramError(f"the program {path} {'is not a file' if os.path.exists(path) else 'does not exist'}")
        if options.module and not (Path(path).absolute().parent / "__init__.py").is_file():
            raise ProgramError(f"the program {path} is in no package, without an __init__.py beside it: leave out -m")
    for path in options.allow:
        try:
            os.makedirs(path, exist_ok=True)
        except OSError as error:
            raise ProgramError(f"--allow {path}: {error.strerror}") from error
    old_python = options.old_python or options.new_python or sys.executable
    new_python = options.new_python or options.old_python or sys.executable
    is_alone = options.old is None
    old_python = "" if is_alone else old_interpreter(options.old, old_python)
    new = _program(options.new, find_interpreter(new_python, "--new-python"), options, "new")
    old = new if is_alone else _program(options.old, old_python, options, "old")
    for side, one in (("OLD", old), ("NEW", new))[is_alone:]:
        reason = refusal(one)
        if reason:
            raise ProgramError(f"{side} {reason}; nothing was started")
    return Request(
        old=old,
        new=new,
        alone=is_alone,
        faults=options.fault or list(FAULTS if options.all_faults else QUICK),
        at=options.at,
        share_initial=options.share_initial,
        continue_old=options.continue_old,
        tolerance=options.tolerance,
        timeout=options.timeout,
        changes=options.changes or (MOST_CHANGES if options.all_faults else QUICK_CHANGES),
    )


def _program(script: str, python: str, options: argparse.Namespace, side: str) -> Program:
    args = [*options.args, *getattr(options, f"{side}_args")]
    env = keras_2_variable(python, side.upper(), dict([*options.env, *getattr(options, f"{side}_env")]))
    if not options.own_cwd and not any("{model_dir}" in text for text in (*args, *env.values())):
        args += [options.model_dir_flag, "{model_dir}"]
    cluster = {"chief": options.chief, "parameter_servers": options.ps, "evaluator": options.evaluator}
    return Program(
        script,
        python,
        tuple(args),
        env,
        options.module,
        workers=options.workers,
        allowed=tuple(options.allow),
        in_own=options.own_cwd,
        begin_with=tuple(options.begin_with),
        **cluster,
    )


@contextlib.contextmanager
def _interrupt_on_signals() -> Iterator[None]:
    """Lets SIGTERM and SIGHUP end the programs as Ctrl-C does; a second signal changes nothing."""
    ending = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    before = {number: handler for number, handler in ending.items() if handler is not signal.SIG_IGN}  # by nohup

    def interrupt(number: int, frame: FrameType | None) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        before.clear()  # they stay ignored until the command has ended
        raise KeyboardInterrupt

    for each in [*before]:
        signal.signal(each, interrupt)
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@contextlib.contextmanager
def _progress(console: Console) -> Iterator[Progress]:
    """Yields a function that shows the current fault and run: in a terminal as a status, else a line for each fault."""
    if console.is_terminal:
        with console.status("looking at the programs") as status:
            yield status.update
        return
    shown_faults = set[str]()

    def say(what: str) -> None:
        fault = " · ".join(what.split(" · ")[:2])
        if fault not in shown_faults:
            shown_faults.add(fault)
            console.print(fault, markup=False, highlight=False, soft_wrap=True)

    yield say


def _output_directory(output: str | None) -> Path | None:
    """Makes the directory of the reports before anything is run, so that no result is lost; None if none is wanted."""
    if output is None:
        return None
    try:
        Path(output).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=output):
            pass
    except OSError as error:
        raise ProgramError(f"nothing can be written to {output}: {error.strerror}") from error
    return Path(output)


def _write(done: Verification, directory: Path) -> None:
    for name, text in (("verify.json", document.text(done)), ("verify.html", page.page(done))):
        (directory / name).write_text(text, encoding="utf-8", errors="backslashreplace")


def _print(done: Verification, form: str, verbose: bool) -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        if form == "text":
            Console().print(tables(done, verbose))
        else:
            print(document.text(done) if form == "json" else page.page(done), flush=True)
    except (BrokenPipeError, SystemExit):  # rich turns a BrokenPipeError into SystemExit
        # A reader such as head has closed the pipe; flushing the buffer must not fail when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
