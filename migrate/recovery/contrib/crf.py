"""Conditional random fields of ``tf.contrib.crf``."""

import tensorflow.compat.v1 as tf1


def viterbi_decode(score, transition_params):
    """Returns the best tags, a list of integers, and their score.

    Args:
      score: scores of the tags, an array [time, tags].
      transition_params: scores of transitions, an array [from tag, to tag].
    """
    best, before = score[0], []
    for scores in score[1:]:
        by_tag = best[:, None] + transition_params
        before.append(by_tag.argmax(0).astype("int32"))
        best = (scores + by_tag.max(0)).astype(score.dtype)
    tags = [best.argmax()]
    for tag_before in reversed(before):
        tags.append(tag_before[tags[-1]])
    return tags[::-1], best.max()


def crf_log_likelihood(inputs, tag_indices, sequence_lengths, transition_params=None):
    """Returns the log-likelihood of each sequence of tags, [batch], and the transitions.

    Args:
      inputs: scores of the tags, [batch, time, tags], where tags is known.
      tag_indices: the true tags, [batch, time].
      sequence_lengths: [batch].
      transition_params: scores of transitions, [from tag, to tag]; None for the variable
        "transitions".
    """
    if transition_params is None:
        tags = inputs.shape.as_list()[2]
        transition_params = tf1.get_variable("transitions", [tags, tags])
    score = _score(inputs, tag_indices, sequence_lengths, transition_params)

    def add_step(alphas, here):
        scores, is_inside = here
        by_tag = tf1.expand_dims(alphas, 2) + transition_params
        new = scores + tf1.reduce_logsumexp(by_tag, 1)
        return tf1.where_v2(is_inside, new, alphas)

    alphas = tf1.foldl(add_step, _later_steps(inputs, sequence_lengths), inputs[:, 0])
    norm = tf1.reduce_logsumexp(alphas, 1)
    norm = tf1.where_v2(sequence_lengths <= 0, tf1.zeros_like(norm), norm)
    return score - norm, transition_params


def crf_decode(potentials, transition_params, sequence_length):
    """Returns the best tags, int32 [batch, time], and their scores, [batch].

    Args:
      potentials: scores of the tags, [batch, time, tags].
      transition_params: scores of transitions, [from tag, to tag].
      sequence_length: [batch]; later tags are 0.
    """
    first = potentials[:, 0]
    stay = tf1.zeros_like(first, tf1.int32) + tf1.range(tf1.shape(first)[1])

    def step_forward(carry, here):
        best, _ = carry
        scores, is_inside = here
        by_tag = tf1.expand_dims(best, 2) + transition_params
        new = scores + tf1.reduce_max(by_tag, 1)
        before = tf1.argmax(by_tag, 1, output_type=tf1.int32)
        return tf1.where_v2(is_inside, new, best), tf1.where_v2(is_inside, before, stay)

    others = _later_steps(potentials, sequence_length)
    scores, before = tf1.scan(step_forward, others, (first, stay))
    best = tf1.concat([first[None], scores], 0)[-1]
    last = tf1.argmax(best, 1, output_type=tf1.int32)
    tags = tf1.scan(
        lambda tag, before: tf1.gather(before, tag, batch_dims=1),
        before,
        last,
        reverse=True,
    )
    tags = tf1.transpose(tf1.concat([tags, last[None]], 0))
    length = tf1.maximum(sequence_length, 1)
    inside = tf1.sequence_mask(length, tf1.shape(potentials)[1], tf1.int32)
    return tags * inside, tf1.reduce_max(best, 1)


def _later_steps(scores, lengths):
    """Returns all scores but the first, time-major, and whether their step counts."""
    inside = tf1.sequence_mask(lengths, tf1.shape(scores)[1])
    inside = tf1.expand_dims(tf1.transpose(inside[:, 1:]), 2)
    return tf1.transpose(scores[:, 1:], [1, 0, 2]), inside


def _score(inputs, tags, lengths, transitions):
    inside = tf1.sequence_mask(lengths, tf1.shape(tags)[1], tf1.float32)
    own = tf1.gather(inputs, tags, batch_dims=2)
    # One flat index: its gradient is summed in the same order as contrib's.
    pairs = tags[:, :-1] * transitions.shape[0] + tags[:, 1:]
    after = tf1.gather(tf1.reshape(transitions, [-1]), pairs)
    return tf1.reduce_sum(own * inside, 1) + tf1.reduce_sum(after * inside[:, 1:], 1)
