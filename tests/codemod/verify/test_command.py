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


@each("arguments", "reason")(
    (["none.py"], "the program none.py does not exist"),
    (["."], "is not a file"),
    (["JOB", "--old-python", "/no/python"], "the interpreter /no/python does not exist"),
    (["JOB", "--new-python", "JOB"], "the interpreter JOB cannot be run"),
    (["JOB", "--output", "JOB/reports"], "nothing can be written to JOB/reports"),
    (["--share-initial"], "--share-initial and --continue-old need OLD and NEW"),
    (["--continue-old"], "--share-initial and --continue-old need OLD and NEW"),
)
def test_what_is_not_there_or_cannot_be_used_is_told_before_anything_is_run(arguments, reason, capsys, script):
    assert main([script, *(argument.replace("JOB", script) for argument in arguments)]) == 2
    assert reason.replace("JOB", script) in capsys.readouterr().err


def test_an_interpreter_without_tensorflow_is_told_by_its_path_or_its_name(capsys, script, tmp_path, monkeypatch):
    python = tmp_path / "python-of-its-own"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    for given in (str(python), python.name):
        assert main([script, script, "--new-python", given]) == 2
        assert f"{given} has no TensorFlow: name one that has it with --old-python" in capsys.readouterr().err


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
    (["--env", "MODEL_DIR"], "must be NAME=VALUE, not 'MODEL_DIR'"),
    (["--new-env", "=x"], "must be NAME=VALUE, not '=x'"),
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
