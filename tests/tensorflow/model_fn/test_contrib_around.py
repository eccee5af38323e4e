"""What is written for names around a model_fn does what TensorFlow 1.15 did."""

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1

from migrate.recovery.contrib.crf import crf_decode, crf_log_likelihood
from migrate.recovery.contrib.devices import get_tpu_context
from migrate.recovery.contrib.lookup import index_table_from_tensor
from migrate.recovery.contrib.summaries import write_image
from tests.cases import each


@each("words", "dtype", "buckets", "asked", "expected")(
    (["x", "y"], tf1.string, 0, ["y", "q"], [1, -1]),
    ([5, 7], tf1.int64, 0, [7, 1], [1, -1]),
    ([5, 7], tf1.int64, 3, [7, 1, 2, 3, 4], [1, 2, 3, 2, 4]),  # as TensorFlow 1.15.5 gave
)
def test_a_table_is_of_words_or_of_integers(words, dtype, buckets, asked, expected):
    with tf1.Graph().as_default(), tf1.Session() as session:
        found = index_table_from_tensor(tf1.constant(words), buckets, dtype=dtype).lookup(tf1.constant(asked, dtype))
        session.run(tf1.tables_initializer())
        assert session.run(found).tolist() == expected


def test_a_sequence_of_one_tag_or_none_is_scored_and_tagged_by_its_first_place():
    scores, tags = np.random.RandomState(0).randn(2, 3, 4).astype("f"), np.array([[2, 1, 0], [1, 1, 1]])
    with tf1.Graph().as_default(), tf1.Session() as session:
        likelihood, transitions = crf_log_likelihood(tf1.constant(scores), tf1.constant(tags), tf1.constant([1, 0]))
        best, _ = crf_decode(tf1.constant(scores), transitions, tf1.constant([1, 0]))
        session.run(tf1.global_variables_initializer())
        found, chosen = session.run([likelihood, best])
    np.testing.assert_allclose(found, [scores[0, 0, 2] - np.log(np.exp(scores[0, 0]).sum()), 0.0], atol=1e-5)
    assert chosen.tolist() == [[int(row[0].argmax()), 0, 0] for row in scores]  # as contrib.crf did for no tag


def test_no_shards_are_told_where_there_is_no_tpu():
    assert get_tpu_context().number_of_shards is None


def test_another_colour_for_bad_pixels_is_refused():
    with pytest.raises(ValueError, match="leave bad_color out"):
        write_image("x", np.zeros([1, 2, 2, 1]), [0, 255, 0, 255])
