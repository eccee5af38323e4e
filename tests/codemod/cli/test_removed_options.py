"""An option, a command or a setting that an earlier release had says what to use instead."""

import pytest

from migrate.cli.command_line import COMMANDS, REMOVED
from migrate.cli.main import main


@pytest.mark.parametrize("option", REMOVED)
def test_a_removed_option_is_rejected_in_one_line_that_names_its_replacement(capsys, option):
    for command in ([], ["plan"]):
        assert main([*command, ".", f"{option}=value"]) == 2
        line = f"estimator-migrate: error: {option} was removed: {REMOVED[option]}\n"
        assert capsys.readouterr().err == line


def test_a_file_with_the_name_of_a_removed_option_is_read(project, capsys):
    assert main(["--check", "--", "--interactive"]) == 2
    assert "was removed" not in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_removed_command_is_rejected_in_one_line_that_names_its_replacement(capsys, command):
    assert main([command, "old", "new", "--for", "train.py"]) == 2
    assert capsys.readouterr().err == f"estimator-migrate: error: {command} was removed: {COMMANDS[command]}\n"


def test_a_directory_with_the_name_of_a_removed_command_can_be_migrated(project, capsys):
    (project / "checkpoint").mkdir()
    (project / "train.py").rename(project / "checkpoint" / "train.py")
    assert main(["./checkpoint"]) == 1
    assert main(["plan", "checkpoint"]) == 1
    assert "was removed" not in capsys.readouterr().err


def test_a_removed_setting_is_told_with_its_line(project, capsys):
    (project / "setup.cfg").write_text("[migrate]\ntarget = keras2\ncanned = object\n")
    assert main(["."]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"estimator-migrate: error: setup.cfg:3: canned was removed: {REMOVED['--canned']}"
