# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 237e8e5dee797f99).
"""The outputs of exported signatures, for the Predict, Classify and Regress APIs."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1


class PredictOutput:
    """The outputs of a signature for the Predict API: a tensor or a dict of them."""

    def __init__(self, outputs):
        self.outputs = outputs if isinstance(outputs, dict) else {"output": outputs}

    def as_signature_def(self, receiver_tensors):
        """Returns the ``SignatureDef``; receiver_tensors is a dict by name."""
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


def outputs_of(spec):
    """Returns the export_outputs of an EstimatorSpec, a dict by name.

    None means its predictions. A single output also gets the name "serving_default".
    """
    default = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    outputs = spec.export_outputs or {default: PredictOutput(spec.predictions)}
    if len(outputs) == 1:
        outputs = {default: next(iter(outputs.values())), **outputs}
    return outputs
