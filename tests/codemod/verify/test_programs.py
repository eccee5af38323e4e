"""How a program is started, and what is told of one that cannot be verified; the programs need no TensorFlow."""

import sys

import pytest

from migrate.verify import FAULTS, Program, ProgramError
from migrate.verify.cli import main
from migrate.verify.interruption import run, run_interrupted
from migrate.verify.record import Record
from migrate.verify.verification import expect_sound
from tests.codemod.trees import put


@pytest.fixture
def script(tmp_path):
    """Make a program that is run by itself, without the recorder, and may write events of its own."""

    def make(text):
        path = tmp_path / "program"
        path.write_text(f"#!{sys.executable}\nimport json, os, signal, sys, time\n{text}")
        path.chmod(0o700)
        return Program(path, path)

    return make


EVENTS = "open(os.environ['MIGRATE_VERIFY_EVENTS'], 'a').write(json.dumps({}) + '\\n')\n"


def test_a_module_is_run_as_python_m_runs_it_from_above_its_package(tmp_path):
    package = tmp_path / "trainer" / "tasks"
    task = "import sys\nfrom .data import NAME\nprint(__name__, __package__, NAME, sys.argv[1:])\n"
    put(package, {"../__init__.py": "", "__init__.py": "", "data.py": "NAME = 'data'\n", "task.py": task})
    program = Program(package / "task.py", args=("--out", "{model_dir}"), module=True)
    assert run(program, "d").output == "__main__ trainer.tasks data ['--out', 'd']\n"
    assert program.shell_command("d") == f"cd {tmp_path} && {sys.executable} -m trainer.tasks.task --out d"


def test_variables_of_the_environment_take_the_directory(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import os\nprint(os.environ['MODEL_DIR'])\n")
    program = Program(path, args=(), env={"MODEL_DIR": "{model_dir}/x"})
    assert run(program, "d").output == "d/x\n"
    assert program.shell_command("d") == f"env MODEL_DIR=d/x {sys.executable} {path}"


def test_a_program_that_saves_elsewhere_is_told_where_and_what_to_do(script, tmp_path):
    elsewhere = {"event": "save", "step": 1, "path": str(tmp_path / "own" / "model.ckpt-1")}
    with pytest.raises(ProgramError, match=r"uses .*own/model.ckpt-1, not the directory .*--env NAME=\{model_dir\}"):
        run_interrupted(script(EVENTS.format(elsewhere)))
    failing = EVENTS.format(elsewhere) + "sys.exit(1)"
    with pytest.raises(ProgramError, match=r"fails by itself(.|\n)*uses .*own/model.ckpt-1"):
        run_interrupted(script(failing))
    beside = {"event": "save", "step": 1, "path": str(tmp_path / "model" / "ckpt-1")}
    assert run_interrupted(script(EVENTS.format(elsewhere) + EVENTS.format(beside)), None, tmp_path / "model").finished


def test_what_is_written_to_outside_may_be_allowed_unless_checkpoints_are_there(script, tmp_path):
    job, log = tmp_path / "job", tmp_path / "log"
    job.mkdir()
    log.mkdir()
    (job / "checkpoint").touch()
    for directory, hint in ((job, ""), (log, f"add --allow {log};")):
        stopped = {"event": "stopped", "what": "write to", "path": str(directory / "a.log"), "place": "job.py:3"}
        with pytest.raises(ProgramError, match=rf"would write to .*/a.log \(job.py:3\), outside of .*{hint}") as told:
            run_interrupted(script(EVENTS.format(stopped) + "sys.exit(1)"))
        assert ("--allow" in str(told.value)) is bool(hint)
        assert "--model-dir-flag" in str(told.value)


def test_of_an_export_named_by_its_second_the_directory_above_is_to_be_allowed(script, tmp_path):
    stopped = {"event": "stopped", "what": "make the directory", "path": str(tmp_path / "temp-1795623255"), "place": ""}
    with pytest.raises(ProgramError, match=f"add --allow {tmp_path};"):
        run_interrupted(script(EVENTS.format(stopped) + "sys.exit(1)"))


def test_a_crash_in_native_code_is_no_fault_that_was_asked_for(script):
    crash = script("os.kill(os.getpid(), signal.SIGSEGV)")
    with pytest.raises(ProgramError, match="fails by itself before its first step: killed by signal 11"):
        run_interrupted(crash, FAULTS["sigkill"](at=3))


def test_a_program_that_takes_too_long_is_told_with_the_option(script):
    with pytest.raises(ProgramError, match="fails by itself: not done in the time that --timeout gives"):
        run_interrupted(script("time.sleep(60)"), timeout=0.3)


def test_what_is_no_program_at_all_is_told_to_be_no_interpreter(tmp_path, capsys):
    for content in (b"", b"\0no program"):
        python = tmp_path / "python"
        python.write_bytes(content)
        python.chmod(0o700)
        assert main([__file__, __file__, "--new-python", str(python)]) == 2
        assert "Exec format error" in capsys.readouterr().err


def test_a_file_outside_of_any_package_is_no_module(tmp_path, capsys):
    (tmp_path / "job.py").touch()
    assert main([str(tmp_path / "job.py"), str(tmp_path / "job.py"), "-m"]) == 2
    assert "is in no package" in capsys.readouterr().err


def test_a_program_that_ends_without_tensorflow_is_told_with_its_exit_and_what_to_check(script, tmp_path):
    record = Record([run(script("sys.exit(0)"), tmp_path)], tmp_path)
    with pytest.raises(ProgramError, match=r"NEW ended \(exit 0\) without importing TensorFlow.*See --args"):
        expect_sound(record, "NEW")
