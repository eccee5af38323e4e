"""A call to which an argument comes, or from which one goes, is laid out as black does where it was on a line."""

import black
import pytest

from migrate.edits.apply import apply
from migrate.edits.lines import format_source
from migrate.edits.plan import Plan, SetArgument
from migrate.findings.finding import Span
from tests.cases import each

VALUE = 'Made("a" * 30, first=1, second=2)'
CALLS = {
    "that grows out of its line": "made = build(one, two, three=3, four=some.attribute)",
    "whose new argument is too long for its line": "made = build(\n    one_argument_that_is_long,\n    two=2,\n)",
    "inside a function": "def f():\n    made = build(one, two, three=3, four=some.attribute, five=5)",
    "that still fits": "made = build(one)",
}


def span_of(text):
    """The place of the call of ``build``."""
    lines, end = text.splitlines(), text.splitlines()
    first = next(number for number, line in enumerate(lines) if "build(" in line)
    return Span(first + 1, lines[first].index("build("), len(end), len(end[-1]))


@pytest.mark.parametrize("call", CALLS)
def test_a_call_to_which_an_argument_comes_stands_as_black_lays_it_out(call):
    text = CALLS[call] + "\n"
    after = apply(text, Plan([SetArgument(span_of(text), "checkpoints", VALUE, fits=True)]))
    assert f"checkpoints={VALUE}" in " ".join(after.split()).replace("( ", "(").replace(" )", ")")
    assert black.format_str(after, mode=black.Mode()) == after


def test_a_call_from_which_an_argument_goes_comes_back_to_its_line():
    text = "made = build(\n    one=1, two=2\n)\n"
    after = apply(text, Plan([SetArgument(span_of(text), "two", None, fits=True)]))
    assert after == "made = build(one=1)\n"


def test_one_with_a_comma_at_its_end_keeps_its_lines():
    text = "made = build(\n    one=1,\n    two=2,\n)\n"
    after = apply(text, Plan([SetArgument(span_of(text), "two", None, fits=True)]))
    assert after == "made = build(\n    one=1,\n)\n"


def test_an_argument_behind_a_last_one_without_a_comma_has_a_line_like_the_others():
    text = "made = build(\n    one=1,\n    two=2  # why\n)\n"
    after = apply(text, Plan([SetArgument(span_of(text), "three", "3")]))
    assert after == "made = build(\n    one=1,\n    two=2,  # why\n    three=3\n)\n"


def test_the_comment_of_a_last_argument_that_goes_is_kept_once():
    text = "made = build(\n    one=1,\n    two=2  # why\n)\n"
    after = apply(text, Plan([SetArgument(span_of(text), "two", None)]))
    assert after == "# why\nmade = build(\n    one=1\n)\n"


@each("gone", "above", "kept")(
    ("one", "# first\n# 1\n", "    # second\n    two=2,  # 2\n    # third\n    three=3,  # 3\n    # end\n"),
    ("two", "# second\n# 2\n", "    # first\n    one=1,  # 1\n    # third\n    three=3,  # 3\n    # end\n"),
    ("three", "# third\n# 3\n", "    # first\n    one=1,  # 1\n    # second\n    two=2,  # 2\n    # end\n"),
)
def test_the_comments_of_an_argument_go_with_it_and_those_of_its_neighbours_stay(gone, above, kept):
    parts = "    # first\n    one=1,  # 1\n    # second\n    two=2,  # 2\n    # third\n    three=3,  # 3\n    # end\n"
    text = f"made = build(\n{parts})\n"
    after = apply(text, Plan([SetArgument(span_of(text), gone, None, fits=True)]))
    assert after == f"{above}made = build(\n{kept})\n"


@each("call", "after")(
    ("build(one=1, two=2,  # both\n  three=3)", "build(one=1,  # both\n  three=3)"),
    ("build(one=1,  # 1\n  two=2, three=3)", "build(one=1,  # 1\n  three=3)"),
    ("build(one=1,  # 1\n  two=2)", "build(one=1  # 1\n  )"),
    ("build(two=2,  # 2\n  three=3)", "build(\n  three=3)"),
    ("build(two=2, three=3)", "build(three=3)"),
    ("build(one=1, two=2)", "build(one=1)"),
    ("build(two=2)", "build()"),
)
def test_an_argument_goes_from_its_line_and_a_comment_behind_others_stays(call, after):
    text = f"made = {call}\n"
    written = apply(text, Plan([SetArgument(span_of(text), "two", None)]))
    assert written.removeprefix("# 2\n") == f"made = {after}\n"
    assert written.count("#") == text.count("#")


def test_the_users_quotes_stay():
    text = "made = build('one', 'two', three='three', four='a text that is long')\n"
    after = apply(text, Plan([SetArgument(span_of(text), "checkpoints", VALUE, fits=True)]))
    assert "    'one',\n    'two',\n" in after or "    'one', 'two'," in after


def test_a_comment_in_a_call_keeps_it_as_it_stands():
    text = "made = build(one=1, two=2)  # why\n"
    span = Span(1, 7, 1, 26)
    after = apply(text, Plan([SetArgument(span, "two", None, fits=True)]))
    assert after == "made = build(one=1)  # why\n"


def test_a_call_with_a_string_over_several_lines_takes_an_argument_too():
    text = "def f():\n    made = build(one=1, two='''a\n  b''')\n"
    after = apply(text, Plan([SetArgument(Span(2, 11, 3, 7), "checkpoints", VALUE + " or " + VALUE, fits=True)]))
    assert black.format_str(after, mode=black.Mode()).count("checkpoints=") == 1
    assert "'''a\n  b'''" in after


@each("source")(
    "import a.b as c\n\nc.d()\n", "from ..a import b as c, d", "a.b.c", '"train"', "from a import " + "b" * 74
)
def test_code_that_black_leaves_as_it_is_needs_no_black(source, monkeypatch):
    formatted = black.format_str(source, mode=black.Mode())
    monkeypatch.setattr(black, "format_str", None)
    assert format_source.__wrapped__(source, 0, "    ") == formatted
