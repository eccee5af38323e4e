"""The JSON output is what its schema says."""

import json
from importlib.resources import files

import jsonschema

from migrate import __version__
from migrate.edits.file_change import FileChange
from migrate.findings.finding import Fidelity, Span
from migrate.pipeline.outcome import Outcome
from migrate.report import json_report

SCHEMA = json.loads(files("migrate.report").joinpath("schema.json").read_text())


def document(outcome, written=()):
    loaded = json.loads(json_report.render(outcome, written))
    jsonschema.Draft202012Validator(SCHEMA).validate(loaded)
    return loaded


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_schema_is_of_the_version_that_is_written():
    assert SCHEMA["properties"]["schema_version"]["const"] == json_report.SCHEMA_VERSION


def test_nothing_found():
    assert document(Outcome(files_read=3)) == {
        "schema_version": 1,
        "tool": {"name": "estimator-migrate", "version": __version__},
        "files_read": 3,
        "findings": [],
        "changes": [],
    }


def test_each_finding_is_a_record_that_counts_lines_and_columns_from_one(finding):
    noted = finding(fidelity=Fidelity.NOTED, span=Span(2, 0, 3, 1), help="Set it by hand.")
    assert document(Outcome(1, [noted]))["findings"] == [
        {
            "code": "FT152",
            "fidelity": "noted",
            "file": "train.py",
            "cell": None,
            "start": {"line": 2, "column": 1},
            "end": {"line": 3, "column": 2},
            "symbol": "tensorflow.estimator.RunConfig",
            "message": "the number of checkpoints to keep becomes max_to_keep",
            "help": "Set it by hand.",
            "rewritten": True,
            "error": False,
        }
    ]


def test_changes_say_what_becomes_of_each_file_and_whether_it_was_written():
    outcome = Outcome(2, [], [FileChange("train.py", "1\n", "2\n"), FileChange("tf2_recovery.py", None, "3\n")])
    assert document(outcome, written=("train.py",))["changes"] == [
        {"file": "tf2_recovery.py", "action": "create", "written": False},
        {"file": "train.py", "action": "change", "written": True},
    ]


def test_records_are_sorted_by_path_and_place(finding):
    findings = [finding(path="b.py"), finding(path="a.py", span=Span(9, 0, 9, 1)), finding(path="a.py")]
    places = [(item["file"], item["start"]["line"]) for item in document(Outcome(1, findings))["findings"]]
    assert places == [("a.py", 2), ("a.py", 9), ("b.py", 2)]


def test_a_path_that_is_no_text_is_kept_in_one_piece(finding):
    path = "latin-\udce9.py"
    assert document(Outcome(1, [finding(path=path)]))["findings"][0]["file"] == path
