"""What a run found, kept for the next one on an unchanged tree."""

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from migrate import __version__
from migrate.files.read import read
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable
from migrate.files.walk import walk
from migrate.finding import Cause, Fidelity, Finding, Obstacle, Span
from migrate.judged import JudgedProgram
from migrate.outcome import FileChange, Outcome
from migrate.settings import Settings

_State = tuple[int, int, int]
_RECENT = 2_000_000_000
"""Nanoseconds: a file may change twice within one tick of its file system's clock, and look the same after it."""


class Cache:
    """One file of a directory for each way to call the tool.

    A run counts as the same when the same files hold the same bytes. A file whose size, inode and time of change are
    those of the last run is not read again, as git does it. What it holds is JSON: nothing of it is executed.

    Args:
      directory: made if it does not exist.
      paths: the files and directories of the run.
      settings: the user's choices.
      rewrites: whether the run makes the new texts.
    """

    def __init__(self, directory: str, paths: Sequence[str], settings: Settings, rewrites: bool = True) -> None:
        tool = [os.stat(os.path.join(folder, name)).st_mtime_ns for folder, name in _modules()]
        call = [__version__, sys.version, max(tool), asdict(settings), list(paths), os.getcwd(), rewrites]
        self._path = os.path.join(directory, f"{_digest(json.dumps(call, default=sorted).encode())}.json")
        self._paths = paths
        self._directory = directory

    def run(self, work: Callable[[], Outcome]) -> Outcome:
        """What ``work`` found when the tree last was as it is, or what it finds now."""
        began = time.time_ns()
        states = _states(self._paths)
        kept = self._kept()
        if kept is not None and states is not None and _is_same(kept["files"], states):
            with suppress(Unreadable, KeyError, TypeError, ValueError):
                return _outcome(kept["outcome"])
        outcome = work()
        if states is not None:
            self._keep(outcome, states, began)
        return outcome

    def _kept(self) -> dict[str, Any] | None:
        try:
            with open(self._path, encoding="utf-8") as file:
                kept = json.load(file)
        except (OSError, ValueError):
            return None
        return kept if isinstance(kept, dict) and {"files", "outcome"} <= kept.keys() else None

    def _keep(self, outcome: Outcome, states: dict[str, _State], began: int) -> None:
        files: dict[str, list[int | str]] = {}
        for path, state in states.items():
            try:
                digest = _digest(read(path))
            except Unreadable:
                return
            if _state(path) != state:  # it was another file while it was examined
                return
            is_recent = state[0] > began - _RECENT
            files[path] = [0 if is_recent else state[0], *state[1:], digest]
        text = json.dumps({"files": files, "outcome": _record(outcome)})
        with suppress(OSError):
            os.makedirs(self._directory, exist_ok=True)
            with open(self._path, "w", encoding="utf-8") as file:
                file.write(text)


def _modules() -> Iterable[tuple[str, str]]:
    """The modules of the tool itself: another version of them may find something else."""
    for folder, _, names in os.walk(os.path.dirname(__file__)):
        yield from ((folder, name) for name in names if name.endswith(".py"))


def _states(paths: Sequence[str]) -> dict[str, _State] | None:
    """The files that a run may read, with their states; None where one cannot be told."""
    from migrate.analysis.imports import above_package, top

    directories = [path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path)) for path in paths]
    around = [top(os.path.abspath(path)) or above_package(os.path.abspath(path)) for path in directories]
    named = {os.path.abspath(path) for path in paths}
    states: dict[str, _State] = {}
    for found in walk([*paths, *sorted({*around} - named)]):
        state = _state(found) if isinstance(found, str) else None
        if state is None or not isinstance(found, str):
            return None
        states[found] = state
    return states


def _state(path: str) -> _State | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _is_same(kept: dict[str, list[int | str]], states: dict[str, _State]) -> bool:
    if kept.keys() != states.keys():
        return False
    for path, state in states.items():
        *known, digest = kept[path]
        if known != [*state]:
            with suppress(Unreadable):
                if known[1] == state[1] and _digest(read(path)) == digest:
                    continue
            return False
    return True


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _record(outcome: Outcome) -> dict[str, Any]:
    changes = [
        {
            "path": change.path,
            "after": change.after,
            "is_new": change.source is None,
            "needs": change.needs,
            "together": change.together,
            "generated": change.generated,
        }
        for change in outcome.changes
    ]
    return {
        "files_read": outcome.files_read,
        "findings": [asdict(finding) for finding in outcome.findings],
        "changes": changes,
        "programs": [asdict(one) for one in outcome.programs],
    }


def _outcome(record: dict[str, Any]) -> Outcome:
    findings = [_finding(one) for one in record["findings"]]
    changes = [_change(**one) for one in record["changes"]]
    return Outcome(record["files_read"], findings, changes, [_program(**one) for one in record["programs"]])


def _finding(record: dict[str, Any]) -> Finding:
    known = {**record, "fidelity": Fidelity(record["fidelity"]), "span": Span(**record["span"])}
    return Finding(**{**known, "cause": _cause(record["cause"])})


def _cause(record: dict[str, Any] | None) -> Cause | None:
    if record is None:
        return None
    return Cause(**{**record, "obstacle": Obstacle(record["obstacle"]), "span": Span(**record["span"])})


def _program(cause: dict[str, Any] | None, form: str, **lists: list[str]) -> JudgedProgram:
    return JudgedProgram(form=form, cause=_cause(cause), **{name: tuple(words) for name, words in lists.items()})


def _change(path: str, after: str, is_new: bool, needs: str | None, together: list[str], generated: int) -> FileChange:
    source = None if is_new else SourceText.decode(path, read(path))
    return FileChange(path, source.text if source else None, after, source, needs, tuple(together), generated)
