"""Predictions, one example at a time, as ``Estimator.predict`` yields them."""

import tensorflow as tf


def predict_classes(recovery, dataset):
    """Yields what a ``DNNClassifier`` predicts for each example of a dataset.

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
        logistic = {"logistic": tf.sigmoid(logits).numpy()} if len(logits) == 1 else {}
        yield {
            "logits": logits,
            **logistic,
            "probabilities": tf.nn.softmax(scores).numpy(),
            "class_ids": class_ids.numpy(),
            "classes": tf.strings.as_string(class_ids).numpy(),
            "all_class_ids": all_class_ids.numpy(),
            "all_classes": tf.strings.as_string(all_class_ids).numpy(),
        }


def predict_values(recovery, dataset):
    """Yields what a ``DNNRegressor`` predicts: a dict with the key "predictions".

    Args: as for ``predict_classes``; the model gives values, [batch, dimension].
    """
    for values in _output_of_each(recovery, dataset):
        yield {"predictions": values}


def _output_of_each(recovery, dataset):
    model = recovery
    if not isinstance(recovery, tf.keras.Model):
        recovery.restore()
        model = recovery.manager.checkpoint.model
    for batch in dataset:
        yield from model.predict_on_batch(
            batch[0] if isinstance(batch, tuple) else batch
        )
