"""The premade estimators of TensorFlow 2 over dense layers."""

import tensorflow as tf

from migrate.recovery.canned_layers import dnn_network
from migrate.recovery.estimator_heads import RegressionHead, classes_head
from migrate.recovery.premade_v2 import PremadeEstimatorV2


class DNNEstimatorV2(PremadeEstimatorV2):
    """Dense layers under a head, as ``tf.estimator.DNNEstimator``.

    Args:
      head: a head of ``tf.estimator``.
      hidden_units: the widths of the hidden layers, a list of ints.
      feature_columns: what the layers take from the features, a list.
      model_dir: as for an ``Estimator``, and so are config and warm_start_from.
      optimizer: a ``tf.keras`` optimizer, a function that makes one, or the
        name of one.
      activation_fn: of the hidden layers.
      dropout: the part of the units that a training step leaves out, or None.
      batch_norm: whether the hidden layers are normalized.
      settings: config and warm_start_from.
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
        batch_norm=False,
        **settings
    ):
        network = dnn_network(
            feature_columns, hidden_units, activation_fn, dropout, batch_norm
        )
        rate = 0.01 if optimizer == "SGD" else 0.001
        trained = {"dnn": (optimizer, rate)}
        super().__init__(
            head, {"dnn": network}, trained, model_dir=model_dir, **settings
        )


class DNNClassifierV2(DNNEstimatorV2):
    """A classifier of dense layers, as ``tf.estimator.DNNClassifier``.

    Args:
      hidden_units, feature_columns, model_dir, optimizer, settings: as for
        ``DNNEstimatorV2``.
      n_classes: how many classes there are.
      weight_column: a feature's name or a numeric column: the weight of each example.
      label_vocabulary: the classes' names, a list of strings; None for integers.
      loss_reduction: one of ``tf.keras.losses.Reduction``.
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
        loss_reduction="sum_over_batch_size",
        **settings
    ):
        head = classes_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(
            head, hidden_units, feature_columns, model_dir, optimizer, **settings
        )


class DNNRegressorV2(DNNEstimatorV2):
    """A regressor of dense layers, as ``tf.estimator.DNNRegressor``.

    Args:
      hidden_units, feature_columns, model_dir, optimizer, settings: as for
        ``DNNEstimatorV2``.
      label_dimension: how many values are predicted for an example.
      weight_column, loss_reduction: as for ``DNNClassifierV2``.
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
        loss_reduction="sum_over_batch_size",
        **settings
    ):
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(
            head, hidden_units, feature_columns, model_dir, optimizer, **settings
        )
