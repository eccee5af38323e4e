# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content cd197f111b0122a2).
"""Restores a Keras model from a checkpoint of TensorFlow's ``model_to_estimator``."""

import itertools
import math
import re

import tensorflow as tf
from tensorflow.core.protobuf import trackable_object_graph_pb2

# By optimizer: its attribute with a slot for each variable, and the slot's names in
# checkpoints of Keras 2 and of tf.compat.v1.train.
_SLOTS = {
    "Adadelta": {
        "_accumulated_grads": ("accum_grad", "Adadelta"),
        "_accumulated_delta_vars": ("accum_var", "Adadelta_1"),
    },
    "Adagrad": {"_accumulators": ("accumulator", "Adagrad")},
    "Adam": {
        "_momentums": ("m", "Adam"),
        "_velocities": ("v", "Adam_1"),
        "_velocity_hats": ("vhat", ""),
    },
    "Ftrl": {
        "_accumulators": ("accumulator", "Ftrl"),
        "_linears": ("linear", "Ftrl_1"),
    },
    "RMSprop": {
        "_velocities": ("rms", ""),
        "_momentums": ("momentum", ""),
        "_average_gradients": ("mg", ""),
    },
    "SGD": {"momentums": ("momentum", "Momentum")},
}


def restore_from_estimator(model, optimizer, path):
    """Assigns the weights, slots and step of a checkpoint to a model and its optimizer.

    Raises:
      ValueError: a name, shape or setting differs; nothing was assigned.
    """
    reader = tf.train.load_checkpoint(path)
    keys, shapes = _keys_by_name(reader), reader.get_variable_to_shape_map()
    weights = {id(one): _name(one, keys) for one in model.weights}
    targets = [("global_step", optimizer.iterations)]
    targets += [(weights[id(one)], one) for one in model.weights]
    targets += _slots(model, optimizer, weights, keys)
    for name, variable in targets:
        own, saved = list(variable.shape), shapes.get(keys.get(name), "is not")
        if own != saved:
            raise ValueError(f"{name} has shape {own} here and {saved} there.")
    names = {name for name, _ in targets}
    if len(names) < len(targets):
        raise ValueError("Two variables of the model have one name there.")
    config = optimizer.get_config()
    rate = config["learning_rate"]
    is_constant = not isinstance(rate, dict) and not callable(rate)
    for name in sorted(keys.keys() - names):
        setting = re.fullmatch(r"training/(?:[^/]+/(\w+)|beta[12]_power)", name)
        if setting is None:
            raise ValueError(f"{name} is there and has no place here.")
        if setting[1] == "learning_rate" and is_constant:
            rate = float(reader.get_tensor(keys[name]))
        elif setting[1] not in (None, "learning_rate"):
            saved, own = reader.get_tensor(keys[name]), config.get(setting[1], 0.0)
            if not math.isclose(saved, own, rel_tol=1e-6, abs_tol=1e-12):
                raise ValueError(f"{name} is {own:g} here and {saved:g} there.")
    if any(name.endswith("/Momentum") for name in names) and not is_constant:
        raise ValueError("A Momentum slot cannot follow a changing learning rate.")
    for name, variable in targets:
        value = reader.get_tensor(keys[name])
        # A slot of TensorFlow 1 does not include the learning rate.
        variable.assign(-rate * value if name.endswith("/Momentum") else value)
    if is_constant:
        optimizer.learning_rate = rate  # The Estimator restored it, too.


def _keys_by_name(reader):
    shapes = reader.get_variable_to_shape_map()
    if "_CHECKPOINTABLE_OBJECT_GRAPH" not in shapes:
        return {name: name for name in shapes}
    graph = trackable_object_graph_pb2.TrackableObjectGraph()
    graph.ParseFromString(reader.get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH"))
    saved = [one for node in graph.nodes for one in node.attributes if one.full_name]
    return {one.full_name: one.checkpoint_key for one in saved}


def _name(variable, keys):
    # Keras 3 adds scopes to names: those of a Sequential or of a wrapped layer.
    path = str(getattr(variable, "path", variable.name)).partition(":")[0]
    *scopes, last = path.split("/")
    for count in range(len(scopes), -1, -1):
        kept = itertools.combinations(scopes, count)
        names = {"/".join([*one, last]) for one in kept} & keys.keys()
        if names:
            return names.pop() if len(names) == 1 else path
    return path


def _slots(model, optimizer, weights, keys):
    """Yields (name in the checkpoint, variable) of each slot."""
    kind, trained = type(optimizer).__name__, model.trainable_variables
    if hasattr(optimizer, "get_slot_names"):  # tf.keras.optimizers.legacy
        known = {name: (name, "") for name in optimizer.get_slot_names()}
        slots = {k: [optimizer.get_slot(one, k) for one in trained] for k in known}
    elif kind in _SLOTS:
        known = _SLOTS[kind]
        slots = {key: getattr(optimizer, key, ()) for key in known}
    else:
        raise ValueError(f"What {kind} calls its slots is not known.")
    if kind == "SGD" and not optimizer.momentum:
        return  # Keras 2 makes the slots also without momentum.
    for key, each in slots.items():
        for variable, slot in zip(trained, each):
            name, (keras, v1) = weights[id(variable)], known[key]
            new = re.compile(rf"training/[^/]+/{re.escape(name)}/{keras}")
            saved = [one for one in keys if new.fullmatch(one) or one == f"{name}/{v1}"]
            yield (saved or [f"training/{kind}/{name}/{keras}"])[0], slot
