"""The premade linear models of TensorFlow 1."""

import math

from .base import PremadeEstimator
from .heads import check_not_given
from .networks import linear_network


class LinearEstimator(PremadeEstimator):
    """A linear model with a head, as ``tf.compat.v1.estimator.LinearEstimator``.

    Args:
      head: a head of ``tf.estimator``.
      feature_columns, sparse_combiner: as for ``linear_network``.
      model_dir, config, settings: as for an ``Estimator``.
      optimizer: as for a ``BaselineEstimator``; None for FTRL with a learning rate that
        depends on the number of columns.
      partitioner: must be None.
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
        **others,
    ):
        check_not_given(partitioner=partitioner)
        columns = list(feature_columns)

        def ftrl():
            return self._ftrl(min(0.2, 1 / math.sqrt(len(columns))))

        super().__init__(
            head,
            {"linear": linear_network(columns, sparse_combiner)},
            {"linear": (ftrl if optimizer is None else optimizer, 0.2)},
            model_dir=model_dir,
            config=config,
            **others,
        )


class LinearClassifier(LinearEstimator):
    """A linear classifier, as ``tf.compat.v1.estimator.LinearClassifier``.

    Its arguments are those of ``LinearEstimator`` and of ``BaselineClassifier``.
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
        loss_reduction=None,
        **others,
    ):
        head = self._classes(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(head, feature_columns, model_dir, optimizer, config, **others)


class LinearRegressor(LinearEstimator):
    """A linear regressor, as ``tf.compat.v1.estimator.LinearRegressor``.

    Its arguments are those of ``LinearEstimator`` and of ``BaselineRegressor``.
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
        loss_reduction=None,
        **others,
    ):
        head = self._values(label_dimension, weight_column, loss_reduction)
        super().__init__(head, feature_columns, model_dir, optimizer, config, **others)
