"""The options and commands of earlier releases, each with what to use instead."""

from collections.abc import Sequence

from migrate.settings import SettingsError

REMOVED = {
    "--canned": "a premade estimator always becomes an object with the Estimator's calls, so leave it out",
    "--cache-dir": "nothing is kept between runs, so leave it out",
    "--interactive": "use --write, then choose among its changes with `git add -p`",
    "--no-cache": "nothing is kept between runs, so leave it out",
    "--show-helpers": "a diff in a pipe (`| less`) shows them, so leave it out",
    "--statistics": "the summary behind a diff counts the sites of each rule, so leave it out",
    "--stdin-filename": "a program is migrated with its files, so name the file itself",
    "--todo": "the report names each call site that is skipped, with the reason, so leave it out",
}
COMMANDS = {
    "completion": "shells complete the paths by themselves",
    "checkpoint": "no checkpoint needs converting: start the migrated program in the old model_dir",
}


def reject_removed_options(arguments: Sequence[str]) -> None:
    """Rejects an option that an earlier release had.

    Raises:
      SettingsError: it names the option and what to use instead.
    """
    for argument in arguments[: arguments.index("--") if "--" in arguments else None]:
        option = argument.partition("=")[0]
        if option in REMOVED:
            raise SettingsError(f"{option} was removed: {REMOVED[option]}")


def reject_removed_command(arguments: Sequence[str]) -> None:
    """Rejects a command that an earlier release had; a file or directory of its name is reached by ``./``.

    Raises:
      SettingsError: it names the command and what to use instead.
    """
    if arguments and arguments[0] in COMMANDS:
        raise SettingsError(f"{arguments[0]} was removed: {COMMANDS[arguments[0]]}")
