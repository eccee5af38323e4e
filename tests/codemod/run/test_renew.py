"""Helpers name their release; two releases never mix, and a fix reaches a tree where nobody edited them."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from migrate import __version__
from migrate.cli.main import main
from migrate.helpers import package, stamp
from tests.codemod.files.test_kill import FORK
from tests.codemod.programs import program

PREDICTING = program()
OTHER = program("custom")
MODULE = '''\
"""Checkpoint recovery for TensorFlow 2, written by estimator-migrate 0.0.9 (content {}).

Needs nothing but TensorFlow, 2.12 or later.
"""

import tensorflow as tf


class TrainingLog:
    pass


class _Own:
    pass


def {}():
    pass
'''


def release(monkeypatch: pytest.MonkeyPatch, *arguments: str, **worse: str) -> None:
    """Runs the command as release 0.0.9, in whose files ``worse`` stands too."""
    with monkeypatch.context() as earlier:
        texts = {stem: text + worse.get(stem, "") for stem, text in package.sources().items()}
        earlier.setattr(stamp, "__version__", "0.0.9")
        earlier.setattr(package, "sources", lambda: texts)
        package.text_of.cache_clear()
        assert main([*arguments]) == 1
    package.text_of.cache_clear()


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with one program, migrated by a release whose keras_logs had a mistake."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(PREDICTING)
    release(monkeypatch, "--write", ".", keras_logs="\n\nclass _Mistake:\n    pass\n")
    assert "class _Mistake" in logs(tmp_path)
    return tmp_path


def logs(tree: Path) -> str:
    return (tree / "tf2_recovery/keras_logs.py").read_text()


def earlier_module(tree: Path, name: str = "drop_empty_checkpoint_list", folder: str = "") -> Path:
    """Puts the one module of helpers that releases before the folder wrote."""
    text = MODULE.format("", name)
    definitions = text[text.index("\n\nclass") :]
    path = tree / folder / "tf2_recovery.py"
    path.write_text(MODULE.format(stamp.content(definitions)[:12], name))
    return path


def test_a_file_says_which_release_wrote_it_and_that_nobody_changed_it() -> None:
    found = stamp.read_stamp(package.text_of("keras_logs"))
    assert found is not None
    assert (found.version, found.is_edited, found.is_module) == (__version__, False, False)
    assert stamp.read_stamp("x = 3\n") is None


def test_its_layout_and_a_licence_above_it_are_no_change_and_a_word_is_one() -> None:
    text = package.text_of("keras_logs")
    laid_out = "# Copyright 2026.\n\n" + text.replace("    ", "  ").replace("\n", "\r\n")
    for one, is_edited in ((text, False), (laid_out, False), (text.replace("self", "this", 1), True)):
        found = stamp.read_stamp(one)
        assert found is not None
        assert found.is_edited == is_edited


def test_renew_shows_the_diff_and_with_write_replaces_what_nobody_edited(
    old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    program_before = (old / "a.py").read_text()
    assert main(["renew", "."]) == 1
    assert "-class _Mistake:" in capsys.readouterr().out
    assert "class _Mistake" in logs(old)
    assert main(["renew", "--write", "."]) == 0
    assert "renewed" in capsys.readouterr().err
    for path in (old / "tf2_recovery").glob("*.py"):
        assert path.read_text() == package.text_of(path.stem)
    assert (old / "a.py").read_text() == program_before
    assert main(["renew", "."]) == 0
    assert capsys.readouterr().out == ""


def test_renew_of_a_program_brings_up_the_helpers_that_it_imports_and_no_others(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (old / "other").mkdir()
    (old / "other" / "b.py").write_text(PREDICTING)
    release(monkeypatch, "--write", "other")
    assert main(["renew", "--write", "--program", "a.py"]) == 0
    assert logs(old) == package.text_of("keras_logs")
    assert logs(old / "other") != package.text_of("keras_logs")


@pytest.mark.parametrize("is_committed", [True, False])
def test_renew_leaves_a_folder_with_an_edited_file_and_shows_what_both_sides_changed(
    old: Path, capsys: pytest.CaptureFixture[str], is_committed: bool
) -> None:
    if is_committed:
        commit = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "migrated"]
        for command in (["init", "-q"], ["add", "."], commit):
            subprocess.run(["git", *command], check=True)
    changed = logs(old) + "\n\nOURS = 3\n"
    (old / "tf2_recovery/keras_logs.py").write_text(changed)
    before = {path: path.read_text() for path in old.rglob("*.py")}
    capsys.readouterr()
    assert main(["renew", "--write", "."]) == 1
    shown = capsys.readouterr()
    assert "keras_logs.py stays: it was changed since release 0.0.9 wrote it" in shown.err
    assert {path: path.read_text() for path in old.rglob("*.py")} == before
    if is_committed:
        yours, _, news = shown.out.partition("What this release changes in it:")
        assert "\n+OURS = 3\n" in yours
        assert "-class _Mistake" not in yours
        assert "\n-class _Mistake:\n" in news
        assert "OURS" not in news
    else:
        assert "What release 0.0.9 wrote is not known here" in shown.out
        assert "\n-OURS = 3\n" in shown.out


def test_what_is_edited_in_files_of_this_release_is_nothing_to_renew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(PREDICTING)
    main(["--write", "."])
    (tmp_path / "tf2_recovery/keras_logs.py").write_text(logs(tmp_path) + "\n\nOURS = 3\n")
    capsys.readouterr()
    assert main(["renew", "."]) == 0
    assert capsys.readouterr().out == ""


def test_a_later_run_renews_the_folder_that_it_adds_to(old: Path) -> None:
    (old / "b.py").write_text(OTHER)
    main(["--write", "."])
    held = {path.stem: path.read_text() for path in (old / "tf2_recovery").glob("*.py")}
    assert held == {stem: package.text_of(stem) for stem in held}
    assert len(held) > 5


def test_a_later_run_adds_nothing_beside_an_edited_file_of_another_release(
    old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (old / "tf2_recovery/keras_logs.py").write_text(logs(old).replace("pass", "x = 3"))
    before = {path: path.read_text() for path in old.rglob("*.py")}
    (old / "b.py").write_text(OTHER)
    capsys.readouterr()
    assert main(["--write", "--format", "json", "."]) == 2
    found = json.loads(capsys.readouterr().out)["findings"]
    assert ["is of release 0.0.9, and was changed" in one["message"] for one in found if one["code"] == "FT006"] == [
        True
    ]
    assert {path: path.read_text() for path in old.rglob("*.py")} == {**before, old / "b.py": OTHER}


@pytest.mark.parametrize("package_name", ["", "p"])
def test_the_module_of_an_earlier_release_becomes_the_folder_and_its_importers_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], package_name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    place = tmp_path / package_name
    place.mkdir(exist_ok=True)
    dot = ""
    if package_name:
        (place / "__init__.py").write_text("")
        dot = "."
    module = earlier_module(tmp_path, folder=package_name)
    (place / "a.py").write_text(
        f"import os\nfrom {dot}tf2_recovery import (\n    TrainingLog as Log,\n    drop_empty_checkpoint_list,\n)\n\n"
        f"def f():\n    from {dot}tf2_recovery import TrainingLog  # late\n    return TrainingLog\n"
    )
    before = (place / "a.py").read_text()
    assert main(["renew", "."]) == 1
    assert "+++ /dev/null" in capsys.readouterr().out
    assert (module.exists(), (place / "a.py").read_text()) == (True, before)
    assert main(["renew", "--write", "."]) == 0
    assert not module.exists()
    assert (place / "a.py").read_text() == (
        f"import os\nfrom {dot}tf2_recovery.keras_logs import TrainingLog as Log\n"
        f"from {dot}tf2_recovery.keras_step_recovery import drop_empty_checkpoint_list\n\n"
        f"def f():\n    from {dot}tf2_recovery.keras_logs import TrainingLog  # late\n    return TrainingLog\n"
    )
    held = {path.stem: path.read_text() for path in (place / "tf2_recovery").glob("*.py")}
    names = ["TrainingLog", "drop_empty_checkpoint_list"]
    assert held == {stem: package.text_of(stem) for stem in package.needed(names)}
    assert main(["renew", "."]) == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("from tf2_recovery import gone_since\n", "a.py imports gone_since, which this release does not have"),
        ("from tf2_recovery import *\n", "a.py imports all of its names by a star"),
        ("import tf2_recovery\n", "a.py imports it as a module"),
        ("x = 1; from tf2_recovery import TrainingLog\n", "a.py:1 has its import beside another statement"),
        ("def f(:\n", ""),
    ],
)
def test_a_module_whose_importers_cannot_follow_stays_and_keeps_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    module = earlier_module(tmp_path, "gone_since")
    (tmp_path / "a.py").write_text(text)
    (tmp_path / "b.py").write_text("from tf2_recovery import TrainingLog\n")
    assert main(["renew", "--write", "."]) == (1 if reason else 0)
    if reason:
        assert f"tf2_recovery.py stays: {reason}" in capsys.readouterr().err
        assert module.exists()
        assert (tmp_path / "b.py").read_text() == "from tf2_recovery import TrainingLog\n"


def test_a_notebook_that_imports_the_module_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    module = earlier_module(tmp_path)
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    made = {"cells": [{**cell, "source": ["from tf2_recovery import TrainingLog"]}], "metadata": {}}
    (tmp_path / "a.ipynb").write_text(json.dumps({**made, "nbformat": 4, "nbformat_minor": 4}))
    assert main(["renew", "--write", "."]) == 1
    assert module.exists()
    assert "notebooks are not changed" in capsys.readouterr().err


def test_an_edited_module_of_an_earlier_release_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    module = earlier_module(tmp_path)
    module.write_text(module.read_text() + "\n\nOURS = 3\n")
    (tmp_path / "a.py").write_text("from tf2_recovery import TrainingLog\n")
    assert main(["renew", "--write", "."]) == 1
    assert "tf2_recovery.py stays: it was changed since it was written" in capsys.readouterr().err
    assert module.exists()
    assert not (tmp_path / "tf2_recovery").exists()


def test_a_file_that_this_release_has_no_more_goes_and_its_names_are_imported_from_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tf2_recovery").mkdir()
    with monkeypatch.context() as earlier:
        earlier.setattr(stamp, "__version__", "0.0.9")
        texts = {"__init__": '"""Old."""\n', "training_log": "class TrainingLog:\n    pass\n"}
        for stem, text in texts.items():
            (tmp_path / f"tf2_recovery/{stem}.py").write_text(stamp.stamped(text))
    (tmp_path / "a.py").write_text("from tf2_recovery.training_log import TrainingLog\n")
    assert main(["renew", "--write", "."]) == 0
    assert (tmp_path / "a.py").read_text() == "from tf2_recovery.keras_logs import TrainingLog\n"
    assert {path.name for path in (tmp_path / "tf2_recovery").iterdir()} == {"__init__.py", "keras_logs.py"}


@pytest.fixture
def module_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with the one module of an earlier release and a program that imports it."""
    monkeypatch.chdir(tmp_path)
    earlier_module(tmp_path)
    (tmp_path / "a.py").write_text("from tf2_recovery import TrainingLog\n")
    return tmp_path


def state(tree: Path) -> dict[str, bytes]:
    return {str(path.relative_to(tree)): path.read_bytes() for path in tree.rglob("*.py")}


def renewed_until(moment: str) -> None:
    """Renews, and dies just before or just after the old module is removed."""
    unlink = os.unlink

    def dying(path: str) -> None:
        is_last = str(path).endswith("tf2_recovery.py")
        if not is_last or moment == "after":
            unlink(path)
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)

    os.unlink = dying  # type: ignore[assignment]
    main(["renew", "--write", "."])


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_among_its_changes_is_made_up_for_by_the_next_command(
    module_tree: Path, capsys: pytest.CaptureFixture[str], moment: str
) -> None:
    process = FORK.Process(target=renewed_until, args=(moment,))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert (module_tree / "tf2_recovery.py").exists() == (moment == "before")
    assert list(module_tree.rglob(".migrate-*"))
    capsys.readouterr()
    assert main(["renew", "--write", "."]) == 0
    assert "Completed a write that was interrupted" in capsys.readouterr().err
    after = state(module_tree)
    assert "tf2_recovery.py" not in after
    assert after["a.py"] == b"from tf2_recovery.keras_logs import TrainingLog\n"
    assert not list(module_tree.rglob(".migrate-*"))


def test_a_module_changed_while_it_is_renewed_stays_with_all_that_belongs_to_it(
    module_tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fsync, before = os.fsync, state(module_tree)

    def somebody_else_edits(descriptor: int) -> None:
        (module_tree / "tf2_recovery.py").write_bytes(b"OURS = 3\n")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", somebody_else_edits)
    assert main(["renew", "--write", "."]) == 2
    assert state(module_tree) == {**before, "tf2_recovery.py": b"OURS = 3\n"}
    shown = capsys.readouterr().err
    assert "has changed since it was read" in shown
    assert "0 files renewed" in shown


def test_a_module_behind_a_link_is_not_removed(module_tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (module_tree / "shared").mkdir()
    (module_tree / "tf2_recovery.py").rename(module_tree / "shared/theirs.py")
    (module_tree / "tf2_recovery.py").symlink_to("shared/theirs.py")
    before = state(module_tree)
    assert main(["renew", "--write", "tf2_recovery.py"]) == 2
    assert "is a symbolic link, and is not removed" in capsys.readouterr().err
    assert state(module_tree) == before


def test_a_file_that_imports_from_two_modules_that_go_loses_neither_import(
    module_tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (module_tree / "other").mkdir()
    (module_tree / "other/__init__.py").touch()
    earlier_module(module_tree, folder="other")
    (module_tree / "a.py").write_text(
        "from tf2_recovery import TrainingLog\nfrom other.tf2_recovery import TrainingLog as Log\n"
    )
    assert main(["renew", "--write", "."]) == 1
    assert "a.py imports from two files that go" in capsys.readouterr().err
    assert main(["renew", "--write", "."]) == 0
    assert (module_tree / "a.py").read_text() == (
        "from tf2_recovery.keras_logs import TrainingLog\n"
        "from other.tf2_recovery.keras_logs import TrainingLog as Log\n"
    )
    assert {name for name in state(module_tree) if name.endswith("tf2_recovery.py")} == set()


def test_what_is_in_a_name_is_shown_escaped(module_tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = module_tree / "\x1b[2J"
    place.mkdir()
    module = earlier_module(module_tree, folder="\x1b[2J")
    module.write_text(module.read_text() + "OURS = 3\n")
    assert main(["renew", "."]) == 1
    errors = capsys.readouterr().err
    assert "\x1b" not in errors
    assert "\\x1b[2J/tf2_recovery.py stays" in errors
