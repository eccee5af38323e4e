# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content e224a6f74c4082f9).
"""Evaluates an unchanged TF1 ``model_fn`` as ``Estimator.evaluate`` does."""

import numbers
import os

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .model_fn_call import call_model_fn, features_and_labels
from .model_fn_session import RestoredSession, input_in_graph, warm_start


def evaluate_model_fn(
    model_fn,
    input_fn,
    model_dir,
    *,
    params=None,
    config=None,
    seed=None,
    steps=None,
    hooks=(),
    checkpoint_path=None,
    name=None,
    warm_start_from=None,
):
    """Evaluates a checkpoint, and writes the metrics for TensorBoard.

    Args:
      model_fn: takes features and any of labels, mode, params and config.
      input_fn: returns a ``tf.data.Dataset``, or the tensors of a batch.
      model_dir: holds the checkpoints; the metrics go to its ``eval`` or ``eval_NAME``.
      params: a dict for the model_fn and the input_fn.
      config: what they read from a ``RunConfig``, if anything.
      seed: the graph's random seed.
      steps: how many batches, of a fraction the next whole number; None for all.
      hooks: ``tf.compat.v1.train.SessionRunHook`` objects.
      checkpoint_path: None for the latest; where there is none, the variables are new.
      name: tells apart evaluations on several datasets.
      warm_start_from: a checkpoint's path or a ``WarmStartSettings``, for variables
        that are new.

    Returns:
      A dict with the model_fn's metrics, the mean "loss", and the "global_step".
    """
    path = checkpoint_path or tf.train.latest_checkpoint(model_dir)
    with tf.Graph().as_default():
        tf1.set_random_seed(seed)
        step = tf1.train.create_global_step()
        batch, input_hooks = input_in_graph(input_fn, "eval", params, config)
        features, labels = features_and_labels(batch)
        spec = call_model_fn(model_fn, features, labels, "eval", params, config)
        warm_start(warm_start_from, path)
        metrics = spec.eval_metric_ops or {}
        pairs = {name: _pair(metric) for name, metric in metrics.items()}
        if "loss" not in pairs:  # contrib.learn lets a model_fn name its own
            pairs["loss"] = tf1.metrics.mean(spec.loss)
        update = tf.group(*[tf.nest.flatten(update) for _, update in pairs.values()])
        values = {name: value for name, (value, _) in sorted(pairs.items())}
        final = tf1.train.FinalOpsHook({**values, "global_step": step})
        creator = RestoredSession(path, spec.scaffold)
        hooks = [*input_hooks, *hooks, *(spec.evaluation_hooks or ()), final]
        with tf1.train.MonitoredSession(creator, hooks) as session:
            taken = 0
            while not session.should_stop() and (steps is None or taken < steps):
                session.run(update)
                taken += 1
        directory = os.path.join(model_dir, f"eval_{name}" if name else "eval")
        write_metrics(directory, final.final_ops_values, path)
    return final.final_ops_values


def _pair(metric):
    """Returns the value and the update of a ``tf1.metrics`` pair or a Keras metric."""
    if isinstance(metric, tuple):
        return metric
    return metric.result(), metric.updates


def write_metrics(directory, metrics, checkpoint_path=None):
    """Writes what an evaluation came to into the log, and for TensorBoard.

    Args:
      directory: where the events are.
      metrics: a dict with numbers, arrays and serialized summaries, as of images, and
        with the "global_step".
      checkpoint_path: what was evaluated; None where the variables were new.
    """
    step, events = metrics["global_step"], tf1.summary.FileWriterCache.get(directory)
    shown = {key: one for key, one in metrics.items() if not isinstance(one, bytes)}
    told = ", ".join(f"{key} = {one!s}" for key, one in sorted(shown.items()))
    tf1.logging.info("Saving dict for global step %d: %s", step, told)
    summary = tf1.Summary()
    for name, value in metrics.items():
        if isinstance(value, bytes):
            for i, part in enumerate(_parts(value)):
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


def _parts(value):
    """Returns what a serialized summary holds; nothing of other text."""
    try:
        return tf1.Summary.FromString(value).value
    except Exception:  # of protobuf
        return []
