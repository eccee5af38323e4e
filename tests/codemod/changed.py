"""The files that a run changes, the runtime folder as one."""

from pathlib import Path

from migrate.runtime_files.package import folder_of

FOLDER = "tf2_recovery"


def is_runtime_file(change):
    """Whether a change is of a runtime file."""
    return Path(folder_of(change.path)).name == FOLDER


def names(outcome):
    """The names of the changed files in their order, and of the runtime folder."""
    found = [FOLDER if is_runtime_file(change) else Path(change.path).name for change in outcome.changes]
    return list(dict.fromkeys(found))
