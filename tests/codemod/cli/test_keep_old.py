"""``write --keep-old DIR`` keeps the tree as it was where ``plan``'s verify commands look for it."""

import os
import subprocess
from pathlib import Path

import pytest

from migrate.cli.main import main
from tests.cases import each
from tests.codemod.planning.test_plan import MODEL_FN, plan
from tests.codemod.trees import put


@pytest.fixture
def job(tmp_path, monkeypatch):
    job = tmp_path / "job"
    (job / "data").mkdir(parents=True)
    put(job, {"train.py": "import layers\n" + MODEL_FN, "layers.py": "SIZE = 3\n"})
    (job / "data" / "words.txt").write_text("a b")
    (job / "model.ckpt.data").write_bytes(b"\0" * 2**21)
    monkeypatch.chdir(job)
    return job


def contents(folder):
    return {str(one.relative_to(folder)): one.read_bytes() for one in sorted(folder.rglob("*")) if one.is_file()}


def test_the_old_tree_stands_where_the_verify_command_of_the_plan_names_it(job, capsys):
    before = {name: text for name, text in contents(job).items() if name != "model.ckpt.data"}
    [command] = plan(capsys)["programs"][0]["commands"]
    assert main(["write", "--keep-old", "../before", "."]) == 1
    assert contents(job.parent / "before") == before
    assert "tf2_recovery" in (job / "train.py").read_text()
    assert "Kept the tree as it was in ../before: 3 files." in capsys.readouterr().err
    assert Path(command["verify"].partition(" verify ")[2].split()[0]).read_bytes() == before["train.py"]


def test_nothing_is_kept_where_nothing_changes(job):
    (job / "train.py").unlink()
    main(["write", "--keep-old", "../before", "."])
    assert not (job.parent / "before").exists()


@each("directory", "reason", ids=["in the tree", "one with a file"])(("old", "below ."), ("../other", "exists already"))
def test_a_copy_in_the_way_ends_the_run_before_anything_is_written(directory, reason, job, capsys):
    (job.parent / "other").mkdir()
    (job.parent / "other" / "file").write_text("")
    before = contents(job.parent)
    assert main(["write", "--keep-old", directory, "."]) == 2
    assert reason in capsys.readouterr().err
    assert contents(job.parent) == before


def test_a_copy_that_fails_leaves_the_tree(job, capsys):
    (job.parent / "file").write_text("")
    before = contents(job)
    assert main(["write", "--keep-old", "../file/before", "."]) == 2
    assert "nothing was changed" in capsys.readouterr().err
    assert contents(job) == before


def test_each_of_several_repositories_has_its_own_old_tree(job, capsys):
    top = job.parent
    os.chdir(top)
    for name in ("one", "two"):
        (top / name).mkdir()
        (top / name / "train.py").write_text(MODEL_FN)
        subprocess.run(["git", "init", "-q", name], check=True)
    rows = plan(capsys, "one", "two")["programs"]
    olds = [row["commands"][0]["verify"].partition(" verify ")[2].split()[0] for row in rows]
    assert olds == ["before/one/train.py", "before/two/train.py"]
    before = {name: (top / name / "train.py").read_bytes() for name in ("one", "two")}
    assert main(["write", "--keep-old", "before", "one", "two"]) == 1
    assert [Path(old).read_bytes() for old in olds] == [before["one"], before["two"]]
