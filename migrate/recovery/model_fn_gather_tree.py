"""The sequences that a beam search found, as ``tf.contrib.seq2seq`` read them."""

import tensorflow.compat.v1 as tf1


def gather_tree(step_ids, parent_ids, max_sequence_lengths, end_token, name=None):
    """Returns the ids of each beam from its first step on, int32 [time, batch, beams].

    Args:
      step_ids: the ids of each step, [time, batch, beams].
      parent_ids: the beam of the step before that each comes from, of that shape.
      max_sequence_lengths: [batch]; behind them is end_token.
      end_token: the id that ends a sequence; behind the first there are no others.
      name: of the scope of the operations.
    """
    with tf1.name_scope(name, "gather_tree"):
        steps, _, width = tf1.unstack(tf1.shape(parent_ids))
        inside = tf1.transpose(tf1.sequence_mask(max_sequence_lengths, steps))[
            ..., None
        ]
        last = tf1.zeros_like(parent_ids[0]) + tf1.range(width)

        def before(beams, here):
            parents, is_inside = here
            return tf1.where_v2(
                is_inside, tf1.gather(parents, beams, batch_dims=1), beams
            )

        beams = tf1.scan(before, (parent_ids, inside), last, reverse=True)
        beams = tf1.concat([beams[1:], last[None]], 0)
        ids = tf1.gather(step_ids, beams, batch_dims=2)
        is_end = tf1.cast(tf1.equal(ids, end_token) & inside, tf1.int32)
        behind = tf1.cumsum(is_end, exclusive=True) > 0
        return tf1.where_v2(inside & ~behind, ids, end_token)
