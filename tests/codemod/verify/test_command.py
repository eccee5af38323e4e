"""The command line, up to where a program would be started."""

import re

import pytest

from migrate.verify import FAULTS
from migrate.verify.cli import main


def test_help_lists_every_fault_with_what_it_does(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    for name, fault in FAULTS.items():
        assert re.search(rf"^  {name} +{re.escape(fault.__doc__.splitlines()[0])}$", text, re.MULTILINE)


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "job.py"
    path.write_text("")
    return str(path)


def test_a_program_that_does_not_exist_is_told(capsys, script):
    assert main([script, "none.py"]) == 2
    assert "the program none.py does not exist" in capsys.readouterr().err


def test_an_interpreter_that_does_not_exist_is_told(capsys, script):
    assert main([script, script, "--old-python", "/no/python"]) == 2
    assert "the interpreter /no/python does not exist" in capsys.readouterr().err


def test_an_interpreter_without_tensorflow_is_told(capsys, script, tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o700)
    assert main([script, script, "--new-python", str(python)]) == 2
    assert "has no TensorFlow" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--fault", "nonsense"], ["--at", "0"], ["--format", "pdf"]])
def test_wrong_arguments_are_refused(arguments, script):
    with pytest.raises(SystemExit) as refusal:
        main([script, script, *arguments])
    assert refusal.value.code == 2
