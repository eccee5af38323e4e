"""The premade linear estimators of TensorFlow 1."""

import math

import tensorflow.compat.v1 as tf1

from migrate.recovery.canned_head import CannedClasses, CannedRegression
from migrate.recovery.canned_layers import linear_network
from migrate.recovery.estimator_heads import check_not_given
from migrate.recovery.premade import PremadeEstimator


class LinearEstimator(PremadeEstimator):
    """A linear model under a head, as ``tf.compat.v1.estimator.LinearEstimator``.

    Args:
      head: a head of ``tf.estimator``.
      feature_columns: what the model takes from the features, a list.
      model_dir: as for an ``Estimator``, and so are config and warm_start_from.
      optimizer: a ``tf.compat.v1.train.Optimizer``, a function that makes one, or the
        name of one.
      config, warm_start_from: as for an ``Estimator``.
      partitioner: must be None.
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
        partitioner=None,
        sparse_combiner="sum",
        **settings
    ):
        check_not_given(partitioner=partitioner)
        columns = list(feature_columns)

        def ftrl():
            return tf1.train.FtrlOptimizer(min(0.2, 1 / math.sqrt(len(columns))))

        super().__init__(
            head,
            {"linear": linear_network(columns, sparse_combiner)},
            {"linear": (ftrl if optimizer is None else optimizer, 0.2)},
            model_dir=model_dir,
            config=config,
            **settings,
        )


class LinearClassifier(LinearEstimator):
    """A linear classifier, as ``tf.compat.v1.estimator.LinearClassifier``.

    Args:
      feature_columns, model_dir, optimizer, config, settings: as for
        ``LinearEstimator``.
      n_classes: how many classes there are.
      weight_column: a feature's name or a numeric column: the weight of each example.
      label_vocabulary: the classes' names, a list of strings; None for integers.
      loss_reduction: one of ``tf.compat.v1.losses.Reduction``.
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
            head, feature_columns, model_dir, optimizer, config, **settings
        )


class LinearRegressor(LinearEstimator):
    """A linear regressor, as ``tf.compat.v1.estimator.LinearRegressor``.

    Args:
      feature_columns, model_dir, optimizer, config, settings: as for
        ``LinearEstimator``.
      label_dimension: how many values are predicted for an example.
      weight_column, loss_reduction: as for ``LinearClassifier``.
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
        loss_reduction="weighted_sum",
        **settings
    ):
        head = CannedRegression(
            label_dimension,
            weight_column=weight_column,
            loss_reduction=loss_reduction,
        )
        super().__init__(
            head, feature_columns, model_dir, optimizer, config, **settings
        )
