"""The tool as a library, which the command line itself uses.

``check`` finds, ``rewrite`` also makes the new texts, ``write`` writes them to the disk. All records are frozen.
"""

import os
from collections.abc import Callable, Iterable

from migrate.edits.file_change import FileChange
from migrate.findings.finding import Cause, Fidelity, Finding, Obstacle, Span
from migrate.judging.judgement import JudgedProgram
from migrate.pipeline.outcome import Outcome
from migrate.settings import Settings, SettingsError, check_settings

__all__ = [
    "Cause",
    "Fidelity",
    "FileChange",
    "Finding",
    "JudgedProgram",
    "Obstacle",
    "Outcome",
    "Path",
    "Progress",
    "Settings",
    "SettingsError",
    "Span",
    "check",
    "rewrite",
    "rewrite_source",
    "write",
]

Path = str | os.PathLike[str]
Progress = Callable[[str, int, int], None]
"""Is called with what is done, ``Reading`` or ``Rewriting``, with the files done and the files in all."""


def check(
    paths: Path | Iterable[Path], settings: Settings | None = None, *, jobs: int = 1, progress: Progress | None = None
) -> Outcome:
    """Finds every call site that settles how training is saved or resumed, and judges what would become of it.

    Args:
      paths: a file or directory, or several; directories are walked as git sees them.
      settings: the choices; by default the tool's own, whatever a settings file says.
      jobs: the maximum number of processes.
      progress: is called as the work proceeds; None for no calls.

    Returns:
      The findings and the programs. Trouble with a file is a finding with ``error``, and loses no other file.

    Raises:
      SettingsError: a setting has a value that it cannot have.
      TypeError: a path is neither a string nor an ``os.PathLike`` of one.
    """
    return _run_pipeline(paths, settings, jobs, progress, rewrites=False)


def rewrite(
    paths: Path | Iterable[Path], settings: Settings | None = None, *, jobs: int = 1, progress: Progress | None = None
) -> Outcome:
    """Does what ``check`` does, with the same arguments and errors, and makes the new texts. Nothing is written.

    Returns:
      The findings, the programs and the changes, each with the text before and after.
    """
    return _run_pipeline(paths, settings, jobs, progress, rewrites=True)


def rewrite_source(source: bytes, name: Path, settings: Settings | None = None) -> Outcome:
    """Does what ``rewrite`` does with one file that need not be on the disk; its change's ``needs`` are not made.

    Args:
      source: the file's bytes.
      name: the path that its imports are found from and its findings name.
      settings: the choices; by default the tool's own.

    Raises:
      SettingsError: a setting has a value that it cannot have.
    """
    from migrate.pipeline.run import run_source

    return run_source(source, os.fspath(name), _check_settings(settings))


def write(outcome: Outcome) -> list[Finding]:
    """Writes the changes of an outcome, each file atomically, and the files of a program all or none.

    Args:
      outcome: what ``rewrite`` returned.

    Returns:
      An error for each file that could not be written.
    """
    from migrate.pipeline.run import write

    return write(outcome)


def _run_pipeline(
    paths: Path | Iterable[Path], settings: Settings | None, jobs: int, progress: Progress | None, rewrites: bool
) -> Outcome:
    from migrate.pipeline.run import run

    if jobs < 1:
        raise SettingsError(f"jobs must be a number from 1, not {jobs!r}")
    return run(_paths(paths), _check_settings(settings), jobs=jobs, progress=progress, rewrites=rewrites)


def _paths(given: Path | Iterable[Path]) -> tuple[str, ...]:
    """Returns the paths as a tuple; a single path becomes a tuple of one."""
    paths = [given] if isinstance(given, (str, bytes, os.PathLike)) else [*given]
    named = [os.fspath(path) for path in paths if isinstance(path, (str, os.PathLike))]
    if len(named) < len(paths) or not all(isinstance(path, str) for path in named):
        raise TypeError(f"a path is a string or an os.PathLike of one, not {given!r}")
    return (*named,)


def _check_settings(settings: Settings | None) -> Settings:
    if settings is None:
        return Settings()
    check_settings(settings)
    if settings.select or settings.ignore:
        from migrate.judging.selection import with_rule_codes

        return with_rule_codes(settings, {})
    return settings
