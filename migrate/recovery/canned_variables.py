"""The names that ``tf.estimator`` gave to the variables of its canned models."""

import re

import tensorflow as tf


def canned_variables(model):
    """Yields the variables of a migrated canned model, each after its old name.

    Args:
      model: the ``tf.keras.Model``, or one part of a ``WideAndDeep``.

    Raises:
      ValueError: a layer has weights, and no canned model has such a layer.
    """
    layers = getattr(model, "stack", None) or getattr(model, "layers", [model])
    dense = [layer for layer in layers if isinstance(layer, tf.keras.layers.Dense)]
    position, scope = -1, ""
    for layer in layers:
        kind = type(layer).__name__
        if isinstance(layer, tf.keras.layers.Dense):
            position += 1
            last = layer is dense[-1]
            scope = "dnn/logits" if last else f"dnn/hiddenlayer_{position}"
            for part in ("kernel", "bias"):
                yield f"{scope}/{part}", getattr(layer, part)
        elif isinstance(layer, tf.keras.layers.BatchNormalization):
            for part in ("gamma", "beta", "moving_mean", "moving_variance"):
                yield f"{scope}/batchnorm_{position}/{part}", getattr(layer, part)
        elif kind == "DenseColumns":
            where = "dnn/input_from_feature_columns/input_layer"
            for column, variable in layer.embeddings.items():
                yield f"{where}/{_in_scope(column)}/embedding_weights", variable
        elif kind == "LinearColumns":
            for column, variable in layer.kernels.items():
                yield f"linear/linear_model/{_in_scope(column)}/weights", variable
            yield "linear/linear_model/bias_weights", layer.bias
        elif kind == "BiasAlone":
            yield "baseline/bias", layer.bias
        elif layer.trainable_weights:
            raise ValueError(
                f"The layer {layer.name} has weights, and a canned estimator has no "
                "such layer."
            )


def _in_scope(column):
    return re.sub(r"[^A-Za-z0-9.\-_]", "_", column)
