"""A statement in which only names change is written by its lines, as LibCST would write it."""

import ast

import pytest

from migrate.edits import apply as applying
from migrate.edits.plan import Plan, ReplaceExpression
from migrate.findings.finding import Span

NAMES = """\
import tensorflow as tf


def main(mode):  # tf.estimator
    if mode == tf.estimator.ModeKeys.TRAIN: return tf.estimator.Estimator(  tf.x,   "é", tf.estimator.RunConfig )
    return (tf.estimator.RunConfig(), (tf.estimator.RunConfig)())
"""
FORMATTED = 'import tensorflow as tf\n\nname = f"{tf.estimator.RunConfig}" + tf.estimator.RunConfig.name\n'


def renamed(text):
    """The plan that renames what is read of ``tf.estimator``, and ``tf.estimator`` itself inside it."""
    edits = [
        ReplaceExpression(_span(text, node), f"tf2.{node.attr}")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and ast.unparse(node).startswith("tf.estimator") and node.attr != "name"
    ]
    return Plan(edits=list(edits))


def _span(text, node):
    line = text.splitlines()[node.lineno - 1].encode()
    columns = [len(line[:at].decode()) for at in (node.col_offset, node.end_col_offset or 0)]
    return Span(node.lineno, columns[0], node.end_lineno or 0, columns[1])


@pytest.fixture
def parsed(monkeypatch):
    """The code of the statements that LibCST has parsed."""
    codes = []
    parse = applying.statement_tree
    monkeypatch.setattr(applying, "statement_tree", lambda one, writer: (codes.append(one.code), parse(one, writer))[1])
    return codes


def test_names_are_spliced_into_their_lines_as_libcst_writes_them(parsed, monkeypatch):
    after = applying.apply(NAMES, renamed(NAMES))
    assert parsed == []
    assert "if mode == tf2.ModeKeys.TRAIN" not in after  # the longer name was replaced whole
    assert after.count("tf2.") == 5
    monkeypatch.setattr(applying, "replace_names", lambda *_: None)
    assert applying.apply(NAMES, renamed(NAMES)) == after
    assert len(parsed) == 1


def test_a_formatted_string_is_left_to_libcst(parsed):
    place = FORMATTED.index("tf.estimator.RunConfig.name") - FORMATTED.index("name = ")
    span = Span(3, place, 3, place + len("tf.estimator.RunConfig"))
    after = applying.apply(FORMATTED, Plan(edits=[ReplaceExpression(span, "tf2.RunConfig")]))
    assert len(parsed) == 1
    assert after.endswith('name = f"{tf.estimator.RunConfig}" + tf2.RunConfig.name\n')


def test_a_comment_that_lost_its_line_goes_above_the_next_one_that_changes(monkeypatch):
    text = "import os\n\nif [  # why\n    os.a]: pass\nprint(os.b)\n"
    plan = Plan([ReplaceExpression(Span(3, 3, 4, 9), "os.c"), ReplaceExpression(Span(5, 6, 5, 10), "os.d")])
    after = applying.apply(text, plan)
    assert after == "import os\n\nif os.c: pass\n# why\nprint(os.d)\n"
    monkeypatch.setattr(applying, "replace_names", lambda *_: None)
    assert applying.apply(text, plan) == after
