"""What a run found, kept for the next one: of a changed tree it looks only at what the change can influence."""

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from migrate import __version__
from migrate.files.private import PrivateFolder
from migrate.files.read import read
from migrate.files.sources import is_below
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable
from migrate.files.walk import settled, walk
from migrate.findings.finding import Cause, Fidelity, Finding, Obstacle, Span
from migrate.pipeline.influence import Known, influenced, known
from migrate.results.judged import JudgedProgram
from migrate.results.outcome import FileChange, Outcome
from migrate.settings import Settings

_State = tuple[int, int, int]
_Row = list[Any]  # a file's state, its digest, and what joins it with others: its words, and three flags
_Work = Callable[[Collection[str] | None], Outcome]
_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, RecursionError)
"""What reading a record ends with that no run has left."""
_RECENT = 2_000_000_000
"""Nanoseconds: a file may change twice within one tick of its file system's clock, and look the same after it."""


class Cache:
    """One file of a directory for each way to call the tool.

    A run counts as the same when the same files hold the same bytes. A file whose size, inode and time of change are
    those of the last run is not read again, as git does it. What it holds is JSON: nothing of it is executed, and no
    text of it is ever written.

    Args:
      directory: made if it does not exist; in it each user has a folder, which nobody else may read or write.
      paths: the files and directories of the run.
      settings: the user's choices.
      rewrites: whether the run makes the new texts.
      writes: whether they will be written: then they are made anew.
    """

    def __init__(
        self,
        directory: str,
        paths: Sequence[str],
        settings: Settings,
        rewrites: bool = True,
        writes: bool = False,
    ) -> None:
        tool = [os.stat(path).st_mtime_ns for path in tool_files()]
        call = [__version__, sys.version, max(tool), asdict(settings), list(paths), os.getcwd(), rewrites]
        self._name = f"{_digest(json.dumps(call, default=sorted).encode())}.json"
        self._paths = paths
        self._folder = PrivateFolder(directory)
        self._writes = writes
        self._rewrites = rewrites
        self._helpers = settings.module_name

    def run(self, work: _Work) -> Outcome:
        """What ``work`` found when the tree last was as it is, or what it finds now.

        Args:
          work: looks at the files of these absolute paths, or at all for None.
        """
        outcome, notes = settled(lambda: self._run(work))
        outcome.notes += notes
        return outcome

    def _run(self, work: _Work) -> Outcome:
        began = time.time_ns()
        states = _states(self._paths)
        kept = self._kept(states)
        rest: tuple[set[str], Outcome] | None = None
        if kept is not None and states is not None:
            with suppress(Unreadable, *_MALFORMED):
                changed = _changed(kept["files"], states)
                if not changed:
                    return _outcome(kept["outcome"])
                rest = self._rest(kept["files"], kept["outcome"], changed)
        outcome = self._joined(work(rest[0]), rest[1]) if rest is not None else None
        if outcome is None:
            outcome = work(None)
        if states is not None:
            self._keep(outcome, states, began, kept)
        return outcome

    def _rest(
        self, rows: Mapping[str, _Row], record: dict[str, Any], changed: set[str]
    ) -> tuple[set[str], Outcome] | None:
        """The files that a change can influence, and what was found in the others; None where all have to be read."""
        found_in = {finding["path"] for finding in record["findings"]}
        if any(self._holds_helpers(path) for path in changed | found_in):  # it may be any program's
            return None
        files = {
            os.path.abspath(path): Known(frozenset(row[4].split()), frozenset(row[5].split()), *row[6:])
            for path, row in rows.items()
        }
        for path in changed:
            with suppress(Unreadable):
                new, absolute = known(path, read(path)), os.path.abspath(path)
                files[absolute] = files[absolute] | new if absolute in files else new
        if not files.keys() >= {*map(os.path.abspath, found_in)}:  # something was found in what is no file to be read
            return None
        found = influenced(files, {os.path.abspath(path) for path in changed} & files.keys())
        if found >= files.keys():
            return None

        def stays(paths: Sequence[str]) -> bool:
            inside = [os.path.abspath(path) in found for path in paths]
            if any(inside) and not all(inside):
                raise ValueError("a program is influenced in part")
            return not any(inside)

        changes = [one for one in record["changes"] if not self._is_module(one) and stays([one["path"]])]
        needed = {path for one in changes for path in one["needs"]}
        modules = [one for one in record["changes"] if self._is_module(one) and one["path"] in needed]
        findings = [one for one in record["findings"] if stays([one["path"]])]
        programs = [one for one in record["programs"] if stays(one["files"])]
        unlisted = [path for path in record["unlisted"] if stays([path])]
        rest = {"files_read": 0, "findings": findings, "changes": [*changes, *modules], "programs": programs}
        rest["unlisted"] = unlisted
        return found, _outcome(rest)

    def _joined(self, new: Outcome, rest: Outcome) -> Outcome | None:
        """What was found now, with the rest of what was found before; None where each had to heed the other."""
        if _modules_of(new) & _modules_of(rest) or not (self._rewrites or not (new.changes or rest.changes)):
            return None
        findings, changes = new.findings + rest.findings, new.changes + rest.changes
        programs, unlisted = new.programs + rest.programs, sorted(new.unlisted + rest.unlisted)
        outcome = Outcome(new.files_read, findings, changes, programs, unlisted=unlisted)
        outcome.sort()
        return outcome

    def _is_module(self, change: dict[str, Any]) -> bool:
        return bool(change["is_new"]) or self._holds_helpers(change["path"])

    def _holds_helpers(self, path: str) -> bool:
        """Whether a file may be one of helpers, or keep the folder of helpers from being written."""
        beside = f"{self._helpers}.py"
        return os.path.basename(path) == beside or os.path.basename(os.path.dirname(path)) == self._helpers

    def _kept(self, states: Mapping[str, _State] | None) -> dict[str, Any] | None:
        """What the last run left, if it can be nothing else; None where all is to be looked at."""
        text = self._folder.read(self._name)
        digest, _, content = (text or b"").partition(b"\n")
        if states is None or digest != _digest(content).encode():
            return None
        with suppress(*_MALFORMED):
            kept = json.loads(content)
            changes = kept["outcome"]["changes"]
            if kept["version"] == __version__ and _are_rows(kept["files"]) and self._are_of_this_run(changes, states):
                return None if self._writes and changes else dict(kept)
        return None

    def _are_of_this_run(self, changes: Sequence[dict[str, Any]], states: Mapping[str, _State]) -> bool:
        """Whether all changes are of files that this run reads, or of new ones in their directories."""
        folders = {os.path.realpath(os.path.dirname(path)) for path in states}
        named = {os.path.realpath(path) for path in self._paths}
        for one in changes:
            real = os.path.realpath(one["path"])
            within = folders if one["is_new"] else named
            if not any(is_below(real, place) for place in within) or (not one["is_new"] and one["path"] not in states):
                return False
        return True

    def _keep(self, outcome: Outcome, states: dict[str, _State], began: int, kept: dict[str, Any] | None) -> None:
        if any(one.source is not None and one.path not in states for one in outcome.changes):
            return  # a list of requirements, which may change unseen
        before = kept["files"] if kept is not None else {}
        makers = {program.files[0] for program in outcome.programs}
        files: dict[str, _Row] = {}
        for path, state in states.items():
            if path in before and before[path][:3] == [*state]:
                files[path] = before[path]
                continue
            try:
                data = read(path)
            except Unreadable:
                return
            if _state(path) != state:  # it was another file while it was examined
                return
            is_recent = state[0] > began - _RECENT
            one = known(path, data, makes_estimator=path in makers)
            words = [" ".join(sorted(one.words)), " ".join(sorted(one.searched))]
            own = [*words, one.holds_site, one.names_estimator, one.lacks_estimator]
            files[path] = [0 if is_recent else state[0], *state[1:], _digest(data), *own]
        content = json.dumps({"version": __version__, "files": files, "outcome": _record(outcome)}).encode()
        self._folder.write(self._name, _digest(content).encode() + b"\n" + content)


def _are_rows(files: Mapping[str, _Row]) -> bool:
    kinds = (int, int, int, str, str, str, bool, bool, bool)
    return all(tuple(map(type, row)) == kinds for row in files.values())


def _modules_of(outcome: Outcome) -> set[str]:
    """The files of helpers that changes need or make."""
    made = {change.path for change in outcome.changes if change.source is None}
    return {os.path.abspath(path) for path in made | {path for one in outcome.changes for path in one.needs}}


def tool_files() -> Iterable[str]:
    """The modules and tables of the tool itself: another version of them may find something else."""
    for folder, _, names in os.walk(os.path.dirname(os.path.dirname(__file__))):
        yield from (os.path.join(folder, name) for name in names if name.endswith((".py", ".txt")))


def _states(paths: Sequence[str]) -> dict[str, _State] | None:
    """The files that a run may read, with their states; None where one cannot be told."""
    from migrate.analysis.imports import importing_root

    directories = [path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path)) for path in paths]
    around = [importing_root(os.path.abspath(path)) for path in directories]
    named = {os.path.abspath(path) for path in paths}
    states: dict[str, _State] = {}
    for found in walk([*paths, *sorted({*around} - named)], settles=True):
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


def _changed(rows: Mapping[str, _Row], states: Mapping[str, _State]) -> set[str]:
    """The files that are new, gone or have other bytes."""
    changed = rows.keys() ^ states.keys()
    for path in rows.keys() & states.keys():
        known_state, digest, state = rows[path][:3], rows[path][3], states[path]
        if known_state != [*state]:
            with suppress(Unreadable):
                if known_state[1] == state[1] and _digest(read(path)) == digest:
                    continue
            changed.add(path)
    return changed


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
        }
        for change in outcome.changes
    ]
    return {
        "files_read": outcome.files_read,
        "findings": [asdict(finding) for finding in outcome.findings],
        "changes": changes,
        "programs": [asdict(one) for one in outcome.programs],
        "unlisted": outcome.unlisted,
    }


def _outcome(record: dict[str, Any]) -> Outcome:
    findings = [_finding(one) for one in record["findings"]]
    changes = [_change(**one) for one in record["changes"]]
    programs = [_program(**one) for one in record["programs"]]
    return Outcome(record["files_read"], findings, changes, programs, unlisted=record["unlisted"])


def _finding(record: dict[str, Any]) -> Finding:
    known = {**record, "fidelity": Fidelity(record["fidelity"]), "span": Span(**record["span"])}
    return Finding(**{**known, "cause": _cause(record["cause"])})


def _cause(record: dict[str, Any] | None) -> Cause | None:
    if record is None:
        return None
    return Cause(**{**record, "obstacle": Obstacle(record["obstacle"]), "span": Span(**record["span"])})


def _program(cause: dict[str, Any] | None, form: str, **lists: list[str]) -> JudgedProgram:
    return JudgedProgram(form=form, cause=_cause(cause), **{name: tuple(words) for name, words in lists.items()})


def _change(path: str, after: str, is_new: bool, needs: list[str], together: list[str]) -> FileChange:
    source = None if is_new else SourceText.decode(path, read(path))
    return FileChange(path, source.text if source else None, after, source, tuple(needs), tuple(together))
