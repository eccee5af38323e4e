"""The command line of the conversion where there is no TensorFlow."""

import pytest

from migrate.cli.main import main


def test_without_tensorflow_the_command_says_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["checkpoint", "old", "new", "--model", "module:function"]) == 2
    assert "needs TensorFlow" in capsys.readouterr().err


def test_a_program_or_a_model_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["checkpoint", "old", "new"]) == 2
    assert "--for --model" in capsys.readouterr().err
