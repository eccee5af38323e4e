"""A host_call of a TPUEstimatorSpec runs in every step off a TPU, and its summaries are those of TensorFlow 1.15."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.contrib.summaries import (
    always_record_summaries,
    create_file_writer,
    record_summaries_every_n_global_steps,
    write_histogram,
    write_scalar,
)
from migrate.recovery.estimator.tpu import TPUEstimatorSpec

from .linear import Job, event_values

LOSSES = [3.5, 28.289997100830078, 67.83560180664062, 112.08877563476562, 155.56600952148438]  # TensorFlow 1.15.5


def test_a_host_call_writes_what_it_wrote_off_a_tpu(tmp_path):
    def host_call_fn(global_step, loss, values):
        step = global_step[0]
        with create_file_writer(tmp_path / "calls", filename_suffix=".host_call").as_default():
            write_scalar("unasked", loss[0], step=step)
            with always_record_summaries():
                with tf1.name_scope("train"):
                    write_scalar("loss", loss[0], step=step)
                write_scalar("loss", loss[0], family="f", step=step)
                write_histogram("values", values, step=step)
                with record_summaries_every_n_global_steps(3, global_step=step):
                    write_scalar("third", loss[0], step=step)
            return tf1.summary.all_v2_summary_ops()

    def model_fn(features, labels, mode):
        w = tf1.get_variable("w", [], initializer=tf1.zeros_initializer())
        loss, step = tf.reduce_mean(tf.square(w - labels)), tf1.train.get_global_step()
        told = tf.reshape(step, [1])
        host_call = host_call_fn, [told, tf.reshape(loss, [1]), labels]
        with tf.control_dependencies([told]):  # a session reads and writes a variable in no order of its own
            train_op = tf1.train.GradientDescentOptimizer(0.1).minimize(loss, step)
        return TPUEstimatorSpec(mode, loss=loss, train_op=train_op, host_call=host_call)

    numbers = [float(number) for number in range(40)]
    Job(
        tmp_path / "job", model_fn, input_fn=lambda: tf.data.Dataset.from_tensor_slices((numbers, numbers)).batch(4)
    ).run(5)
    written = {tag: event_values(tmp_path / "calls", tag) for tag in ("train/loss", "f/f/loss", "third", "values")}
    assert written["train/loss"] == written["f/f/loss"] == dict(enumerate(LOSSES))
    assert written["third"] == {0: LOSSES[0], 3: LOSSES[3]}
    assert list(written["values"]) == [0, 1, 2, 3, 4]
    assert not event_values(tmp_path / "calls", "unasked")


def test_a_writer_without_a_directory_writes_nothing():
    with tf.Graph().as_default(), create_file_writer(None).as_default(), always_record_summaries():
        write_scalar("loss", 1.0)
        assert tf1.summary.all_v2_summary_ops() == []


def test_a_spec_without_a_host_call_has_no_hook():
    assert TPUEstimatorSpec("train").as_estimator_spec().training_hooks == ()
