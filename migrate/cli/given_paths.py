"""The files and directories that a command line names, as paths or as programs."""

import os
from collections.abc import Iterable, Iterator, Sequence

from migrate.files.sources import SUFFIXES
from migrate.settings import SettingsError


def program_files(starts: Iterable[str]) -> list[str]:
    """Returns the files that start programs, each followed by the files that it imports."""
    return list(dict.fromkeys(path for start in starts for path in _iter_program_files(start)))


def _iter_program_files(start: str) -> Iterator[str]:
    if not os.path.isfile(start):
        problem = "is a directory, not the file that starts it" if os.path.isdir(start) else "no such file"
        raise SettingsError(f"--program {start}: {problem}")
    from migrate.analysis.program.tree import Tree

    yield start
    if start.endswith(SUFFIXES):
        tree = Tree()
        yield from (tree.name(link.target.path) for link in tree.closure_of(os.path.abspath(start)))


def check_paths_exist(paths: Sequence[str]) -> None:
    """Raises SettingsError if a named path does not exist."""
    for path in paths:
        try:
            os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            raise SettingsError(f"{path}: no such file or directory; nothing was written") from None
        except OSError:
            continue  # it exists; reading it will report the error


def check_output(output: str | None, paths: Sequence[str]) -> None:
    """Raises SettingsError if the report would overwrite a source file."""
    if output is None or not os.path.exists(output):
        return
    if output.endswith((".py", ".ipynb")) or any(
        os.path.exists(path) and os.path.samefile(output, path) for path in paths
    ):
        raise SettingsError(f"--output {output}: the report would overwrite this source file")
