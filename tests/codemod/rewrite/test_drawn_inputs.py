"""An input function that returns the tensors of a one-shot iterator returns its dataset, for Keras."""

import pytest

from tests.codemod.programs import migrate

PROGRAM = """\
import tensorflow as tf

COLUMNS = [tf.feature_column.numeric_column("x")]


def make_input_fn(path, size=8):
    def input_fn():
        dataset = tf.data.TextLineDataset(path).map(parse).batch(size)
        features, labels = dataset.make_one_shot_iterator().get_next()
        return features, labels

    return input_fn


def main(args):
    estimator = tf.estimator.LinearRegressor(COLUMNS, args.model_dir)
    estimator.train(make_input_fn(args.path), max_steps=9)
    test_input_fn = make_input_fn(args.path, size=1)
    print(estimator.evaluate(lambda: test_input_fn()))
"""
DRAWN = "        features, labels = dataset.make_one_shot_iterator().get_next()\n        return features, labels\n"
WAYS = {
    "at once": "        return dataset.make_one_shot_iterator().get_next()\n",
    "by an iterator's name": "        it = dataset.make_one_shot_iterator()\n        return it.get_next()\n",
    "by a function": "        it = tf.compat.v1.data.make_one_shot_iterator(dataset)\n        return it.get_next()\n",
    "as a batch": "        batch = dataset.make_one_shot_iterator().get_next()\n        return batch\n",
}
LEFT = {
    "works on the tensors": DRAWN.replace("return features, labels", "return {'x': features}, labels"),
    "gives them in another order": DRAWN.replace("return features, labels", "return labels, features"),
    "reads them twice": DRAWN.replace("return", "print(labels)\n        return"),
    "draws from another kind of iterator": DRAWN.replace("one_shot", "initializable"),
    "draws from what is no dataset": DRAWN.replace("dataset.make", "args.data.make"),
    "changes the dataset on the way": (
        "        it = dataset.make_one_shot_iterator()\n        dataset = 0\n        return it.get_next()\n"
    ),
}


@pytest.mark.parametrize("way", ["as features and labels", *WAYS])
def test_it_returns_the_dataset(way):
    found, _ = migrate(PROGRAM.replace(DRAWN, WAYS.get(way, DRAWN)))
    assert "        dataset = tf.data.TextLineDataset(path).map(parse).batch(size)\n        return dataset\n" in found
    assert "iterator" not in found.partition("def main")[0].partition("def make_input_fn")[2]
    assert "make_input_fn(args.path)().take(9 - recovery.step)" in found
    assert "test_input_fn()" in found


def test_what_the_iterator_was_made_of_moves_with_it():
    made = "tf.data.TextLineDataset(path).map(parse).batch(size)"
    way = f"        it = {made}.make_one_shot_iterator()\n        a, b = it.get_next()\n        return a, b\n"
    found, _ = migrate(PROGRAM.replace(f"        dataset = {made}\n", "").replace(DRAWN, way))
    assert f"    def input_fn():\n        return {made}\n" in found


@pytest.mark.parametrize("case", LEFT)
def test_one_that_does_more_leaves_the_program(case):
    program = PROGRAM.replace(DRAWN, LEFT[case])
    found, findings = migrate(program)
    assert found == program
    assert "`input_fn` is not seen to return a tf.data.Dataset" in [finding.message for finding in findings]


@pytest.mark.parametrize("use", ["    print(make_input_fn(args.path)())\n", "    keep = make_input_fn\n    keep(1)\n"])
def test_one_whose_tensors_go_elsewhere_too_leaves_the_program(use):
    assert migrate(PROGRAM + use)[0] == PROGRAM + use


def test_for_an_object_it_stays():
    found, _ = migrate(PROGRAM, canned="object")
    assert DRAWN in found
    assert ".train(make_input_fn(args.path)" in found
