"""The input functions over arrays give the batches of ``tf.estimator.inputs``, wherever they are made."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from migrate.recovery.estimator.arrays import numpy_input_fn, pandas_input_fn
from migrate.recovery.estimator.continued_input import _can_save

X = {"a": np.arange(5, dtype=np.float32), "b": np.arange(10).reshape(5, 2)}
Y = np.arange(5) * 10
LABELS = [[0, 10, 20], [30, 40, 0], [10, 20, 30], [40]]


class Column(np.ndarray):
    """A column as pandas has it: an array with an index."""

    index: Any


class Frame(dict[str, np.ndarray]):
    """As much of a ``pandas.DataFrame`` as an input function reads."""

    ndim = 2


class Index(tuple[int, ...]):
    def equals(self, other):
        return self == other


def frame(values, rows=5):
    made = Frame(values)
    made.index = Index(range(rows))
    return made


def column(values):
    made = values.view(Column)
    made.index = Index(range(len(values)))
    return made


def batches(input_fn):
    return list(input_fn().as_numpy_iterator())


def of_the_estimator(input_fn):
    """What the queues of an Estimator's input function give."""
    tf1 = tf.compat.v1
    with tf.Graph().as_default():
        features, labels = input_fn()
        with tf1.train.MonitoredSession() as session:
            found = []
            while not session.should_stop():
                found.append(session.run((features, labels)))
    return found


def test_batches_run_on_over_the_end_of_an_epoch_and_the_last_may_be_short():
    made = batches(numpy_input_fn(X, Y, batch_size=3, num_epochs=2, shuffle=False))
    assert [labels.tolist() for _, labels in made] == LABELS
    assert made[1][0]["b"].tolist() == [[6, 7], [8, 9], [0, 1]]
    if hasattr(tf.compat.v1, "estimator"):
        inputs = tf.compat.v1.estimator.inputs
        old = of_the_estimator(inputs.numpy_input_fn(X, Y, batch_size=3, num_epochs=2, shuffle=False))
        assert [labels.tolist() for _, labels in old] == LABELS
        assert all(np.array_equal(a["b"], b["b"]) for (a, _), (b, _) in zip(old, made, strict=True))


def test_an_array_alone_and_labels_in_a_dict_keep_their_structure():
    assert batches(numpy_input_fn(Y, batch_size=5, shuffle=False))[0].tolist() == Y.tolist()
    (_, labels), *_ = batches(numpy_input_fn(X, {"l": Y}, shuffle=False))
    assert labels["l"].tolist() == Y.tolist()


def test_no_graph_holds_the_arrays_and_a_checkpoint_can_hold_the_iterator():
    x = {"a": np.zeros([300_000], np.float32), "words": np.array([b"one", "two", "three"] * 100_000, object)}
    input_fn = numpy_input_fn(x, x["a"], shuffle=True)
    with tf.Graph().as_default() as graph:
        input_fn()
        assert graph.as_graph_def().ByteSize() < 10_000  # 3.2 million and more as constants
    assert _can_save(input_fn)


def test_a_shuffled_epoch_has_every_example_once():
    (_, labels), *_ = batches(numpy_input_fn(X, Y, shuffle=True))
    assert sorted(labels.tolist()) == Y.tolist()


def test_without_a_number_of_epochs_it_goes_on_for_ever():
    assert numpy_input_fn(X, Y, num_epochs=None, shuffle=False)().cardinality().numpy() == tf.data.INFINITE_CARDINALITY


def test_each_column_of_a_frame_is_a_feature():
    features, labels = batches(pandas_input_fn(frame({"a": X["a"]}), column(Y), shuffle=False))[0]
    assert features["a"].tolist() == X["a"].tolist()
    assert labels.tolist() == Y.tolist()


def test_rows_that_differ_are_refused_as_they_were():
    with pytest.raises(ValueError, match="index"):
        pandas_input_fn(frame({"a": X["a"]}, rows=4), column(Y), shuffle=False)


@pytest.mark.parametrize("make", [numpy_input_fn, pandas_input_fn])
def test_whether_to_shuffle_must_be_said(make):
    with pytest.raises(ValueError, match="shuffle"):
        make(frame({"a": X["a"]}), column(Y))
