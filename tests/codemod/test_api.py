"""The tool as a library."""

import dataclasses
import shutil

import pytest

from migrate.api import Fidelity, Finding, Settings, SettingsError, check, rewrite, rewrite_source, write
from migrate.cli.main import main
from tests.cases import each
from tests.codemod.changed import names
from tests.codemod.programs import program


def test_check_finds_the_sites_and_makes_no_text(project):
    outcome = check([project])
    assert outcome.findings
    assert all(finding.rewritten for finding in outcome.findings)
    assert outcome.changes == []


def test_a_finding_is_a_frozen_record_that_two_runs_give_alike(project):
    found, again = check([project]).findings, check([project]).findings
    assert {*found} == {*again}
    assert all(isinstance(one, Finding) and isinstance(one.fidelity, Fidelity) for one in found)
    assert dataclasses.asdict(dataclasses.replace(found[0], cell=7)) == dataclasses.asdict(found[0]) | {"cell": 7}
    with pytest.raises(dataclasses.FrozenInstanceError):
        found[0].message = ""


def test_rewrite_finds_the_same_and_writes_nothing(project):
    before = (project / "train.py").read_bytes()
    outcome = rewrite([project / "train.py"])
    assert outcome.findings == check([project / "train.py"]).findings
    *generated, change = sorted(outcome.changes, key=lambda change: change.path)
    assert change.before == before.decode() != change.after
    assert {one.path for one in generated} == {*change.needs}
    assert {one.before for one in generated} == {None}
    assert (project / "train.py").read_bytes() == before


def test_what_write_puts_there_is_what_the_command_line_does(project):
    assert write(rewrite(["train.py"])) == []
    written = {str(path.relative_to(project)): path.read_text() for path in project.rglob("*.py")}
    for name in written:
        (project / name).unlink()
    shutil.rmtree(project / "tf2_recovery")
    (project / "train.py").write_text(program())
    main(["--write", "train.py"])
    assert {str(path.relative_to(project)): path.read_text() for path in project.rglob("*.py")} == {
        name: text for name, text in written.items() if name != "other.py"
    }


def test_a_source_that_is_on_no_disk_is_rewritten(project):
    source = (project / "train.py").read_bytes()
    [change] = rewrite_source(source, "nowhere/train.py").changes
    assert change.path == "nowhere/train.py"
    assert "from tf2_recovery.premade.dnn import " in change.after
    assert "nowhere/tf2_recovery/premade/dnn.py" in change.needs


def test_settings_choose_the_rules(project):
    assert check(["train.py"], Settings(ignore=("FT1",))).findings == []


def test_one_path_is_one_path_and_no_other_is_looked_at(project):
    for one in ("train.py", project / "train.py"):
        for find in (check, rewrite):
            outcome = find(one)
            assert outcome.files_read == 1
            assert outcome.findings
    assert {*names(rewrite("train.py"))} <= {"train.py", "tf2_recovery"}
    with pytest.raises(TypeError, match="a path is a string"):
        check(b"train.py")


@each("settings", "message")(
    ({"input": "anew"}, "input must be restart or continue, not 'anew'"),
    ({"select": "FT152"}, "select must be a tuple of words, not 'FT152'"),
    ({"ignore": ("FT152", 5)}, "ignore must be a tuple of words"),
    ({"select": ("FT999",)}, "unknown rule 'FT999'"),
    ({"exclude": "third_party/"}, "exclude must be a tuple of words"),
    ({"module_name": "../elsewhere"}, "module_name must be the name of a Python module"),
)
def test_a_setting_that_cannot_be_used_is_rejected_before_a_file_is_read(project, settings, message):
    for call in (check, rewrite):
        with pytest.raises(SettingsError, match=message.replace("(", r"\(")):
            call("train.py", Settings(**settings))
    with pytest.raises(SettingsError, match="jobs must be a number from 1, not 0"):
        check("train.py", jobs=0)


def test_trouble_with_one_file_is_a_finding_and_loses_no_other(project):
    (project / "broken.py").write_text("import tensorflow as tf\ntf.estimator.RunConfig(\n")
    outcome = check([project, "missing.py"])
    assert {(one.code, one.path) for one in outcome.findings if one.error} == {
        ("FT001", "missing.py"),
        ("FT003", str(project / "broken.py")),
    }
    assert any(one.rewritten for one in outcome.findings)
