"""What is told of a notebook stands at its place in the file, which is JSON, and names its cell."""

import json
import re

import pytest

from migrate.cli.main import main
from migrate.files.notebook import Notebook
from migrate.findings.finding import Span
from tests.codemod.notebooks.conftest import notebook
from tests.codemod.notebooks.test_migration import CONFIG, DATA, IMPORTS, JOB, MADE, TRAIN
from tests.codemod.report.test_github import as_the_runner_reads
from tests.codemod.report.test_sarif import log
from tests.codemod.trees import outcome_of
from tests.notebooks import SHAPES, shape

LEFT = "x = est.train(data,\n              max_steps=10)  # 'é' \t \"𝒯\""


def as_code(path, region):
    """The source text of a region of a notebook, from the strings of its JSON that the region cuts."""
    lines = re.split(r"\r\n|\n|\r", path.read_bytes().decode("utf-8-sig"))
    cut = text_at(lines, Span(*(region[name] for name in ("startLine", "startColumn", "endLine", "endColumn"))), 1)
    return "".join(json.loads(f'"{part}"') for part in re.split(r'",\s*"', cut))


def in_cell(path, finding):
    cells = json.loads(path.read_text(encoding="utf-8-sig"))["cells"]
    assert finding.cell is not None
    return text_at("".join(cells[finding.cell - 1]["source"]).split("\n"), finding.span)


def text_at(lines, span, first_column=0):
    lines = lines[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - first_column]
    lines[0] = lines[0][span.column - first_column :]
    return "\n".join(lines)


def found(path):
    return outcome_of(path).findings


LAYOUTS = {
    "as Jupyter writes it": ({"indent": 1}, True, "\n", TRAIN),
    "a site over two lines": ({"indent": 1}, True, "\r\n", LEFT),
    "letters escaped": ({"indent": 4, "ensure_ascii": True}, True, "\n", LEFT),
    "all in one line": ({"indent": None}, True, "\n", LEFT),
    "sources as strings": ({"indent": 1, "ensure_ascii": True}, False, "\n", LEFT),
}


@pytest.mark.parametrize(("layout", "as_list", "newline", "last"), LAYOUTS.values(), ids=LAYOUTS)
def test_a_result_of_code_scanning_stands_at_the_code_in_the_json(write, layout, as_list, newline, last):
    path = write(*JOB)
    document = notebook(IMPORTS, DATA, "# md é", f"%%time\n{CONFIG}", MADE, last)
    for cell in document["cells"]:
        cell["source"] = cell["source"] if as_list else "".join(cell["source"])
    path.write_bytes(json.dumps(document, **{"ensure_ascii": False, **layout}).replace("\n", newline).encode())
    findings = found(path)
    results = log("job.ipynb")["results"]
    assert len(results) == len(findings) > 1
    for result, finding in zip(results, findings, strict=True):
        region = result["locations"][0]["physicalLocation"]["region"]
        assert as_code(path, region) == in_cell(path, finding) != ""
        assert result["message"]["text"].startswith(f"cell {finding.cell}:{finding.span.line}:")


@pytest.mark.parametrize("name", SHAPES)
def test_every_result_of_our_notebooks_stands_at_its_code(name, here):
    path = here / name
    path.write_bytes(shape(name))
    results = log(name)["results"]
    regions = [result["locations"][0]["physicalLocation"]["region"] for result in results]
    assert [as_code(path, region) for region in regions] == [in_cell(path, finding) for finding in found(path)]


def test_an_annotation_stands_at_the_code_in_the_json(write, capfd):
    path = write(*JOB[:-1], LEFT)
    findings = found(path)
    main(["--format", "github", "job.ipynb"])
    commands = [as_the_runner_reads(line) for line in capfd.readouterr().out.splitlines()]
    assert len(commands) == len(findings)
    lines = path.read_text().split("\n")
    for (_, properties, message), finding in zip(commands, findings, strict=True):
        region = json.loads(f"{lines[int(properties['line']) - 1].strip().rstrip(',')}")
        assert (
            region.rstrip("\n") == in_cell(path, finding).split("\n")[0]
            or in_cell(path, finding).split("\n")[0] in region
        )
        assert message.startswith(f"cell {finding.cell}:")


def test_fingerprints_stay_when_cells_come_in_above(write):
    def fingerprints():
        return [result["partialFingerprints"]["estimatorMigrate/v2"] for result in log("job.ipynb")["results"]]

    write(*JOB)
    before = fingerprints()
    write("# md Title", "x = 1\n", *JOB[:3], "# often\n" + CONFIG, *JOB[4:])
    assert fingerprints() == before
    assert len(set(before)) == len(before) > 1


def test_a_place_behind_the_end_of_a_cell_is_its_end():
    data = json.dumps(notebook("a\\\nbc", "")).encode()
    found = Notebook.decode("job.ipynb", data)
    text = data.decode()
    for number, span in ((1, Span(9, 9, 9, 9)), (1, Span(1, 0, 9, 9)), (2, Span(1, 0, 1, 1))):
        place = found.file_span(number, span)
        start, end = found.sources[number]
        assert place.line == place.end_line == 1
        assert start <= place.column <= place.end_column <= end, text
