"""Layers of the feature columns of ``tf.contrib.layers``, with its names of variables."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .contrib_column_base import ContribColumn, TransformedFeatures
from .contrib_column_kinds import in_two_dimensions
from .contrib_variables import model_variable


def input_from_feature_columns(
    columns_to_tensors,
    feature_columns,
    weight_collections=None,
    trainable=True,
    scope=None,
    cols_to_outs=None,
):
    """Returns the input of a network, a tensor [batch, values].

    Args:
      columns_to_tensors: a dict from names, or from columns, to tensors.
      feature_columns: columns of ``tf.contrib.layers``.
      weight_collections: the names of further collections for the variables.
      trainable: whether the variables are.
      scope: the variables' scope; "input_from_feature_columns" where it is None.
      cols_to_outs: a dict that gets what becomes of each column, or None.
    """
    features = TransformedFeatures(columns_to_tensors)
    outputs = []
    values = list(columns_to_tensors.values())
    with tf1.variable_scope(scope, "input_from_feature_columns", values):
        for column in _ordered(feature_columns):
            with tf1.variable_scope(None, column.name, values):
                transformed = features.get(column)
                if hasattr(column, "dimension") and hasattr(column, "initializer"):
                    output = embedded(
                        column, transformed, weight_collections, trainable
                    )
                elif hasattr(column, "dense"):
                    output = column.dense(transformed)
                else:
                    raise ValueError(
                        f"{column} is not supported in a DNN: use embedding_column."
                    )
                outputs.append(output)
                if cols_to_outs is not None:
                    cols_to_outs[column] = output
        return tf.concat(outputs, 1)


def weighted_sum_from_feature_columns(
    columns_to_tensors,
    feature_columns,
    num_outputs,
    weight_collections=None,
    trainable=True,
    scope=None,
):
    """Returns the outputs of a linear model, its variables by columns, and its bias.

    Args:
      columns_to_tensors, feature_columns, weight_collections, trainable: as of
        ``input_from_feature_columns``.
      num_outputs: how many numbers an example gets, an int.
      scope: the variables' scope; "weighted_sum_from_feature_columns" where it is None.
    """
    features = TransformedFeatures(columns_to_tensors)
    outputs, found = [], {}
    values = list(columns_to_tensors.values())
    made = {"trainable": trainable, "collections": weight_collections}
    made["initializer"] = tf1.zeros_initializer()
    with tf1.variable_scope(scope, "weighted_sum_from_feature_columns", values):
        for column in _ordered(feature_columns):
            transformed = features.get(column)
            with tf1.variable_scope(None, column.name, values):
                if column.linear is None:
                    tensor = in_two_dimensions(transformed)
                    shape = [tensor.shape[1], num_outputs]
                    parts = [model_variable("weight", shape, **made)]
                    output = tf.matmul(tensor, tf.convert_to_tensor(parts[0]))
                else:
                    ids, weights, length, combiner = column.linear(transformed)
                    shape = [length, num_outputs]
                    parts = _variables_of(model_variable("weights", shape, **made))
                    output = tf1.nn.safe_embedding_lookup_sparse(
                        parts, ids, weights, combiner
                    )
            outputs.append(tf.reshape(output, [-1, num_outputs]))
            found[column] = parts
            _take_from_checkpoint(column, parts)
        bias = model_variable("bias_weight", [num_outputs], **made)
        total = tf.nn.bias_add(tf.add_n(outputs), tf.convert_to_tensor(bias))
        return total, found, bias


def create_feature_spec_for_parsing(feature_columns):
    """Returns what ``tf.io.parse_example`` reads for columns, a dict."""
    if isinstance(feature_columns, dict):
        feature_columns = feature_columns.values()
    return {
        key: one for column in feature_columns for key, one in column.config.items()
    }


def are_of_contrib(columns):
    """Returns whether columns are those of ``tf.contrib.layers``, all of them."""
    return all(isinstance(column, ContribColumn) for column in columns)


def _ordered(columns):
    if isinstance(columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    by_key = {column.key: column for column in set(columns)}
    if len(by_key) < len(list(columns)):
        raise ValueError("One of the columns is almost identical to another.")
    return [by_key[key] for key in sorted(by_key)]


def embedded(column, transformed, collections, trainable):
    """Returns the embeddings of a column, a tensor [batch, dimension]."""
    made = {
        "shape": [column.length, column.dimension],
        "initializer": column.initializer,
        "trainable": trainable and column.trainable,
        "collections": collections,
    }
    if column.shared_embedding_name is None:
        variable = model_variable("weights", **made)
    else:
        key = f"SHARED_EMBEDDING_COLLECTION_{column.shared_embedding_name.upper()}"
        shared = tf1.get_collection_ref(key)
        if not shared:
            shared.append(model_variable(column.shared_embedding_name, **made))
        variable = shared[0]
    parts = _variables_of(variable)
    _take_from_checkpoint(column, parts)
    ids = column.sparse_id_column.ids(transformed)
    weights = column.sparse_id_column.weights(transformed)
    return tf1.nn.safe_embedding_lookup_sparse(
        parts, ids, weights, column.combiner, max_norm=column.max_norm
    )


def _variables_of(variable):
    """Returns the variables that a partitioned one is made of, or the one."""
    return list(variable) if hasattr(variable, "as_tensor") else [variable]


def _take_from_checkpoint(column, parts):
    path = getattr(column, "ckpt_to_load_from", None)
    if path is not None:
        one = parts[0] if len(parts) == 1 else parts
        tf1.train.init_from_checkpoint(path, {column.tensor_name_in_ckpt: one})
