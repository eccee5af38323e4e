"""Exports an unchanged TF1 ``model_fn`` as ``Estimator.export_saved_model`` does."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.export_directory import finish_export, new_export
from migrate.recovery.model_fn_call import call_model_fn
from migrate.recovery.model_fn_serving import PredictOutput
from migrate.recovery.model_fn_session import RestoredSession


def export_model_fn(
    model_fn,
    export_dir_base,
    serving_input_receiver_fn,
    model_dir,
    *,
    params=None,
    config=None,
    checkpoint_path=None,
    assets_extra=None,
):
    """Writes a SavedModel of a checkpoint to a new directory, named by the time.

    Args:
      model_fn: takes features and any of labels, mode, params and config.
      export_dir_base: the directory to make the new one in.
      serving_input_receiver_fn: returns a ``ServingInputReceiver``, or one of a tensor.
      model_dir: holds the checkpoints.
      params: a dict for the model_fn.
      config: what it reads from a ``RunConfig``, if anything.
      checkpoint_path: None for the latest.
      assets_extra: a dict from a path in ``assets.extra`` to the file to copy there.

    Returns:
      The path of the new directory: bytes, as the Estimator gave it.

    Raises:
      ValueError: there is no checkpoint.
    """
    path = checkpoint_path or tf.train.latest_checkpoint(model_dir)
    if path is None:
        raise ValueError(f"There is no checkpoint in {model_dir}.")
    unfinished = new_export(export_dir_base)
    with tf.Graph().as_default():
        tf1.train.create_global_step()
        receiver = serving_input_receiver_fn()
        spec = call_model_fn(model_fn, receiver.features, None, "infer", params, config)
        local = spec.scaffold and spec.scaffold.local_init_op
        session = RestoredSession(path, spec.scaffold).create_session()
        builder = tf1.saved_model.Builder(unfinished)
        builder.add_meta_graph_and_variables(
            session,
            [tf.saved_model.SERVING],
            _signatures(spec, receiver.receiver_tensors),
            assets_collection=tf1.get_collection(tf1.GraphKeys.ASSET_FILEPATHS),
            main_op=local or tf1.train.Scaffold.default_local_init_op(),
            strip_default_attrs=True,
        )
        builder.save()
        session.close()
    return finish_export(unfinished, assets_extra)


def _signatures(spec, receiver_tensors):
    default = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    outputs = spec.export_outputs or {default: PredictOutput(spec.predictions)}
    if len(outputs) == 1:
        outputs = {default: next(iter(outputs.values())), **outputs}
    if not isinstance(receiver_tensors, dict):
        receiver_tensors = {"input": receiver_tensors}
    signatures = {}
    for name, output in outputs.items():
        try:
            signatures[name] = output.as_signature_def(receiver_tensors)
        except ValueError as error:  # such as one that only tf.Example protos can feed
            tf1.logging.info("No signature %s: %s", name, error)
    return signatures
