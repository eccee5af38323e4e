"""Whatever a file's layout, its rewrite compiles, keeps its comments and its newlines, and is not rewritten again."""

import io
import sys
import tokenize

import pytest

from migrate.edits.apply import apply
from migrate.edits.concrete import ParseFailure
from migrate.edits.plan import Plan, ReplaceExpression
from migrate.findings.finding import Span
from tests.codemod.bodies import body
from tests.codemod.programs import migrate, program

BASE = program()
TRAIN = "est.train(data, max_steps=3)"


def main(*lines):
    return body("def f(ks):\n    " + "\n    ".join(lines) + "\n")


LAYOUTS = {
    "tabs": BASE.replace("    ", "\t"),
    "tabs in one function and spaces in another": BASE.replace("def data", "def g(x):\n\treturn 1\n\n\ndef data"),
    "tabs below spaces": BASE.replace("    ", " \t"),
    "two spaces": BASE.replace("    ", "  "),
    "three spaces": BASE.replace("    ", "   "),
    "carriage returns and newlines": BASE.replace("\n", "\r\n"),
    "carriage returns": BASE.replace("\n", "\r"),
    "a backslash behind the last statement of a block": BASE.replace(
        "shuffle=False)\n    test", "shuffle=False)\n    if x: y = 1 \\\n\n    test"
    ).replace("\n", "\r"),
    "a backslash behind a statement": BASE.replace("\nclass", "\nfor i in (): pass \\\n\nclass").replace("\n", "\r"),
    "no newline at the end": BASE.rstrip("\n"),
    "form feeds between statements": BASE.replace("\nclass", "\n\f\nclass").replace("\ndef", "\n\f\ndef"),
    "letters of several bytes before a site": BASE.replace("    config =", "    ä = 'ö…日'; config ="),
    "letters of several bytes in names": BASE.replace(" columns", " spältén")
    .replace("=columns", "=spältén")
    .replace("model", "модель"),
    "letters of several bytes in what is carried": BASE.replace('{"x": x}', '{"日本": x}'),
    "backslashes": BASE.replace("config = R", "config = \\\n        R").replace("model.train", "model \\\n  .train"),
    "a comment behind each line": "\n".join(
        line if not line.strip() or "import" in line else f"{line}  # {number}"
        for number, line in enumerate(BASE.split("\n"))
    ),
    "a comment above each line": "\n".join(
        f"{line[: len(line) - len(line.lstrip())]}# {number}\n{line}" if line.strip() else line
        for number, line in enumerate(BASE.split("\n"))
    ),
    "statements before a site on its line": BASE.replace("    columns =", "    z = 3; columns ="),
    "statements behind a site on its line": BASE.replace("shuffle=False)\n", "shuffle=False); z = 5  # c\n"),
    "a settings' comments": BASE.replace(
        "RunConfig(save_checkpoints_steps=5)",
        "RunConfig(\n    # a\n    save_checkpoints_steps=(  # b\n        5 +  # c\n        x\n    ),  # d\n    )",
    ),
    "an estimator's comments": BASE.replace(
        "config=config, hidden_units=[8]",
        "\n        config=config,  # a\n        # b\n        hidden_units=[\n            8,  # c\n        ],",
    ),
    "a helper's comments": BASE.replace(
        '{"x": x}, y, shuffle=False', '\n        {"x": x},  # a\n        y, shuffle=False'
    ),
    "a config amid its line": main("x = 1; c = tf1.estimator.RunConfig(); y = 2  # a", "est = DNN(config=c)", TRAIN),
    "a program on one line": body(f"if x: c = tf1.estimator.RunConfig(); est = DNN(config=c); {TRAIN}  # a\n"),
    "parentheses": body(f"est = (DNN())\n({TRAIN})\nx = (est.evaluate(data))\ny = (est.evaluate)(data)\n"),
    "a type comment": BASE.replace("(save_checkpoints_steps=5)", "(save_checkpoints_steps=5)  # type: RunConfig"),
    "a decorator": BASE.replace("def main", "@print\n@staticmethod\ndef main"),
    "a match statement": BASE.replace(
        "    config =", "    match x:\n        case [a, *b]:\n            pass\n    config ="
    ),
    "a long line": BASE.replace("    config =", f"    z = '{'x' * 3000}'\n    config ="),
    "mixed indentation": body(f"def f():\n  if x:\n        est = DNN()\n        {TRAIN}\n"),
    "a docstring": f'"""Doc."""\n{BASE}',
    "a future import": f"from __future__ import annotations\n{BASE}",
    "all that may stand above imports": (
        f'#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n\n"""Doc."""\n\nfrom __future__ import division\n\n{BASE}'
    ),
    "imports in a function": "def main():\n    " + "\n    ".join(main("est = DNN()", TRAIN).splitlines()) + "\n",
    "an import of an estimator under try": body(
        "try:\n    from tensorflow.estimator import RunConfig\nexcept ImportError:\n    pass\n"
        f"est = DNN(config=RunConfig())\n{TRAIN}\n"
    ),
    "several imports of one line": "import os; import sys, tensorflow as tf9\n" + body(f"est = DNN()\n{TRAIN}\n"),
}
if sys.version_info >= (3, 12):
    LAYOUTS["type parameters"] = BASE.replace("def main", "type X = int\ndef same[T](t: T) -> T: return t\ndef main")
    LAYOUTS["nested f-strings"] = BASE.replace("    config =", '    print(f"{f"{x}"}")\n    config =')


def comments(text):
    tokens = tokenize.generate_tokens(io.StringIO(text, newline=None).readline)
    return sorted(token.string for token in tokens if token.type == tokenize.COMMENT)


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_a_layout_is_kept(text):
    output, findings = migrate(text)
    assert output != text, findings
    compile(output, "program.py", "exec", dont_inherit=True)
    assert comments(output) == comments(text)
    assert migrate(output) == (output, [])
    newlines = {"\r\n": "\n" not in output.replace("\r\n", ""), "\r": "\n" not in output, "\n": "\r" not in output}
    assert newlines[next(newline for newline in ("\r\n", "\r", "\n") if newline in text)]


def test_a_form_feed_in_front_of_what_stays_stays_and_one_in_what_changes_is_named():
    text = BASE + "if x:\n    y = 1\n \felse:\n\f    z = 2\n"
    output, _ = migrate(text)
    assert output.endswith("if x:\n    y = 1\n \felse:\n\f    z = 2\n")
    with pytest.raises(ParseFailure, match="form feeds"):
        migrate(
            text.replace("\ndef main", "\n\fdef main").replace("config=config, ", 'config=config, model_dir="/m", ')
        )


def test_the_indentation_inside_a_string_is_data():
    text = main("est = DNN()", 'est.train(lambda: of("""', "    a", '""", f"""{ks}', "        b", '"""), max_steps=3)')
    output, _ = migrate(
        (text + "def of(*args):\n    return data()\n").replace("        est", "  est").replace("    ", "   ")
    )
    strings = ('"""\n      a\n   """', '\n         b\n   """')
    assert all(string in output for string in strings), output


def with_json(text):
    """The text with a use of ``json`` in the place of a name."""
    line = next(number for number, one in enumerate(text.split("\n"), 1) if one.startswith("est = "))
    edit = ReplaceExpression(Span(line, 6, line, 10), "json.x")
    return apply(text, Plan([edit], imports={"import json"}), ["from tf2_recovery.a import json_of"])


def test_new_imports_stand_below_the_others_and_apart_from_what_follows():
    others = "from __future__ import division\n\nimport numpy as np\n\nimport tensorflow as tf\n\n"
    assert with_json(f"{others}est = made(np, tf)\n").startswith(f"{others}import json\n\nest")
    output, _ = migrate("def main():\n    " + "\n    ".join(main("est = DNN()", TRAIN).splitlines()) + "\n")
    assert "\n\n\ndef main():\n" in output


def test_new_imports_follow_imports_without_blank_lines_and_leave_those_below():
    others = "import numpy as np\n# The line of 2015.\nimport tensorflow as tf\n"
    text = with_json(f"{others}\nclass Job:\n    pass\n\n\nest = made(np, tf)\n")
    assert text.startswith(f"{others}import json\n\nclass Job:\n")


def test_a_comment_stays_above_the_import_that_it_describes():
    output = with_json("# Import MNIST data\nimport numpy as np\n\nest = made(np)\n")
    assert "import json\n" in output
    assert "# Import MNIST data\nimport numpy as np\n" in output


def test_a_comment_above_an_import_that_goes_stays():
    output, _ = migrate(
        body(f"# Why.\nfrom tensorflow.estimator import RunConfig\nest = DNN(config=RunConfig())\n{TRAIN}\n")
    )
    assert "tensorflow.estimator" not in output
    assert "\n# Why.\n" in output


def test_new_imports_stand_above_their_first_use_though_others_come_later():
    output = with_json(
        "import os\nimport sys\n\nos.environ['A'] = '1'\nimport tensorflow as tf\n\nest = made(tf)\n"
        "import csv\nprint(csv, sys)\n"
    )
    order = ["os.environ", "import tensorflow as tf\n", "import json\n", "json.x(", "import csv\n"]
    assert sorted(order, key=output.index) == order


def test_brackets_that_span_lines_stay_as_they_are():
    lines = ["est.train(lambda: make(", "    3,", "), steps=(3", "  + ks))"]
    output, _ = migrate(main("est = DNN()", *lines))
    assert "\n    ".join(lines) in output


RESTORED = "import tensorflow as tf\n\nc = tf.train.Checkpoint(model=m)\nc.{}\nc.save('./c/ckpt')\n"


def test_a_call_that_is_only_added_to_keeps_its_quotes_and_spaces():
    output, _ = migrate(RESTORED.format("restore( './c/ckpt-3' )  # the third"))
    assert "\nc.restore( './c/ckpt-3' ).assert_existing_objects_matched()  # the third\n" in output


def test_a_comment_in_the_brackets_of_such_a_call_stays():
    output, _ = migrate(RESTORED.format("restore(\n    './c/ckpt-3'  # the newest\n)"))
    assert "\nc.restore(\n    './c/ckpt-3'  # the newest\n).assert_existing_objects_matched()\n" in output
    deeper = RESTORED.format("restore(\n    './c/ckpt-3'  # the newest\n)").replace("\nc", "\nif m:\n    c")
    output, _ = migrate(deeper)
    assert '\n    # the newest\n    c.restore("./c/ckpt-3").assert_existing_objects_matched()\n' in output
