"""The SARIF log is what its schema says, and leads to the sites."""

import json
import os
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

import attr
import pytest
import sarif_om

from migrate.cli.main import main
from migrate.pipeline.outcome import Outcome
from migrate.report import sarif
from migrate.report.annotation import root
from migrate.report.pages import pages
from migrate.rules import RULES
from tests.codemod.notebooks.conftest import notebook
from tests.codemod.programs import program
from tests.codemod.trees import put

CLASSES = {
    "runs": sarif_om.Run,
    "tool": sarif_om.Tool,
    "driver": sarif_om.ToolComponent,
    "rules": sarif_om.ReportingDescriptor,
    "shortDescription": sarif_om.MultiformatMessageString,
    "fullDescription": sarif_om.MultiformatMessageString,
    "relatedLocations": sarif_om.Location,
    "help": sarif_om.MultiformatMessageString,
    "defaultConfiguration": sarif_om.ReportingConfiguration,
    "invocations": sarif_om.Invocation,
    "results": sarif_om.Result,
    "message": sarif_om.Message,
    "locations": sarif_om.Location,
    "physicalLocation": sarif_om.PhysicalLocation,
    "artifactLocation": sarif_om.ArtifactLocation,
    "region": sarif_om.Region,
}
"""The class that the published schema gives to the value of a property, or to each of its values."""
TWO = program() + "\n\n" + program()[program().index("def main(") :].replace("main(", "other(")
"""Two programs in one file."""
LEFT = "import tensorflow as tf\n\nestimator = tf.estimator.DNNClassifier(**arguments)\n\nestimator._train_model(fn)\n"


def assert_fits(record, kind):
    """The record has only properties of the schema's type, and all that the type demands."""
    attributes = {attribute.metadata["schema_property_name"]: attribute for attribute in kind.__attrs_attrs__}
    assert record.keys() <= attributes.keys(), kind
    demanded = {name for name, attribute in attributes.items() if attribute.default is attr.NOTHING}
    assert demanded <= record.keys(), kind
    for name, value in record.items():
        if name in CLASSES:
            for one in value if isinstance(value, list) else [value]:
                assert_fits(one, CLASSES[name])
        elif name == "originalUriBaseIds":
            for one in value.values():
                assert_fits(one, sarif_om.ArtifactLocation)
        else:
            assert name in ("properties", "partialFingerprints") or not isinstance(value, dict), name


def log(*arguments):
    """The run of the log that the command line writes for the current directory."""
    main([*(arguments or ["."]), "--format", "sarif", "--output", "out.sarif"])
    document = json.loads(Path("out.sarif").read_text(encoding="ascii"))
    assert_fits(document, sarif_om.SarifLog)
    assert document["version"] == "2.1.0"
    return document["runs"][0]  # type: ignore[no-any-return]


def file_of(location, run):
    """The path that an artifact location means, resolved as the specification says."""
    base = run["originalUriBaseIds"][location["uriBaseId"]]["uri"] if "uriBaseId" in location else ""
    address = urlsplit(base + location["uri"])
    assert address.scheme == "file"
    assert location["uri"].isascii()
    return unquote_to_bytes(address.path)


def test_a_clean_tree_gives_a_log_without_results(project):
    (project / "train.py").unlink()
    run = log()
    assert run["results"] == []
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 0}]


def test_every_rule_is_described_with_its_page_and_a_level(project):
    rules = {rule["id"]: rule for rule in log()["tool"]["driver"]["rules"]}
    levels = {"exact": "note", "noted": "warning", "manual": "error"}
    for code, rule in RULES.items():
        assert rules[code]["help"]["text"] == rule.page
        assert rules[code]["shortDescription"]["text"] == rule.title.rstrip(".")
        assert rules[code]["fullDescription"]["text"].replace(" ", "")[:30] in "".join(
            rule.page.replace("``", "").split()
        )
        assert rules[code]["defaultConfiguration"]["level"] == levels[rule.fidelity.value]


def test_a_result_names_its_rule_and_stands_where_its_finding_does(project):
    run = log()
    line = program().splitlines().index("    config = RunConfig(save_checkpoints_steps=5)") + 1
    [result] = [result for result in run["results"] if result["ruleId"] == "FT152"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "FT152"
    [location] = result["locations"]
    assert location["physicalLocation"]["artifactLocation"] == {"uri": "train.py", "uriBaseId": "%SRCROOT%"}
    assert location["physicalLocation"]["region"] == {
        "startLine": line,
        "startColumn": program().splitlines()[line - 1].index("RunConfig") + 1,
        "endLine": line,
        "endColumn": program().splitlines()[line - 1].index("5)") + 3,
    }


def test_levels_say_who_has_work_to_do(project, of_each_kind):
    text = sarif.render(Outcome(1, of_each_kind), pages(), lambda path, cell: [], lambda finding: finding.span)
    [made] = json.loads(text)["runs"]
    assert [result["level"] for result in made["results"]] == ["note", "warning", "error", "note", "error"]
    assert made["invocations"][0]["executionSuccessful"] is False


@pytest.mark.parametrize("name", ["a b.py", "100%#?.py", "naïve.py", "c:d.py", os.fsdecode(b"latin-\xe9.py")])
def test_a_file_of_any_name_is_found_again(project, name):
    (project / "jobs").mkdir()
    (project / "train.py").rename(project / "jobs" / name)
    run = log()
    location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert file_of(location, run) == os.fsencode(project / "jobs" / name)


def test_paths_are_relative_to_the_root_of_the_repository(project, monkeypatch):
    (project / "jobs").mkdir()
    monkeypatch.chdir(project / "jobs")
    assert root() == str(project)
    run = log("..")
    location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": "train.py", "uriBaseId": "%SRCROOT%"}


def test_a_file_outside_the_repository_has_an_absolute_uri(project, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "train.py"
    outside.write_text(program())
    location = log(str(outside))["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": outside.as_uri()}


def fingerprints():
    return [result["partialFingerprints"][sarif.FINGERPRINT] for result in log()["results"]]


def test_fingerprints_stay_when_lines_come_in_above_and_layout_changes(project):
    before = fingerprints()
    text = program().replace(
        "RunConfig(save_checkpoints_steps=5)", "RunConfig(\n        save_checkpoints_steps=5\n    )"
    )
    (project / "train.py").write_text("# a\n\n\nx = 1\n" + text)
    assert fingerprints() == before


def test_every_fingerprint_is_its_own(project):
    put(project, {"train.py": TWO, "copy/train.py": TWO})
    made = fingerprints()
    assert len(made) == len(set(made)) > 5


def test_a_site_that_is_skipped_for_another_one_leads_to_it(project):
    (project / "train.py").write_text(LEFT)
    [result] = [result for result in log()["results"] if "relatedLocations" in result]
    [related] = result["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "train.py"
    assert related["physicalLocation"]["region"]["startLine"] == 5
    assert related["message"]["text"].startswith("FT151")


def test_a_cell_that_is_skipped_for_another_one_leads_to_it_in_the_json(project):
    (project / "train.py").unlink()
    text = json.dumps(notebook(*LEFT.split("\n\n")), indent=1)
    (project / "train.ipynb").write_text(text)
    [result] = [result for result in log()["results"] if "relatedLocations" in result]
    region = result["relatedLocations"][0]["physicalLocation"]["region"]
    assert "_train_model" in text.splitlines()[region["startLine"] - 1]


def test_the_log_of_unreadable_files_is_whole(project):
    (project / "broken.py").write_bytes(b"from tensorflow.estimator import RunConfig\nx = '\xe9'\n")
    os.symlink(b"gone-\xe9.py", "link.py")
    run = log()
    assert {result["ruleId"] for result in run["results"]} >= {"FT001", "FT002"}
    assert run["invocations"] == [{"executionSuccessful": False, "exitCode": 2}]
