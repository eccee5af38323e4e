"""Only what the plan names changes, wherever it stands in the file."""

import libcst
import pytest

from migrate.edits.apply import apply
from migrate.edits.editor import EditLost
from migrate.edits.plan import InsertBefore, Plan, ReplaceExpression, ReplaceStatement
from migrate.findings.finding import Span
from tests.cases import each
from tests.codemod.programs import migrate, program


def test_a_statement_that_shares_its_line_with_one_that_goes_stays_with_its_comments():
    shared = program().replace("    config = ", "    # why\n    size = 1; config = ")
    after, findings = migrate(shared.replace("config=config, ", 'config=config, model_dir="/m", '))
    assert all(finding.rewritten for finding in findings)
    assert "\n    # why\n    size = 1\n" in after
    assert after.count("# why") == 1
    assert "config" not in after


def test_the_comment_behind_a_statement_that_stays_stays_behind_it():
    shared = program().replace("5)\n    columns", "5); size = 1  # why\n    columns")
    after, _ = migrate(shared.replace("config=config, ", 'config=config, model_dir="/m", '))
    assert "    size = 1  # why\n" in after
    assert after.count("# why") == 1


def test_code_around_the_edits_may_count_its_lines_in_any_way():
    head = '#!/usr/bin/env python\n"""A\n\fB\n"""; import sys; import os\n\f\nX = """\n\n"""; Y = (1,\n)\n'
    plain, _ = migrate(program())
    after, _ = migrate(head + program() + "\n\n# The end\n")
    assert after == head + plain + "\n\n# The end\n"


def test_decorators_stay_with_the_comments_between_them():
    decorators = "@other(args=1)\n# why\n@another\n"
    after, _ = migrate(program().replace("def main(", f"{decorators}def main("))
    assert f"\n\n\n{decorators}def main(" in after


def test_a_statement_that_is_deleted_takes_its_comments_with_it_and_no_others():
    text = "def f():\n    a()  # a\n    # b\n    b()  # b\n    c(\n        x  # c\n    )\n"
    text += "\n# d\n\n# e\ne()  # e\n# f\nf()\n"
    gone = [Span(2, 4, 2, 7), Span(5, 4, 7, 5), Span(12, 0, 12, 3)]
    after = apply(text, Plan([ReplaceStatement(span) for span in gone]))
    assert after == "def f():\n    # b\n    b()  # b\n\n# d\n\n# f\nf()\n"


def test_a_call_that_sets_the_mode_of_tensorflow_takes_its_comment_with_it():
    mode = "    tf1.disable_v2_behavior()  # Disable eager mode when running with TF2.\n"
    for kind in ("premade", "custom"):
        text = program(kind)
        after, findings = migrate(text.replace("    config = ", f"{mode}    config = "))
        assert after == migrate(text)[0]
        assert all(finding.rewritten for finding in findings)


@each("edit")(
    InsertBefore(Span(1, 4, 1, 8), "x = 1"),
    ReplaceExpression(Span(1, 1, 1, 4), "x"),
    ReplaceStatement(Span(1, 2, 1, 3)),
)
def test_an_edit_that_finds_no_place_fails_instead_of_leaving_half_a_program(edit):
    with pytest.raises(EditLost):
        apply("f(a.b)\n", Plan([edit]))


LATE = """\
import tensorflow as tf


def train():
    return joined(tf)


train()

HEAD
print(os.getcwd(), later)
"""


def with_os(text):
    """The text with a use of ``os`` in the place of a function's name."""
    line = text.split("\n").index("    return joined(tf)") + 1
    return apply(text, Plan([ReplaceExpression(Span(line, 11, line, 17), "os.path.join")], imports={"import os"}))


@each("head")("import os\nimport later", "import later, os", "try:\n    import os, later\nfinally: later")
def test_a_module_that_is_imported_below_its_first_use_is_imported_above_it_too(head):
    text = LATE.replace("HEAD", head)
    after = with_os(text)
    assert after.index("import tensorflow as tf\n") < after.index("import os\n") < after.index("os.path.join(")
    assert after.endswith(text[text.index("train()\n\n") :])


@pytest.mark.parametrize("head", ["import os", "import sys, os", "try:\n    import os\nexcept ImportError:\n    raise"])
def test_a_module_that_is_imported_above_its_first_use_is_imported_once(head):
    after = with_os(f"{head}\n{LATE}".replace("HEAD", "later = 1"))
    assert "os.path.join(" in after
    assert after.count(" os\n") == 1


def test_a_statement_without_an_edit_is_not_parsed_again(monkeypatch):
    parsed = []
    real = libcst.parse_module

    def parse_module(source, *args):
        parsed.append(source)
        return real(source)

    monkeypatch.setattr(libcst, "parse_module", parse_module)
    text = "import os\n\n\ndef f():\n    return os.path\n\n\n# g\ndef g():\n    return a, b\n"
    after = apply(text, Plan([ReplaceExpression(Span(10, 11, 10, 12), "os.name()")]))
    assert after == text.replace("a,", "os.name(),")
    assert parsed == ["\n\n# g\ndef g():\n    return a, b\n"]


def test_a_file_in_two_layouts_keeps_both():
    text = "if x:\n\ty = 1\n\n\ndef f():\n  if x:\n    return y\r\n  return z\r\n"
    assert apply(text, Plan([ReplaceExpression(Span(8, 9, 8, 10), "tf.a")])) == text.replace("z", "tf.a")


def test_a_file_whose_first_import_goes_does_not_begin_with_the_blank_lines_below_it():
    text = "import tensorflow.contrib\n\n\nx = 1\n"
    assert apply(text, Plan()) == "x = 1\n"
    assert apply(f"\n{text}", Plan()).startswith("\n")
