"""What is written for names around a model_fn does what TensorFlow 1.15 did."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1

from migrate.recovery.contrib.devices import get_tpu_context
from migrate.recovery.contrib.lookup import index_table_from_tensor
from migrate.recovery.contrib.rnn_sequences import select_last_activations
from migrate.recovery.contrib.summaries import write_image
from migrate.recovery.learn.estimator import LearnEstimator
from migrate.recovery.learn.run_config import LearnRunConfig

STEPS = np.arange(24, dtype=np.float32).reshape(2, 4, 3)


@pytest.mark.parametrize(("lengths", "expected"), [([1, 4], [STEPS[0, 0], STEPS[1, 3]]), (None, STEPS[:, -1])])
def test_the_step_before_a_sequences_length_is_its_last(lengths, expected):
    with tf1.Graph().as_default(), tf1.Session() as session:
        found = select_last_activations(tf1.constant(STEPS), lengths)
        assert found.shape == (2, 3)
        assert found.op.name.startswith("select_last_activations/")
        np.testing.assert_array_equal(session.run(found), expected)


@pytest.mark.parametrize(
    ("words", "dtype", "buckets", "asked", "expected"),
    [
        (["x", "y"], tf1.string, 0, ["y", "q"], [1, -1]),
        ([5, 7], tf1.int64, 0, [7, 1], [1, -1]),
        ([5, 7], tf1.int64, 3, [7, 1, 2, 3, 4], [1, 2, 3, 2, 4]),  # as TensorFlow 1.15.5 gave
    ],
)
def test_a_table_is_of_words_or_of_integers(words, dtype, buckets, asked, expected):
    with tf1.Graph().as_default(), tf1.Session() as session:
        found = index_table_from_tensor(tf1.constant(words), buckets, dtype=dtype).lookup(tf1.constant(asked, dtype))
        session.run(tf1.tables_initializer())
        assert session.run(found).tolist() == expected


def test_no_shards_are_told_where_there_is_no_tpu():
    assert get_tpu_context().number_of_shards is None


@pytest.mark.parametrize(
    ("given", "steps", "secs"),
    [({}, None, 600), ({"save_checkpoints_steps": 7}, 7, None), ({"save_checkpoints_secs": 9}, None, 9)],
)
def test_zero_seconds_are_the_default_of_contrib_learn(given, steps, secs):
    config = LearnRunConfig(**given)
    assert (config.save_checkpoints_steps, config.save_checkpoints_secs) == (steps, secs)


def test_the_arguments_of_contrib_learn_stand_in_its_order():
    config = LearnRunConfig("grpc://a:1", 4, True, 0.5, 3, 50, 0, 9, 2, 12, 20, "grpc", "grpc://b:2", "folder")
    assert (config.master, config.evaluation_master, config.model_dir) == ("grpc://a:1", "grpc://b:2", "folder")
    assert (config.tf_random_seed, config.save_summary_steps, config.save_checkpoints_steps) == (3, 50, 9)
    assert (config.keep_checkpoint_max, config.keep_checkpoint_every_n_hours) == (2, 12)
    assert config.session_config is None
    assert config.tf_config.inter_op_parallelism_threads == 4
    assert config.tf_config.gpu_options.per_process_gpu_memory_fraction == 0.5


def test_a_copy_of_such_a_config_keeps_what_it_had():
    config = LearnRunConfig("grpc://a:1", save_checkpoints_steps=9).replace(model_dir="folder")
    assert (config.master, config.model_dir, config.save_checkpoints_steps) == ("grpc://a:1", "folder", 9)


def test_another_colour_for_bad_pixels_is_refused():
    with pytest.raises(ValueError, match="leave bad_color out"):
        write_image("x", np.zeros([1, 2, 2, 1]), [0, 255, 0, 255])


def distance(features, labels, mode):
    weight = tf1.get_variable("weight", [], initializer=tf1.ones_initializer())
    loss = tf1.losses.mean_squared_error(labels, weight * features)
    return features, loss, tf1.train.GradientDescentOptimizer(0.1).minimize(loss, tf1.train.get_global_step())


def queue_of_one_epoch():
    one = tf1.train.input_producer(np.arange(10, dtype=np.float32), num_epochs=1, shuffle=False).dequeue()
    features = tf1.train.batch([one], 4, allow_smaller_final_batch=True)
    return features, features + 1.0


@pytest.mark.parametrize("steps", [3, 150, None])
def test_an_evaluation_of_more_steps_than_a_queue_holds_ends_with_the_queue(tmp_path, steps):
    estimator = LearnEstimator(distance, str(tmp_path))
    estimator.fit(input_fn=queue_of_one_epoch, max_steps=1)
    weight = estimator.get_variable_value("weight")
    batches = np.split(np.arange(10, dtype=np.float32), [4, 8])
    losses = [np.mean(np.square(weight * batch - batch - 1.0)) for batch in batches]
    found = estimator.evaluate(input_fn=queue_of_one_epoch, steps=steps)
    assert found == {"loss": pytest.approx(np.mean(losses), rel=1e-6), "global_step": 1}


def test_a_training_of_more_steps_than_a_queue_holds_ends_with_the_queue(tmp_path):
    estimator = LearnEstimator(distance, str(tmp_path)).fit(input_fn=queue_of_one_epoch, steps=150)
    assert estimator.get_variable_value("global_step") == 3
    assert tf1.train.latest_checkpoint(tmp_path).endswith("model.ckpt-3")
