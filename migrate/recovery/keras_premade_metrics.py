"""The metrics of the premade estimators for a Keras model."""

import tensorflow as tf


def two_class_metrics():
    """The metrics of a ``DNNClassifier`` whose model gives one logit for two classes."""
    metrics = tf.keras.metrics
    return [
        OfProbabilities(metrics.BinaryAccuracy("accuracy")),
        AccuracyBaseline("accuracy_baseline"),
        OfProbabilities(metrics.AUC(name="auc")),
        OfProbabilities(metrics.AUC(name="auc_precision_recall", curve="PR")),
        metrics.MeanMetricWrapper(_cross_entropy_of_each, name="average_loss"),
        OfProbabilities(metrics.Precision(name="precision")),
        OfProbabilities(metrics.Recall(name="recall")),
        metrics.MeanMetricWrapper(_label_of_each, name="label/mean"),
        OfProbabilities(
            metrics.MeanMetricWrapper(_prediction_of_each, name="prediction/mean")
        ),
    ]


def value_metrics():
    """The metrics of a ``DNNRegressor``."""
    return [
        tf.keras.metrics.MeanMetricWrapper(_squared_error_of_each, name="average_loss"),
        tf.keras.metrics.MeanMetricWrapper(_label_of_each, name="label/mean"),
        tf.keras.metrics.MeanMetricWrapper(_prediction_of_each, name="prediction/mean"),
    ]


class OfProbabilities(tf.keras.metrics.Metric):
    """Gives a metric the probabilities of the logits that it is called with.

    Args:
      metric: a ``tf.keras.metrics.Metric`` of labels and probabilities.
    """

    def __init__(self, metric):
        super().__init__(name=metric.name)
        self.metric = metric

    def update_state(self, labels, logits, sample_weight=None):
        labels = tf.reshape(labels, tf.shape(logits))  # Keras 3 takes no [batch] here.
        self.metric.update_state(labels, tf.sigmoid(logits), sample_weight)

    def result(self):
        return self.metric.result()

    def reset_state(self):
        self.metric.reset_state()


class AccuracyBaseline(tf.keras.metrics.Mean):
    """The accuracy of always predicting the more frequent of two classes."""

    def update_state(self, labels, logits, sample_weight=None):
        super().update_state(labels, sample_weight)

    def result(self):
        mean = super().result()
        return tf.maximum(mean, 1 - mean)


def _cross_entropy_of_each(labels, logits):
    labels = tf.cast(tf.reshape(labels, tf.shape(logits)), logits.dtype)
    return tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)


def _squared_error_of_each(labels, values):
    labels = tf.cast(tf.reshape(labels, tf.shape(values)), values.dtype)
    return tf.square(labels - values)


def _label_of_each(labels, predictions):
    return labels


def _prediction_of_each(labels, predictions):
    return predictions
