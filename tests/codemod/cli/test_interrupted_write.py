"""A write that was killed between the files of a program, and what each command makes of it."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from migrate import api
from migrate.cli.main import main
from migrate.pipeline.run import write
from tests.cases import each
from tests.codemod.programs import program
from tests.codemod.run.test_object_form import HEAD
from tests.codemod.trees import outcome_of, put

TRAIN = "import model\nimport tensorflow as tf\n\ntf.estimator.Estimator(model.model_fn).train(model.input_fn)\n"


@pytest.fixture
def torn(tmp_path, monkeypatch):
    """A tree in which ``--write`` was killed between two files of a program."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path, {"model.py": HEAD, "train.py": TRAIN})
    outcome = outcome_of(".")
    process = os.fork()
    if process == 0:
        rename = os.replace

        def replace(one, other):
            if other.endswith("train.py"):
                os.kill(os.getpid(), signal.SIGKILL)
            rename(one, other)

        os.replace = replace  # type: ignore[assignment]
        os._exit(len(write(outcome)))
    assert os.waitpid(process, 0)[1] == signal.SIGKILL
    assert "EstimatorSpec" in Path("model.py").read_text() != HEAD
    assert Path("train.py").read_text() == TRAIN
    return tmp_path


def is_whole(tree):
    names = sorted(os.listdir(tree))
    return "tf.estimator" not in (tree / "train.py").read_text() and names == ["model.py", "tf2_recovery", "train.py"]


@pytest.mark.parametrize("arguments", [["--write", "."], ["renew", "--write", "."], ["renew", "--write", "train.py"]])
def test_a_command_that_writes_completes_it_and_says_so(torn, capsys, arguments):
    assert main(arguments) in (0, 1)
    told = capsys.readouterr().err
    assert "Completed a write that was interrupted: model.py, tf2_recovery/__init__.py, " in told
    assert is_whole(torn)
    main(arguments)
    assert "interrupted" not in capsys.readouterr().err


@each("arguments")(
    ["."],
    ["--check", "."],
    ["--check", "train.py"],
    ["--check", "model.py", "--format", "json"],
    ["plan", "."],
    ["renew", "."],
)
def test_a_command_that_only_looks_says_that_it_is_waiting_and_changes_nothing(torn, capsys, arguments):
    before = {path: path.read_bytes() for path in torn.rglob("*") if path.is_file()}
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert "an interrupted write is waiting to be completed" in printed.out + printed.err
    assert {path: path.read_bytes() for path in torn.rglob("*") if path.is_file()} == before
    assert main(["--write", "."]) in (0, 1)
    assert is_whole(torn)


@pytest.mark.parametrize("find", [api.check, api.rewrite])
def test_the_library_says_that_it_is_waiting(torn, find):
    outcome = find(".")
    assert "an interrupted write is waiting to be completed" in {one.message for one in outcome.findings if one.error}
    assert outcome.exit_code == 2


def test_one_that_cannot_be_ended_is_an_error_and_never_silence(torn, capsys):
    for name in ("model.py", "train.py"):
        Path(name).write_text(f"# mine\n{Path(name).read_text()}")
    for arguments in (["--write", "."], ["renew", "--write", "."]):
        assert main(arguments) == 2
        printed = capsys.readouterr()
        assert "is between old and new since an interrupted write" in printed.out + printed.err
        assert Path("train.py").read_text() == f"# mine\n{TRAIN}"


# What git could not give back


@pytest.fixture
def committed_project(project):
    git(project, "add", "train.py", "other.py")
    git(project, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "--quiet", "-m", "first")
    return project


def git(directory, *arguments):
    subprocess.run(["git", "-C", str(directory), *arguments], check=True)


WARNING = "Not committed in git before this write: "


def test_a_write_says_nothing_of_what_is_committed(committed_project, capsys):
    (committed_project / "other.py").write_text("x = 1\n")  # which no write changes
    assert main(["--write", "."]) == 1
    assert WARNING not in capsys.readouterr().err


@pytest.mark.parametrize("is_staged", [False, True])
def test_a_write_names_the_files_with_changes_that_are_not_committed(committed_project, capsys, is_staged):
    text = (committed_project / "train.py").read_text()
    put(committed_project, {"train.py": text + "\nx = 1\n", "sub/née.py": text})
    if is_staged:
        git(committed_project, "add", ".")
    assert main(["."]) == 1
    assert WARNING not in capsys.readouterr().err
    assert main(["--write", "sub", "train.py"]) == 1
    assert f"{WARNING}sub/née.py, train.py.\n" in capsys.readouterr().err


def test_line_ends_that_git_stores_otherwise_are_no_change(committed_project, capsys):
    (committed_project / "train.py").write_bytes((committed_project / "train.py").read_bytes().replace(b"\n", b"\r\n"))
    assert main(["--write", "."]) == 1
    assert WARNING not in capsys.readouterr().err


def test_no_program_that_a_repository_names_is_run(committed_project):
    trap = committed_project / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {committed_project}/sprung\n")
    trap.chmod(0o755)
    names = ("core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "filter.x.clean", "filter.x.process")
    for name in names:
        git(committed_project, "config", name, str(trap))
    (committed_project / ".gitattributes").write_text("*.py filter=x diff=x\n")
    assert main(["--write", "."]) == 1
    assert not (committed_project / "sprung").exists()


# Ctrl-C


def test_ctrl_c_is_no_error_of_the_file_that_libcst_was_at(command, project):
    code = (
        "import sys, libcst\n"
        "from migrate.cli.main import main\n"
        "def stopped(*_): raise KeyboardInterrupt\n"
        "libcst.IndentedBlock._codegen_impl = stopped\n"  # the statement around it asks for its end none the less
        "sys.exit(main())\n"
    )
    (project / "train.py").write_text(program(estimator='hidden_units=[8], model_dir="/m"'))
    assert command("--write", "-j", "1", ".", code=code).stderr == "Interrupted: no file was changed.\n"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_at_any_moment_ends_a_write_with_one_line_that_is_true(command, project, environment, jobs):
    for number in range(220):
        (project / f"module{number}.py").write_text("import tensorflow as tf\nx = tf.estimator\n")
    before = {path.name: path.read_bytes() for path in project.glob("*.py")}
    code = (
        "import os, sys, signal, threading, time\n"
        "from migrate.__main__ import main\n"
        "threading.Timer(float(sys.argv.pop(1)), os.kill, [os.getpid(), signal.SIGINT]).start()\n"
        "main()\n"
    )
    codes = set()
    for moment in range(5, 40, 12):
        done = command(f"{moment / 100}", "--write", "-j", jobs, ".", code=code)
        codes.add(done.returncode)
        after = {path.name: path.read_bytes() for path in project.glob("*.py")}
        if done.returncode == 130:
            assert done.stderr.count("\n") == 1
            assert done.stderr.startswith("Interrupted")
            assert (after == before) == (done.stderr == "Interrupted: no file was changed.\n")
        else:
            assert done.returncode in (1, -signal.SIGINT), done.stderr
        assert not [name for name in os.listdir(project) if name.startswith(".migrate")]
        for path in project.glob("*.py"):
            path.unlink()
        for name, data in before.items():
            (project / name).write_bytes(data)
    assert 130 in codes


def test_ctrl_c_in_an_import_comes_after_it(command, project, environment, tmp_path):
    """Python may drop a KeyboardInterrupt that is raised in an import, and then never import again."""
    found_first = tmp_path / "first"
    put(found_first, {"libcst.py": FIRST_LIBCST.format(str(found_first))})
    environment["PYTHONPATH"] = f"{found_first}{os.pathsep}{environment['PYTHONPATH']}"
    done = command("--write", "-j", "1", ".")
    assert (done.returncode, done.stdout, done.stderr) == (130, "imported\n", "Interrupted: no file was changed.\n")
    assert (project / "train.py").read_text() == program()


FIRST_LIBCST = """\
import signal, sys
signal.raise_signal(signal.SIGINT)
sys.path.remove({!r})
del sys.modules["libcst"]
import libcst
print("imported")
"""
