# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content e801f4a40b9d6b50).
"""Exports an unchanged TF1 ``model_fn`` as ``Estimator.export_saved_model`` does."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .export_directory import finish_export, new_export
from .model_fn_call import call_model_fn
from .model_fn_serving import PredictOutput
from .model_fn_session import RestoredSession


def export_model_fn(
    model_fn, export_dir_base, serving_input_receiver_fn, model_dir, **options
):
    """Writes a SavedModel for serving; for the options see ``export_modes``.

    Args:
      model_fn, export_dir_base, model_dir, options: as there.
      serving_input_receiver_fn: returns a ``ServingInputReceiver``, or one of a tensor.
    """
    receivers = {"infer": serving_input_receiver_fn}
    return export_modes(model_fn, export_dir_base, receivers, model_dir, **options)


def export_modes(
    model_fn,
    export_dir_base,
    input_receiver_fn_map,
    model_dir,
    *,
    params=None,
    config=None,
    checkpoint_path=None,
    assets_extra=None,
    as_text=False,
    strip_default_attrs=True,
):
    """Writes a SavedModel of a checkpoint to a new directory, named by the time.

    Args:
      model_fn: takes features and any of labels, mode, params and config.
      export_dir_base: the directory to make the new one in.
      input_receiver_fn_map: a dict from "train", "eval" or "infer" to a function that
        returns a receiver; the SavedModel holds a graph for each.
      model_dir: holds the checkpoints.
      params: a dict for the model_fn.
      config: what it reads from a ``RunConfig``, if anything.
      checkpoint_path: None for the latest.
      assets_extra: a dict from a path in ``assets.extra`` to the file to copy there.
      as_text: whether to write the graph as text.
      strip_default_attrs: whether to leave out attributes that have their defaults.

    Returns:
      The path of the new directory: bytes, as the Estimator gave it.

    Raises:
      ValueError: there is no checkpoint, it lacks a variable, or there is no receiver.
    """
    path = checkpoint_path or tf.train.latest_checkpoint(model_dir)
    if path is None:
        raise ValueError(f"Couldn't find trained model at {model_dir}.")
    modes = [mode for mode in _TAGS if input_receiver_fn_map.get(mode)]
    if not modes:
        raise ValueError(
            "No valid modes for exporting found. Got " f"{list(input_receiver_fn_map)}."
        )
    unfinished = new_export(export_dir_base)
    builder = tf1.saved_model.Builder(unfinished)
    for mode in modes:
        with tf.Graph().as_default():
            tf1.train.create_global_step()
            receiver = input_receiver_fn_map[mode]()
            labels = getattr(receiver, "labels", None)
            spec = call_model_fn(
                model_fn, receiver.features, labels, mode, params, config
            )
            local = spec.scaffold and spec.scaffold.local_init_op
            graph = {
                "signature_def_map": _signatures(spec, mode, receiver),
                "assets_collection": tf1.get_collection("asset_filepaths"),
                "main_op": local or tf1.train.Scaffold.default_local_init_op(),
                "strip_default_attrs": strip_default_attrs,
            }
            with _session_of(path, spec.scaffold, mode) as session:
                if mode == modes[0]:
                    tags = [_TAGS[mode]]
                    builder.add_meta_graph_and_variables(session, tags, **graph)
                else:
                    builder.add_meta_graph([_TAGS[mode]], **graph)
    builder.save(as_text)
    return finish_export(unfinished, assets_extra)


_TAGS = {"train": "train", "eval": "eval", "infer": "serve"}


def _session_of(path, scaffold, mode):
    try:
        return RestoredSession(path, scaffold).create_session()
    except tf.errors.NotFoundError as error:
        raise ValueError(
            f"Could not load all variables that the mode {mode!r} has from {path}: "
            f"{error}"
        ) from error


def _signatures(spec, mode, receiver):
    if mode != "infer":
        return {mode: _supervised_signature(spec, mode, receiver)}
    default = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    outputs = spec.export_outputs or {default: PredictOutput(spec.predictions)}
    if len(outputs) == 1:
        outputs = {default: next(iter(outputs.values())), **outputs}
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
                tf1.logging.info("No signature %s: %s", key, error)
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
