"""An input_fn that returns the tensors of a batch becomes a dataset."""

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.estimator.dataset import dataset_from_input_fn

from .linear import Job, input_fn, model_fn


def one_shot(batches=None):
    return lambda: tf1.data.make_one_shot_iterator(input_fn(batches)).get_next()


def initializable():
    iterator = tf1.data.make_initializable_iterator(input_fn())
    tf1.add_to_collection(tf1.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    return iterator.get_next()


def weights(tmp_path, input_fn):
    job = Job(tmp_path, model_fn, input_fn=input_fn)
    job.run(10)
    return job.value("w").tolist()


def test_training_on_tensors_equals_training_on_the_dataset_behind_them(tmp_path):
    expected = weights(tmp_path / "dataset", input_fn)
    assert weights(tmp_path / "one_shot", one_shot()) == expected
    assert weights(tmp_path / "initializable", initializable) == expected
    assert weights(tmp_path / "as a dataset", lambda: dataset_from_input_fn(one_shot())) == expected


def test_a_dataset_is_returned_as_it_is():
    assert isinstance(dataset_from_input_fn(input_fn), tf.data.Dataset)


def test_it_ends_where_the_tensors_end_and_starts_again():
    dataset = dataset_from_input_fn(one_shot(batches=3))
    assert [len(list(dataset)), len(list(dataset))] == [3, 3]


def test_params_and_mode_reach_the_input_fn():
    seen = []

    def asking(params, mode):
        seen.append((params["batch_size"], mode))
        return one_shot()()

    next(iter(dataset_from_input_fn(asking, params={"batch_size": 8})))
    assert set(seen) == {(8, "train")}


def test_queues_are_started():
    def queued():
        return {"x": tf1.train.batch([tf.constant([1.0, 2.0])], 4)}

    assert np.array_equal(next(iter(dataset_from_input_fn(queued)))["x"], [[1.0, 2.0]] * 4)
