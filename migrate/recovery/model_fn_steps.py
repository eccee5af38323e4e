"""The loop around a model_fn's training steps."""

import math
import time

import tensorflow as tf
import tensorflow.compat.v1 as tf1


def training_steps(
    train, dataset, manager, *, max_steps=None, pause_every=None, log_every=100
):
    """Trains; yields the global step at the start and then about once a second.

    Between two yields the steps run without coming back to Python. After an
    AbortedError or UnavailableError it goes on from the latest checkpoint, and the
    dataset starts again.

    Args:
      train: a ``ModelFnTraining``, restored.
      dataset: its ``tf.data.Dataset``; or an iterator, which does not start again.
      manager: a ``tf.train.CheckpointManager`` that saves ``train.checkpoint``.
      max_steps: the global step to end at, of a fraction the next whole one; None for
        the end of the dataset.
      pause_every: it also yields every so many steps; None for no such pauses.
      log_every: steps between two lines with the loss and the speed; None for none.

    Yields:
      The global step, an int; nothing where max_steps has been reached before.

    Raises:
      tf.compat.v1.train.NanLossDuringTrainingError: the loss is not a number.
    """
    step = first = int(train.global_step)
    end = math.inf if max_steps is None else math.ceil(max_steps)
    batches, speed, seconds = iter(dataset), _SpeedLog(train.writer), 1.0
    if step < end:
        yield step
    while step < end:
        until = min(end, step + max(1, int(1 / seconds)))
        until = min(until, _next(step, first, pause_every))
        until = min(until, _next(step, first + 1, log_every))
        started, began = step, time.monotonic()
        try:
            loss = train(batches, until, first)
        except tf.errors.OutOfRangeError:
            loss, end = 0.0, 0
        except (tf.errors.AbortedError, tf.errors.UnavailableError) as error:
            tf.get_logger().warning("Going on from the latest checkpoint: %s", error)
            step = first = train.restore(manager)
            batches = iter(dataset)
            continue
        step = int(train.global_step)
        if math.isnan(loss):
            raise tf1.train.NanLossDuringTrainingError
        if log_every and (step - first - 1) % log_every == 0 and end:
            speed.log(step, loss)
        seconds = (time.monotonic() - began) / max(1, step - started)
        yield step


def _next(step, origin, every):
    """Returns the first of origin, origin + every, ... that is after ``step``."""
    return step + every - (step - origin) % every if every else math.inf


class _SpeedLog:
    def __init__(self, writer):
        self._writer, self._last = writer, None

    def log(self, step, loss):
        # An Estimator names the step before the update, and the speed only later on.
        now = step, time.monotonic()
        if self._last:
            speed = (step - self._last[0]) / (now[1] - self._last[1])
            tf1.logging.info("global_step/sec: %g", speed)
            if self._writer:
                scalar = tf1.Summary.Value(tag="global_step/sec", simple_value=speed)
                summary = tf1.Summary(value=[scalar]).SerializeToString()
                with self._writer.as_default(step):
                    tf.summary.experimental.write_raw_pb(summary)
        tf1.logging.info("loss = %s, step = %d", loss, step - 1)
        self._last = now
