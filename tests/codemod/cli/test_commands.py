"""The commands beside the main one, and how a path of their name is reached."""

import json
from pathlib import Path

import pytest

from migrate.cli import main
from migrate.explain import difference
from migrate.rules import RULES
from tests.codemod.programs import program


@pytest.mark.parametrize("code", list(RULES))
def test_explain_prints_the_page_of_every_rule_around_its_example(
    code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", code.lower()]) == 0
    printed, shown = capsys.readouterr().out, difference(RULES[code])
    assert printed.startswith(f"{code} · ")
    assert "\n" + shown in printed
    assert printed.replace("\n" + shown, "", 1 if shown else 0) == RULES[code].page + "\n"


def test_explain_tells_an_unknown_rule_with_the_nearest_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "FT1O4"]) == 2
    told = capsys.readouterr().err
    assert "unknown rule 'FT1O4' (`rules` lists them all); did you mean " in told
    assert "FT104" in told


def test_rules_lists_every_rule_with_its_fidelity_and_title(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [[code, rule.fidelity.value] for code, rule in RULES.items()]
    assert lines[list(RULES).index("FT104")].endswith("RunConfig(keep_checkpoint_max=N)")


@pytest.mark.parametrize("arguments", [["./rules"], ["--", "rules"], ["--check", "rules"]])
def test_a_directory_with_the_name_of_a_command_can_be_migrated(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    (project / "rules").mkdir()
    (project / "rules" / "train.py").write_text(program())
    assert main(arguments) == 1
    assert "Read 1 file:" in capsys.readouterr().err


def test_verify_has_a_help_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--help"]) == 0
    assert "verify OLD NEW [options]" in capsys.readouterr().out


def test_explain_knows_the_troubles_with_files_too(capsys):
    assert main(["explain", "FT004"]) == 0
    assert "was not overwritten" in capsys.readouterr().out


def test_explain_takes_the_name_that_the_summary_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "keep_checkpoint_max"]) == 0
    assert capsys.readouterr().out.startswith("FT104 · ")


def test_the_rules_are_listed_for_machines_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--format", "json"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert [record["code"] for record in records] == list(RULES)
    [keep] = [record for record in records if record["code"] == "FT104"]
    assert (keep["name"], keep["fidelity"]) == ("keep_checkpoint_max", "exact")
    assert keep["page"].startswith("FT104 · ")


def test_findings_may_leave_the_exit_code_at_zero_and_errors_not(project: Path) -> None:
    assert main(["--check", "."]) == 1
    assert main(["--check", "--exit-zero", "."]) == 0
    assert main(["--check", "--exit-zero", "missing.py"]) == 2
