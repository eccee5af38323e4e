"""The premade estimators of TensorFlow 1 that know no features."""

import tensorflow.compat.v1 as tf1

from migrate.recovery.canned_head import CannedClasses, CannedRegression
from migrate.recovery.canned_layers import baseline_logits
from migrate.recovery.canned_optimizer import canned_optimizer, canned_train_op
from migrate.recovery.estimator import Estimator


class BaselineEstimator(Estimator):
    """A bias under a head, as ``tf.compat.v1.estimator.BaselineEstimator``.

    Args:
      head: a head of ``tf.estimator``.
      model_dir, config: as for an ``Estimator``.
      optimizer: a ``tf.compat.v1.train.Optimizer``, a function that makes one, or the
        name of one.
    """

    def __init__(self, head, model_dir=None, optimizer="Ftrl", config=None):
        def train(loss):
            return canned_train_op(loss, canned_optimizer(optimizer, 0.3))

        def model_fn(features, labels, mode):
            with tf1.variable_scope("baseline"):
                logits = baseline_logits(features, head.units)
            return head.spec(features, labels, mode, logits, train)

        super().__init__(model_fn, model_dir, config)


class BaselineClassifier(BaselineEstimator):
    """Predicts how often each class is, whatever the features.

    Args:
      model_dir, optimizer, config: as for ``BaselineEstimator``.
      n_classes: how many classes there are.
      weight_column: a feature's name or a numeric column: the weight of each example.
      label_vocabulary: the classes' names, a list of strings; None for integers.
      loss_reduction: one of ``tf.compat.v1.losses.Reduction``.
    """

    def __init__(
        self,
        model_dir=None,
        n_classes=2,
        weight_column=None,
        label_vocabulary=None,
        optimizer="Ftrl",
        config=None,
        loss_reduction="weighted_sum",
    ):
        head = CannedClasses(
            n_classes,
            label_vocabulary,
            weight_column=weight_column,
            loss_reduction=loss_reduction,
        )
        super().__init__(head, model_dir, optimizer, config)


class BaselineRegressor(BaselineEstimator):
    """Predicts the mean of the labels, whatever the features.

    Args:
      model_dir, optimizer, config: as for ``BaselineEstimator``.
      label_dimension: how many values are predicted for an example.
      weight_column, loss_reduction: as for ``BaselineClassifier``.
    """

    def __init__(
        self,
        model_dir=None,
        label_dimension=1,
        weight_column=None,
        optimizer="Ftrl",
        config=None,
        loss_reduction="weighted_sum",
    ):
        head = CannedRegression(
            label_dimension,
            weight_column=weight_column,
            loss_reduction=loss_reduction,
        )
        super().__init__(head, model_dir, optimizer, config)
