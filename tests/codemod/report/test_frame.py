"""The code frame shows the place that is meant, whatever the line holds."""

from migrate.findings.finding import Span
from migrate.report.linter import code_frame
from migrate.report.terminal import as_text


def frame(source, *span):
    return as_text(code_frame(source.split("\n"), Span(*span))).splitlines()


def test_the_line_stands_between_its_neighbours_with_carets_under_the_place():
    assert frame("import x\nrun(keep=3)\nend()\nmore()\n", 2, 4, 2, 10) == [
        "  |",
        "1 | import x",
        "2 | run(keep=3)",
        "  |     ^^^^^^",
        "3 | end()",
        "  |",
    ]


def test_the_first_and_the_last_line_of_a_file_have_one_neighbour():
    assert frame("a\nb", 1, 0, 1, 1) == ["  |", "1 | a", "  | ^", "2 | b", "  |"]
    assert frame("a\nb", 2, 0, 2, 1) == ["  |", "1 | a", "2 | b", "  | ^", "  |"]


def test_of_several_lines_the_first_is_underlined():
    assert frame("run(\n  keep=3,\n)\n", 1, 0, 3, 1) == [
        "  |",
        "1 | run(",
        "  | ^^^^",
        "2 |   keep=3,",
        "3 | )",
        "4 |",
        "  |",
    ]


def test_a_long_place_is_cut_short():
    assert len(frame("\n".join(f"line{number}" for number in range(100)), 50, 0, 90, 3)) == 9


def test_an_empty_place_has_one_caret():
    assert frame("abc", 1, 3, 1, 3)[2] == "  |    ^"
    assert frame("", 1, 0, 1, 0) == ["  |", "1 |", "  | ^", "  |"]


def test_line_numbers_stand_below_each_other():
    assert frame("\n" * 8 + "a\nb\nc\n", 10, 0, 10, 1)[1:4] == [" 9 | a", "10 | b", "   | ^"]


def test_tabs_and_wide_characters_keep_the_carets_in_column():
    assert frame("\tf('\t', x)", 1, 8, 1, 9)[1:3] == ["1 | \tf('\t', x)", "  | \t   \t   ^"]
    assert frame("f('é', x)", 1, 7, 1, 8)[1:3] == ["1 | f('é', x)", "  |        ^"]
    assert frame("f('日本', x)", 1, 8, 1, 9)[1:3] == ["1 | f('日本', x)", "  |           ^"]
    assert frame("f('日本', x)", 1, 3, 1, 5)[2] == "  |    ^^^^"


def test_a_very_long_line_is_cut_to_the_place():
    line = "x = 1; " * 1_000_000 + "run(keep=3)" + "; y = 1" * 1_000
    shown = frame(line, 1, 7_000_004, 1, 7_000_010)
    assert all(len(text) < 120 for text in shown)
    assert shown[1][shown[2].index("^") : shown[2].rindex("^") + 1] == "keep=3"


def test_control_characters_do_not_reach_the_terminal():
    shown = frame("x = '\x1b[31m\x07'; run()", 1, 14, 1, 19)
    assert shown[1] == r"1 | x = '\x1b[31m\x07'; run()"
    assert shown[1][shown[2].index("^") : shown[2].rindex("^") + 1] == "run()"


def test_a_line_that_the_file_does_not_have_has_no_frame():
    assert frame("a\nb", 0, 0, 0, 1) == []
    assert frame("a\nb", 3, 0, 3, 1) == []
