"""The premade estimators of TensorFlow 2 that know no features."""

from migrate.recovery.canned_layers import baseline_logits
from migrate.recovery.estimator_heads import RegressionHead, classes_head
from migrate.recovery.premade_v2 import PremadeEstimatorV2


class BaselineEstimatorV2(PremadeEstimatorV2):
    """A bias under a head, as ``tf.estimator.BaselineEstimator``.

    Args:
      head: a head of ``tf.estimator``.
      model_dir, config: as for an ``Estimator``.
      optimizer: a ``tf.keras`` optimizer, a function that makes one, or the name of one.
    """

    def __init__(self, head, model_dir=None, optimizer="Ftrl", config=None):
        def network(features, units, mode):
            return baseline_logits(features, units)

        super().__init__(
            head,
            {"baseline": network},
            {"baseline": (optimizer, 0.3)},
            model_dir=model_dir,
            config=config,
        )


class BaselineClassifierV2(BaselineEstimatorV2):
    """Predicts how often each class is, whatever the features.

    Args:
      model_dir, optimizer, config: as for ``BaselineEstimatorV2``.
      n_classes: how many classes there are.
      weight_column: a feature's name or a numeric column: the weight of each example.
      label_vocabulary: the classes' names, a list of strings; None for integers.
      loss_reduction: one of ``tf.keras.losses.Reduction``.
    """

    def __init__(
        self,
        model_dir=None,
        n_classes=2,
        weight_column=None,
        label_vocabulary=None,
        optimizer="Ftrl",
        config=None,
        loss_reduction="sum_over_batch_size",
    ):
        head = classes_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(head, model_dir, optimizer, config)


class BaselineRegressorV2(BaselineEstimatorV2):
    """Predicts the mean of the labels, whatever the features.

    Args:
      model_dir, optimizer, config: as for ``BaselineEstimatorV2``.
      label_dimension: how many values are predicted for an example.
      weight_column, loss_reduction: as for ``BaselineClassifierV2``.
    """

    def __init__(
        self,
        model_dir=None,
        label_dimension=1,
        weight_column=None,
        optimizer="Ftrl",
        config=None,
        loss_reduction="sum_over_batch_size",
    ):
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(head, model_dir, optimizer, config)
