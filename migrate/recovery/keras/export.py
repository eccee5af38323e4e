"""Exports a Keras model with the signature that its Estimator exported."""

import os
import re

import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.core.protobuf import saved_model_pb2

from ..estimator.export_directory import finish_export, new_export


def export_outputs(
    model, export_dir_base, serving_input_receiver_fn, assets_extra=None
):
    """Writes a SavedModel of a Keras model; its outputs are named by layer.

    Args:
      model: a trained ``tf.keras.Model``.
      export_dir_base: the directory to make the new one in.
      serving_input_receiver_fn: returns a ``ServingInputReceiver``; is run in a graph.
      assets_extra: a dict from a path in ``assets.extra`` to the file to copy, or None.

    Returns:
      The path of the new directory: bytes, as the Estimator gave it.
    """
    traced = {}

    def trace():
        receiver = serving_input_receiver_fn()
        outputs = model(receiver.features, training=False)
        layers = [output._keras_history[0].name for output in model.outputs]
        traced["outputs"] = dict(zip(layers, tf.nest.flatten(outputs)))
        traced["fed"] = receiver.receiver_tensors

    graph, fed = tf1.wrap_function(trace, []), traced["fed"]
    fed = fed if isinstance(fed, dict) else {"input": fed}
    exported = tf.Module()
    exported.weights = [
        one if isinstance(one, tf.Variable) else one.value  # Keras 3 wraps it
        for one in model.weights
    ]
    names = _parameter_names(fed)
    signature = _signature(graph, fed, names, traced["outputs"])
    unfinished = new_export(export_dir_base)
    tf.saved_model.save(exported, unfinished, {"serving_default": signature})
    _rename(unfinished, names)
    return finish_export(unfinished, assets_extra)


def _parameter_names(fed):
    """Returns a dict from each key of ``fed`` to a valid name of a Python parameter."""
    names = {}
    for key in fed:
        name = re.sub("^(?![a-zA-Z])", "input_", re.sub("[^a-zA-Z0-9_]", "_", key))
        while name in names.values():
            name += "_"
        names[key] = name
    return names


def _signature(graph, fed, names, outputs):
    pruned = graph.prune(list(fed.values()), outputs)

    def signature(**inputs):
        return pruned(*[inputs[name] for name in names.values()])

    specs = {names[key]: tf.TensorSpec(t.shape, t.dtype) for key, t in fed.items()}
    return tf.function(signature).get_concrete_function(**specs)


def _rename(directory, names):
    """Renames the inputs of an exported signature from ``names`` back to their keys.

    ``tf.saved_model.save`` accepts only names of Python parameters.
    """
    path = os.path.join(directory, "saved_model.pb")
    with tf.io.gfile.GFile(path, "rb") as file:
        saved = saved_model_pb2.SavedModel.FromString(file.read())
    inputs = saved.meta_graphs[0].signature_def["serving_default"].inputs
    for key, name in names.items():
        if key != name:
            inputs[key].CopyFrom(inputs[name])
            del inputs[name]
    with tf.io.gfile.GFile(path, "wb") as file:
        file.write(saved.SerializeToString(deterministic=True))
    fingerprint = os.path.join(directory, "fingerprint.pb")
    if tf.io.gfile.exists(fingerprint):  # of the file before the renaming
        tf.io.gfile.remove(fingerprint)
