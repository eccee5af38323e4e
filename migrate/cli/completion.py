"""What completes the command line in a shell."""

import argparse
from collections.abc import Callable, Collection, Sequence

from migrate.cli.command_line import main_parser, plan_parser
from migrate.findings.invocation import SCRIPT
from migrate.parser import Parser
from migrate.settings import SettingsError

_FILES = "PATH", "OLD", "NEW", "FILE", "DIR"


def completion(arguments: Sequence[str], commands: Collection[str]) -> str:
    """The text that a shell reads to complete the command line.

    Args:
      arguments: what stands behind ``completion``: the name of a shell.
      commands: the names of the subcommands.

    Raises:
      SettingsError: shtab is not installed.
      SystemExit: argparse printed the help or an error.
    """
    parser = Parser(
        prog=f"{SCRIPT} completion",
        description="Print what completes this command line in a shell.",
        epilog='bash: eval "$(estimator-migrate completion bash)" in ~/.bashrc; zsh: the same in ~/.zshrc',
    )
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"), help="the shell that is to read it")
    shell = parser.parse_args(arguments).shell
    try:
        import shtab
    except ImportError:
        raise SettingsError("completion needs shtab: install estimator-migrate[completion], or shtab alone") from None
    return f"{shtab.complete(_whole(commands), shell)}\n"


def _whole(commands: Collection[str]) -> argparse.ArgumentParser:
    """One parser of everything: the modes of the main command as subcommands, too."""
    whole = _with_files(main_parser())
    # What the main command takes in any place, a completion only takes before the commands.
    whole._actions[:] = [action for action in whole._actions if action.option_strings]
    whole.prog = SCRIPT
    named = whole.add_subparsers(dest="command")
    for command in commands:
        made = _PARSERS.get(command, main_parser)()
        named.add_parser(
            command, parents=[_with_files(made)], conflict_handler="resolve", help=made.description or command
        )
    return whole


def _with_files(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    import shtab

    for action in parser._actions:
        if action.metavar in _FILES or action.dest in ("paths", "programs"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    return parser


def _verify() -> argparse.ArgumentParser:
    from migrate.verify.cli import parser

    return parser()


def _renew() -> argparse.ArgumentParser:
    from migrate.cli.renew import parser

    return parser()


_PARSERS: dict[str, Callable[[], argparse.ArgumentParser]] = {
    "completion": lambda: Parser(add_help=False),
    "explain": lambda: Parser(add_help=False),
    "plan": plan_parser,
    "renew": _renew,
    "rules": lambda: Parser(add_help=False),
    "verify": _verify,
}
