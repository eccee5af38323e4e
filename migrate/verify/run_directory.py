"""The directory of a run: a copy of another run's, or furnished for a program that is started in it.

A program that saves into a relative path of its code finds there, as links, what stands in the directory that it is
otherwise started in. What an earlier training left is not there, or each run would begin with it. What each run is to
begin with is copied.
"""

import os
import re
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

OWN = "migrate-verify-"
"""What the names of the temporary directories begin with that runs take place in."""

_SAVED = re.compile(r"checkpoint|.*\.(index|meta|data-\d+-of-\d+|h5|hdf5|keras)|events\.out\.tfevents\..*")
_MOST = 2000
"""A directory with more files below it is one link, into which nothing can be written."""


def copy_directory(source: Path, copy: Path) -> None:
    """Copies a job's directory, so that a program resumes in the copy.

    An Estimator's ``checkpoint`` file names its checkpoints by absolute paths: in the copy they name the copy's own.
    """
    shutil.copytree(source, copy, symlinks=True, dirs_exist_ok=True)
    for state in copy.rglob("checkpoint"):
        if state.is_file():
            text = state.read_text(encoding="utf-8", errors="surrogateescape")
            text = text.replace(f'"{source}/', f'"{copy}/').replace(f'"{source.resolve()}/', f'"{copy}/')
            state.write_text(text, encoding="utf-8", errors="surrogateescape")


def furnish(directory: Path, source: str, begin_with: Collection[str] = ()) -> None:
    """Links what stands in ``source`` into a run's directory, unless something is there already.

    Args:
      begin_with: files that look like those of an earlier training, and with which each run begins: these are copied.
    """
    if any(directory.iterdir()):
        return
    _link(directory, source, _files(source) <= _MOST)
    for path in begin_with:
        copy = directory / os.path.relpath(os.path.join(source, path), source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(os.path.join(source, path), copy)


def earlier_saves(source: str, begin_with: Collection[str] = ()) -> list[str]:
    """The files in a directory that look like those of an earlier training, by their paths from there, in order."""
    known = {os.path.normpath(path) for path in begin_with}
    found = []
    for top, directories, names in os.walk(source):
        directories[:] = sorted(name for name in directories if _is_linked(name))
        found += [os.path.relpath(os.path.join(top, name), source) for name in sorted(names) if _SAVED.fullmatch(name)]
    return [path for path in found if os.path.normpath(path) not in known]


def _link(directory: Path, source: str, is_small: bool) -> None:
    for entry in _entries(source):
        if entry.is_dir(follow_symlinks=False) and (is_small or _files(entry.path) <= _MOST):
            (directory / entry.name).mkdir()
            _link(directory / entry.name, entry.path, True)
        else:
            (directory / entry.name).symlink_to(os.path.abspath(entry.path))


def _files(directory: str) -> int:
    """How many files are to be linked below a directory; counted no further than is asked for."""
    count = 0
    for _, directories, names in os.walk(directory):
        directories[:] = [name for name in directories if _is_linked(name)]
        count += len(names)
        if count > _MOST:
            break
    return count


def _entries(directory: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(directory) as entries:
        yield from (entry for entry in entries if _is_linked(entry.name) and not _SAVED.fullmatch(entry.name))


def _is_linked(name: str) -> bool:
    return not name.startswith((".", OWN)) and name != "__pycache__"
