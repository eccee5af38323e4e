"""The options of earlier releases, each with what to use instead."""

from collections.abc import Sequence

from migrate.settings import SettingsError

REMOVED = {
    "--cache-dir": "nothing is kept between runs, so leave it out",
    "--interactive": "use --write, then choose among its changes with `git add -p`",
    "--no-cache": "nothing is kept between runs, so leave it out",
}


def reject_removed(arguments: Sequence[str]) -> None:
    """Rejects an option that an earlier release had.

    Raises:
      SettingsError: it names the option and what to use instead.
    """
    for argument in arguments[: arguments.index("--") if "--" in arguments else None]:
        option = argument.partition("=")[0]
        if option in REMOVED:
            raise SettingsError(f"{option} was removed: {REMOVED[option]}")
