"""The metrics that stand for contrib's compute what those computed, over several batches."""

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.contrib.metrics import f1_score, streaming_covariance, streaming_pearson_correlation

RANDOM = np.random.RandomState(3)
PREDICTIONS, LABELS = RANDOM.rand(6, 7).astype("f"), (RANDOM.rand(6, 7) > 0.5).astype("f")
TIMES = RANDOM.randint(0, 3, (6, 7)).astype("f")


def after_all_batches(metric):
    """Returns the last update of a metric, and its value after it."""
    with tf.Graph().as_default(), tf1.Session() as session:
        given = [tf1.placeholder(tf.float32, [7]) for _ in range(3)]
        value, update = metric(*given)
        session.run(tf1.local_variables_initializer())
        for batch in zip(PREDICTIONS, LABELS, TIMES, strict=True):
            last = session.run(update, dict(zip(given, batch, strict=True)))
        return last, session.run(value)


@pytest.mark.parametrize("shape", [[7], [7, 1]])
def test_a_correlation_is_that_of_all_pairs(shape):
    found = after_all_batches(lambda x, y, _: streaming_pearson_correlation(tf.reshape(x, shape), y))
    np.testing.assert_allclose(found, np.corrcoef(PREDICTIONS.ravel(), LABELS.ravel())[0, 1], rtol=1e-5)


def test_weights_say_how_often_a_pair_counts():
    found = after_all_batches(lambda x, y, times: streaming_covariance(x, y, times))
    times = TIMES.ravel().astype(int)
    expected = np.cov(PREDICTIONS.ravel(), LABELS.ravel(), fweights=times)[0, 1]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_one_pair_has_no_covariance():
    found = after_all_batches(lambda x, y, _: streaming_covariance(x[:1], y[:1], weights=1 / 6))
    assert np.isnan(found).all()


def test_the_best_f1_score_is_that_of_the_best_threshold():
    def score(least):
        chosen = np.greater(PREDICTIONS, least)
        return 2 * (chosen * LABELS).sum() / (chosen.sum() + LABELS.sum())

    found = after_all_batches(lambda x, y, _: f1_score(y, x, num_thresholds=5))
    np.testing.assert_allclose(found, max(score(least) for least in (-1e-7, 0.25, 0.5, 0.75)), rtol=1e-5)
