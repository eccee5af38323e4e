# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 01c70f59e8addfb7).
"""Building a model before it is restored, as an earlier start of its job has built it."""

import sys

import tensorflow as tf


def keras_of(model):
    """Returns the Keras that a model is of: ``tf_keras``, ``keras``, or ``tf.keras`` else.

    A program may import one by its name beside another that ``tf.keras`` is.

    Args:
      model: a model of any.
    """
    named = [sys.modules[name] for name in ("tf_keras", "keras") if name in sys.modules]
    return next((one for one in named if isinstance(model, one.Model)), tf.keras)


def is_of_keras_3(model):
    """Returns whether a model is one of Keras 3."""
    return hasattr(keras_of(model), "ops")


def is_restorable(model):
    """Returns whether a checkpoint can be restored into a model now.

    Keras 2 restores an unbuilt model while it is built. Keras 3 does so for a
    ``Sequential`` alone: of others all layers must be built before.

    Args:
      model: a ``tf.keras.Model``.
    """
    is_late = not is_of_keras_3(model) or isinstance(model, keras_of(model).Sequential)
    return is_late or has_variables(model)


def has_variables(model):
    """Returns whether a model, or all of the layers that it consists of, are built.

    A GAN that trains two models by a ``train_step`` is never built itself.

    Args:
      model: a ``tf.keras.Model`` or a layer.
    """
    layers = getattr(model, "layers", [])
    return model.built or (len(layers) > 0 and all(map(has_variables, layers)))


def input_shape_of(model):
    """Returns what ``model.build`` wants, for a model of Keras 2, or None.

    Args:
      model: a model that is built.
    """
    if isinstance(model, keras_of(model).Sequential):
        return model.input_shape
    given = model.save_spec()  # Of what fit has called it with: arguments, keywords.
    if given is None or not given[0]:
        return None
    return tf.nest.map_structure(lambda one: one.shape.as_list(), given[0][0])


def shapes_of(model):
    """Returns what ``build_by`` wants to build a model again, or None."""
    if is_of_keras_3(model):
        return model.get_build_config()
    return input_shape_of(model) if model.built else None


def build_by(model, shapes):
    """Builds a model that is not built, if it can be built.

    Args:
      model: a ``tf.keras.Model``.
      shapes: what ``shapes_of`` gave, as it comes back from JSON; None where an earlier
        start has not written it.
    """
    if has_variables(model):
        return
    if is_of_keras_3(model):
        model.build_from_config(_with_tuples(shapes))
        if has_variables(model):
            model.built = True  # As Keras does it where it loads a model.
    elif shapes is not None:
        try:
            model.build(shapes)
        except Exception as error:  # Of any layer; the first call builds it then.
            tf.get_logger().info("%s is not built by %s: %s", model.name, shapes, error)


def _with_tuples(value):
    if isinstance(value, dict):
        return {name: _with_tuples(each) for name, each in value.items()}
    if isinstance(value, list):
        return tuple(map(_with_tuples, value))
    return value
