"""Columns that share an embedding change with the program that reads them, and with no other."""

import pytest

from tests.codemod.bodies import PRELUDE, body, reason, rewritten
from tests.codemod.programs import migrate

MAKER = "tf1.feature_column.shared_embedding_columns"
TRAIN = "est.train(data, max_steps=3)\n"
LEFT_ONE = "two = DNN(loss_reduction='w')\ntwo.train(data, max_steps=3)\n"


def of(columns: str, before: str = "") -> str:
    return f"{before}est = tf1.estimator.DNNClassifier([4], {columns}, 'm')\n{TRAIN}"


@pytest.mark.parametrize(
    "text",
    [
        of(f"{MAKER}([a, b], 4)"),
        of("cs", f"cs = [a, *{MAKER}([a, b], 4)]\n"),
        of("cs", f"cs = [a]\ncs += {MAKER}([a, b], 4)\n"),
        of("cs", f"cs = [a]\ncs.extend({MAKER}([a, b], 4))\n"),
        of("cs", f"with tf1.Graph().as_default():\n    cs = {MAKER}([a, b], 4)\n"),
        of("cs()", f"def cs():\n    return {MAKER}([a, b], 4)\n"),
        of("cs", f"fc = tf1.feature_column\ncs = {MAKER.replace('tf1.feature_column', 'fc')}([a, b], 4)\n"),
    ],
)
def test_columns_that_share_an_embedding_are_emitted(text: str) -> None:
    for canned, piece in (("keras", "shared_embedding_columns"), ("object", "tf1_shared_embedding_columns")):
        output = rewritten(text, canned=canned)
        assert f" {piece}(" in output or f"*{piece}(" in output or f"({piece}(" in output, output
        assert ".shared_embedding_columns" not in output


def test_columns_of_another_program_which_is_left_keep_no_program_back() -> None:
    text = body(f"shared = {MAKER}([a, b], 4)\n{LEFT_ONE}print(shared)\n" + of("[c]"))
    output, _ = migrate(text)
    assert f"shared = {MAKER}([a, b], 4)\n" in output
    assert "est.fit(" in output


def test_columns_that_a_program_shares_with_one_that_is_left_leave_it_too() -> None:
    cs = f"cs = {MAKER}([a, b], 4)\n"
    left = f"two = tf1.estimator.DNNClassifier([4], cs, 'n', loss_reduction='w')\ntwo.{TRAIN.partition('.')[2]}"
    assert migrate(PRELUDE + cs + of("cs") + left)[0] == PRELUDE + cs + of("cs") + left


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (of("make([a, b], 4)", f"make = {MAKER}\n"), "is passed on here"),
        (of(f"{MAKER}([a, b], 4, use_safe_embedding_lookup=False)"), "without use_safe_embedding_lookup"),
        (of(f"{MAKER}([a, b], 4, tensor_name_in_ckpt='t', ckpt_to_load_from='c')"), "another checkpoint gives"),
        (of(f"{MAKER}(*a)"), "passed by *args"),
        (of("tf.feature_column.shared_embeddings([a, b], 4)"), "makes no columns outside of a graph"),
    ],
)
def test_what_cannot_be_seen_or_carried_leaves_the_program(text: str, expected: str) -> None:
    assert expected in reason(text)
