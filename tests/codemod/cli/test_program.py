"""``--program FILE`` reads the file that starts a program and what it imports, and no other."""

import json

import pytest

from migrate.cli.main import main
from tests.codemod.run.test_object_form import HEAD
from tests.codemod.trees import put

TASK = """\
import tensorflow.compat.v1 as tf

from trainer import model

estimator = tf.estimator.Estimator(model.model_fn, "/tmp/model")
estimator.train(lambda: None, max_steps=10)
"""
OTHER = TASK.replace("from trainer import model", "model = None")


@pytest.fixture
def jobs(project):
    """A program of two files beside another one."""
    (project / "train.py").unlink()
    files = {"trainer/__init__.py": "", "trainer/model.py": HEAD, "trainer/task.py": TASK, "other.py": OTHER}
    return put(project, files)


def test_only_the_files_of_the_program_change(jobs):
    assert main(["--write", "--program", "trainer/task.py"]) == 1
    texts = {path.name: path.read_text() for path in (*jobs.glob("*.py"), *(jobs / "trainer").glob("*.py"))}
    changed = {name for name, text in texts.items() if "tf2_recovery" in text}
    assert changed == {"model.py", "task.py"}
    assert texts["other.py"] == OTHER


def test_the_plan_of_a_program_is_one_row(jobs, capfd):
    assert main(["plan", "--format", "json", "--program", "trainer/task.py"]) == 1
    (row,) = json.loads(capfd.readouterr().out)["programs"]
    assert row["entry_points"] == ["trainer/task.py"]
    assert set(row["files"]) == {"trainer/task.py", "trainer/model.py"}


def test_a_notebook_starts_a_program_too(jobs, capfd):
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": TASK}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (jobs / "train.ipynb").write_text(json.dumps(notebook))
    (jobs / "trainer" / "task.py").unlink()
    assert main(["check", "--program", "train.ipynb"]) == 1
    assert "Read 2 files" in capfd.readouterr().err


def test_programs_and_paths_stand_beside_each_other(jobs, capfd):
    assert main(["check", "other.py", "--program", "trainer/task.py", "--program", "trainer/model.py"]) == 1
    assert "Read 3 files" in capfd.readouterr().err


@pytest.mark.parametrize(("name", "problem"), [("nowhere.py", "no such file"), ("trainer", "is a directory")])
@pytest.mark.parametrize("command", [["--write"], ["plan"], ["renew", "--write"]])
def test_what_starts_no_program_is_told_before_anything_is_written(jobs, capfd, command, name, problem):
    assert main([*command, ".", "--program", name]) == 2
    printed = capfd.readouterr()
    assert printed.out == ""
    assert f"--program {name}: {problem}" in printed.err
    assert (jobs / "other.py").read_text() == OTHER


@pytest.mark.parametrize("command", ["plan", "renew"])
def test_a_command_without_any_path_says_so(capfd, command):
    assert main([command]) == 2
    assert "error: no PATH given" in capfd.readouterr().err
