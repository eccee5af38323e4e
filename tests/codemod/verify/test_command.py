"""The command line, up to where a program would be started."""

import re
import sys

import pytest

from migrate.verify import FAULTS
from migrate.verify.cli import main
from migrate.verify.interpreters import keras_2_variable
from migrate.verify.training_program import ProgramError
from tests.cases import each


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


def test_a_directory_is_told_to_be_no_program(capsys, script, tmp_path):
    assert main([script, str(tmp_path)]) == 2
    assert "is not a file" in capsys.readouterr().err


def test_an_interpreter_that_does_not_exist_is_told(capsys, script):
    assert main([script, script, "--old-python", "/no/python"]) == 2
    assert "the interpreter /no/python does not exist" in capsys.readouterr().err


def test_an_interpreter_without_tensorflow_is_told(capsys, script, tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o700)
    assert main([script, script, "--new-python", str(python)]) == 2
    assert "has no TensorFlow: name one that has it with --old-python" in capsys.readouterr().err


def with_empty_tensorflow(directory, version, *packages):
    """The interpreter of these tests, with an empty TensorFlow of some version."""
    site = directory / "site"
    for package in ("tensorflow", *packages):
        (site / package).mkdir(parents=True)
        (site / package / "__init__.py").write_text("")
    (site / f"tensorflow-{version}.dist-info").mkdir()
    (site / f"tensorflow-{version}.dist-info" / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: tensorflow\nVersion: {version}\n"
    )
    python = directory / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={site} exec {sys.executable} "$@"\n')
    python.chmod(0o700)
    return python


def test_an_interpreter_without_tensorflow_1_is_told_where_old_speaks_to_it_with_the_name_and_its_line(
    capsys, script, tmp_path
):
    python = with_empty_tensorflow(tmp_path, "2.15.1", "tensorflow_estimator")
    old = tmp_path / "old.py"
    old.write_text("import tensorflow as tf\n\ntf.logging.set_verbosity(tf.logging.INFO)\n")
    assert main([str(old), script, "--old-python", str(python)]) == 2
    told = capsys.readouterr().err
    assert f"OLD uses TensorFlow 1's API (tf.logging.set_verbosity, {old}:3), which {python}" in told
    assert "(TensorFlow 2.15.1) lacks: name an interpreter with TensorFlow 1.15 (Python 3.7) with --old-python" in told
    assert "nothing was started" in told


def test_an_interpreter_without_the_estimator_is_told_where_old_makes_one(capsys, script, tmp_path):
    python = with_empty_tensorflow(tmp_path, "2.21.0")
    old = tmp_path / "old.py"
    old.write_text("import tensorflow as tf\n\nestimator = tf.estimator.Estimator(model_fn)\n")
    assert main([str(old), script, "--old-python", str(python)]) == 2
    told = capsys.readouterr().err
    assert "(TensorFlow 2.21.0) has no tf.estimator" in told
    assert "TensorFlow 2.15 or earlier with --old-python" in told


def test_keras_2_is_asked_for_where_tensorflow_has_another_keras_and_tf_keras_is_there(tmp_path):
    variable = {"TF_USE_LEGACY_KERAS": "1", "A": "1"}
    old, bare, new = (tmp_path / name for name in ("old", "bare", "new"))
    assert keras_2_variable(str(with_empty_tensorflow(old, "2.15.1")), "NEW", variable) == {"A": "1"}
    assert keras_2_variable(str(with_empty_tensorflow(new, "2.21.0", "tf_keras")), "NEW", variable) == variable
    with pytest.raises(ProgramError, match=r"^NEW is given TF_USE_.*\(TensorFlow 2.21.0\) has no tf_keras"):
        keras_2_variable(str(with_empty_tensorflow(bare, "2.21.0")), "NEW", variable)


@pytest.mark.parametrize("option", [["--continue-old"], ["--share-initial"]])
def test_what_needs_two_programs_is_refused_for_one(option, capsys, script):
    assert main([script, *option]) == 2
    assert "--share-initial and --continue-old need OLD and NEW" in capsys.readouterr().err


def test_an_interpreter_that_cannot_be_run_is_told(capsys, script):
    assert main([script, script, "--new-python", script]) == 2
    assert f"the interpreter {script} cannot be run" in capsys.readouterr().err


def test_an_interpreter_is_found_by_its_name(capsys, script, tmp_path, monkeypatch):
    python = tmp_path / "python-of-its-own"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main([script, script, "--new-python", python.name]) == 2
    assert "python-of-its-own has no TensorFlow" in capsys.readouterr().err


def test_a_directory_that_cannot_be_written_is_told_before_anything_is_run(capsys, script):
    assert main([script, script, "--output", f"{script}/reports"]) == 2
    assert f"nothing can be written to {script}/reports" in capsys.readouterr().err


@each("arguments", "reason")(
    (["--fault", "nonsense"], "invalid choice: 'nonsense'"),
    (["--format", "pdf"], "invalid choice: 'pdf'"),
    (["--at", "0"], "must be a whole number of 1 or more, not '0'"),
    (["--at", "x"], "must be a whole number of 1 or more, not 'x'"),
    (["--changes", "0"], "must be a whole number of 1 or more, not '0'"),
    (["--timeout", "0"], "must be more than 0"),
    (["--tolerance", "-1"], "must be a number of 0 or more, not '-1'"),
    (["--tolerance", "nan"], "must be a number of 0 or more, not 'nan'"),
    (["--args", "'unclosed"], "no closing quotation"),
)
def test_wrong_arguments_are_refused_with_the_reason(arguments, reason, capsys, script):
    with pytest.raises(SystemExit) as refusal:
        main([script, script, *arguments])
    assert refusal.value.code == 2
    assert reason in capsys.readouterr().err


def test_a_flag_without_its_value_is_what_is_told(capsys, script):
    for argv in (["--args"], [script, "--new-args"]):
        with pytest.raises(SystemExit):
            main(argv)
        assert f"argument {argv[-1]}: expected one argument" in capsys.readouterr().err
