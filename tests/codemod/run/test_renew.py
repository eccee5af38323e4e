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
IMPORT = "from tf2_recovery.training_log import TrainingLog\n"
RENEWED = "from tf2_recovery.keras_logs import TrainingLog\n"
OTHER = program("custom")


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


def earlier_folder(tree: Path, stem: str = "training_log", inside: str = "class TrainingLog:\n    pass\n") -> Path:
    """Puts a folder of release 0.0.9, with a file of a name that this release does not have; returns that."""
    (tree / "tf2_recovery").mkdir(parents=True)
    with pytest.MonkeyPatch.context() as earlier:
        earlier.setattr(stamp, "__version__", "0.0.9")
        for name, text in {"__init__": '"""Old."""\n', stem: inside}.items():
            (tree / f"tf2_recovery/{name}.py").write_text(stamp.stamped(text))
    return tree / f"tf2_recovery/{stem}.py"


def test_a_file_says_which_release_wrote_it_and_that_nobody_changed_it() -> None:
    found = stamp.read_stamp(package.text_of("keras_logs"))
    assert found is not None
    assert (found.version, found.is_edited) == (__version__, False)
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
def test_a_file_that_this_release_has_no_more_goes_and_its_importers_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], package_name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    place, dot = tmp_path / package_name, "." if package_name else ""
    old = earlier_folder(place)
    if package_name:
        (place / "__init__.py").write_text("")
    names = ["TrainingLog", "drop_empty_checkpoint_list"]
    (place / "a.py").write_text(
        f"import os\nfrom {dot}tf2_recovery.training_log import (\n    {names[0]} as Log,\n    {names[1]},\n)\n\n"
        f"def f():\n    from {dot}tf2_recovery.training_log import TrainingLog  # late\n    return TrainingLog\n"
    )
    before = (place / "a.py").read_text()
    assert main(["renew", "."]) == 1
    assert "+++ /dev/null" in capsys.readouterr().out
    assert (old.exists(), (place / "a.py").read_text()) == (True, before)
    assert main(["renew", "--write", "."]) == 0
    assert (place / "a.py").read_text() == (
        f"import os\nfrom {dot}tf2_recovery.keras_logs import TrainingLog as Log\n"
        f"from {dot}tf2_recovery.keras_step_recovery import drop_empty_checkpoint_list\n\n"
        f"def f():\n    from {dot}tf2_recovery.keras_logs import TrainingLog  # late\n    return TrainingLog\n"
    )
    held = {path.stem: path.read_text() for path in old.parent.glob("*.py")}
    assert held == {stem: package.text_of(stem) for stem in package.needed(names)}
    assert main(["renew", "."]) == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "from tf2_recovery.training_log import gone_since\n",
            "a.py imports gone_since, which this release does not have",
        ),
        ("from tf2_recovery.training_log import *\n", "a.py imports all of its names by a star"),
        ("import tf2_recovery.training_log\n", "a.py imports it as a module"),
        (
            "x = 1; from tf2_recovery.training_log import TrainingLog\n",
            "a.py:1 has its import beside another statement",
        ),
        ("def f(:\n", ""),
    ],
)
def test_a_file_whose_importers_cannot_follow_stays_and_keeps_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    old = earlier_folder(tmp_path)
    (tmp_path / "a.py").write_text(text)
    (tmp_path / "b.py").write_text(IMPORT)
    assert main(["renew", "--write", "."]) == (1 if reason else 0)
    if reason:
        assert f"tf2_recovery stays: {reason}" in capsys.readouterr().err
        assert old.exists()
        assert (tmp_path / "b.py").read_text() == IMPORT


def test_a_notebook_that_imports_a_file_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    old = earlier_folder(tmp_path)
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": [IMPORT]}
    made = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (tmp_path / "a.ipynb").write_text(json.dumps(made))
    assert main(["renew", "--write", "."]) == 1
    assert old.exists()
    assert "notebooks are not changed" in capsys.readouterr().err


def test_names_that_moved_to_files_of_their_own_are_found_where_programs_import_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    old = earlier_folder(tmp_path, "exporters", "class LatestExporter:\n    pass\n")
    program = "from tf2_recovery.exporters import LatestExporter\n"
    (tmp_path / "a.py").write_text(program)
    assert main(["renew", "--write", "."]) == 0
    assert (tmp_path / "a.py").read_text() == program
    held = {path.stem: path.read_text() for path in old.parent.glob("*.py")}
    assert held == {stem: package.text_of(stem) for stem in package.together(["exporters"])}
    assert "class LatestExporter" in "".join(held.values())


@pytest.fixture
def old_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with a file of an earlier release that this one does not have, and a program that imports it."""
    monkeypatch.chdir(tmp_path)
    earlier_folder(tmp_path)
    (tmp_path / "a.py").write_text(IMPORT)
    return tmp_path


def state(tree: Path) -> dict[str, bytes]:
    return {str(path.relative_to(tree)): path.read_bytes() for path in tree.rglob("*.py")}


def renewed_until(moment: str) -> None:
    """Renews, and dies just before or just after the old file is removed."""
    unlink = os.unlink

    def dying(path: str) -> None:
        is_last = str(path).endswith("training_log.py")
        if not is_last or moment == "after":
            unlink(path)
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)

    os.unlink = dying  # type: ignore[assignment]
    main(["renew", "--write", "."])


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_among_its_changes_is_made_up_for_by_the_next_command(
    old_tree: Path, capsys: pytest.CaptureFixture[str], moment: str
) -> None:
    process = FORK.Process(target=renewed_until, args=(moment,))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert (old_tree / "tf2_recovery/training_log.py").exists() == (moment == "before")
    assert list(old_tree.rglob(".migrate-*"))
    capsys.readouterr()
    assert main(["renew", "--write", "."]) == 0
    assert "Completed a write that was interrupted" in capsys.readouterr().err
    after = state(old_tree)
    assert "tf2_recovery/training_log.py" not in after
    assert after["a.py"] == RENEWED.encode()
    assert not list(old_tree.rglob(".migrate-*"))


def test_a_file_changed_while_it_is_renewed_stays_with_all_that_belongs_to_it(
    old_tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fsync, before = os.fsync, state(old_tree)

    def somebody_else_edits(descriptor: int) -> None:
        (old_tree / "tf2_recovery/training_log.py").write_bytes(b"OURS = 3\n")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", somebody_else_edits)
    assert main(["renew", "--write", "."]) == 2
    assert state(old_tree) == {**before, "tf2_recovery/training_log.py": b"OURS = 3\n"}
    shown = capsys.readouterr().err
    assert "has changed since it was read" in shown
    assert "0 files renewed" in shown


def test_a_file_behind_a_link_is_not_removed(old_tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (old_tree / "shared").mkdir()
    (old_tree / "tf2_recovery/training_log.py").rename(old_tree / "shared/theirs.py")
    (old_tree / "tf2_recovery/training_log.py").symlink_to("../shared/theirs.py")
    before = state(old_tree)
    assert main(["renew", "--write", "tf2_recovery"]) == 2
    assert "is a symbolic link, and is not removed" in capsys.readouterr().err
    assert state(old_tree) == before


def test_a_file_that_imports_from_two_files_that_go_loses_neither_import(
    old_tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    earlier_folder(old_tree / "other")
    (old_tree / "other/__init__.py").touch()
    (old_tree / "a.py").write_text(IMPORT + "from other.tf2_recovery.training_log import TrainingLog as Log\n")
    assert main(["renew", "--write", "."]) == 1
    assert "a.py imports from two files that go" in capsys.readouterr().err
    assert main(["renew", "--write", "."]) == 0
    assert (old_tree / "a.py").read_text() == (
        RENEWED + "from other.tf2_recovery.keras_logs import TrainingLog as Log\n"
    )
    assert {name for name in state(old_tree) if name.endswith("training_log.py")} == set()


def test_what_is_in_a_name_is_shown_escaped(old_tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = earlier_folder(old_tree / "\x1b[2J")
    old.write_text(old.read_text() + "OURS = 3\n")
    assert main(["renew", "."]) == 1
    errors = capsys.readouterr().err
    assert "\x1b" not in errors
    assert "\\x1b[2J/tf2_recovery/training_log.py stays" in errors
