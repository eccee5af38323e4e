"""The workflow commands are what the runner of GitHub Actions reads."""

import os

import pytest

from migrate.cli.main import main
from migrate.findings.finding import Span
from migrate.report import github

ESCAPES = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ","}


def as_the_runner_reads(line):
    """A command, its properties and its message: the steps of ``ActionCommand.TryParseV2``."""
    assert line.startswith("::")
    end = line.index("::", 2)
    command, _, given = line[2:end].partition(" ")
    properties = {}
    for pair in filter(None, given.split(",")):
        name, separator, value = pair.partition("=")
        assert separator
        for escape, character in ESCAPES.items():
            value = value.replace(escape, character)
        properties[name] = value.replace("%25", "%")
    message = line[end + 2 :]
    for escape in ("%0D", "%0A"):
        message = message.replace(escape, ESCAPES[escape])
    return command, properties, message.replace("%25", "%")


def read(*findings):
    return [
        as_the_runner_reads(line) for line in github.render(findings, lambda finding: finding.span).split("\n")[:-1]
    ]


def test_nothing_found_is_nothing_said():
    assert github.render([], lambda finding: finding.span) == ""


def test_a_finding_stands_at_its_place(finding):
    [(command, properties, message)] = read(finding(help="Look at it."))
    assert command == "notice"
    assert properties == {
        "file": "train.py",
        "line": "2",
        "endLine": "2",
        "col": "5",
        "endColumn": "26",
        "title": "FT152 rewritten",
    }
    assert message == "the number of checkpoints to keep becomes max_to_keep. Look at it."


def test_a_place_of_several_lines_has_no_columns_because_the_runner_refuses_them(finding):
    [(_, properties, _)] = read(finding(span=Span(2, 4, 5, 1)))
    assert (properties["line"], properties["endLine"]) == ("2", "5")
    assert not {"col", "endColumn"} & properties.keys()


def test_the_command_says_who_has_work_to_do(of_each_kind):
    assert [(command, properties["title"]) for command, properties, _ in read(*of_each_kind)] == [
        ("notice", "FT152 rewritten"),
        ("warning", "FT152 rewritten"),
        ("error", "FT152 skipped"),
        ("notice", "FT152 skipped"),
        ("error", "FT003 error"),
    ]


@pytest.mark.parametrize("text", ["100%", "%0A", "%25", "a\nb\r\nc", "a: b, c = d", "::error::x", "日本 😀"])
def test_text_of_any_kind_comes_through(finding, text):
    [(_, properties, message)] = read(finding(path=f"jobs/{text}.py", message=text))
    assert properties["file"] == f"jobs/{text}.py"
    assert message == text


def test_the_command_line_prints_commands_alone(project, capfdbinary):
    (project / "train.py").rename(project / os.fsdecode(b"latin-\xe9, 1.py"))
    assert main(["--format", "github", "."]) == 1
    lines = capfdbinary.readouterr().out.decode("utf-8", "surrogateescape").splitlines()
    assert lines
    assert {as_the_runner_reads(line)[1]["file"] for line in lines} == {os.fsdecode(b"latin-\xe9, 1.py")}
