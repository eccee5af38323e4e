"""The metric that stands for contrib's computes what that computed, over several batches."""

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.contrib.metrics import f1_score


def test_the_best_f1_score_is_that_of_the_best_threshold():
    random = np.random.RandomState(3)
    predictions, labels = random.rand(6, 7).astype("f"), (random.rand(6, 7) > 0.5).astype("f")
    chosen = (predictions > least for least in (-1e-7, 0.25, 0.5, 0.75))
    best = max(2 * (one * labels).sum() / (one.sum() + labels.sum()) for one in chosen)
    with tf.Graph().as_default(), tf1.Session() as session:
        batch = tf1.placeholder(tf.float32, [7]), tf1.placeholder(tf.float32, [7])
        value, update = f1_score(*batch, num_thresholds=5)
        session.run(tf1.local_variables_initializer())
        for given in zip(labels, predictions, strict=True):
            last = session.run(update, dict(zip(batch, given, strict=True)))
        np.testing.assert_allclose([last, session.run(value)], best, rtol=1e-5)
