# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content 243535c4e61c9c33).
"""Predicts with an unchanged TF1 ``model_fn`` as ``Estimator.predict`` does."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .model_fn_call import call_model_fn
from .model_fn_session import RestoredSession, input_in_graph, warm_start


def predict_with_model_fn(
    model_fn,
    input_fn,
    model_dir,
    *,
    params=None,
    config=None,
    seed=None,
    predict_keys=None,
    hooks=(),
    checkpoint_path=None,
    yield_single_examples=True,
    warm_start_from=None,
):
    """Yields predictions of a checkpoint.

    Args:
      model_fn: takes features and any of labels, mode, params and config.
      input_fn: returns a ``tf.data.Dataset``, or the tensors of a batch; of a pair,
        the first is the features.
      model_dir: holds the checkpoints.
      params: a dict for the model_fn and the input_fn.
      config: what they read from a ``RunConfig``, if anything.
      seed: the graph's random seed.
      predict_keys: the keys of the predictions to compute; None for all.
      hooks: ``tf.compat.v1.train.SessionRunHook`` objects.
      checkpoint_path: None for the latest; where there is none, the variables are new.
      yield_single_examples: whether to take the batches apart.
      warm_start_from: a checkpoint's path or a ``WarmStartSettings``, for variables
        that are new.

    Yields:
      The predictions of one example, or of one batch, as numpy arrays.

    Raises:
      ValueError: no prediction has one of the predict_keys.
    """
    path = checkpoint_path or tf.train.latest_checkpoint(model_dir)
    with tf.Graph().as_default():
        tf1.set_random_seed(seed)
        tf1.train.create_global_step()
        batch, input_hooks = input_in_graph(input_fn, "infer", params, config)
        features = batch[0] if isinstance(batch, (list, tuple)) else batch
        spec = call_model_fn(model_fn, features, None, "infer", params, config)
        warm_start(warm_start_from, path)
        wanted = _with_keys(spec.predictions, predict_keys)
        creator = RestoredSession(path, spec.scaffold)
        hooks = [*input_hooks, *hooks, *(spec.prediction_hooks or ())]
        session = tf1.train.MonitoredSession(creator, hooks)
    # The graph is not the default one at a yield: the caller may go on eagerly.
    with session:
        while not session.should_stop():
            predictions = session.run(wanted)
            yield from (
                _examples(predictions) if yield_single_examples else [predictions]
            )


def _examples(predictions):
    if not isinstance(predictions, dict):
        return list(predictions)
    lengths = {key: len(value) for key, value in predictions.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"Predictions differ in batch length: {lengths}.")
    examples = zip(*predictions.values())
    return [dict(zip(predictions, example)) for example in examples]


def _with_keys(predictions, keys):
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys is for predictions that are a dict.")
    wanted = {key: predictions[key] for key in predictions if key in keys}
    if not wanted:
        raise ValueError(f"None of {keys} among the predictions {list(predictions)}.")
    return wanted
