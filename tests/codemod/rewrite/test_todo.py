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

TODO = (
    "# TODO(migrate): FT151 `_train_model` is private to tf.estimator.Estimator, and its replacement does not have it\n"
)
IMPORTS = "import tensorflow as tf; import tensorflow.compat.v1 as tf1"
USED = "x = est._train_model(data, 3)\n"


def with_todos(text: str) -> str:
    outcome = run((), Settings(todo=True), jobs=1, progress=None, stdin=text.encode())
    return outcome.changes[0].after if outcome.changes else text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"    {USED}", f"    {TODO}    {USED}"),
        ("    x = est._train_model(data,\n    3)\n", f"    {TODO}    x = est._train_model(data,\n    3)\n"),
        (f"    if x: {USED}", f"    {TODO}    if x: {USED}"),
        (f"    if x: pass\n    else: {USED}", f"    if x: pass\n    {TODO}    else: {USED}"),
        (f"    y = '''\n'''; {USED}", f"    {TODO}    y = '''\n'''; {USED}"),
        (f"    y = [\n    ]; {USED}", f"    {TODO}    y = [\n    ]; {USED}"),
        (f"    y = 3; {USED}", f"    {TODO}    y = 3; {USED}"),
        ("    @g(est._train_model(1))\n    def h(): 1\n", f"    {TODO}    @g(est._train_model(1))\n    def h(): 1\n"),
        ("    with g(\n        est._train_model(data)\n    ):\n        pass\n",
         f"    {TODO}    with g(\n        est._train_model(data)\n    ):\n        pass\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_the_comment_stands_above_the_statement(before: str, after: str, newline: str) -> None:
    source, wanted = (body(f"def f(g):\n    est = DNN()\n{lines}").replace("\n", newline) for lines in (before, after))
    assert with_todos(source) == wanted
    assert ast.dump(ast.parse(wanted)) == ast.dump(ast.parse(source))
    assert with_todos(wanted) == wanted


RESTORED = """\
import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = [tf.keras.layers.Dense(9) for _ in range(3)]

    def call(self, x):
        return self.blocks[0](x)


net = Net()
checkpoint = tf.train.Checkpoint(net=net)
checkpoint.restore(tf.train.latest_checkpoint("/tmp/c")).expect_partial()
"""
SAVED = """\
checkpoint = tf.train.Checkpoint(step=tf.Variable(0))
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", 2)
for _ in range(3):
    manager.save()
"""
NAMED = re.compile(r"# TODO\(migrate\): FT514 `net` has no weights where line ([0-9]+) restores it")


def test_a_comment_that_names_a_line_is_not_repeated_when_the_line_moves() -> None:
    once = with_todos(RESTORED)
    assert len(NAMED.findall(once)) == 1
    assert with_todos(once) == once
    assert with_todos("\n" + once) == "\n" + once


def test_the_lines_that_a_comment_names_are_those_of_the_text_with_all_comments() -> None:
    once = with_todos(f"import tensorflow as tf\n\ntf.train.Saver(max_to_keep=3)\n{RESTORED}")
    (line,) = NAMED.findall(once)
    assert once.count("# TODO(migrate)") > 1
    assert once.splitlines()[int(line) - 1].startswith("checkpoint.restore(")


REWRITTEN = "est = DNN()\nest.train(data, max_steps=3)\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(body(f"{REWRITTEN}{SAVED}"), id="below it"),
        pytest.param(body(f"{SAVED}{REWRITTEN}"), id="above it"),
        pytest.param(f"x = make(); {IMPORTS}; {SAVED}\n\n{body(REWRITTEN)}", id="imports come in above the statement"),
    ],
)
def test_comments_stand_above_what_is_left_when_the_rest_is_rewritten(text: str) -> None:
    once = with_todos(text)
    above = [line for line, below in pairwise(once.splitlines()) if "CheckpointManager(" in below]
    assert "DNNClassifier(" in once
    assert "tf1.estimator" not in once
    assert above
    assert all(line.startswith("# TODO(migrate): FT503 ") for line in above)
    assert with_todos(once) == once


def test_comments_come_into_every_file_of_a_run_but_those_that_need_none(tmp_path: Path) -> None:
    left, rewritten_too, rewritten_only = (tmp_path / name for name in ("left.py", "both.py", "rewritten.py"))
    left.write_text(body(f"est = DNN()\n{USED}"))
    rewritten_too.write_text(body(f"{REWRITTEN}{SAVED}"))
    rewritten_only.write_text(body(REWRITTEN))
    outcome = run([str(tmp_path)], Settings(todo=True), jobs=1, progress=None)
    counts = dict.fromkeys(names(outcome), 0)
    for change in outcome.changes:
        counts[os.path.basename(change.path) if not is_helper(change) else "tf2_recovery"] += change.after.count(
            "# TODO(migrate)"
        )
    assert counts == {"both.py": 1, "left.py": 1, "rewritten.py": 0, "tf2_recovery": 0}
    assert write(outcome) == []
    assert run([str(tmp_path)], Settings(todo=True), jobs=1, progress=None).changes == []
