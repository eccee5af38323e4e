"""Embedded sequences, which ``tf.contrib.layers`` had."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.model_fn_contrib_variables import model_variable


def embed_sequence(
    ids,
    vocab_size=None,
    embed_dim=None,
    unique=False,
    initializer=None,
    regularizer=None,
    trainable=True,
    scope=None,
    reuse=None,
):
    """Returns the embeddings of ids, [batch, length, embed_dim].

    Args:
      ids: integers, [batch, length].
      vocab_size, embed_dim: the shape of the table; needed where it is not reused.
      unique: whether each id is looked up once.
      initializer, regularizer, trainable: of the table, a variable ``embeddings``.
      scope: the variable scope, ``EmbedSequence`` by default.
      reuse: whether the scope's table is used.

    Raises:
      ValueError: the shape is missing.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(f"Give vocab_size and embed_dim: {vocab_size}, {embed_dim}.")
    with tf1.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        whole = embed_dim is not None and not (reuse and vocab_size is None)
        shape = [vocab_size, embed_dim] if whole else None
        table = model_variable(
            "embeddings", shape, None, initializer, regularizer, trainable
        )
        if not unique:
            return tf.nn.embedding_lookup(table, ids)
        found, places = tf.unique(tf.reshape(ids, [-1]))
        rows = tf.gather(tf.nn.embedding_lookup(table, found), places)
        shape = tf.concat([tf.shape(ids), tf.shape(rows)[-1:]], 0)
        embedded = tf.reshape(rows, shape)
        embedded.set_shape(ids.shape.concatenate(rows.shape[-1:]))
        return embedded
