# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 7ca3dd0e99be3a51).
"""What the premade estimators of TensorFlow 1 share, and those without features."""

import tensorflow.compat.v1 as tf1

from ..estimator.estimator import Estimator
from .heads import CannedClasses, CannedRegression
from .networks import baseline_network


def canned_optimizer(optimizer, learning_rate):
    """Returns a ``tf.compat.v1.train.Optimizer``.

    Args:
      optimizer: one, a function that makes one, or the name of one.
      learning_rate: the rate for one that is given by name.
    """
    named = {
        "Adagrad": tf1.train.AdagradOptimizer,
        "Adam": tf1.train.AdamOptimizer,
        "Ftrl": tf1.train.FtrlOptimizer,
        "RMSProp": tf1.train.RMSPropOptimizer,
        "SGD": tf1.train.GradientDescentOptimizer,
    }
    if isinstance(optimizer, str):
        return named[optimizer](learning_rate)
    return optimizer() if callable(optimizer) else optimizer


class PremadeEstimator(Estimator):
    """An ``Estimator`` whose model_fn adds up the logits of networks.

    Args:
      head: what makes predictions and a loss of the logits.
      networks: a dict from a variable scope to a function that takes features, how many
        logits to give, and the mode, and returns the logits.
      optimizers: a dict from a variable scope to what trains it, and to the learning
        rate that this has if it is given by name.
      is_combined: whether there may be several networks.
      settings: model_dir, config and warm_start_from of an ``Estimator``.
    """

    _loss_reduction = "weighted_sum"
    _is_partitioned = True  # slots get other names then, though it cuts none

    def __init__(self, head, networks, optimizers, is_combined=False, **settings):
        train = self._training(optimizers, is_combined)
        # TensorFlow 1's optimizer stood in the scope of its network.
        is_inside = self._is_partitioned and not is_combined

        def model_fn(features, labels, mode):
            parts = []
            for scope, network in networks.items():
                cut = None
                if self._is_partitioned:
                    cut = tf1.min_max_variable_partitioner(max_partitions=0)
                with tf1.variable_scope(scope, partitioner=cut):
                    parts.append(network(features, head.units, mode))
                    if is_inside:
                        return head.spec(features, labels, mode, parts[0], train)
            return head.spec(features, labels, mode, sum(parts[1:], parts[0]), train)

        super().__init__(model_fn, **settings)

    def _training(self, optimizers, is_combined):
        """Returns a function from a loss to what takes a step."""

        def train(loss):
            made = {scope: canned_optimizer(*one) for scope, one in optimizers.items()}
            step = tf1.train.get_global_step()
            if not is_combined:
                return next(iter(made.values())).minimize(loss, step)
            trained = [
                one.minimize(loss, var_list=tf1.trainable_variables(f"{scope}/"))
                for scope, one in made.items()
            ]
            with tf1.control_dependencies(trained):
                return tf1.assign_add(step, 1)

        return train

    def _classes(self, n_classes, weight_column, label_vocabulary, loss_reduction):
        """Returns the head of a classifier."""
        return CannedClasses(
            n_classes,
            label_vocabulary,
            weight_column=weight_column,
            loss_reduction=loss_reduction or self._loss_reduction,
        )

    def _values(self, label_dimension, weight_column, loss_reduction):
        """Returns the head of a regressor."""
        return CannedRegression(
            label_dimension,
            weight_column=weight_column,
            loss_reduction=loss_reduction or self._loss_reduction,
        )

    def _dnn_rate(self, optimizer):
        """Returns the learning rate of dense layers' optimizer that is given by name."""
        return 0.05

    def _ftrl(self, learning_rate):
        return tf1.train.FtrlOptimizer(learning_rate)


class BaselineEstimator(PremadeEstimator):
    """A bias under a head, as ``tf.compat.v1.estimator.BaselineEstimator``.

    Args:
      head: a head of ``tf.estimator``.
      model_dir, config: as for an ``Estimator``.
      optimizer: a ``tf.compat.v1.train.Optimizer``, a function that makes one, or the
        name of one.
    """

    _is_partitioned = False

    def __init__(
        self, head, model_dir=None, optimizer="Ftrl", config=None, checkpoints=None
    ):
        super().__init__(
            head,
            {"baseline": baseline_network},
            {"baseline": (optimizer, 0.3)},
            model_dir=model_dir,
            config=config,
            checkpoints=checkpoints,
        )


class BaselineClassifier(BaselineEstimator):
    """Predicts how often each class is, whatever the features.

    Args:
      model_dir, optimizer, config, checkpoints: as for ``BaselineEstimator``.
      n_classes: how many classes there are.
      weight_column: a feature's name or a numeric column: the weight of each example.
      label_vocabulary: the classes' names, a list of strings; None for integers.
      loss_reduction: one of ``tf.compat.v1.losses.Reduction``; None for a weighted sum.
    """

    def __init__(
        self,
        model_dir=None,
        n_classes=2,
        weight_column=None,
        label_vocabulary=None,
        optimizer="Ftrl",
        config=None,
        loss_reduction=None,
        checkpoints=None,
    ):
        head = self._classes(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(head, model_dir, optimizer, config, checkpoints)


class BaselineRegressor(BaselineEstimator):
    """Predicts the mean of the labels, whatever the features.

    Args:
      model_dir, optimizer, config, checkpoints: as for ``BaselineEstimator``.
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
        loss_reduction=None,
        checkpoints=None,
    ):
        head = self._values(label_dimension, weight_column, loss_reduction)
        super().__init__(head, model_dir, optimizer, config, checkpoints)
