"""Summaries that a graph writes in its steps, as ``tf.contrib.summary`` did."""

import contextlib
import threading

import tensorflow as tf
import tensorflow.compat.v1 as tf1

_state = threading.local()


def create_file_writer(
    logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None
):
    """Returns a ``tf.summary.SummaryWriter`` in the graph.

    Args:
      logdir: the directory; None for a writer that does nothing.
      max_queue: the most summaries that wait to be written, an int; None for 10.
      flush_millis: the most milliseconds that they wait, an int; None for 120,000.
      filename_suffix: the suffix of the files' names; None for TensorFlow's.
      name: of the writer in the graph; it does not share a writer, as contrib's did.
    """
    if logdir is None:
        return tf.summary.create_noop_writer()
    return tf.summary.create_file_writer(
        str(logdir), max_queue, flush_millis, filename_suffix, name
    )


def always_record_summaries():
    """Returns a context in which summaries are written; outside they are not."""
    return _record_if(True)


def record_summaries_every_n_global_steps(n, global_step=None):
    """Returns a context in which summaries are written if n divides the global step.

    Args:
      n: an int.
      global_step: an integer tensor; None for the graph's own step.
    """
    if global_step is None:
        global_step = tf1.train.get_or_create_global_step()
    return _record_if(tf.equal(global_step % n, 0))


def write_scalar(name, tensor, family=None, step=None):
    """Returns an operation that writes a scalar to the current default writer, if any.

    Args:
      name: of the summary; prefixed by the name scope.
      tensor: a scalar.
      family: another prefix of the name, or None.
      step: an integer tensor; None for the global step.
    """
    summary = tf1.summary.scalar(name, tensor, collections=[], family=family)
    return _write(summary, step)


def write_histogram(name, tensor, family=None, step=None):
    """Returns an operation that writes a histogram; arguments as for ``write_scalar``."""
    summary = tf1.summary.histogram(name, tensor, collections=[], family=family)
    return _write(summary, step)


def write_image(name, tensor, bad_color=None, max_images=3, family=None, step=None):
    """Returns an operation that writes images; the others are as for ``write_scalar``.

    Args:
      tensor: [images, height, width, channels].
      bad_color: must be None: pixels that are not finite become red.
      max_images: the most images to write, an int.

    Raises:
      ValueError: bad_color is given.
    """
    if bad_color is not None:
        raise ValueError("write_image marks bad pixels in red: leave bad_color out.")
    summary = tf1.summary.image(name, tensor, max_images, collections=[], family=family)
    return _write(summary, step)


def _write(summary, step):
    if step is None:
        step = tf1.train.get_or_create_global_step()
    # Outside such a context TensorFlow 2 would write the summary; contrib did not.
    with tf.summary.record_if(False) if not _records() else contextlib.nullcontext():
        return tf.summary.experimental.write_raw_pb(summary, tf.cast(step, tf.int64))


def _records():
    return getattr(_state, "value", False)


@contextlib.contextmanager
def _record_if(condition):
    before, _state.value = _records(), True
    try:
        with tf.summary.record_if(condition):
            yield
    finally:
        _state.value = before
