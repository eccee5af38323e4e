"""A run on an unchanged tree says what the last one said, without looking again; any change is seen."""

import hashlib
import json
import os
import random
import signal
import stat
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from migrate.cli.main import main
from migrate.pipeline.cache import Cache, tool_files
from migrate.pipeline.run import run
from migrate.results.outcome import Outcome
from migrate.settings import Settings
from tests.codemod.programs import program

OLD = 1_600_000_000


class Runs:
    """Counts the runs that really look at the tree."""

    def __init__(self, tree: Path, cache: Path) -> None:
        self.tree, self.cache, self.count = tree, cache, 0

    def __call__(self, settings: Settings = Settings()) -> Outcome:  # noqa: B008
        return Cache(str(self.cache), [str(self.tree)], settings).run(lambda only: self._look(settings, only))

    def _look(self, settings: Settings, only: Collection[str] | None) -> Outcome:
        self.count += 1
        return run([str(self.tree)], settings, jobs=1, progress=None, only=only)


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


def kept(runs: Runs) -> Path:
    """The one file that a run has left."""
    [path] = runs.cache.rglob("*.json")
    return path


def poisoned(runs: Runs, change: Callable[[dict[str, Any]], object]) -> None:
    """Changes what a run has left as somebody would who knows its form."""
    content = json.loads(kept(runs).read_bytes().partition(b"\n")[2])
    change(content)
    data = json.dumps(content).encode()
    kept(runs).write_bytes(hashlib.blake2b(data, digest_size=16).hexdigest().encode() + b"\n" + data)


def test_a_cache_that_is_no_cache_is_made_anew(runs: Runs) -> None:
    first = runs()
    whole, choose = kept(runs).read_bytes(), random.Random(3)
    malformed = [b"", b"{}", b"[" * 100_000, json.dumps({"files": {}, "outcome": []}).encode(), whole[:-1]]
    for _ in range(12):
        place = choose.randrange(len(whole))
        malformed.append(whole[:place] + bytes([choose.randrange(256)]) + whole[place + 1 :])
    for count, data in enumerate(malformed, start=1):
        kept(runs).write_bytes(data)
        assert runs() == first
        assert runs.count == 1 + count - sum(one == whole for one in malformed[:count])
        assert kept(runs).read_bytes() == whole


@pytest.mark.parametrize(
    "change",
    [
        lambda cache: cache["files"].update({"x.py": 5}),
        lambda cache: cache["files"].update({"x.py": [1, 2, 3]}),
        lambda cache: cache.update(files=[]),
        lambda cache: cache.update(version="0.0.1"),
        lambda cache: cache["outcome"].update(changes=[{}]),
        lambda cache: cache["outcome"].update(findings=5),
        lambda cache: cache["outcome"]["changes"].append([]),
    ],
)
def test_a_cache_of_another_form_is_made_anew(runs: Runs, change: Callable[[dict[str, Any]], object]) -> None:
    first = runs()
    poisoned(runs, change)
    assert runs() == first
    assert runs.count == 2


def test_another_version_of_any_rule_or_table_of_the_tool_is_another_tool() -> None:
    ours = Path(__file__).parents[3] / "migrate"
    known = {Path(path) for path in tool_files()}
    assert known >= {path for path in ours.rglob("*") if path.suffix in (".py", ".txt")}


def test_a_cache_that_names_a_file_outside_the_run_is_made_anew(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("x = 1\n")
    (runs.tree / "link.py").symlink_to(tmp_path / "outside.py")
    first = runs()
    for path, is_new in (("outside.py", False), ("new.py", True), ("tree/link.py", False), ("tree/../new.py", True)):
        looked = runs.count
        other = {**_CHANGE, "path": str(tmp_path / path), "is_new": is_new}
        poisoned(runs, lambda cache: cache["outcome"]["changes"].append(other))  # noqa: B023
        assert runs() == first
        assert runs.count == looked + 1


_CHANGE = {"path": "", "after": "evil\n", "is_new": True, "needs": None, "together": [], "generated": 0}


def test_no_text_of_a_cache_is_ever_written(runs: Runs) -> None:
    found = ["--cache-dir", str(runs.cache), str(runs.tree)]
    assert main(found) == 1

    def evil(cache: dict[str, Any]) -> None:
        for change in cache["outcome"]["changes"]:
            change["after"] = "evil\n"

    poisoned(runs, evil)
    assert main(["--write", *found]) == 1
    texts = [path.read_text() for path in runs.tree.glob("*.py")]
    assert "CheckpointManager(" in "".join(texts)
    assert "evil\n" not in texts


def test_nothing_waits_for_a_named_pipe_in_the_place_of_a_cache(runs: Runs) -> None:
    first = runs()
    path = kept(runs)
    path.unlink()
    os.mkfifo(path, 0o600)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)  # what waits is interrupted
    signal.alarm(20)
    try:
        assert runs() == first
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert runs.count == 2
    assert path.is_file()  # it was made anew


def test_a_cache_that_others_may_write_or_have_made_is_not_used(runs: Runs, tmp_path: Path) -> None:
    first = runs()
    path = kept(runs)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700

    def is_not_used() -> bool:
        looked = runs.count
        return runs() == first and runs.count == looked + 1

    path.parent.chmod(0o770)
    assert is_not_used()
    path.parent.chmod(0o700)
    path.chmod(0o660)
    assert is_not_used()
    elsewhere = path.parent.rename(tmp_path / "elsewhere")
    path.parent.symlink_to(elsewhere)
    assert is_not_used()
    path.parent.unlink()
    path.parent.mkdir(0o700)
    path.symlink_to(elsewhere / path.name)
    assert is_not_used()
    if os.geteuid() == 0:
        os.chown(path, 1234, 1234)
        assert is_not_used()
    path.unlink()
    os.mkfifo(path)
    assert is_not_used()


CUSTOM = """\
import tensorflow as tf

from model import model_fn


def input_fn():
    return tf.data.Dataset.from_tensors((0, 1)).repeat()


est = tf.estimator.Estimator(model_fn, "/tmp/m")
est.train(input_fn, max_steps=10)
"""
MODEL = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_sum(labels))
"""
TRAINS = "import tensorflow as tf\n\n\ndef start(estimator):\n    tf.estimator.train_and_evaluate(estimator, a, b)\n"
TEXTS = (
    CUSTOM, CUSTOM.replace("from model", "from lm.model"), CUSTOM.replace("from model", "from .model"), MODEL, TRAINS,
    MODEL.replace("reduce_sum", "log"), MODEL + "\n\nfrom helper import other\n", program(), "", "x = 1\n", "def (",
    "from model import *\n", "import sys\n\nsys.path.append('lm')\n" + CUSTOM,
)  # fmt: skip
PLACES = (
    "train.py", "model.py", "lm/__init__.py", "lm/model.py", "lm/train.py", "one/train.py", "one/model.py",
    "one/helper.py", "two/train.py", "two/model.py", "two/inner/model.py", "two/inner/train.py", "two/tf2_recovery.py",
    "two/tf2_recovery/__init__.py",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("rewritten_once")
@pytest.mark.parametrize("rewrites", [True, False])
def test_after_any_edit_the_cache_says_what_a_run_without_it_says(tmp_path: Path, rewrites: bool) -> None:
    choose, tree = random.Random(22), tmp_path / "tree"
    given, looked = [str(tree)], [0, 0]

    def look(only: Collection[str] | None = None) -> Outcome:
        looked[only is not None] += 1
        return run(given, Settings(), jobs=1, progress=None, rewrites=rewrites, only=only)

    for step in range(60):
        path = tree / choose.choice(PLACES)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and choose.random() < 0.3:
            path.unlink()
        else:
            path.write_text(choose.choice(TEXTS))
        found = Cache(str(tmp_path / "cache"), given, Settings(), rewrites).run(look)
        assert found == run(given, Settings(), jobs=1, progress=None, rewrites=rewrites), (step, path)
    assert looked[True] > 10  # else nothing is shown of looking at a part


def test_only_the_programs_that_a_changed_file_is_joined_with_are_looked_at(tmp_path: Path) -> None:
    for name, text in {"one/train": CUSTOM, "one/model": MODEL, "two/train": CUSTOM, "two/model": MODEL}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).with_suffix(".py").write_text(text)
    looked: list[Collection[str] | None] = []

    def look(only: Collection[str] | None) -> Outcome:
        looked.append(only)
        return run([str(tmp_path)], Settings(), jobs=1, progress=None, only=only)

    for text in (MODEL, MODEL.replace("reduce_sum", "reduce_mean")):
        (tmp_path / "one" / "model.py").write_text(text)
        found = Cache(str(tmp_path / "cache"), [str(tmp_path)], Settings()).run(look)
        assert len(found.programs) == 2
    assert looked == [None, {str(tmp_path / "one" / name) for name in ("train.py", "model.py")}]
