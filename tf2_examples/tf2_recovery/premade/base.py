# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 5af1e73b69c400ec).
"""The base of TensorFlow 1's premade estimators, and the Baseline estimators."""

import tensorflow.compat.v1 as tf1

from ..estimator.estimator import Estimator
from .heads import CannedClassification, CannedRegression
from .networks import baseline_network


def canned_optimizer(optimizer, learning_rate):
    """Returns a ``tf.compat.v1.train.Optimizer``.

    Args:
      optimizer: an optimizer, a function that returns one, or its name.
      learning_rate: a float; used only with a name.
    """
    by_name = {
        "Adagrad": tf1.train.AdagradOptimizer,
        "Adam": tf1.train.AdamOptimizer,
        "Ftrl": tf1.train.FtrlOptimizer,
        "RMSProp": tf1.train.RMSPropOptimizer,
        "SGD": tf1.train.GradientDescentOptimizer,
    }
    if isinstance(optimizer, str):
        return by_name[optimizer](learning_rate)
    return optimizer() if callable(optimizer) else optimizer


class PremadeEstimator(Estimator):
    """An ``Estimator`` whose model_fn adds up the logits of its networks.

    Args:
      head: makes the EstimatorSpec of the logits, such as a ``CannedHead``.
      networks: a dict from a variable scope to a function of features, number of logits
        and mode that returns the logits, [batch, number].
      optimizers: a dict from a variable scope to (optimizer, learning rate), as
        ``canned_optimizer`` takes them.
      is_combined: whether there may be several networks.
      settings: the other arguments of an ``Estimator``.
    """

    _is_partitioned = True  # a partitioner, even of one part, changes the slots' names

    def __init__(self, head, networks, optimizers, is_combined=False, **settings):
        train = self._train_op_fn(optimizers, is_combined)
        # As in TensorFlow 1, an optimizer's names begin with the network's scope.
        in_scope = self._is_partitioned and not is_combined

        def model_fn(features, labels, mode):
            logits = []
            for scope, network in networks.items():
                partitioner = None
                if self._is_partitioned:
                    partitioner = tf1.min_max_variable_partitioner(max_partitions=0)
                with tf1.variable_scope(scope, partitioner=partitioner):
                    logits.append(network(features, head.units, mode))
                    if in_scope:
                        return head.spec(features, labels, mode, logits[0], train)
            return head.spec(features, labels, mode, sum(logits[1:], logits[0]), train)

        super().__init__(model_fn, **settings)

    def _train_op_fn(self, optimizers, is_combined):
        """Returns a function that takes the loss and returns the train_op."""

        def train(loss):
            made = {scope: canned_optimizer(*one) for scope, one in optimizers.items()}
            step = tf1.train.get_global_step()
            if not is_combined:
                return next(iter(made.values())).minimize(loss, step)
            train_ops = [
                one.minimize(loss, var_list=tf1.trainable_variables(f"{scope}/"))
                for scope, one in made.items()
            ]
            with tf1.control_dependencies(train_ops):
                return tf1.assign_add(step, 1)

        return train

    def _classes(self, n_classes, weight_column, label_vocabulary, loss_reduction):
        """Returns the head of a classifier."""
        return CannedClassification(
            n_classes,
            label_vocabulary,
            weight_column=weight_column,
            loss_reduction=loss_reduction or "weighted_sum",
        )

    def _values(self, label_dimension, weight_column, loss_reduction):
        """Returns the head of a regressor."""
        return CannedRegression(
            label_dimension,
            weight_column=weight_column,
            loss_reduction=loss_reduction or "weighted_sum",
        )

    def _dnn_rate(self, optimizer):
        """Returns the learning rate of dense layers, if the optimizer is a name."""
        return 0.05

    def _ftrl(self, learning_rate):
        return tf1.train.FtrlOptimizer(learning_rate)


class BaselineEstimator(PremadeEstimator):
    """A bias with a head, as ``tf.compat.v1.estimator.BaselineEstimator``.

    Args:
      head: a head of ``tf.estimator``.
      model_dir, config, checkpoints: as for an ``Estimator``.
      optimizer: a ``tf.compat.v1.train.Optimizer``, a function that returns one, or its
        name.
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
    """Predicts the frequency of each class and ignores the features.

    Args:
      model_dir, optimizer, config, checkpoints: as for ``BaselineEstimator``.
      n_classes: the number of classes, an int.
      weight_column: the feature with the examples' weights, its name or a numeric column.
      label_vocabulary: the labels, a list of strings; None for integer labels.
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
    """Predicts the mean of the labels and ignores the features.

    Args:
      model_dir, optimizer, config, checkpoints: as for ``BaselineEstimator``.
      label_dimension: how many values to predict for an example, an int.
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
