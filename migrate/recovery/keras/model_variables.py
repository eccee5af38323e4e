"""The variables of models and optimizers of both Kerases, and names for their values."""

import contextlib
import zlib

import numpy as np
import tensorflow as tf

from .saved_states import is_plain


def variable_of(one):
    """Returns the TensorFlow variable of a variable of Keras 3, or what is given."""
    value = getattr(one, "value", None)  # Of Keras 3 a variable holds TensorFlow's.
    return value if isinstance(value, tf.Variable) else one


def weights_of(models):
    """Returns the weights of those models that are built, a list."""
    found = []
    for model in models:
        with contextlib.suppress(ValueError):  # Keras 2 has none before it builds it.
            found += model.weights
    return found


def replicas_of(variable):
    """Returns the variables that stand for one on each device, a list."""
    is_one = not isinstance(variable, tf.Variable)
    return [variable] if is_one else getattr(variable, "values", [variable])


def digest_of(variable):
    """Returns a short name of a variable's value, an int."""
    one = replicas_of(variable)[0]
    on_read = tf.VariableSynchronization.ON_READ  # Each replica has another value.
    if one is not variable and one.synchronization == on_read:
        return 0
    value = np.ascontiguousarray(one.read_value())
    return zlib.crc32(value.reshape(-1).view(np.uint8))


def places_trained_by(optimizer, weights):
    """Returns which of the weights an optimizer trains, a list of ints."""
    inner = getattr(optimizer, "inner_optimizer", optimizer)
    own = getattr(inner, "_trainable_variables", None)
    if own is not None:  # Of Keras 3.
        return [n for n, one in enumerate(weights) if any(one is each for each in own)]
    own = getattr(inner, "_index_dict", None) or getattr(inner, "_slots", ())
    return [n for n, one in enumerate(weights) if one._unique_id in own]


def build_config_of(model):
    """Returns what ``model.build_from_config`` takes, plain data; None if not built."""
    try:
        config = model.get_build_config() if model.built else None
    except Exception as error:  # Of any layer.
        tf.get_logger().info("%s does not say how it was built: %s", model.name, error)
        return None
    return config if is_plain(config) else None
