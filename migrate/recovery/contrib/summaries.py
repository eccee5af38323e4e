"""Summaries that a model_fn's graph writes by itself, as ``tf.contrib.summary`` did."""

import contextlib
import threading

import tensorflow as tf
import tensorflow.compat.v1 as tf1

_asked = threading.local()


def create_file_writer(
    logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None
):
    """Returns a ``tf.summary.SummaryWriter`` of the graph.

    Args:
      logdir: the directory; None for a writer that does nothing.
      max_queue: how many summaries wait at most to be written; 10 by default.
      flush_millis: the milliseconds that they wait at most; 120,000 by default.
      filename_suffix: ends the names of the files.
      name: of the writer in the graph; two writers are never the same one.
    """
    if logdir is None:
        return tf.summary.create_noop_writer()
    return tf.summary.create_file_writer(
        str(logdir), max_queue, flush_millis, filename_suffix, name
    )


def always_record_summaries():
    """Returns a context in which summaries are written; elsewhere they are not."""
    return _record_if(True)


def record_summaries_every_n_global_steps(n, global_step=None):
    """Returns a context in which summaries are written where n divides the step.

    Args:
      n: an int.
      global_step: an integer tensor; None for the graph's own step.
    """
    if global_step is None:
        global_step = tf1.train.get_or_create_global_step()
    return _record_if(tf.equal(global_step % n, 0))


def write_scalar(name, tensor, family=None, step=None):
    """Returns an operation that writes a number to the writer in use, if there is one.

    Args:
      name: of the summary; the name scope goes before it.
      tensor: a number.
      family: goes before the name, too.
      step: an integer; None for the global step.
    """
    summary = tf1.summary.scalar(name, tensor, collections=[], family=family)
    return _write(summary, step)


def write_histogram(name, tensor, family=None, step=None):
    """Returns what writes a histogram of any numbers, as ``write_scalar`` does a number."""
    summary = tf1.summary.histogram(name, tensor, collections=[], family=family)
    return _write(summary, step)


def write_image(name, tensor, bad_color=None, max_images=3, family=None, step=None):
    """Returns an operation that writes images; for the rest see ``write_scalar``.

    Args:
      tensor: of the shape [images, height, width, channels].
      bad_color: None: pixels that are no numbers are red.
      max_images: how many are written at most.

    Raises:
      ValueError: another colour is asked for.
    """
    if bad_color is not None:
        raise ValueError("write_image marks bad pixels in red: leave bad_color out.")
    summary = tf1.summary.image(name, tensor, max_images, collections=[], family=family)
    return _write(summary, step)


def _write(summary, step):
    if step is None:
        step = tf1.train.get_or_create_global_step()
    # Nobody asked for summaries here: TensorFlow 2 would write them, contrib did not.
    with tf.summary.record_if(False) if not _is_asked() else contextlib.nullcontext():
        return tf.summary.experimental.write_raw_pb(summary, tf.cast(step, tf.int64))


def _is_asked():
    return getattr(_asked, "value", False)


@contextlib.contextmanager
def _record_if(condition):
    before, _asked.value = _is_asked(), True
    try:
        with tf.summary.record_if(condition):
            yield
    finally:
        _asked.value = before
