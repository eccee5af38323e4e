"""What a run over a directory found is kept in the user's directory for caches, so that the next one is quick."""

import os
from pathlib import Path

import pytest

from migrate.cli.command_line import parse
from migrate.cli.main import main
from migrate.files import private
from migrate.files.private import PrivateFolder, user_cache
from migrate.pipeline import run as running


@pytest.fixture
def caches(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's directory for caches."""
    directory = tmp_path_factory.mktemp("caches")
    monkeypatch.setenv("XDG_CACHE_HOME", str(directory))
    return directory


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """One entry for each run that looked at files."""
    seen: list[object] = []
    look = running.run
    monkeypatch.setattr(running, "run", lambda *args, **named: (seen.append(args), look(*args, **named))[1])
    return seen


def test_a_second_run_over_a_directory_prints_the_same_and_looks_at_nothing(
    project: Path, caches: Path, looks: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["."]) == 1
    first = capsys.readouterr()
    assert main(["."]) == 1
    assert capsys.readouterr() == first
    assert len(looks) == 1
    (project / "other.py").write_text("import tensorflow as tf\nsaver = tf.train.Saver()\n")
    assert main(["."]) == 1
    assert len(looks) == 2


def test_nothing_is_kept_of_a_run_over_files_or_without_a_cache(project: Path, caches: Path) -> None:
    assert main(["train.py"]) == main(["--no-cache", "."]) == 1
    assert not list(caches.iterdir())


def test_both_options_for_the_cache_at_once_are_an_error() -> None:
    with pytest.raises(SystemExit):
        parse(["--no-cache", "--cache-dir", "kept", "."])


def test_a_place_that_cannot_be_written_changes_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    assert main(["."]) == main(["."]) == 1


@pytest.mark.parametrize("given", [None, "", "relative"])
def test_without_a_place_of_xdg_it_is_that_of_the_system(given: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if given is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", given)
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setattr(private.sys, "platform", "linux")
    assert user_cache() == "/home/me/.cache"
    monkeypatch.setattr(private.sys, "platform", "darwin")
    assert user_cache() == "/home/me/Library/Caches"


def test_a_folder_keeps_what_was_written_last(tmp_path: Path) -> None:
    folder = PrivateFolder(str(tmp_path))
    for number in range(25):
        folder.write(str(number), b"")
        os.utime(next(tmp_path.iterdir()) / str(number), (number, number))
    assert folder.read("24") == b""
    assert len(list(next(tmp_path.iterdir()).iterdir())) == 20
