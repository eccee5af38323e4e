"""What is emitted for ``tf.contrib.crf`` computes what it is defined as."""

import itertools

import numpy as np
import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.contrib.crf import crf_decode, crf_log_likelihood, viterbi_decode

BATCH, TIME, TAGS = 4, 5, 3
LENGTHS = [5, 3, 1, 0]
SCORES = np.random.RandomState(0).randn(BATCH, TIME, TAGS).astype("f")
TRANSITIONS = np.random.RandomState(1).randn(TAGS, TAGS).astype("f")


def run(make):
    """What the tensors of ``make()`` are, in a graph whose variables are random numbers of their shapes."""

    def initial(shape, dtype=None, partition_info=None):
        return tf.constant(np.random.RandomState(sum(shape)).randn(*shape), dtype)

    with tf.Graph().as_default(), tf1.Session() as session, tf1.variable_scope("s", initializer=initial):
        tensors = make()
        session.run(tf1.global_variables_initializer())
        return session.run(tensors), {v.op.name: session.run(v) for v in tf1.global_variables()}


def score(row, tags):
    """The score of a sequence of tags, by definition."""
    own = sum(SCORES[row, place, tag] for place, tag in enumerate(tags))
    return own + sum(TRANSITIONS[before, after] for before, after in itertools.pairwise(tags))


def every(length):
    return list(itertools.product(range(TAGS), repeat=length))


@pytest.mark.parametrize("kind", [tf.int32, tf.int64])
def test_the_likelihood_is_that_among_all_sequences_of_a_length(kind):
    tags = np.random.RandomState(3).randint(0, TAGS, (BATCH, TIME))

    def likelihood():
        return crf_log_likelihood(tf.constant(SCORES), tf.constant(tags, kind), tf.constant(LENGTHS), TRANSITIONS)[0]

    found, _ = run(likelihood)
    for row, length in enumerate(LENGTHS):
        total = np.log(sum(np.exp(score(row, one)) for one in every(length)))
        np.testing.assert_allclose(found[row], score(row, tags[row, :length]) - total, atol=1e-5)


def test_the_transitions_are_a_variable_of_the_scope():
    def trained():
        tags = tf.zeros([BATCH, TIME], tf.int32)
        return crf_log_likelihood(tf.constant(SCORES), tags, tf.constant(LENGTHS))

    (_, transitions), variables = run(trained)
    assert list(variables) == ["s/transitions"]
    np.testing.assert_array_equal(transitions, variables["s/transitions"])


def test_the_best_tags_are_the_best_of_all_sequences_and_0_behind_the_end():
    (tags, best), _ = run(lambda: crf_decode(tf.constant(SCORES), tf.constant(TRANSITIONS), tf.constant(LENGTHS)))
    for row, length in enumerate(LENGTHS[:3]):
        right = max(every(length), key=lambda one: score(row, one))
        assert tags[row].tolist() == [*right, *[0] * (TIME - length)]
        np.testing.assert_allclose(best[row], score(row, right), rtol=1e-5)
        alone, its_score = viterbi_decode(SCORES[row, :length], TRANSITIONS)
        assert (alone, its_score) == (list(right), best[row])
    # contrib.crf gives an empty sequence the best tag of its first place.
    assert tags[3].tolist() == [int(SCORES[3, 0].argmax()), 0, 0, 0, 0]
