# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content f9cc9dadc7275ef5).
"""Exports an ``Estimator`` as a SavedModel; receivers define what requests feed."""

from typing import Any, NamedTuple

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .export_directory import finish_export, new_export
from .export_outputs import outputs_of


def export_saved_model(
    estimator,
    export_dir_base,
    serving_input_receiver_fn,
    assets_extra=None,
    as_text=False,
    checkpoint_path=None,
    experimental_mode="infer",
    strip_default_attrs=True,
):
    """Writes a SavedModel of a checkpoint to a new directory, named by the time.

    Args:
      estimator: the ``Estimator``.
      export_dir_base: the directory to make the new one in.
      serving_input_receiver_fn: returns a ``ServingInputReceiver``, or any object with
        features and receiver_tensors.
      assets_extra: a dict from a path in ``assets.extra`` to the file to copy there.
      as_text: whether to write the graph as text.
      checkpoint_path: what to export; None for the latest checkpoint.
      experimental_mode: must be "infer".
      strip_default_attrs: whether to omit attributes of nodes that have their defaults.

    Returns:
      The path of the new directory: bytes, as the Estimator gave it.

    Raises:
      ValueError: there is no checkpoint, it lacks a variable, there is no
        serving_input_receiver_fn, or the mode is not "infer".
    """
    if not serving_input_receiver_fn:
        raise ValueError("An input_receiver_fn must be defined.")
    if experimental_mode != "infer":
        raise ValueError("Only what predicts can be exported: no experimental_mode.")
    path = checkpoint_path or estimator.latest_checkpoint()
    if not path:
        raise ValueError(f"Couldn't find trained model at {estimator.model_dir}.")
    unfinished = new_export(export_dir_base)
    builder = tf1.saved_model.Builder(unfinished)
    _add_graph(builder, estimator, serving_input_receiver_fn, path, strip_default_attrs)
    builder.save(as_text)
    return finish_export(unfinished, assets_extra)


def _add_graph(
    builder, estimator, serving_input_receiver_fn, path, strip_default_attrs
):
    """Adds the graph of mode "infer", with the variables of the checkpoint at path."""
    with estimator._graph():
        receiver = serving_input_receiver_fn()
        labels = getattr(receiver, "labels", None)
        config = estimator.config
        spec = estimator._call_model_fn(receiver.features, labels, "infer", config)
        scaffold = spec.scaffold or tf1.train.Scaffold()
        local = scaffold.local_init_op or tf1.train.Scaffold.default_local_init_op()
        saver = scaffold.saver or tf1.train.Saver(sharded=True)
        signatures = _signatures(spec, receiver)
        with tf1.Session(config=estimator._session_config()) as session:
            try:
                saver.restore(session, path)
            except tf.errors.NotFoundError as error:
                raise ValueError(
                    f"Could not load all variables from {path}: {error}"
                ) from error
            builder.add_meta_graph_and_variables(
                session,
                ["serve"],
                signature_def_map=signatures,
                assets_collection=tf1.get_collection("asset_filepaths"),
                main_op=local,
                saver=saver,
                strip_default_attrs=strip_default_attrs,
            )


def _signatures(spec, receiver):
    default = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    outputs = outputs_of(spec)
    if default not in outputs:
        raise ValueError(
            "Multiple `export_outputs` were provided, but none of them is named "
            f"{default!r}: {list(outputs)}."
        )
    receivers = {"": receiver.receiver_tensors}
    receivers.update(getattr(receiver, "receiver_tensors_alternatives", None) or {})
    signatures = {}
    for prefix, tensors in receivers.items():
        tensors = tensors if isinstance(tensors, dict) else {"input": tensors}
        for name, output in outputs.items():
            key = f"{prefix}:{name}" if prefix else name
            try:
                signatures[key] = output.as_signature_def(tensors)
            except ValueError as error:  # a signature that needs tf.Example, say
                tf1.logging.info("Exported without the signature %s: %s", key, error)
    return signatures


class TensorServingInputReceiver(NamedTuple):
    """What a ``serving_input_receiver_fn`` returns for a model_fn that takes a tensor.

    Attributes:
      features: the features of the model_fn, a tensor.
      receiver_tensors: what a request feeds, a tensor or a dict of tensors.
      receiver_tensors_alternatives: a dict from a name to other receiver_tensors; each
        adds the signatures "name:output". None for none.
    """

    features: Any
    receiver_tensors: Any
    receiver_tensors_alternatives: Any = None


class ServingInputReceiver(TensorServingInputReceiver):
    """What a ``serving_input_receiver_fn`` returns.

    Attributes:
      features: a dict for the model_fn; a tensor becomes the dict {"feature": tensor}.
      receiver_tensors: what a request feeds, a tensor or a dict of tensors.
      receiver_tensors_alternatives: as in ``TensorServingInputReceiver``.
    """

    def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
        features = features if isinstance(features, dict) else {"feature": features}
        return super().__new__(
            cls, features, receiver_tensors, receiver_tensors_alternatives
        )


def build_raw_serving_input_receiver_fn(features, default_batch_size=None):
    """Returns a ``serving_input_receiver_fn`` whose requests feed the features.

    Args:
      features: a dict from name to a tensor or ``tf.TensorSpec``, whose first dimension
        is the batch.
      default_batch_size: the size of that dimension, an int; None for any.
    """

    def serving_input_receiver_fn():
        tensors = {
            name: tf1.placeholder(
                feature.dtype, [default_batch_size, *feature.shape[1:]], name
            )
            for name, feature in features.items()
        }
        return ServingInputReceiver(dict(tensors), tensors)

    return serving_input_receiver_fn


def build_parsing_serving_input_receiver_fn(feature_spec, default_batch_size=None):
    """Returns a ``serving_input_receiver_fn`` whose requests feed ``tf.Example``.

    Args:
      feature_spec: the features of ``tf.io.parse_example``, a dict.
      default_batch_size: how many examples a request has, an int; None for any.
    """

    def serving_input_receiver_fn():
        texts = tf1.placeholder(tf.string, [default_batch_size], "input_example_tensor")
        features = tf.io.parse_example(texts, feature_spec)
        return ServingInputReceiver(features, {"examples": texts})

    return serving_input_receiver_fn
