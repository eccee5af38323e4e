"""VS Code's problems, and what a baseline leaves of a pull request's annotations."""

import json
import re
from pathlib import Path

from migrate.cli.main import main

DOCS = Path(__file__).parents[3] / "docs"


def test_a_plan_with_a_baseline_annotates_what_the_baseline_does_not_hold(project, capsys):
    main(["plan", ".", "--format", "json", "--output", "plan.json"])
    assert main(["plan", ".", "--baseline", "plan.json", "--format", "github"]) == 0
    assert capsys.readouterr().out == ""
    text = (project / "train.py").read_text()
    (project / "train.py").write_text(f"# a line\n{text}\nimport tensorflow as t\nprint(t.estimator.EvalSpec)\n")
    (project / "new.py").write_text(text)
    assert main(["plan", ".", "--baseline", "plan.json", "--format", "github"]) == 1
    shown = capsys.readouterr()
    assert "new.py: tensorflow" in shown.err
    assert "new.py" in shown.out
    places = re.findall(r"file=train.py,line=(\d+)", shown.out)
    assert places == [str(len(text.splitlines()) + 4)]


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
