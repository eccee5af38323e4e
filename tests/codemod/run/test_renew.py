"""An emitted module names its release; two releases never mix, and a fix reaches a tree that nobody changed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from migrate import __version__
from migrate.cli import main
from migrate.rewrite import pieces, stamp
from tests.codemod.programs import program

PREDICTING = program()
OTHER = program("custom")


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with one program, migrated by a release whose TrainingLog had a mistake."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(PREDICTING)
    with monkeypatch.context() as earlier:
        earlier.setattr(stamp, "__version__", "0.0.9")
        log, read = pieces.piece_of("TrainingLog"), pieces._of_module
        worse = {"TrainingLog": replace(log, source=log.source + "\n\nclass _Mistake:\n    pass\n")}
        earlier.setattr(pieces, "_of_module", lambda module: read(module) | (worse if module == "training_log" else {}))
        assert main(["--write", "."]) == 1
    assert "class _Mistake" in module(tmp_path)
    return tmp_path


def module(tree: Path) -> str:
    return (tree / "tf2_recovery.py").read_text()


def test_a_module_says_which_release_wrote_it_and_that_nobody_changed_it() -> None:
    text = pieces.module(["TrainingLog"])
    assert stamp.read_stamp(text) == stamp.Stamp(__version__, is_edited=False)
    assert stamp.read_stamp("x = 3\n") is None


def test_its_layout_is_no_change_and_a_word_is_one() -> None:
    text = pieces.module(["TrainingLog"])
    imports = [line for line in text.splitlines() if line.startswith("import ")]
    sorted_anew = text.replace("\n".join(imports[:2]), "\n".join(imports[1::-1])).replace("\n", "\r\n")
    assert stamp.read_stamp(sorted_anew) == stamp.Stamp(__version__, is_edited=False)
    assert stamp.read_stamp(text.replace("self", "this", 1)) == stamp.Stamp(__version__, is_edited=True)


def test_renew_shows_the_diff_of_a_module_of_an_earlier_release_and_replaces_it_where_write_says_so(
    old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    program_before = (old / "a.py").read_text()
    assert main(["renew", "."]) == 1
    assert "class _Mistake" in module(old)
    shown = capsys.readouterr()
    assert "-class _Mistake:" in shown.out
    assert "1 module to renew with --write" in shown.err
    assert main(["renew", "--write", "."]) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "1 module renewed" in shown.err
    assert "class _Mistake" not in module(old)
    assert f"{stamp.MARK} {__version__} " in module(old)
    assert (old / "a.py").read_text() == program_before
    assert main(["renew", "."]) == 0
    assert capsys.readouterr().out == ""


def test_renew_leaves_a_module_that_somebody_changed(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed = module(old).replace("pass", "x = 3")
    (old / "tf2_recovery.py").write_text(changed)
    capsys.readouterr()
    assert main(["renew", "--write", "."]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "tf2_recovery.py stays: it was changed since it was written" in shown.err
    assert module(old) == changed


def test_a_later_run_renews_the_module_that_it_adds_to(old: Path) -> None:
    (old / "b.py").write_text(OTHER)
    main(["--write", "."])
    assert "class _Mistake" not in module(old)
    assert "def run_training" in module(old)
    assert module(old) == pieces.module(pieces.provided_by(module(old)))


def test_a_later_run_adds_nothing_to_a_changed_module_of_another_release(
    old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = module(old).replace("pass", "x = 3")
    (old / "tf2_recovery.py").write_text(changed)
    (old / "b.py").write_text(OTHER)
    capsys.readouterr()
    assert main(["--write", "--format", "json", "."]) == 2
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [
        "is of release 0.0.9 and was changed since" in one["message"] for one in found if one["code"] == "FT006"
    ] == [True]
    assert module(old) == changed
    assert (old / "b.py").read_text() == OTHER


def test_a_changed_module_of_this_release_keeps_its_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(PREDICTING)
    main(["--write", "."])
    changed = module(tmp_path) + "\n\nOWN = 3\n"
    (tmp_path / "tf2_recovery.py").write_text(changed)
    (tmp_path / "b.py").write_text(OTHER)
    main(["--write", "."])
    assert "\nOWN = 3\n" in module(tmp_path)
    assert "def run_training" in module(tmp_path)


def test_a_module_without_a_stamp_is_renewed_where_it_is_what_this_release_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = pieces.module(["TrainingLog"])
    line = next(line for line in text.splitlines() if stamp.MARK in line)
    bare = text.replace(line, f'"""Checkpoint recovery for TensorFlow 2, {stamp.MARK}.')
    (tmp_path / "tf2_recovery.py").write_text(bare)
    assert main(["renew", "--write", "."]) == 0
    assert module(tmp_path) == text
    (tmp_path / "tf2_recovery.py").write_text(bare.replace("self", "this", 1))
    assert main(["renew", "."]) == 1
