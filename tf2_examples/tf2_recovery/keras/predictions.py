# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content d570cb99631a23fe).
"""Predictions of a Keras model by the keys of an Estimator."""


def predict_outputs(model, dataset):
    """Yields what an Estimator made from a Keras model predicts for each example.

    Args:
      model: a ``tf.keras.Model``.
      dataset: a ``tf.data.Dataset`` of features or of (features, labels), in batches.

    Yields:
      A dict of NumPy arrays by the names of the layers that give the outputs.
    """
    layers = [output._keras_history[0].name for output in model.outputs]
    for batch in dataset:
        features = batch[0] if isinstance(batch, tuple) else batch
        outputs = model.predict_on_batch(features)
        for values in zip(*(outputs if len(layers) > 1 else [outputs])):
            yield dict(zip(layers, values))
