"""The files that a run changes, the folder of helpers as one."""

from pathlib import Path

from migrate.helpers.package import folder_of

FOLDER = "tf2_recovery"


def is_helper(change):
    """Whether a change is of a file of helpers."""
    return Path(folder_of(change.path)).name == FOLDER


def names(outcome):
    """The names of the changed files in their order, and of the folder of helpers."""
    found = [FOLDER if is_helper(change) else Path(change.path).name for change in outcome.changes]
    return list(dict.fromkeys(found))
