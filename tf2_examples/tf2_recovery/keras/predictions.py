# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 7f87a155ed666bb0).
"""Yields predictions of a Keras model under the keys of an Estimator."""


def predict_outputs(model, dataset):
    """Yields the predictions for each example, as ``model_to_estimator``'s Estimator does.

    Args:
      model: a ``tf.keras.Model``.
      dataset: a ``tf.data.Dataset`` of features or of (features, labels), in batches.

    Yields:
      A dict from the name of each output's layer to a NumPy array.
    """
    layers = [output._keras_history[0].name for output in model.outputs]
    for batch in dataset:
        features = batch[0] if isinstance(batch, tuple) else batch
        outputs = model.predict_on_batch(features)
        for values in zip(*(outputs if len(layers) > 1 else [outputs])):
            yield dict(zip(layers, values))
