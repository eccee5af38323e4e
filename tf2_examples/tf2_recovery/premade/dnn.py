# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 5a065a66fd28182f).
"""The premade estimators of TensorFlow 1 with dense layers."""

import tensorflow as tf

from .base import PremadeEstimator
from .heads import check_not_given
from .networks import dnn_network


class DNNEstimator(PremadeEstimator):
    """Dense layers with a head, as ``tf.compat.v1.estimator.DNNEstimator``.

    Args:
      head: a head of ``tf.estimator``.
      hidden_units, feature_columns: as for ``dnn_network``.
      optimizer: as for a ``BaselineEstimator``.
      activation_fn, dropout, batch_norm: as for ``dnn_network``.
      input_layer_partitioner: must be None.
      model_dir, settings: as for an ``Estimator``.
    """

    def __init__(
        self,
        head,
        hidden_units,
        feature_columns,
        model_dir=None,
        optimizer="Adagrad",
        activation_fn=tf.nn.relu,
        dropout=None,
        *,
        input_layer_partitioner=None,
        batch_norm=False,
        **settings,
    ):
        check_not_given(input_layer_partitioner=input_layer_partitioner)
        network = dnn_network(
            feature_columns, hidden_units, activation_fn, dropout, batch_norm
        )
        optimizers = {"dnn": (optimizer, self._dnn_rate(optimizer))}
        super().__init__(
            head, {"dnn": network}, optimizers, model_dir=model_dir, **settings
        )


class DNNClassifier(DNNEstimator):
    """A classifier of dense layers, as ``tf.compat.v1.estimator.DNNClassifier``.

    Its arguments are those of ``DNNEstimator`` and of ``BaselineClassifier``.
    """

    def __init__(
        self,
        hidden_units,
        feature_columns,
        model_dir=None,
        n_classes=2,
        weight_column=None,
        label_vocabulary=None,
        optimizer="Adagrad",
        *,
        loss_reduction=None,
        **settings,
    ):
        head = self._classes(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(
            head, hidden_units, feature_columns, model_dir, optimizer, **settings
        )


class DNNRegressor(DNNEstimator):
    """A regressor of dense layers, as ``tf.compat.v1.estimator.DNNRegressor``.

    Its arguments are those of ``DNNEstimator`` and of ``BaselineRegressor``.
    """

    def __init__(
        self,
        hidden_units,
        feature_columns,
        model_dir=None,
        label_dimension=1,
        weight_column=None,
        optimizer="Adagrad",
        *,
        loss_reduction=None,
        **settings,
    ):
        head = self._values(label_dimension, weight_column, loss_reduction)
        super().__init__(
            head, hidden_units, feature_columns, model_dir, optimizer, **settings
        )
