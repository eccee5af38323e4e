# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content 23aa293754b13698).
"""What ``tf.estimator.export`` had, for a TensorFlow without ``tf.estimator``."""

from typing import Any, NamedTuple

import tensorflow as tf
import tensorflow.compat.v1 as tf1


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


class PredictOutput:
    """The outputs of a signature for the Predict API: a tensor or a dict of them."""

    def __init__(self, outputs):
        self.outputs = outputs if isinstance(outputs, dict) else {"output": outputs}

    def as_signature_def(self, receiver_tensors):
        """Returns the ``SignatureDef`` for what a request feeds."""
        return tf1.saved_model.predict_signature_def(receiver_tensors, self.outputs)


class ClassificationOutput:
    """The outputs of a signature for the Classify API: scores, classes, or both."""

    def __init__(self, scores=None, classes=None):
        self._scores, self._classes = scores, classes

    def as_signature_def(self, receiver_tensors):
        """Returns the ``SignatureDef`` for one tensor of ``tf.Example`` protos."""
        (examples,) = receiver_tensors.values()
        return tf1.saved_model.classification_signature_def(
            examples, self._classes, self._scores
        )


class RegressionOutput:
    """The output of a signature for the Regress API: a float tensor."""

    def __init__(self, value):
        self._value = value

    def as_signature_def(self, receiver_tensors):
        """Returns the ``SignatureDef`` for one tensor of ``tf.Example`` protos."""
        (examples,) = receiver_tensors.values()
        return tf1.saved_model.regression_signature_def(examples, self._value)
