"""The text report tells the place, what was found, why, and what to do."""

from migrate.findings.finding import Cause, Fidelity, Obstacle, Span
from migrate.report import linter
from migrate.report.terminal import as_text

SOURCE = "config = RunConfig(\n    keep_checkpoint_max=5)\n"


def report(*findings, source=SOURCE):
    return as_text(linter.lines(findings, lambda path, cell: source.split("\n")))


def test_nothing_found_is_nothing_said():
    assert report() == ""


def test_a_rewritten_site(finding):
    assert report(finding()) == (
        "train.py:2:5: FT152 the number of checkpoints to keep becomes max_to_keep\n"
        "  |\n"
        "1 | config = RunConfig(\n"
        "2 |     keep_checkpoint_max=5)\n"
        "  |     ^^^^^^^^^^^^^^^^^^^^^\n"
        "3 |\n"
        "  |\n"
        "  = rewritten: exact\n"
        "\n"
    )


def test_a_site_whose_behaviour_differs_says_so_and_what_to_do(finding):
    noted = finding(fidelity=Fidelity.NOTED, message="protocol is dropped", help="Set it by hand.")
    assert report(noted, source="") == (
        "train.py:2:5: FT152 protocol is dropped\n"
        "  = rewritten: with the difference named above\n"
        "  = help: Set it by hand.\n"
        "\n"
    )


def test_a_site_that_is_left_says_so_and_what_to_do(finding):
    left = finding().skipped_for("the config is a parameter", help="Build it in this function.")
    assert report(left, source="") == (
        "train.py:2:5: FT152 the config is a parameter\n  = help: Build it in this function.\n\n"
    )


def test_a_site_that_is_left_with_its_program_says_so(finding):
    place = Span(105, 0, 105, 1)
    cause = Cause(Obstacle.BLOCKED, "FT151", "experiment.py", place, symbol="export_eval_savedmodel")
    left = finding().skipped_with(cause)
    assert report(left, source="") == (
        "train.py:2:5: FT152 skipped with its program: export_eval_savedmodel (experiment.py:105)\n\n"
    )


def test_findings_are_sorted_by_path_and_place(finding):
    places = [("b.py", 1, 0), ("a.py", 2, 0), ("a.py", 1, 8), ("a.py", 1, 0)]
    lines = report(*(finding(path=path, span=Span(line, at, line, at + 1)) for path, line, at in places)).splitlines()
    told = [line.partition(": ")[0] for line in lines if ": FT" in line]
    assert told == ["a.py:1:1", "a.py:1:9", "a.py:2:1", "b.py:1:1"]


def test_a_name_with_a_newline_stays_on_its_line(finding):
    assert report(finding(path="a\nb.py")).startswith(r"a\nb.py:2:5: FT152 ")


def test_each_thing_that_is_left_to_the_user_has_its_line(finding):
    lines = report(finding(help="On Keras 3, line 8: remove period.\nOn Keras 3, line 9: name the file ….keras."))
    told = [line for line in lines.splitlines() if "help: " in line]
    first, second = "On Keras 3, line 8: remove period.", "On Keras 3, line 9: name the file ….keras."
    assert told == [f"  = help: {first}", f"  = help: {second}"]
