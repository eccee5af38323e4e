"""Predictions of a Keras model by the keys of an Estimator."""

import tensorflow as tf


def predict_classes(recovery, dataset):
    """Yields what a canned classifier predicts for each example of a dataset.

    Args:
      recovery: a ``CheckpointRecovery``, whose newest checkpoint is restored first,
        or a trained ``tf.keras.Model``. The model gives logits, [batch, n_classes],
        or [batch, 1] for two classes.
      dataset: a ``tf.data.Dataset`` of features or of (features, labels), in batches.

    Yields:
      A dict of NumPy arrays with the Estimator's keys: "logits", "probabilities",
      "class_ids", "classes", ..., and "logistic" if there are two classes.
    """
    for logits in _output_of_each(recovery, dataset):
        scores = logits if len(logits) > 1 else tf.concat([[0.0], logits], 0)
        class_ids = tf.argmax(scores)[tf.newaxis]
        all_class_ids = tf.range(len(scores))
        all_classes = tf.strings.as_string(all_class_ids)
        logistic = {"logistic": tf.sigmoid(logits).numpy()} if len(logits) == 1 else {}
        yield {
            "logits": logits,
            **logistic,
            "probabilities": tf.nn.softmax(scores).numpy(),
            "class_ids": class_ids.numpy(),
            "classes": tf.gather(all_classes, class_ids).numpy(),
            "all_class_ids": all_class_ids.numpy(),
            "all_classes": all_classes.numpy(),
        }


def predict_values(recovery, dataset):
    """Yields what a canned regressor predicts: a dict with the key "predictions".

    Args: as for ``predict_classes``; the model gives values, [batch, dimension].
    """
    for values in _output_of_each(recovery, dataset):
        yield {"predictions": values}


def predict_outputs(recovery, dataset):
    """Yields what an Estimator made from a Keras model predicts for each example.

    Args: as for ``predict_classes``.

    Yields:
      A dict of NumPy arrays by the names of the layers that give the outputs.
    """
    model = _restored(recovery)
    layers = [output._keras_history[0].name for output in model.outputs]
    for batch in dataset:
        outputs = model.predict_on_batch(_features(batch))
        for values in zip(*(outputs if len(layers) > 1 else [outputs])):
            yield dict(zip(layers, values))


def _output_of_each(recovery, dataset):
    model = _restored(recovery)
    for batch in dataset:
        yield from model.predict_on_batch(_features(batch))


def _restored(recovery):
    if isinstance(recovery, tf.keras.Model):
        return recovery
    recovery.restore()
    return recovery.manager.checkpoint.model


def _features(batch):
    return batch[0] if isinstance(batch, tuple) else batch
