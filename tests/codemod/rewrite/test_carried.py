"""The user's own expressions stand in the new code with the value that they had, evaluated once."""

import pytest

from tests.codemod.bodies import reason, rewritten

RUN = "tf1.estimator.RunConfig"
MADE = "est = tf1.estimator.DNNClassifier(feature_columns={}, hidden_units=[4], model_dir='m')\n    "
X = "tf1.feature_column.numeric_column('x')"
EMPTY = "    cs = []\n    for k in a:\n        cs.append(tf1.feature_column.numeric_column(k))\n"
TRAIN = "    est.train(data, max_steps=3)\n"


def made(arguments: str, before: str = "pass") -> str:
    return f"def f(a, b, c):\n    {before}\n    est = DNN({arguments})\n{TRAIN}"


def trained(arguments: str) -> str:
    return f"def f(a, b, c):\n    est = DNN()\n    est.train(data, {arguments})\n"


def with_columns(columns: str, before: str = "") -> str:
    return f"def f(a, b, c):\n{before}    {MADE.format(columns)}est.train(data, max_steps=3)\n"


CARRIED = [
    (made(f"config={RUN}(save_checkpoints_steps=a if b else c)"), "save_checkpoints_steps or None,"),
    (made(f"config={RUN}(save_checkpoints_steps=a())"), "checkpoint_interval=save_checkpoints_steps or None,"),
    (made(f"config={RUN}(keep_checkpoint_max=a if b else c)"), "max_to_keep=(a if b else c) or None,"),
    (made(f"config={RUN}(keep_checkpoint_max=a or b)"), "max_to_keep=a or b or None,"),
    (made(f"config={RUN}(keep_checkpoint_max=a * b)"), "max_to_keep=a * b or None,"),
    (made(f"config={RUN}(keep_checkpoint_max=(a := 3))"), "max_to_keep=(a := 3) or None,"),
    (made("dropout=a if b else None"), "Dropout((a if b else None) or 0.0)"),
    (made("dropout=a()"), "    dropout = a()\n"),
    (made("dropout=float(a)"), "Dropout(float(a) or 0.0)"),
    (made("activation_fn=a()"), "    activation = a()\n"),
    (made("activation_fn=lambda x: x"), "activation=lambda x: x)(net)"),
    (trained("max_steps=a or b"), "if recovery.restore() < (a or b):"),
    (trained("max_steps=a or b"), ".take((a or b) - recovery.step)"),
    (trained("max_steps=a if b else c"), ".take((a if b else c) - recovery.step)"),
    (trained("max_steps=a + b"), "if recovery.restore() < a + b:"),
    (trained("max_steps=a + b"), ".take(a + b - recovery.step)"),
    (trained("max_steps=a | b"), "if recovery.restore() < a | b:"),
    (trained("max_steps=a | b"), ".take((a | b) - recovery.step)"),
    (trained("max_steps=next(a)"), "    max_steps = next(a)\n    if recovery.restore() < max_steps:"),
    (trained("max_steps=(a := 3)"), "    max_steps = (a := 3)\n"),
    (trained("steps=(a := 3)"), ".take((a := 3))"),
    (trained("steps=(\n        a  # why\n        + b\n    )"), "# why"),
    (trained("steps=(yield)"), ".take((yield))"),
    (
        f"def f(a):\n    est = tf.estimator.DNNClassifier([4], [tf1.feature_column.numeric_column('x')], 'm', "
        f"optimizer=tf.keras.optimizers.Adam(\n        a, epsilon=3\n    ))\n{TRAIN}",
        "tf.keras.optimizers.Adam(a, epsilon=3)",
    ),
    (with_columns("[tf1.feature_column.numeric_column(a())]"), "    key = a()\n"),
    (with_columns("[tf1.feature_column.numeric_column(str(a))]"), '{str(a): tf.keras.Input((1,), name=str(a))}'),
    (with_columns("cs", f"    x = {X}\n    cs = [x]\n    for i in cs: print(i)\n"), "    cs = [x]\n    for i in cs:"),
]  # fmt: skip

LEFT = [
    (made("optimizer=tf1.train.AdamOptimizer(r)", "r = tf1.train.exponential_decay(b, c, 1, 2)"), "rate is computed"),
    (made("optimizer=tf1.train.AdamOptimizer(r)", "r = 1; r = r if b else data()"), "the learning rate is computed"),
    (made("n_classes=len(a)"), "n_classes is not known"),
    (made("optimizer=o", "o = tf1.train.AdamOptimizer(a); a = 4"), "`a` changes between"),
    (made("optimizer=tf.keras.optimizers.Adam(**a)"), "passed by **kwargs"),
    (made("optimizer=tf.keras.optimizers.get(a)"), "no optimizer that is known"),
]  # fmt: skip

UNSEEN = [
    with_columns("cs", f"    cs = [{X}]\n    a(cs)\n"),
    with_columns("cs", f"    cs = [{X}]\n    d = cs\n    d.append(a)\n"),
    with_columns("cs", f"    cs = d = [{X}]\n    print(d)\n"),
    with_columns("cs", f"    if (cs := [{X}]):\n        b()\n"),
    with_columns("[tf1.feature_column.numeric_column(a()) for k in b]"),
    with_columns("cs", EMPTY),
    with_columns("cs", f"    cs = [{X} for k in a]\n    a = b\n"),
]


@pytest.mark.parametrize("text", UNSEEN)
def test_columns_that_cannot_be_taken_apart_leave_the_program(text: str) -> None:
    assert "not seen to be plain numeric columns" in reason(text)


@pytest.mark.parametrize(("text", "expected"), CARRIED)
def test_an_expression_keeps_its_value(text: str, expected: str) -> None:
    assert expected in rewritten(text)


@pytest.mark.parametrize(("text", "expected"), LEFT)
def test_an_expression_that_would_get_another_value_leaves_the_program(text: str, expected: str) -> None:
    assert expected in reason(text)


@pytest.mark.parametrize(
    ("steps", "every", "epochs"),
    [
        ("a + b", "7", "math.ceil((a + b) / 7)"),
        ("a", "b + c", "math.ceil(a / (b + c))"),
        ("a * b", "c", "math.ceil(a * b / c)"),
        ("a", "1", "epochs=a,"),
        ("20", "7", "epochs=3,"),
    ],
)
def test_the_number_of_epochs_is_that_of_all_steps(steps: str, every: str, epochs: str) -> None:
    text = made(f"config={RUN}(save_checkpoints_steps={every})").replace("max_steps=3", f"max_steps={steps}")
    assert epochs in rewritten(text, recovery="backup-and-restore")


def test_columns_that_something_else_reads_stay_with_what_they_are_made_of() -> None:
    columns = f"    x = {X}\n    cs = [x]\n"
    text = with_columns("cs", columns) + "    print(tf1.feature_column.make_parse_example_spec(cs))\n"
    assert columns in rewritten(text)
