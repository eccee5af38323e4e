"""An input helper that a function of the file returns becomes a lambda that makes the same dataset."""

import pytest

from tests.codemod.programs import migrate

PROGRAM = """\
import tensorflow as tf

COLUMNS = [tf.feature_column.numeric_column("x")]


def make_input_fn(frame, epochs):
    return tf.compat.v1.estimator.inputs.pandas_input_fn(
        frame, frame["y"], batch_size=8, num_epochs=epochs, shuffle=False
    )


def main(args, frame):
    estimator = tf.estimator.LinearRegressor(COLUMNS, args.model_dir)
    {train}
    print(estimator.evaluate(make_input_fn(frame, 1)))
"""
TRAIN = "estimator.train(make_input_fn(frame, None), max_steps=9)"


def test_the_function_stays_and_is_called_where_its_dataset_is_used():
    found, _ = migrate(PROGRAM.format(train=TRAIN))
    text = " ".join(found.split())
    assert "return lambda: (" in text
    assert 'from_tensor_slices((dict(frame), frame["y"]))' in text
    assert ".repeat(epochs)" in text
    assert "make_input_fn(frame, None)()" in text
    assert "pandas_input_fn" not in found


def test_it_may_be_kept_in_a_variable():
    train = "train_input_fn = make_input_fn(frame, None)\n    estimator.train(train_input_fn, max_steps=9)"
    assert "train_input_fn()" in migrate(PROGRAM.format(train=train))[0]


def test_whether_it_shuffles_may_be_decided_as_it_runs():
    found, _ = migrate(PROGRAM.format(train=TRAIN).replace("shuffle=False", "shuffle=epochs is None"))
    assert ".shuffle(1000 if epochs is None else 1)" in found


def test_two_estimators_share_the_function():
    two = f"{TRAIN}\n    other = tf.estimator.DNNRegressor([4], COLUMNS, 'other')\n    other.{TRAIN.partition('.')[2]}"
    found, _ = migrate(PROGRAM.format(train=two))
    assert found.count("return lambda: (") == 1
    assert found.count("make_input_fn(frame, None)()") == 2


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (TRAIN, f"{TRAIN}\n    make_input_fn(frame, 1)()", "what `make_input_fn` returns is also used at line 15"),
        (
            TRAIN,
            f"{TRAIN}\n    keep = make_input_fn(frame, 1)\n    print(keep)",
            "what `make_input_fn` returns is also used",
        ),
        (
            "COLUMNS = [tf",
            "SIZE = 8\nSIZE += 1\nCOLUMNS = [tf",
            "`SIZE` has more than one value, and the dataset would be made later",
        ),
        ("shuffle=False", "shuffle=None", "shuffle is not True or False"),
    ],
)
def test_where_the_function_cannot_change_the_program_is_left_with_the_reason(old, new, reason):
    text = PROGRAM.format(train=TRAIN).replace("batch_size=8", "batch_size=SIZE" if "SIZE" in new else "batch_size=8")
    text = text.replace(old, new)
    found, findings = migrate(text)
    assert found == text
    assert any(reason in one.message for one in findings)
