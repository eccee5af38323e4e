"""Exports a Keras model with the signatures of the Estimator that it was."""

import os
import re

import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.core.protobuf import saved_model_pb2

from .classes import class_predictions
from .export_directory import finish_export, new_export
from .keras_columns import trained_variable


def export_classes(
    recovery, export_dir_base, serving_input_receiver_fn, names=None, **options
):
    """Writes a SavedModel of a canned classifier to a new directory, named by the time.

    Args:
      recovery: a ``CheckpointRecovery``, whose newest checkpoint is restored first,
        or a trained ``tf.keras.Model``. The model gives logits, [batch, n_classes],
        or [batch, 1] for two classes.
      export_dir_base: the directory to make the new one in.
      serving_input_receiver_fn: returns a ``ServingInputReceiver``; it runs in a graph.
      names: of the classes, a list of strings; None where they are numbers.
      options: ``features``, the names of those that the model takes, None for all;
        ``assets_extra``, a dict from a path in ``assets.extra`` to the file to copy.

    Returns:
      The path of the new directory: bytes, as the Estimator gave it.

    Raises:
      ValueError: there is no checkpoint.
    """

    def signatures(logits):
        predicted = class_predictions(logits, names)
        scores = {
            "classes": predicted["all_classes"],
            "scores": predicted["probabilities"],
        }
        found = {
            "predict": ("predict", predicted),
            "classification": ("classify", scores),
            "serving_default": ("classify", scores),
        }
        if "logistic" in predicted:
            found["regression"] = ("regress", {"outputs": predicted["logistic"]})
        return found

    return _export(
        recovery, export_dir_base, serving_input_receiver_fn, signatures, **options
    )


def export_values(recovery, export_dir_base, serving_input_receiver_fn, **options):
    """Writes a SavedModel of a canned regressor.

    Args and returns: as for ``export_classes``; the model gives [batch, dimension].
    """

    def signatures(values):
        return {
            "predict": ("predict", {"predictions": values}),
            "regression": ("regress", {"outputs": values}),
            "serving_default": ("regress", {"outputs": values}),
        }

    return _export(
        recovery, export_dir_base, serving_input_receiver_fn, signatures, **options
    )


def export_outputs(recovery, export_dir_base, serving_input_receiver_fn, **options):
    """Writes a SavedModel of an Estimator's Keras model; its outputs are named by layer.

    Args and returns: as for ``export_classes``.
    """
    model = _newest(recovery)

    def signatures(outputs):
        layers = [output._keras_history[0].name for output in model.outputs]
        outputs = dict(zip(layers, tf.nest.flatten(outputs)))
        return {"serving_default": ("predict", outputs)}

    return _export(
        model, export_dir_base, serving_input_receiver_fn, signatures, **options
    )


def _export(
    recovery,
    export_dir_base,
    serving_input_receiver_fn,
    signatures_of,
    features=None,
    assets_extra=None,
):
    model, traced = _newest(recovery), {}

    def trace():
        receiver = serving_input_receiver_fn()
        taken = receiver.features
        if features is not None:
            taken = {name: taken[name] for name in features}
        traced["signatures"] = signatures_of(model(taken, training=False))
        traced["fed"] = receiver.receiver_tensors

    graph, fed = tf1.wrap_function(trace, []), traced["fed"]
    fed = fed if isinstance(fed, dict) else {"input": fed}
    is_of_examples = [tensor.dtype for tensor in fed.values()] == [tf.string]
    # Only strings of tf.Example can be classified or regressed.
    methods = {
        key: method
        for key, (method, _) in traced["signatures"].items()
        if method == "predict" or is_of_examples
    }
    exported = tf.Module()
    exported.weights = [trained_variable(weight) for weight in model.weights]
    exported.tables = list(_tables(model))
    names = {key: _parameter_names(fed, method) for key, method in methods.items()}
    signatures = {
        key: _signature(graph, fed, names[key], traced["signatures"][key][1])
        for key in methods
    }
    unfinished = new_export(export_dir_base)
    tf.saved_model.save(exported, unfinished, signatures)
    _rename(unfinished, methods, names)
    return finish_export(unfinished, assets_extra)


def _newest(recovery):
    if isinstance(recovery, tf.keras.Model):
        return recovery
    if not recovery.restore() and not recovery.manager.checkpoints:
        raise ValueError(f"There is no checkpoint in {recovery.manager.directory}.")
    return recovery.manager.checkpoint.model


def _tables(layer):
    """Yields the tables of the vocabularies that a model looks words up in."""
    if hasattr(layer, "tables"):
        yield from layer.tables
    for part in getattr(layer, "layers", ()):
        yield from _tables(part)


def _parameter_names(fed, method):
    """Returns a name that a function's parameter can have for each of ``fed``."""
    if method != "predict":
        return dict.fromkeys(fed, "inputs")
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


def _rename(directory, methods, names):
    """Gives signatures the methods and input names that a server looks for.

    ``tf.saved_model.save`` knows one method alone, and names that Python can have.
    """
    path = os.path.join(directory, "saved_model.pb")
    with tf.io.gfile.GFile(path, "rb") as file:
        saved = saved_model_pb2.SavedModel.FromString(file.read())
    for signature, method in methods.items():
        found = saved.meta_graphs[0].signature_def[signature]
        found.method_name = f"tensorflow/serving/{method}"
        for key, name in names[signature].items():
            if method == "predict" and key != name:
                found.inputs[key].CopyFrom(found.inputs[name])
                del found.inputs[name]
    with tf.io.gfile.GFile(path, "wb") as file:
        file.write(saved.SerializeToString(deterministic=True))
    fingerprint = os.path.join(directory, "fingerprint.pb")
    if tf.io.gfile.exists(fingerprint):  # that of the file before
        tf.io.gfile.remove(fingerprint)
