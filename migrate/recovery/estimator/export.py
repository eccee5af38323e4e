"""The SavedModels of an ``Estimator``, and the receivers that say what is fed."""

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
):
    """Writes a SavedModel of a checkpoint to a new directory, named by the time.

    Args:
      estimator: the ``Estimator``.
      export_dir_base: the directory to make the new one in.
      serving_input_receiver_fn: returns a ``ServingInputReceiver``, or what else has
        features and receiver_tensors.
      assets_extra: a dict from a path in ``assets.extra`` to the file to copy there.
      as_text: whether to write the graph as text.
      checkpoint_path: None for the latest.
      experimental_mode: of ``ModeKeys``.

    Returns:
      The path of the new directory: bytes, as the Estimator gave it.

    Raises:
      ValueError: there is no checkpoint, it lacks a variable, or there is no receiver.
    """
    receivers = {experimental_mode: _receiver(serving_input_receiver_fn)}
    options = assets_extra, as_text, checkpoint_path
    return estimator._export(export_dir_base, receivers, *options)


def export_savedmodel(
    estimator,
    export_dir_base,
    serving_input_receiver_fn,
    assets_extra=None,
    as_text=False,
    checkpoint_path=None,
    strip_default_attrs=False,
):
    """Writes a SavedModel; the older ``export_saved_model``.

    strip_default_attrs is whether to leave out attributes that have their defaults.
    """
    receivers = {"infer": _receiver(serving_input_receiver_fn)}
    options = assets_extra, as_text, checkpoint_path, strip_default_attrs
    return estimator._export(export_dir_base, receivers, *options)


def _receiver(serving_input_receiver_fn):
    if not serving_input_receiver_fn:
        raise ValueError("An input_receiver_fn must be defined.")
    return serving_input_receiver_fn


def export_modes(
    estimator,
    export_dir_base,
    input_receiver_fn_map,
    assets_extra=None,
    as_text=False,
    checkpoint_path=None,
    strip_default_attrs=True,
):
    """Writes a SavedModel of a checkpoint, with a graph for each mode.

    Args:
      input_receiver_fn_map: a dict from "train", "eval" or "infer" to a function that
        returns a receiver.
      the others, and what it returns: as for the functions above.
    """
    path = checkpoint_path or estimator.latest_checkpoint()
    if not path:
        raise ValueError(f"Couldn't find trained model at {estimator.model_dir}.")
    modes = [mode for mode in _TAGS if input_receiver_fn_map.get(mode)]
    if not modes:
        raise ValueError(
            f"No valid modes for exporting found. Got {list(input_receiver_fn_map)}."
        )
    unfinished = new_export(export_dir_base)
    builder = tf1.saved_model.Builder(unfinished)
    for mode in modes:
        with estimator._graph():
            receiver = input_receiver_fn_map[mode]()
            labels = getattr(receiver, "labels", None)
            config = estimator.config
            spec = estimator._call_model_fn(receiver.features, labels, mode, config)
            scaffold = spec.scaffold or tf1.train.Scaffold()
            local = scaffold.local_init_op or tf1.train.Scaffold.default_local_init_op()
            saver = scaffold.saver or tf1.train.Saver(sharded=True)
            graph = {
                "signature_def_map": _signatures(spec, mode, receiver),
                "assets_collection": tf1.get_collection("asset_filepaths"),
                "main_op": local,
                "saver": saver,
                "strip_default_attrs": strip_default_attrs,
            }
            with tf1.Session(config=estimator._session_config()) as session:
                _restore(saver, session, path, mode)
                tags = [_TAGS[mode]]
                if mode == modes[0]:
                    builder.add_meta_graph_and_variables(session, tags, **graph)
                else:
                    builder.add_meta_graph(tags, **graph)
    builder.save(as_text)
    return finish_export(unfinished, assets_extra)


_TAGS = {"train": "train", "eval": "eval", "infer": "serve"}  # of a SavedModel's graphs


def _restore(saver, session, path, mode):
    try:
        saver.restore(session, path)
    except tf.errors.NotFoundError as error:
        raise ValueError(
            f"Could not load all variables that the mode {mode!r} has from {path}: "
            f"{error}"
        ) from error


def _signatures(spec, mode, receiver):
    if mode != "infer":
        return {mode: _supervised_signature(spec, mode, receiver)}
    default = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    outputs = outputs_of(spec)
    if default not in outputs:
        raise ValueError(
            "Multiple `export_outputs` were provided, but none of them is named "
            f"{default!r}: {list(outputs)}."
        )
    fed = {"": receiver.receiver_tensors}
    fed.update(getattr(receiver, "receiver_tensors_alternatives", None) or {})
    signatures = {}
    for prefix, tensors in fed.items():
        tensors = tensors if isinstance(tensors, dict) else {"input": tensors}
        for name, output in outputs.items():
            key = f"{prefix}:{name}" if prefix else name
            try:
                signatures[key] = output.as_signature_def(tensors)
            except ValueError as error:  # such as one that only tf.Example can feed
                tf1.logging.info("Exported without the signature %s: %s", key, error)
    return signatures


def _supervised_signature(spec, mode, receiver):
    """Returns the signature of a graph that trains or evaluates."""
    outputs = {"loss": spec.loss}
    predictions = spec.predictions
    if predictions is not None and not isinstance(predictions, dict):
        predictions = {"output": predictions}
    for name, tensor in (predictions or {}).items():
        outputs[f"predictions/{name}"] = tensor
    for name, (value, update) in (spec.eval_metric_ops or {}).items():
        outputs[f"metrics/{name}/value"] = value
        outputs[f"metrics/{name}/update_op"] = update
    kind = {"train": "training", "eval": "eval"}[mode]
    info = tf1.saved_model.build_tensor_info
    inputs = receiver.receiver_tensors
    return tf1.saved_model.build_signature_def(
        {name: info(tensor) for name, tensor in inputs.items()},
        {name: info(tensor) for name, tensor in outputs.items()},
        f"tensorflow/supervised/{kind}",
    )


class TensorServingInputReceiver(NamedTuple):
    """What a ``serving_input_receiver_fn`` returns for a model_fn that takes a tensor.

    Attributes:
      features: what the model_fn gets, a tensor.
      receiver_tensors: what a request feeds, a tensor or a dict of tensors.
    """

    features: Any
    receiver_tensors: Any


class ServingInputReceiver(TensorServingInputReceiver):
    """What a ``serving_input_receiver_fn`` returns.

    Attributes:
      features: what the model_fn gets, a dict; a tensor is put into one, as "feature".
      receiver_tensors: what a request feeds, a tensor or a dict of tensors.
    """

    def __new__(cls, features, receiver_tensors):
        features = features if isinstance(features, dict) else {"feature": features}
        return super().__new__(cls, features, receiver_tensors)


def build_raw_serving_input_receiver_fn(features, default_batch_size=None):
    """Returns a ``serving_input_receiver_fn`` whose requests feed the features.

    Args:
      features: a dict from name to a tensor or ``tf.TensorSpec``, whose first dimension
        is the batch.
      default_batch_size: an int, or None for any.
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
      feature_spec: a dict for ``tf.io.parse_example``.
      default_batch_size: an int, or None for any.
    """

    def serving_input_receiver_fn():
        protos = tf1.placeholder(
            tf.string, [default_batch_size], "input_example_tensor"
        )
        features = tf.io.parse_example(protos, feature_spec)
        return ServingInputReceiver(features, {"examples": protos})

    return serving_input_receiver_fn
