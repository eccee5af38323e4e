"""GitLab's report, VS Code's problems, and what a baseline leaves of a pull request's annotations."""

import json
import re
from pathlib import Path

import pytest

from migrate.cli.main import main
from migrate.findings.finding import Fidelity, Span
from migrate.report import gitlab

DOCS = Path(__file__).parents[3] / "docs"


def read(*findings):
    records = json.loads(gitlab.render(findings, lambda finding: finding.span))
    assert isinstance(records, list)
    return records


def test_a_record_has_what_gitlab_asks_for(finding):
    [record] = read(finding(help="Look at it."))
    assert record.pop("fingerprint")
    assert record == {
        "description": "FT152 rewritten: the number of checkpoints to keep becomes max_to_keep. Look at it.",
        "check_name": "FT152",
        "severity": "info",
        "location": {"path": "train.py", "lines": {"begin": 2}},
    }


def test_a_fingerprint_is_of_one_site_and_stays_as_lines_move(finding):
    sites = [finding(span=Span(line, 0, line, 1)) for line in (1, 5)]
    moved = [finding(span=Span(line, 0, line, 1)) for line in (3, 9)]
    prints = [record["fingerprint"] for record in read(*sites)]
    assert len(set(prints)) == 2
    assert prints == [record["fingerprint"] for record in read(*moved)]


def test_what_needs_work_is_severe(finding):
    found = [finding(), finding(fidelity=Fidelity.NOTED), finding().skipped_for("the config is a parameter")]
    assert {record["severity"] for record in read(*found)} == {"info", "minor", "major"}


@pytest.mark.parametrize("format", ["github", "gitlab"])
def test_a_plan_with_a_baseline_annotates_what_the_baseline_does_not_hold(format, project, capsys):
    main(["plan", ".", "--format", "json", "--output", "plan.json"])
    assert main(["plan", ".", "--baseline", "plan.json", "--format", format]) == 0
    assert capsys.readouterr().out in ("", "[]\n")
    text = (project / "train.py").read_text()
    (project / "train.py").write_text(f"# a line\n{text}\nimport tensorflow as t\nprint(t.estimator.EvalSpec)\n")
    (project / "new.py").write_text(text)
    assert main(["plan", ".", "--baseline", "plan.json", "--format", format]) == 1
    shown = capsys.readouterr()
    assert "new.py: tensorflow" in shown.err
    assert "new.py" in shown.out
    places = re.findall(r"file=train.py,line=(\d+)", shown.out)
    assert format == "gitlab" or places == [str(len(text.splitlines()) + 4)]


def test_the_problem_matcher_of_the_docs_reads_each_line_of_check(project, capsys):
    page = (DOCS / "reference.md").read_text()
    [task] = [json.loads(one) for one in re.findall(r"```json\n(.*?)```", page, re.DOTALL) if "problemMatcher" in one]
    pattern = task["problemMatcher"]["pattern"]
    main(["check", "."])
    lines = capsys.readouterr().out.splitlines()
    for line in [*lines, "job.ipynb:cell 3:1:7: FT151 in object form [exact]"]:
        found = re.match(pattern["regexp"], line)
        assert found is not None
        assert found[pattern["file"]].endswith((".py", ".ipynb"))
        assert found[pattern["code"]].startswith("FT")
    assert lines
