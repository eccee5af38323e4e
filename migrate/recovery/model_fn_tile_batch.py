"""A batch for a beam search, as ``tf.contrib.seq2seq`` had it."""

import tensorflow.compat.v1 as tf1


def tile_batch(t, multiplier, name=None):
    """Returns tensors with each row of the batch as often as told, one after another.

    Args:
      t: tensors [batch, ...], in any structure.
      multiplier: how often.
      name: of the scope of the operations.

    Raises:
      ValueError: a tensor's rank is not known, or 0.
    """

    def tiled(tensor):
        tensor = tf1.convert_to_tensor(tensor)
        if not tensor.shape.rank:
            raise ValueError(f"A tensor with a batch is needed: {tensor}.")
        return tf1.repeat(tensor, multiplier, 0)

    with tf1.name_scope(name, "tile_batch"):
        return tf1.nest.map_structure(tiled, t)
