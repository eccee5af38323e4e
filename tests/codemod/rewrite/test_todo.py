"""Above each site that is left stands why, once, however often the tool runs."""

import ast
import os
import re
from itertools import pairwise
from pathlib import Path

import pytest

from migrate.pipeline.run import run, write
from migrate.settings import Settings
from tests.codemod.bodies import body
from tests.codemod.changed import is_helper, names

TODO = "# TODO(migrate): FT130 what train() returns is used here\n"
IMPORTS = "import tensorflow as tf; import tensorflow.compat.v1 as tf1"
USED = "x = est.train(data, max_steps=3)\n"


def with_todos(text: str) -> str:
    outcome = run((), Settings(todo=True, canned="keras"), jobs=1, progress=None, stdin=text.encode())
    return outcome.changes[0].after if outcome.changes else text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"    {USED}", f"    {TODO}    {USED}"),
        ("    x = est.train(data,\n    max_steps=3)\n", f"    {TODO}    x = est.train(data,\n    max_steps=3)\n"),
        (f"    if x: {USED}", f"    {TODO}    if x: {USED}"),
        (f"    if x: pass\n    else: {USED}", f"    if x: pass\n    {TODO}    else: {USED}"),
        (f"    y = '''\n'''; {USED}", f"    {TODO}    y = '''\n'''; {USED}"),
        (f"    y = [\n    ]; {USED}", f"    {TODO}    y = [\n    ]; {USED}"),
        (f"    y = 3; {USED}", f"    {TODO}    y = 3; {USED}"),
        ("    @g(est.train(data))\n    def h(): pass\n", f"    {TODO}    @g(est.train(data))\n    def h(): pass\n"),
        ("    with g(\n        est.train(data)\n    ):\n        pass\n",
         f"    {TODO}    with g(\n        est.train(data)\n    ):\n        pass\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_the_comment_stands_above_the_statement(before: str, after: str, newline: str) -> None:
    source, wanted = (body(f"def f(g):\n    est = DNN()\n{lines}").replace("\n", newline) for lines in (before, after))
    assert with_todos(source) == wanted
    assert ast.dump(ast.parse(wanted)) == ast.dump(ast.parse(source))
    assert with_todos(wanted) == wanted


def test_a_comment_that_names_a_line_is_not_repeated_when_the_line_moves() -> None:
    source = body(
        "def f(n):\n    config = tf1.estimator.RunConfig(save_checkpoints_steps=n)\n    n = 3\n"
        "    est = DNN(config=config)\n    est.train(data)\n"
    )
    once = with_todos(source)
    assert once.count("# TODO(migrate): FT101 `n` changes between line") == 1
    assert with_todos(once) == once
    assert with_todos("\n" + once) == "\n" + once


def test_the_lines_that_a_comment_names_are_those_of_the_text_with_all_comments() -> None:
    once = with_todos(
        body(
            "def f(n):\n    x = DNN().train(data)\n    config = tf1.estimator.RunConfig(save_checkpoints_steps=n)\n"
            "    n = 3\n    est = DNN(config=config)\n    est.train(data)\n\nest = DNN()\n"
            "est.train(data, max_steps=3)\n"
        )
    )
    said = re.search(r"`n` changes between line ([0-9]+) and line ([0-9]+)", once)
    assert said is not None
    config, made = (once.splitlines()[int(number) - 1].strip() for number in said.groups())
    assert config == "config = tf1.estimator.RunConfig(save_checkpoints_steps=n)"
    assert made.startswith("est = ")


LEFT = "two = DNN()\n"
REWRITTEN = "est = DNN()\nest.train(data, max_steps=3)\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(body(f"{REWRITTEN}{LEFT}{USED.replace('est', 'two')}"), id="below it"),
        pytest.param(
            body(f"{LEFT}{USED.replace('est', 'two')[:-1]}; {REWRITTEN}"), id="left, then rewritten in a line"
        ),
        pytest.param(body(f"{REWRITTEN[:-1]}; {LEFT[:-1]}; {USED.replace('est', 'two')}"), id="the other way round"),
        pytest.param(
            body(f"{LEFT}est = DNN()\nif x: {USED.replace('est', 'two')[:-1]}; est.train(data, max_steps=3)\n"),
            id="a suite of one line becomes a block",
        ),
        pytest.param(
            f"x = make(); {IMPORTS}; x = tf1.estimator.DNNClassifier([4], []).train(None)\n\n\n"
            + body(REWRITTEN).partition("tf1\n\n\n")[2],
            id="imports come in above the first statement",
        ),
    ],
)
def test_comments_stand_above_what_is_left_when_the_rest_is_rewritten(text: str) -> None:
    once = with_todos(text)
    lines = once.splitlines()
    above = [
        line.strip()
        for line, below in pairwise(lines)
        if ("train(" in below and "max_steps=3)" in below) or "make()" in below
    ]
    assert "est.fit(" in once
    assert above
    assert all(line.startswith("# TODO(migrate): ") for line in above)
    assert once.count("# TODO(migrate): FT130") == len(above) or "make()" in once
    assert with_todos(once) == once


def test_comments_come_into_every_file_of_a_run_but_those_that_need_none(tmp_path: Path) -> None:
    left, rewritten_too, rewritten_only = (tmp_path / name for name in ("left.py", "both.py", "rewritten.py"))
    left.write_text(body(f"{LEFT}{USED.replace('est', 'two')}"))
    rewritten_too.write_text(body(f"{REWRITTEN}{LEFT}{USED.replace('est', 'two')}"))
    rewritten_only.write_text(body(REWRITTEN))
    outcome = run([str(tmp_path)], Settings(todo=True, canned="keras"), jobs=1, progress=None)
    counts = dict.fromkeys(names(outcome), 0)
    for change in outcome.changes:
        counts[os.path.basename(change.path) if not is_helper(change) else "tf2_recovery"] += change.after.count(
            "# TODO(migrate)"
        )
    assert counts == {"both.py": 1, "left.py": 1, "rewritten.py": 0, "tf2_recovery": 0}
    assert write(outcome) == []
    assert run([str(tmp_path)], Settings(todo=True, canned="keras"), jobs=1, progress=None).changes == []
