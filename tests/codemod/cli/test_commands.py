"""The commands beside the main one, and how a path of their name is reached."""

import pytest

from migrate.cli.explain import difference
from migrate.cli.main import main
from migrate.rules import RULES
from tests.cases import each
from tests.codemod.programs import program


@pytest.mark.usefixtures("rewritten_once")
@pytest.mark.parametrize("code", list(RULES))
def test_explain_prints_a_rules_title_its_example_and_the_rest_of_its_page(code, capsys):
    assert main(["explain", code.lower()]) == 0
    printed, shown = capsys.readouterr().out, difference(RULES[code])
    assert printed.startswith(f"{code} · ")
    assert printed.partition("\n")[2].startswith("\n" + shown)
    assert printed.replace("\n" + shown, "", 1 if shown else 0) == RULES[code].page + "\n"


def test_explain_tells_a_mistyped_name_with_the_nearest_one(capsys):
    assert main(["explain", "visible_checkpoint"]) == 2
    assert "unknown rule 'visible_checkpoint'" in (told := capsys.readouterr().err)
    assert "did you mean visible_checkpoints" in told


def test_rules_lists_every_rule_with_its_fidelity_and_title(capsys):
    assert main(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [[code, rule.fidelity.value] for code, rule in RULES.items()]
    assert lines[list(RULES).index("FT152")].endswith("   the checkpoint settings of a RunConfig")


@pytest.mark.parametrize("arguments", [["./rules"], ["--", "rules"], ["--check", "rules"]])
def test_a_directory_with_the_name_of_a_command_can_be_migrated(project, capsys, arguments):
    (project / "rules").mkdir()
    (project / "rules" / "train.py").write_text(program())
    assert main(arguments) == 1
    assert "Read 1 file:" in capsys.readouterr().err


@each("asked", "shown")(("FT004", "was not overwritten"), ("visible_checkpoints", "FT152 · "))
def test_explain_knows_the_troubles_with_files_and_the_names_that_the_summary_prints(asked, shown, capsys):
    assert main(["explain", asked]) == 0
    assert shown in capsys.readouterr().out


def test_findings_may_leave_the_exit_code_at_zero_and_errors_not(project):
    assert main(["--check", "."]) == 1
    assert main(["--check", "--exit-zero", "."]) == 0
    assert main(["--check", "--exit-zero", "missing.py"]) == 2


@pytest.mark.parametrize("mode", ["check", "diff"])
def test_the_modes_of_the_main_command_are_commands_too(project, capsys, mode):
    assert main([f"--{mode}", "."]) == 1
    expected = capsys.readouterr()
    assert main([mode, "."]) == 1
    assert capsys.readouterr() == expected
    assert expected.out
    assert main([mode, "--write", "."]) == 2
    assert f"--write: not allowed with argument --{mode}" in capsys.readouterr().err


def test_a_quiet_run_prints_the_report_and_errors_alone(project, capsys):
    assert main(["check", "."]) == 1
    report = capsys.readouterr().out
    assert main(["check", "-q", "."]) == 1
    assert capsys.readouterr() == (report, "")
    (project / "torn.py").write_text("import tensorflow as tf\ntf.estimator.Estimator(\n")
    assert main(["-q", "torn.py"]) == 2
    assert capsys.readouterr().err.startswith("torn.py:2:")


def test_a_diff_in_a_pipe_shows_the_users_own_files_before_the_runtime_files(project, capsys):
    assert main(["."]) == 1
    files = [line for line in capsys.readouterr().out.splitlines() if line.startswith("+++ ")]
    are_generated = ["tf2_recovery/" in line for line in files]
    assert True in are_generated
    assert are_generated == sorted(are_generated)
