"""Finds the variables of models and optimizers, and compares their values."""

import contextlib
import re
import zlib

import numpy as np
import tensorflow as tf

from .saved_states import pickled

# Numbers of names, random seeds, addresses, code of lambdas, and what tells tuples.
_CHANGING = re.compile(r"_\d+(?=[/'])|'seed': \d+|0x\w+|'[^']{60,}'|[][(),]")


def all_variables(models, roots):
    """Returns all variables of models and roots but metrics, the weights first."""
    found = variables_of(models) + variables_of(models, "variables")
    found += [getattr(model, "_train_counter", None) for model in models]
    for one in optimizers_of(roots):
        found += one.variables() if callable(one.variables) else one.variables
    metrics = [v for m in models for one in m.metrics for v in one.variables]
    skipped = {id(variable_of(one)) for one in metrics}
    found = map(variable_of, [*found, *_tracked_by(roots)])
    found = [one for each in found for one in replicas_of(each)]
    unique = {id(one): one for one in found if isinstance(one, tf.Variable)}
    return [one for key, one in unique.items() if key not in skipped]


def optimizers_of(roots):
    """Returns the optimizers of models, and those among roots themselves, a list."""
    found = [one for one in _tracked_by(roots) if hasattr(one, "apply_gradients")]
    inner = [id(getattr(one, "inner_optimizer", None)) for one in found]
    return [*{id(one): one for one in found if id(one) not in inner}.values()]


def _tracked_by(roots):  # Finds the variables of a user's train_step, too.
    return [x for one in roots for x in tf.train.TrackableView(one).descendants()]


def is_finite(variable):
    """Returns whether a variable has no NaN and no infinite value."""
    value = replicas_of(variable)[0].read_value()
    return not value.dtype.is_floating or bool(tf.reduce_all(tf.math.is_finite(value)))


def variable_of(one):
    """Returns the ``tf.Variable`` of a Keras 3 variable, or any other object itself."""
    value = getattr(one, "value", None)
    return value if isinstance(value, tf.Variable) else one


def variables_of(models, which="weights"):
    """Returns the variables of built models without duplicates, a list."""
    found = []
    for model in models:
        with contextlib.suppress(ValueError):  # Keras 2 raises before a model is built.
            found += map(variable_of, getattr(model, which))
    return list({id(one): one for one in found}.values())


def replicas_of(variable):
    """Returns a variable's replicas, one for each device, a list."""
    is_one = not isinstance(variable, tf.Variable)
    return [variable] if is_one else getattr(variable, "values", [variable])


def places_trained_by(optimizer, weights):
    """Returns the indices of the weights that an optimizer trains, a list of ints."""
    inner = getattr(optimizer, "inner_optimizer", optimizer)
    own = getattr(inner, "_trainable_variables", None)
    if own is not None:  # Keras 3.
        own = [id(variable_of(one)) for one in own]
        return [n for n, one in enumerate(weights) if id(one) in own]
    own = getattr(inner, "_index_dict", None) or getattr(inner, "_slots", ())
    return [n for n, one in enumerate(weights) if one._unique_id in own]


def build_optimizers(models, roots, places):
    """Builds the optimizers for the weights that they train, given by their indices."""
    weights = variables_of(models)
    for one, own in zip(optimizers_of(roots), places):
        build = getattr(one, "build", None) or one._create_all_weights
        with models[0].distribute_strategy.scope():
            # Keras 3 builds a LossScaleOptimizer that is built a second time.
            is_built = getattr(one, "built", False)
            if own and max(own) < len(weights) and not is_built:
                build([weights[place] for place in own])


def build_config_of(model):
    """Returns the argument of ``model.build_from_config``, None if it is no plain data."""
    config = model.get_build_config() if model.built else None
    return config if pickled(config) is not None else None


def digest_of(variable):
    """Returns the CRC-32 of a variable's value, an int."""
    one = replicas_of(variable)[0]
    on_read = tf.VariableSynchronization.ON_READ  # Each replica has another value.
    if one is not variable and one.synchronization == on_read:
        return 0
    value = np.ascontiguousarray(one.read_value())
    return zlib.crc32(value.reshape(-1).view(np.uint8))


def class_of(optimizer):
    """Returns the name of an optimizer's class, without a scale of its losses."""
    return type(getattr(optimizer, "inner_optimizer", optimizer)).__name__


def schedule_of(optimizer):
    """Returns the text of an optimizer's learning rate schedule; "" for a number."""
    with contextlib.suppress(Exception):  # The program's own may have no config.
        rate = optimizer.get_config().get("learning_rate")
        return _CHANGING.sub("", repr(rate)) if isinstance(rate, dict) else ""
    return ""


def config_of(models, roots):
    """Returns the CRC-32 of what models and optimizers are made with."""
    text, logger = "", tf.get_logger()
    was, logger.disabled = logger.disabled, True  # Keras 2 warns of a default config.
    for one in [*models, *optimizers_of(roots)]:
        with contextlib.suppress(Exception):  # A subclassed model may have none.
            text += _CHANGING.sub("", repr(one.get_config()))
    logger.disabled = was
    return zlib.crc32(text.encode())


def has_saved(saved, now, most):
    """Returns whether weights are all that was saved last, or with 2 before it too."""
    return bool(saved) and all(now.get(n) in marks[:most] for n, marks in saved.items())


def has_value(variable, value):
    """Returns whether a variable still has a value that was read from it."""
    now, value = np.asarray(variable.read_value()), np.asarray(value)
    return np.may_share_memory(now, value) or np.array_equal(now, value)
