"""The tool as a library: what the command line itself calls.

``check`` finds, ``rewrite`` also makes the new texts, ``write`` puts them on the disk. All records are frozen.
"""

import os
from collections.abc import Callable, Sequence

from migrate.finding import Cause, Fidelity, Finding, Obstacle, Span
from migrate.judged import JudgedProgram
from migrate.outcome import FileChange, Outcome
from migrate.settings import CHOICES, Settings, SettingsError, check_codes

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
    paths: Sequence[Path], settings: Settings | None = None, *, jobs: int = 1, progress: Progress | None = None
) -> Outcome:
    """Finds every call site that settles how training is saved or resumed, and judges what would become of it.

    Args:
      paths: files and directories; directories are walked as git sees them.
      settings: the choices; by default the tool's own, whatever a settings file says.
      jobs: the maximum number of processes.
      progress: is told how far the work is; None for nobody.

    Returns:
      The findings and the programs. Trouble with a file is a finding with ``error``, and loses no other file.

    Raises:
      SettingsError: a setting has a value that it cannot have.
    """
    return _run(paths, settings, jobs, progress, rewrites=False)


def rewrite(
    paths: Sequence[Path], settings: Settings | None = None, *, jobs: int = 1, progress: Progress | None = None
) -> Outcome:
    """Does what ``check`` does, and makes the new texts. Nothing is written.

    Args:
      paths: files and directories; directories are walked as git sees them.
      settings: the choices; by default the tool's own, whatever a settings file says.
      jobs: the maximum number of processes.
      progress: is told how far the work is; None for nobody.

    Returns:
      The findings, the programs and the changes, each with the text before and after.

    Raises:
      SettingsError: a setting has a value that it cannot have.
    """
    return _run(paths, settings, jobs, progress, rewrites=True)


def rewrite_source(source: bytes, name: Path, settings: Settings | None = None) -> Outcome:
    """Does what ``rewrite`` does with one file that need not be on the disk; generated code goes into the file itself.

    Args:
      source: the file's bytes.
      name: the path that its imports are found from and its findings name.
      settings: the choices; by default the tool's own.

    Raises:
      SettingsError: a setting has a value that it cannot have.
    """
    from migrate.run import run

    return run((), _checked(settings), jobs=1, progress=None, stdin=source, stdin_name=os.fspath(name))


def write(outcome: Outcome) -> list[Finding]:
    """Writes the changes of an outcome, each file atomically, and the files of a program all or none.

    Args:
      outcome: what ``rewrite`` returned.

    Returns:
      An error for each file that could not be written.
    """
    from migrate.run import write

    return write(outcome)


def _run(
    paths: Sequence[Path], settings: Settings | None, jobs: int, progress: Progress | None, rewrites: bool
) -> Outcome:
    from migrate.run import run

    given = tuple(os.fspath(path) for path in paths)
    return run(given, _checked(settings), jobs=jobs, progress=progress, rewrites=rewrites)


def _checked(settings: Settings | None) -> Settings:
    if settings is None:
        return Settings()
    for name, words in CHOICES.items():
        if getattr(settings, name) not in words:
            raise SettingsError(f"{name} must be {', '.join(words[:-1])} or {words[-1]}")
    codes = (*settings.select, *settings.ignore)
    if codes:
        from migrate.rules import RULES

        check_codes(codes, tuple(RULES), "select or ignore")
    return settings
