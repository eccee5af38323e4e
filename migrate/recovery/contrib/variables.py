"""Variables and collections of ``tf.contrib.framework`` and ``tf.contrib.layers``."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1


def model_variable(
    name,
    shape=None,
    dtype=tf1.float32,
    initializer=None,
    regularizer=None,
    trainable=True,
    collections=None,
):
    """Returns a variable that is also in the collection MODEL_VARIABLES.

    Args:
      name, shape, dtype, initializer, regularizer, trainable: as for ``get_variable``.
      collections: the names of further collections to add it to, or None.
    """
    keys = tf1.GraphKeys
    every = [*(collections or ()), keys.GLOBAL_VARIABLES, keys.MODEL_VARIABLES]
    return tf1.get_variable(
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        trainable,
        collections=list(dict.fromkeys(every)),
    )


def get_variable_collections(variables_collections, name):
    """Returns the collections of a layer's variable.

    Args:
      variables_collections: their names, a list, or a dict from variable names to lists.
      name: of the variable.
    """
    if isinstance(variables_collections, dict):
        return variables_collections.get(name)
    return variables_collections


def collect_named_outputs(collections, alias, outputs):
    """Adds a layer's outputs to collections, and returns them.

    Args:
      collections: the names of collections, or None.
      alias: ignored.
      outputs: a tensor.
    """
    if collections:
        tf1.add_to_collections(collections, outputs)
    return outputs


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
      vocab_size, embed_dim: the shape of the table, ints; needed unless it is reused.
      unique: whether to look up each id only once.
      initializer, regularizer, trainable: of the table, the variable ``embeddings``.
      scope: the variable scope; None for "EmbedSequence".
      reuse: whether to use the existing table of the scope.

    Raises:
      ValueError: the shape of a new table is missing.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(f"Give vocab_size and embed_dim: {vocab_size}, {embed_dim}.")
    with tf1.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        has_shape = embed_dim is not None and not (reuse and vocab_size is None)
        shape = [vocab_size, embed_dim] if has_shape else None
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
