"""What a program lists of the directory that its recovery saves in is what it listed before."""

import glob
import os
from pathlib import Path

import pytest

from migrate.recovery.without_recovery import without_recovery


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A directory with two files of an old job and a recovery."""
    for name in ("a.h5", "b.h5"):
        (tmp_path / name).touch()
    for name in ("recovery", "w_recovery", "logs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "inside").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


LISTINGS = {
    "os.listdir": os.listdir,
    "glob.glob": lambda folder: glob.glob(f"{folder}/*"),
    "glob.iglob": lambda folder: glob.iglob(f"{folder}/*"),
    "os.scandir": os.scandir,
    "Path.iterdir": lambda folder: Path(folder).iterdir(),
    "Path.glob": lambda folder: Path(folder).glob("*"),
    "gfile.listdir of a bucket": lambda folder: [f"{name}/" for name in os.listdir(folder)],
}


@pytest.mark.parametrize("listing", LISTINGS)
def test_a_listing_has_all_but_the_recovery(folder, listing):
    found = without_recovery(LISTINGS[listing](folder))
    names = sorted(os.path.basename(str(getattr(one, "name", one)).rstrip("/")) for one in found)
    assert names == ["a.h5", "b.h5", "logs"]


def test_a_walk_does_not_go_into_a_recovery(folder):
    walked = {os.path.relpath(place, folder): sorted(files) for place, _, files in without_recovery(os.walk(folder))}
    assert walked == {".": ["a.h5", "b.h5"], "logs": ["inside"]}


def test_a_list_stays_a_list_whose_truth_tells_whether_there_is_something():
    assert without_recovery(["w_recovery"]) == []
