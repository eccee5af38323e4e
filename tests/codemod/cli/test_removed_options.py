"""An option that an earlier release had says what to use instead."""

import pytest

from migrate.cli.main import main
from migrate.cli.removed_options import REMOVED


@pytest.mark.parametrize("option", REMOVED)
def test_a_removed_option_is_rejected_in_one_line_that_names_its_replacement(
    capsys: pytest.CaptureFixture[str], option: str
) -> None:
    for command in ([], ["plan"]):
        assert main([*command, ".", f"{option}=value"]) == 2
        line = f"estimator-migrate: error: {option} was removed: {REMOVED[option]}\n"
        assert capsys.readouterr().err == line


def test_a_file_with_the_name_of_a_removed_option_is_read(project: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check", "--", "--interactive"]) == 2
    assert "was removed" not in capsys.readouterr().err
