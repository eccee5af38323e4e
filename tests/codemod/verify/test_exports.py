"""Exports and the names of variables in the comparison of two records."""

from dataclasses import replace

from migrate.verify import compare
from migrate.verify.comparison import Verdict

LATEST = "export/latest"


def exporting(record, value=0.5, outputs="scores", signature="serving_default", place=LATEST, problem=""):
    inputs, shapes = {"x": ["float32", [None, 2]]}, {outputs: ["float32", [None]]}
    answer = {"inputs": inputs, "outputs": shapes, "values": {} if problem else {outputs: [value]}, "problem": problem}
    return replace(record(fault=""), exports={place: {signature: answer}})


def row_of(old, new, **how):
    return compare(old, new, **how).row("exports")


def test_equal_exports_match_and_are_told(record):
    row = row_of(exporting(record), exporting(record))
    assert (row.verdict, row.old) == (Verdict.SAME, "export/latest: serving_default")
    assert row.note == "signatures and their answers"


def test_another_answer_differs_unless_the_tolerance_covers_it(record):
    row = row_of(exporting(record), exporting(record, value=0.51))
    assert row.verdict is Verdict.DIFFERENT
    assert row.note == "scores of export/latest serving_default: 0.5 and 0.51"
    assert row_of(exporting(record), exporting(record, value=0.51), tolerance=0.1).verdict is Verdict.SAME


def test_answers_do_not_count_where_the_two_began_in_other_states(record):
    old = replace(exporting(record), attempts=record(loss=lambda step: 2.0).attempts)
    row = row_of(old, exporting(record, value=0.9))
    assert (row.verdict, row.note) == (Verdict.SAME, "the signatures only: the initial weights of OLD and NEW differ")


def test_another_signature_or_place_or_output_differs(record):
    old = exporting(record)
    row = row_of(old, exporting(record, signature="predict"))
    assert row.note == "only NEW has the signature predict in export/latest"
    assert row_of(old, exporting(record, place="export/best")).note == "only NEW exports to export/best"
    assert "outputs of export/latest serving_default: scores float32[None]" in (
        row_of(old, exporting(record, outputs="logits")).note
    )
    assert row_of(old, record(fault="")).note == "only OLD exports to export/latest"


def test_a_signature_that_cannot_be_called_is_named(record):
    new = exporting(record, problem="InvalidArgumentError: no")
    row = row_of(exporting(record, problem="InvalidArgumentError: no"), new)
    assert row.note == "the signatures only: OLD's export/latest serving_default: InvalidArgumentError: no"


def test_an_export_that_its_own_tensorflow_cannot_load_is_no_difference_of_new(record):
    broken = exporting(record, signature="", problem="TypeError: no")
    row = row_of(broken, exporting(record))
    assert row.verdict is Verdict.SAME
    assert row.note == "the signatures only: OLD's export in export/latest cannot be loaded (TypeError: no)"
    row = row_of(exporting(record), broken)
    assert row.verdict is Verdict.DIFFERENT
    assert row.note == "NEW's export in export/latest cannot be loaded (TypeError: no)"


def test_without_exports_nothing_is_said_of_them(record):
    assert "exports" not in [row.name for row in compare(record(), record()).rows]


def named(record, *keys):
    variables = {key: {"key": key, "shape": [1], "values": [1.0], "digest": "a"} for key in keys}
    return replace(record(), variables=variables)


def test_the_names_that_a_later_program_would_miss_are_told_and_are_no_difference(record):
    name = "variables that can be read by OLD's names"
    same = compare(named(record, "w", "b"), named(record, "w", "b", "more")).row(name)
    assert (same.verdict, same.new) == (Verdict.SAME, "2 of them")
    comparison = compare(named(record, "a", "b", "c", "d", "w"), named(record, "w"))
    assert comparison.row(name).verdict is Verdict.INFORMATION
    assert comparison.row(name).note.startswith("not a, b, c and 1 more: a program that reads these by name")
