"""The metric that stands for contrib's computes what that computed, over several batches."""

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.contrib.metrics import f1_score

RANDOM = np.random.RandomState(3)
PREDICTIONS, LABELS = RANDOM.rand(6, 7).astype("f"), (RANDOM.rand(6, 7) > 0.5).astype("f")


def after_all_batches(metric):
    """Returns the last update of a metric, and its value after it."""
    with tf.Graph().as_default(), tf1.Session() as session:
        given = [tf1.placeholder(tf.float32, [7]) for _ in range(2)]
        value, update = metric(*given)
        session.run(tf1.local_variables_initializer())
        for batch in zip(PREDICTIONS, LABELS, strict=True):
            last = session.run(update, dict(zip(given, batch, strict=True)))
        return last, session.run(value)


def test_the_best_f1_score_is_that_of_the_best_threshold():
    def score(least):
        chosen = np.greater(PREDICTIONS, least)
        return 2 * (chosen * LABELS).sum() / (chosen.sum() + LABELS.sum())

    found = after_all_batches(lambda x, y: f1_score(y, x, num_thresholds=5))
    np.testing.assert_allclose(found, max(score(least) for least in (-1e-7, 0.25, 0.5, 0.75)), rtol=1e-5)
