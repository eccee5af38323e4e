"""A run on an unchanged tree says what the last one said, without looking again; any change is seen."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.cache import Cache
from migrate.outcome import Outcome
from migrate.run import run
from migrate.settings import Settings
from tests.codemod.programs import program

OLD = 1_600_000_000


class Runs:
    """Counts the runs that really look at the tree."""

    def __init__(self, tree: Path, cache: Path) -> None:
        self.tree, self.cache, self.count = tree, cache, 0

    def __call__(self, settings: Settings = Settings()) -> Outcome:  # noqa: B008
        return Cache(str(self.cache), [str(self.tree)], settings).run(lambda: self._look(settings))

    def _look(self, settings: Settings) -> Outcome:
        self.count += 1
        return run([str(self.tree)], settings, jobs=1, progress=None)


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    tree = tmp_path / "tree"
    tree.mkdir()
    for name, text in {"a.py": program(), "b.py": "x = 1\n"}.items():
        (tree / name).write_text(text)
        os.utime(tree / name, (OLD, OLD))
    return Runs(tree, tmp_path / "cache")


def test_a_second_run_says_the_same_and_does_not_look(runs: Runs) -> None:
    first, second = runs(), runs()
    assert first.changes
    assert second == first
    assert runs.count == 1


def test_a_file_that_was_only_touched_is_unchanged(runs: Runs) -> None:
    runs()
    (runs.tree / "b.py").touch()
    runs()
    assert runs.count == 1


@pytest.mark.parametrize("text", ["x = 2\n", "x = 1\ny = 2\n"])
def test_a_changed_file_is_seen_whatever_its_time(runs: Runs, text: str) -> None:
    runs()
    (runs.tree / "b.py").write_text(text)
    if len(text) > 6:
        os.utime(runs.tree / "b.py", (OLD, OLD))
    runs()
    assert runs.count == 2


def test_a_file_changed_within_the_tick_of_a_run_is_seen(runs: Runs) -> None:
    path = runs.tree / "b.py"
    path.touch()
    before = path.stat()
    runs()
    path.write_text("x = 3\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    runs()
    assert runs.count == 2


def test_a_new_file_and_other_settings_are_seen(runs: Runs) -> None:
    runs()
    (runs.tree / "c.py").write_text("")
    runs()
    runs(replace(Settings(), target="keras3"))
    assert runs.count == 3


def test_a_cache_that_is_no_cache_is_passed_over(runs: Runs) -> None:
    runs()
    for path in runs.cache.iterdir():
        path.write_text(json.dumps({"files": {}, "outcome": []}))
    assert runs().changes
    assert runs.count == 2
