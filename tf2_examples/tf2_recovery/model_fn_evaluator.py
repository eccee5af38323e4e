# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content c1091f0bebc73a73).
"""Evaluates the checkpoints of a cluster in a process of its own."""

import time

import tensorflow as tf


def is_evaluator(strategy):
    """Returns whether ``TF_CONFIG`` says that this process evaluates, and trains not."""
    return strategy.cluster_resolver.task_type == "evaluator"


def evaluate_checkpoints(
    evaluate, model_dir, *, max_steps=None, start_delay_secs=120, throttle_secs=600
):
    """Evaluates checkpoint after checkpoint, as an Estimator's evaluator does.

    Args:
      evaluate: is called without arguments where there is a new checkpoint.
      model_dir: the directory of the checkpoints.
      max_steps: the step of the last checkpoint; None to go on for ever.
      start_delay_secs: how long to wait at first, an int or a float.
      throttle_secs: the least time from one evaluation to the next, likewise.
    """
    time.sleep(start_delay_secs)
    evaluated, step = None, 0
    while max_steps is None or step < max_steps:
        began = time.monotonic()
        path = tf.train.latest_checkpoint(model_dir)
        if path != evaluated:
            evaluate()
            evaluated, step = path, int(path.rpartition("-")[2])
        else:
            tf.get_logger().info("No new checkpoint in %s", model_dir)
        if max_steps is None or step < max_steps:
            time.sleep(max(1, began + throttle_secs - time.monotonic()))
