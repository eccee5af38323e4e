"""The premade linear estimators of TensorFlow 2."""

import math

import tensorflow as tf

from migrate.recovery.canned_layers import linear_network
from migrate.recovery.estimator_heads import RegressionHead, classes_head
from migrate.recovery.premade_v2 import PremadeEstimatorV2


class LinearEstimatorV2(PremadeEstimatorV2):
    """A linear model under a head, as ``tf.estimator.LinearEstimator``.

    Args:
      head: a head of ``tf.estimator``.
      feature_columns: what the model takes from the features, a list.
      model_dir: as for an ``Estimator``, and so are config and warm_start_from.
      optimizer: a ``tf.keras`` optimizer, a function that makes one, or the
        name of one.
      config, warm_start_from: as for an ``Estimator``.
      sparse_combiner: "sum", "mean" or "sqrtn", for several values of one feature.
    """

    def __init__(
        self,
        head,
        feature_columns,
        model_dir=None,
        optimizer="Ftrl",
        config=None,
        *,
        sparse_combiner="sum",
        **settings
    ):
        columns = list(feature_columns)

        def ftrl():
            return tf.keras.optimizers.Ftrl(min(0.2, 1 / math.sqrt(len(columns))))

        super().__init__(
            head,
            {"linear": linear_network(columns, sparse_combiner)},
            {"linear": (ftrl if optimizer is None else optimizer, 0.2)},
            model_dir=model_dir,
            config=config,
            **settings,
        )


class LinearClassifierV2(LinearEstimatorV2):
    """A linear classifier, as ``tf.estimator.LinearClassifier``.

    Args:
      feature_columns, model_dir, optimizer, config, settings: as for
        ``LinearEstimatorV2``.
      n_classes: how many classes there are.
      weight_column: a feature's name or a numeric column: the weight of each example.
      label_vocabulary: the classes' names, a list of strings; None for integers.
      loss_reduction: one of ``tf.keras.losses.Reduction``.
    """

    def __init__(
        self,
        feature_columns,
        model_dir=None,
        n_classes=2,
        weight_column=None,
        label_vocabulary=None,
        optimizer="Ftrl",
        config=None,
        *,
        loss_reduction="sum_over_batch_size",
        **settings
    ):
        head = classes_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(
            head, feature_columns, model_dir, optimizer, config, **settings
        )


class LinearRegressorV2(LinearEstimatorV2):
    """A linear regressor, as ``tf.estimator.LinearRegressor``.

    Args:
      feature_columns, model_dir, optimizer, config, settings: as for
        ``LinearEstimatorV2``.
      label_dimension: how many values are predicted for an example.
      weight_column, loss_reduction: as for ``LinearClassifierV2``.
    """

    def __init__(
        self,
        feature_columns,
        model_dir=None,
        label_dimension=1,
        weight_column=None,
        optimizer="Ftrl",
        config=None,
        *,
        loss_reduction="sum_over_batch_size",
        **settings
    ):
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(
            head, feature_columns, model_dir, optimizer, config, **settings
        )
