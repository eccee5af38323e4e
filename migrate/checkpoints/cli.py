"""``python -m migrate checkpoint``: the arguments, the tables and the exit status."""

import argparse
import importlib.util
import os
import shlex
import sys
from typing import TYPE_CHECKING

from migrate.findings import invocation
from migrate.parser import Parser, with_values

if TYPE_CHECKING:
    from migrate.checkpoints.convert import Conversion
    from migrate.checkpoints.described import Described

DONE, CANNOT = 0, 2

TAKES_FLAGS = ("--args", "--model-dir-flag")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = Parser(
        prog=f"{invocation.program()} checkpoint",
        description="Convert an Estimator checkpoint for the migrated Keras program, or the other "
        "way. A migrated model_fn needs none: its checkpoints are the Estimator's.",
        epilog="exit status: 0 written, or with --dry-run nothing prevents it; 2 nothing was written",
    )
    add = made.add_argument
    add("source", metavar="SRC", help="a model_dir, for its latest checkpoint, or the path of a checkpoint")
    add("destination", metavar="DST", help="the directory to write, which must not exist or be empty")
    program = made.add_mutually_exclusive_group(required=True)
    started = "the migrated program; it is started and stopped before it trains, with an empty model_dir of its own"
    program.add_argument("--for", dest="program", metavar="PROGRAM.py", help=started)
    called = "a function that returns the migrated program's compiled Keras model"
    program.add_argument("--model", metavar="MODULE:FUNCTION", help=called)
    add("--args", default="", help="the program's arguments, in one text")
    flag = "the program's flag for its directory, if {model_dir} is not in its arguments (%(default)s)"
    add("--model-dir-flag", metavar="FLAG", default="--model_dir", help=flag)
    which = "which of the program's CheckpointManagers is meant, in the order in which it makes them (%(default)s)"
    add("--manager", type=int, metavar="N", default=1, help=which)
    add("--all", action="store_true", help="all checkpoints of SRC, not the latest alone")
    add("--dry-run", action="store_true", help="print what becomes of each variable, and write nothing")
    add("--to-estimator", action="store_true", help="the way back: SRC is the migrated program's")
    like = "with --to-estimator: a checkpoint that the Estimator wrote, for its names"
    add("--like", metavar="OLD", help=like)
    return made


def main(argv: list[str]) -> int:
    """Run the command with the arguments after ``checkpoint`` and give the exit status."""
    options = parser().parse_args(with_values(argv, TAKES_FLAGS))
    if importlib.util.find_spec("tensorflow") is None:
        return _refuse("this command needs TensorFlow, and this interpreter has none: pip install tensorflow")
    if os.path.exists(options.destination) and not _is_empty_directory(options.destination):
        return _refuse(f"{options.destination} is there already, and is not overwritten")
    if options.program is not None and not os.path.isfile(options.program):
        return _refuse(f"the program {options.program} does not exist")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    from migrate.checkpoints.convert import save
    from migrate.checkpoints.correspondence import Misfit
    from migrate.checkpoints.described import NotDescribed

    try:
        conversions = _conversions(options)
        misfits = [one for one in conversions if not one.fit]
        for one in misfits:
            _refuse(f"{one.reader.prefix} does not fit the program; nothing was written\n{one.fit.table}")
        if misfits:
            return CANNOT
        if options.dry_run:
            _print_mapping(conversions)
            return DONE
        save(conversions, options.destination)
    except (Misfit, NotDescribed, OSError) as error:
        return _refuse(str(error))
    for one in conversions:
        print(f"{os.path.join(options.destination, one.name)}: converted {len(one.rows)} variables at step {one.step}")
    return DONE


def _is_empty_directory(path: str) -> bool:
    return os.path.isdir(path) and not os.listdir(path)


def _refuse(reason: str) -> int:
    print(f"cannot convert: {reason}", file=sys.stderr)
    return CANNOT


def _conversions(options: argparse.Namespace) -> "list[Conversion]":
    from migrate.checkpoints.bundle import found
    from migrate.checkpoints.convert import to_estimator, to_program
    from migrate.checkpoints.correspondence import Misfit

    prefixes = found(options.source, every=options.all)
    program = _program(options)
    if options.to_estimator:
        if not options.like:
            raise Misfit("The names of the slots are not known: name a checkpoint of the old program with --like.")
        (like,) = found(options.like)
        return [to_estimator(prefix, program, like) for prefix in prefixes]
    return [to_program(prefix, program) for prefix in prefixes]


def _program(options: argparse.Namespace) -> "Described":
    from migrate.checkpoints import described

    if options.model is not None:
        return described.of_function(options.model)
    words = shlex.split(options.args)
    if not any("{model_dir}" in word for word in words):
        words += [options.model_dir_flag, "{model_dir}"]
    return described.of_program(options.program, words, options.manager)


def _print_mapping(conversions: "list[Conversion]") -> None:
    for one in conversions:
        print(f"{one.reader.prefix}, step {one.step}:")
        widths = [max(len(str(row[column])) for row in one.rows) for column in (0, 1)]
        for name, new, shape in one.rows:
            print(f"  {name:{widths[0]}}  {new:{widths[1]}}  {list(shape)}")
