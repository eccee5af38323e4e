"""Above each site that is left stands why, once, however often the tool runs."""

import ast

import pytest

from migrate.examine import examine_bytes
from migrate.settings import Settings
from tests.codemod.bodies import body

TODO = "# TODO(migrate): FT130 what train() returns is used here\n"
USED = "x = est.train(data, max_steps=3)\n"


def with_todos(text: str) -> str:
    return examine_bytes("program.py", text.encode(), Settings(todo=True)).text


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


def test_comments_stand_beside_programs_that_are_rewritten() -> None:
    text = body(f"est = DNN()\nest.train(data, max_steps=3)\ntwo = DNN()\n{USED.replace('est', 'two')}")
    examined = examine_bytes("program.py", text.encode(), Settings(todo=True))
    assert TODO in examined.text
    assert examined.plan
