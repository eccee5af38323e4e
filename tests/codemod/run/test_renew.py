"""Helpers name their release; two releases never mix, and a fix reaches a tree where nobody edited them."""

import json
import re

import pytest

from migrate import __version__
from migrate.cli.main import main
from migrate.runtime_files import package
from tests.codemod.programs import program
from tests.codemod.trees import put
from tests.runtime_package import files_beside

PREDICTING = program()
OTHER = program("custom")


def release(monkeypatch, *arguments, **worse):
    """Runs the command as release 0.0.9, in whose files ``worse`` stands too."""
    with monkeypatch.context() as earlier:
        texts = {stem: text + worse.get(stem, "") for stem, text in package.sources().items()}
        earlier.setattr(package, "__version__", "0.0.9")
        earlier.setattr(package, "sources", lambda: texts)
        package.text_of.cache_clear()
        assert main([*arguments]) == 1
    package.text_of.cache_clear()


@pytest.fixture
def old(tmp_path, monkeypatch):
    """A tree with one program, migrated by a release whose premade/dnn.py had a mistake."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(PREDICTING)
    release(monkeypatch, "--write", ".", **{"premade/dnn": "\n\nclass _Mistake:\n    pass\n"})
    assert "class _Mistake" in logs(tmp_path)
    return tmp_path


def logs(tree):
    return (tree / "tf2_recovery/premade/dnn.py").read_text()


def test_a_file_says_which_release_wrote_it_and_that_nobody_changed_it():
    found = package.read_stamp(package.text_of("premade/dnn"))
    assert found is not None
    assert (found.version, found.is_edited) == (__version__, False)
    assert package.read_stamp("x = 3\n") is None


def test_its_layout_and_a_licence_above_it_are_no_change_and_a_word_is_one():
    text = package.text_of("premade/dnn")
    laid_out = "# Copyright 2026.\n\n" + text.replace("    ", "  ").replace("\n", "\r\n")
    for one, is_edited in ((text, False), (laid_out, False), (text.replace("self", "this", 1), True)):
        found = package.read_stamp(one)
        assert found is not None
        assert found.is_edited == is_edited


def test_renew_shows_the_diff_and_with_write_replaces_what_nobody_edited(old, capsys):
    capsys.readouterr()
    program_before = (old / "a.py").read_text()
    assert main(["renew", "."]) == 1
    assert "-class _Mistake:" in capsys.readouterr().out
    assert "class _Mistake" in logs(old)
    assert main(["renew", "--write", "."]) == 0
    assert "renewed" in capsys.readouterr().err
    for file, text in files_beside(old).items():
        assert text == package.text_of(file)
    assert (old / "a.py").read_text() == program_before
    assert main(["renew", "."]) == 0
    assert capsys.readouterr().out == ""


def test_renew_of_a_program_brings_up_the_runtime_files_that_it_imports_and_no_others(old, monkeypatch):
    put(old, {"other/b.py": PREDICTING})
    release(monkeypatch, "--write", "other")
    assert main(["renew", "--write", "--program", "a.py"]) == 0
    assert logs(old) == package.text_of("premade/dnn")
    assert logs(old / "other") != package.text_of("premade/dnn")


def test_renew_leaves_a_folder_with_an_edited_file_and_names_it(old, capsys):
    (old / "tf2_recovery/premade/dnn.py").write_text(logs(old) + "\n\nOURS = 3\n")
    before = {path: path.read_text() for path in old.rglob("*.py")}
    capsys.readouterr()
    assert main(["renew", "--write", "."]) == 1
    shown = capsys.readouterr()
    assert "premade/dnn.py stays: it was changed since release 0.0.9 wrote it" in shown.err
    assert re.search(r"^0 files renewed; 1 file of earlier releases stays$", shown.err, re.MULTILINE)
    assert shown.out == ""
    assert {path: path.read_text() for path in old.rglob("*.py")} == before


def test_what_is_edited_in_files_of_this_release_is_nothing_to_renew(here, capsys):
    (here / "a.py").write_text(PREDICTING)
    main(["--write", "."])
    (here / "tf2_recovery/premade/dnn.py").write_text(logs(here) + "\n\nOURS = 3\n")
    capsys.readouterr()
    assert main(["renew", "."]) == 0
    assert capsys.readouterr().out == ""


def test_a_later_run_renews_the_folder_that_it_adds_to(old):
    (old / "b.py").write_text(OTHER)
    main(["--write", "."])
    found = files_beside(old)
    assert found == {file: package.text_of(file) for file in found}
    assert len(found) > 5


def test_a_later_run_adds_nothing_beside_an_edited_file_of_another_release(old, capsys):
    (old / "tf2_recovery/premade/dnn.py").write_text(logs(old).replace("pass", "x = 3"))
    before = {path: path.read_text() for path in old.rglob("*.py")}
    (old / "b.py").write_text(OTHER)
    capsys.readouterr()
    assert main(["--write", "--format", "json", "."]) == 2
    found = json.loads(capsys.readouterr().out)["findings"]
    assert ["is of release 0.0.9, and was changed" in one["message"] for one in found if one["code"] == "FT006"] == [
        True
    ]
    assert {path: path.read_text() for path in old.rglob("*.py")} == {**before, old / "b.py": OTHER}


def test_a_file_that_this_release_has_no_more_stays_with_its_folder(old, monkeypatch, capsys):
    with monkeypatch.context() as earlier:
        earlier.setattr(package, "__version__", "0.0.9")
        (old / "tf2_recovery/training_log.py").write_text(package.add_stamp("class TrainingLog:\n    pass\n"))
    before = {path: path.read_text() for path in old.rglob("*.py")}
    assert main(["renew", "--write", "."]) == 1
    line = "tf2_recovery/training_log.py stays: this release has no file of its name; migrate the old program again"
    assert line in capsys.readouterr().err.splitlines()
    assert {path: path.read_text() for path in old.rglob("*.py")} == before


def test_a_file_that_is_not_the_tools_is_named_and_left(old, capsys):
    (old / "tf2_recovery/__init__.py").write_text("OURS = 3\n")
    before = {path: path.read_text() for path in old.rglob("*.py")}
    assert main(["renew", "--write", "."]) == 1
    assert "tf2_recovery stays: it is where the generated recovery code would be written" in capsys.readouterr().err
    assert {path: path.read_text() for path in old.rglob("*.py")} == before


def test_what_is_in_a_name_is_shown_escaped(old, capsys):
    (old / "tf2_recovery/premade/dnn.py").write_text(logs(old) + "\n\nOURS = 3\n")
    (old / "tf2_recovery").rename(old / "\x1b[2J")
    assert main(["renew", "."]) == 1
    errors = capsys.readouterr().err
    assert "\x1b" not in errors
    assert "\\x1b[2J/premade/dnn.py stays" in errors
