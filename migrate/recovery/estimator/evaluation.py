"""Computes and writes the metrics of an evaluation, and splits predictions."""

import functools
import numbers
import time

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1


def metric_ops(spec):
    """Returns the op that updates all metrics, and a dict from name to value tensor."""
    pairs = dict(spec.eval_metric_ops or {})
    for name in pairs.keys() & {"global_step", "loss"}:
        raise ValueError(f"Metric with name `{name}` is not allowed.")
    pairs["loss"] = tf1.metrics.mean(spec.loss)
    update = tf.group(*[tf.nest.flatten(update) for _, update in pairs.values()])
    values = {name: value for name, (value, _) in sorted(pairs.items())}
    return update, {**values, "global_step": tf1.train.get_global_step()}


class Progress:
    """Counts the batches of an evaluation, and logs what an Estimator logs.

    Args:
      steps: how many batches to evaluate, an int; None for all.
    """

    def __init__(self, steps):
        self._steps, self._taken, self._start = steps, 0, time.time()
        now = time.strftime("%Y-%m-%dT%H:%M:%S")
        tf1.logging.info("Starting evaluation at %s", now)

    @property
    def is_over(self):
        """Whether all steps are taken; False where steps is None."""
        return self._steps is not None and self._taken >= self._steps

    def count_batch(self):
        """Counts a batch, and logs each tenth of the steps."""
        self._taken += 1
        every = 1 if (self._steps or 0) < 20 else self._steps // 10
        if self._steps is not None and (self.is_over or self._taken % every == 0):
            tf1.logging.info("Evaluation [%d/%d]", self._taken, self._steps)

    def end(self):
        """Logs that the evaluation has finished."""
        seconds, now = time.time() - self._start, time.strftime("%Y-%m-%d-%H:%M:%S")
        tf1.logging.info("Inference Time : %0.5fs", seconds)
        tf1.logging.info("Finished evaluation at %s", now)


def add_metric_initializers(scaffold):
    """Returns a Scaffold that initializes the metrics too, as an Estimator does.

    Args:
      scaffold: the model_fn's, whose local_init_op may not cover the metrics; or None.
    """
    if scaffold is None or scaffold.local_init_op is None:
        return scaffold
    default = tf1.train.Scaffold.default_local_init_op()
    start = tf.group(scaffold.local_init_op, default)
    return tf1.train.Scaffold(local_init_op=start, copy_from_scaffold=scaffold)


def write_metrics(directory, metrics, checkpoint_path=None):
    """Writes the metrics of an evaluation to the log and to TensorBoard's event file.

    Args:
      directory: of the event file.
      metrics: a dict from name to a number, an array or a serialized ``Summary``; must
        have the "global_step".
      checkpoint_path: the evaluated checkpoint; None if there was none.
    """
    step, events = metrics["global_step"], tf1.summary.FileWriterCache.get(directory)
    printed = {key: one for key, one in metrics.items() if not isinstance(one, bytes)}
    text = ", ".join(f"{key} = {one!s}" for key, one in sorted(printed.items()))
    tf1.logging.info("Saving dict for global step %d: %s", step, text)
    summary = tf1.Summary()
    for name, value in metrics.items():
        if isinstance(value, bytes):
            for i, part in enumerate(_summary_values(value)):
                part.tag = f"{name}/{i}"
                summary.value.add().CopyFrom(part)
        elif getattr(value, "shape", ()):  # an array
            summary.value.add(tag=name, tensor=tf.make_tensor_proto(value))
        elif isinstance(value, numbers.Number) and name != "global_step":
            summary.value.add(tag=name, simple_value=value)
    events.add_summary(summary, step)
    if checkpoint_path:
        line = "Saving 'checkpoint_path' summary for global step %d: %s"
        tf1.logging.info(line, step, checkpoint_path)
        path = tf1.Summary()
        tensor = tf.make_tensor_proto(checkpoint_path)
        path.value.add(tag="checkpoint_path", tensor=tensor)
        events.add_summary(path, step)
    events.flush()


def _summary_values(value):
    """Returns the values of a serialized ``Summary``; none of any other bytes."""
    try:
        return tf1.Summary.FromString(value).value
    except Exception:  # protobuf's errors differ between its implementations
        return []


def split_batch(predictions):
    """Returns an iterator of a batch's examples: an array's rows, or dicts of them."""
    if not isinstance(predictions, dict):
        return map(plain_number, predictions)
    lengths = {key: len(value) for key, value in predictions.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"Predictions differ in batch length: {lengths}.")
    examples = zip(*predictions.values())
    return (dict(zip(predictions, map(plain_number, one))) for one in examples)


def select_predictions(predictions, keys):
    """Returns a dict of the predictions with these keys; all if keys is empty or None."""
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys is for predictions that are a dict.")
    wanted = {key: predictions[key] for key in predictions if key in keys}
    if not wanted:
        raise ValueError(f"None of {keys} among the predictions {list(predictions)}.")
    return wanted


def plain_number(value):
    """Returns an equal value that prints as 0.5, not as NumPy 2's np.float32(0.5)."""
    is_plain = not isinstance(value, np.number) or repr(value) == str(value)
    return value if is_plain else _plain_class(type(value))(value)


@functools.lru_cache(None)
def _plain_class(kind):
    return type(kind.__name__, (kind,), {"__repr__": kind.__str__})
