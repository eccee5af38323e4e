"""Variables and collections of layers, as ``tf.contrib`` had them."""

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
    """Returns a variable that is in the collection MODEL_VARIABLES as well.

    Args:
      name, shape, dtype, initializer, regularizer, trainable: of ``get_variable``.
      collections: the names of further collections to put it into.
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
      variables_collections: their names, or a dict of them by the variable's name.
      name: the variable's.
    """
    if isinstance(variables_collections, dict):
        return variables_collections.get(name)
    return variables_collections


def collect_named_outputs(collections, alias, outputs):
    """Returns a layer's outputs, which are now in some collections.

    Args:
      collections: the names of collections, or None.
      alias: what the layer is called; nothing here reads it.
      outputs: a tensor.
    """
    if collections:
        tf1.add_to_collections(collections, outputs)
    return outputs
