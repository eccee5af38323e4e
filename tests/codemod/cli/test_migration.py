"""From a path to a diff, a report, or a changed tree."""

import json
import re
import shutil
import subprocess
from importlib.resources import files

import jsonschema
import pytest

from migrate.cli.main import main
from tests.codemod.trees import put

BROKEN = "import tensorflow as tf\ntf.estimator.RunConfig(\n"
LEFT = "import tensorflow as tf\n\nestimator = tf.estimator.DNNClassifier(**arguments)\nestimator._train_model(fn)\n"


def tree(project):
    return {str(path.relative_to(project)): path.read_text() for path in project.rglob("*.py")}


def test_a_tree_without_estimators_is_nothing_found(project, capfd):
    (project / "train.py").unlink()
    assert main(["."]) == 0
    printed = capfd.readouterr()
    assert printed.out == ""
    assert printed.err == "Read 1 file: no Estimator or recovery code found. --write would change nothing.\n"


def test_the_diff_is_what_write_would_do(project, capfdbinary):
    before = tree(project)
    assert main(["."]) == 1
    printed = capfdbinary.readouterr()
    assert tree(project) == before
    assert b"--write would change 1 file" in printed.err
    assert main([".", "--write"]) == 1
    written = tree(project)
    assert written != before
    for path in project.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name, text in before.items():
        (project / name).write_text(text)
    subprocess.run(["git", "apply"], input=printed.out, check=True)
    assert tree(project) == written


def test_after_a_write_nothing_is_left_to_do(project, capfd):
    assert main(["--write", "."]) == 1
    printed = capfd.readouterr()
    assert printed.out == ""
    assert "0 skipped. Changed 1 file" in printed.err
    assert main(["."]) == 0
    assert capfd.readouterr().out == ""


def test_check_prints_a_line_for_each_site_with_its_place_and_writes_nothing(project, capfd):
    before = tree(project)
    assert main(["--check", "train.py"]) == 1
    printed = capfd.readouterr()
    lines = printed.out.splitlines()
    assert "train.py:21:14: FT152 " in printed.out
    assert all(re.fullmatch(r"train\.py:\d+:\d+: FT\d{3} .* \[(exact|noted|skipped)\]", line) for line in lines)
    assert printed.err == f"Read 1 file: {len(lines)} call sites found, {len(lines)} to rewrite, 0 skipped.\n"
    assert tree(project) == before


@pytest.mark.parametrize("format", ["diff", "text", "concise", "github", "html"])
def test_check_prints_what_every_format_does_without_it(project, capfdbinary, format):
    before = tree(project)
    (project / "broken.py").write_text(BROKEN)
    assert main(["--format", format, "."]) == 2
    alone = capfdbinary.readouterr().out
    assert main(["--check", "--format", format, "."]) == 2
    assert capfdbinary.readouterr().out == alone
    (project / "broken.py").unlink()
    assert tree(project) == before


def test_check_finds_the_same_in_json_and_makes_no_changes(project, capfdbinary, monkeypatch):
    assert main(["--format", "json", "."]) == 1
    alone = json.loads(capfdbinary.readouterr().out)
    monkeypatch.setattr("migrate.pipeline.attempt.apply", None)
    assert main(["--check", "--format", "json", "."]) == 1
    checked = json.loads(capfdbinary.readouterr().out)
    assert checked["findings"] == alone["findings"]
    assert alone["changes"] and not checked["changes"]


def test_an_error_in_one_file_stops_no_other(project, capfd):
    (project / "broken.py").write_text(BROKEN)
    assert main([".", "missing.py"]) == 2
    printed = capfd.readouterr()
    assert "+++ b/train.py\n" in printed.out
    assert "broken.py:2:" in printed.err
    assert "2 | tf.estimator.RunConfig(" in printed.err
    assert "missing.py:1:1: FT001" in printed.err
    assert "2 errors." in printed.err


def test_text_tells_each_finding_once(project, capfd):
    (project / "broken.py").write_text(BROKEN)
    main(["--format", "text", "."])
    printed = capfd.readouterr()
    assert "train.py:" in printed.out
    assert "= rewritten: exact" in printed.out
    assert (printed.out + printed.err).count("this tool's own tests") == 1
    assert printed.out.count("broken.py:2:") == 1
    assert "broken.py" not in printed.err


@pytest.mark.parametrize("options", [[], ["--write", "--output", "report.json"]])
def test_json_fits_its_schema(project, capfd, options):
    put(project, {"left.py": LEFT, "broken.py": BROKEN})
    main([".", "--format", "json", *options])
    printed = capfd.readouterr().out
    document = json.loads((project / "report.json").read_text() if options else printed)
    jsonschema.validate(document, json.loads(files("migrate.report").joinpath("schema.json").read_text()))
    assert {finding["rewritten"] for finding in document["findings"]} == {True, False}
    assert {change["written"] for change in document["changes"]} == {bool(options)}


def test_output_holds_what_stdout_would(project, capfdbinary):
    for format in ("diff", "text", "json"):
        main([".", "--format", format])
        printed = capfdbinary.readouterr().out
        main([".", "--format", format, "--output", "report"])
        assert capfdbinary.readouterr().out == b""
        assert (project / "report").read_bytes() == printed
