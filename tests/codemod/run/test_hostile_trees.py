"""No tree makes a run fail as a whole, and nothing is written that was not asked for."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from migrate.cli.main import main
from migrate.pipeline.run import run
from migrate.report.report import Report
from migrate.settings import Settings
from tests.benchmarks import write_kills
from tests.cases import each
from tests.codemod.bodies import body
from tests.codemod.changed import names
from tests.codemod.trees import outcome_of, put
from tests.notebooks import shape

JOB = body('est = DNN()\nest.train(data, max_steps=3)\nopen("/tmp/executed-by-migrate", "w")\n')
ROOT = str(Path(__file__).parents[3])


def errors(findings):
    return {(finding.path, finding.code) for finding in findings if finding.error}


@pytest.fixture
def tree(tmp_path, monkeypatch):
    root = tmp_path / "tree"
    root.mkdir()
    monkeypatch.chdir(root)
    (root / "job.py").write_text(JOB)
    return root


@pytest.mark.parametrize("name", [b"new\nline.py", b"\xff\xfe.py", b"-rf.py", b"a b'\".py", b"\x1b[31m.py"])
def test_a_file_of_any_name_is_migrated(name, tree, capsys):
    path = os.fsencode(str(tree)) + b"/" + name
    os.rename(tree / "job.py", path)
    for format in ("diff", "text", "json"):
        main([".", "--format", format, "--output", "../report"])
    assert main([".", "--write"]) == 1
    with open(path) as file:
        assert "= DNNClassifier(" in file.read()
    assert "\x1b[31m" not in capsys.readouterr().err


def test_nothing_in_the_input_is_executed_or_imported(tree):
    trap = "raise SystemExit('executed')\n"
    for name in ("numpy", "tensorflow", "libcst", "conftest", "sitecustomize", "setup", "black"):
        (tree / f"{name}.py").write_text(trap)
    command = [sys.executable, "-c", "import sys; sys.path.pop(0); sys.path.insert(0, sys.argv.pop(1)); "
               "from migrate.cli.main import main; sys.exit(main())", ROOT, ".", "--write"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert not os.path.exists("/tmp/executed-by-migrate")
    assert (tree / "numpy.py").read_text() == trap


def test_a_directory_of_very_many_entries_is_done_like_any_other(tree):
    for number in range(6_000):
        os.close(os.open(f"entry_{number}.{'py' if number % 2 else 'txt'}", os.O_CREAT | os.O_WRONLY))
    found = outcome_of(".")
    assert found.files_read == 3_001
    assert names(found) == ["job.py", "tf2_recovery"]


def test_kills_and_ctrl_c_at_random_moments_of_a_write_leave_every_program_old_or_new(capsys):
    code = write_kills.main(["--files", "15", "--kills", "5", "--commands", "2"])
    printed = capsys.readouterr().out
    assert (code, "WRONG" in printed) == (0, False), printed
    assert int(printed.splitlines()[1].split()[0]) > 0


def test_a_file_that_is_gone_or_too_large_ends_no_run(tree):
    put(tree, {"gone.py": JOB, "huge.py": JOB})
    os.truncate("huge.py", 1 << 42)  # sparse, and more than there is memory
    paths = ["gone.py", "huge.py", "job.py"]
    (tree / "gone.py").unlink()
    found = outcome_of(*paths)
    assert errors(found.findings) == {("gone.py", "FT001"), ("huge.py", "FT001")}
    assert names(found) == ["job.py", "tf2_recovery"]


@contextmanager
def in_seconds(seconds):
    """An error where something waits for ever."""

    def stop(number, frame):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)


MAKES = [os.mkfifo, make_socket, partial(os.symlink, "/dev/zero")]


@pytest.mark.parametrize("make", MAKES)
@each("name")(
    ".gitignore", ".git", "pyproject.toml", "setup.cfg", "CODEOWNERS", "requirements.txt", "__init__.py", "beside.py"
)
def test_nothing_waits_for_what_is_no_file_whatever_it_is_called(name, make, tree, capsys):
    (tree / "job.py").write_text("import beside\n" + JOB)
    make(name)
    with in_seconds(60):
        assert main([".", "--write"]) in (1, 2)
        assert main(["plan", "."]) in (0, 1, 2)
        assert main([name]) == 2
    assert "= DNNClassifier(" in (tree / "job.py").read_text()
    assert stat.S_IFMT(os.lstat(name).st_mode) != stat.S_IFREG


@pytest.mark.parametrize("make", MAKES)
def test_what_is_no_file_in_the_place_of_the_runtime_files_is_named_and_nothing_is_written(make, tree):
    make("tf2_recovery.py")
    with in_seconds(60):
        assert main([".", "--write"]) == 2
    assert {code for _, code in errors(outcome_of(".").findings)} == {"FT001", "FT006"}
    assert (tree / "job.py").read_text() == JOB


def test_a_current_directory_that_is_gone_is_said_in_one_line(tree, monkeypatch, capsys):
    (tree / "gone").mkdir()
    monkeypatch.chdir(tree / "gone")
    (tree / "gone").rmdir()
    assert main([str(tree)]) == 2
    assert capsys.readouterr().err.splitlines()[-1].endswith("the current directory is gone: change to another one")


@pytest.mark.parametrize("format", ["text", "sarif", "github", "html", "json"])
def test_a_notebook_that_is_gone_when_the_report_is_made_is_reported_all_the_same(format, tree):
    (tree / "job.ipynb").write_bytes(shape("migrating_estimators.ipynb"))
    found = run(["job.ipynb"], Settings(), jobs=1, progress=None, rewrites=False)
    (tree / "job.ipynb").unlink()
    assert found.findings
    with open(tree / "report", "wb") as file:
        Report(found, format).save(file)
    assert b"job.ipynb" in (tree / "report").read_bytes() or format == "html"


@pytest.mark.parametrize("arguments", [["check", "."], ["plan", "."], ["diff", "."], ["write", "."]])
@pytest.mark.parametrize("name", ["long.ipynb", "long.py"])
def test_an_integer_that_python_does_not_read_is_an_error_of_its_file_alone(arguments, name, tree, capsys):
    cell = {"cell_type": "code", "execution_count": 1, "id": "a", "metadata": {}, "outputs": [], "source": JOB}
    text = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    long = text.replace('"execution_count": 1', '"execution_count": ' + "9" * 5000)
    (tree / name).write_text(long if name.endswith(".ipynb") else f"{JOB}\nx = {'9' * 5000}\n")
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert "FT003" in printed.out + printed.err
    assert (arguments[0] == "write") == ((tree / "job.py").read_text() != JOB)


def test_an_integer_that_python_does_not_read_in_the_settings_is_said_in_one_line(tree, capsys):
    (tree / "pyproject.toml").write_text(f"[tool.migrate]\ntarget = {'9' * 5000}\n")
    assert main(["check", "."]) == 2
    assert "pyproject.toml: cannot be parsed: " in capsys.readouterr().err
