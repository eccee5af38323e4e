"""The premade estimators of TensorFlow 1 over dense layers."""

import tensorflow as tf

from migrate.recovery.canned_head import CannedClasses, CannedRegression
from migrate.recovery.canned_layers import dnn_network
from migrate.recovery.estimator_heads import check_not_given
from migrate.recovery.premade import PremadeEstimator


class DNNEstimator(PremadeEstimator):
    """Dense layers under a head, as ``tf.compat.v1.estimator.DNNEstimator``.

    Args:
      head: a head of ``tf.estimator``.
      hidden_units: the widths of the hidden layers, a list of ints.
      feature_columns: what the layers take from the features, a list.
      model_dir: as for an ``Estimator``, and so are config and warm_start_from.
      optimizer: a ``tf.compat.v1.train.Optimizer``, a function that makes one, or the
        name of one.
      activation_fn: of the hidden layers.
      dropout: the part of the units that a training step leaves out, or None.
      input_layer_partitioner: must be None.
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
        input_layer_partitioner=None,
        batch_norm=False,
        **settings
    ):
        check_not_given(input_layer_partitioner=input_layer_partitioner)
        network = dnn_network(
            feature_columns, hidden_units, activation_fn, dropout, batch_norm
        )
        trained = {"dnn": (optimizer, 0.05)}
        super().__init__(
            head, {"dnn": network}, trained, model_dir=model_dir, **settings
        )


class DNNClassifier(DNNEstimator):
    """A classifier of dense layers, as ``tf.compat.v1.estimator.DNNClassifier``.

    Args:
      hidden_units, feature_columns, model_dir, optimizer, settings: as for
        ``DNNEstimator``.
      n_classes: how many classes there are.
      weight_column: a feature's name or a numeric column: the weight of each example.
      label_vocabulary: the classes' names, a list of strings; None for integers.
      loss_reduction: one of ``tf.compat.v1.losses.Reduction``.
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
        loss_reduction="weighted_sum",
        **settings
    ):
        head = CannedClasses(
            n_classes,
            label_vocabulary,
            weight_column=weight_column,
            loss_reduction=loss_reduction,
        )
        super().__init__(
            head, hidden_units, feature_columns, model_dir, optimizer, **settings
        )


class DNNRegressor(DNNEstimator):
    """A regressor of dense layers, as ``tf.compat.v1.estimator.DNNRegressor``.

    Args:
      hidden_units, feature_columns, model_dir, optimizer, settings: as for
        ``DNNEstimator``.
      label_dimension: how many values are predicted for an example.
      weight_column, loss_reduction: as for ``DNNClassifier``.
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
        loss_reduction="weighted_sum",
        **settings
    ):
        head = CannedRegression(
            label_dimension,
            weight_column=weight_column,
            loss_reduction=loss_reduction,
        )
        super().__init__(
            head, hidden_units, feature_columns, model_dir, optimizer, **settings
        )
