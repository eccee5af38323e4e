# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 7261b760b8d00125).
"""The premade estimators of TensorFlow 1."""

import math

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .estimator import Estimator
from .heads import (
    CannedClasses,
    CannedRegression,
    check_not_given,
)
from .premade_networks import (
    baseline_logits,
    combined_networks,
    dnn_network,
    linear_network,
)
from .premade_optimizers import (
    canned_optimizer,
    canned_train_op,
    whole_variables,
)


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
                cut = whole_variables() if self._is_partitioned else None
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
            one = next(iter(made.values()))
            return canned_train_op(loss, made if is_combined else one)

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
        def network(features, units, mode):
            return baseline_logits(features, units)

        super().__init__(
            head,
            {"baseline": network},
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


class DNNEstimator(PremadeEstimator):
    """Dense layers under a head, as ``tf.compat.v1.estimator.DNNEstimator``.

    Args:
      head: a head of ``tf.estimator``.
      hidden_units: the widths of the hidden layers, a list of ints.
      feature_columns: what the layers take from the features, a list.
      optimizer: as for a ``BaselineEstimator``.
      activation_fn: of the hidden layers.
      dropout: the part of the units that a training step leaves out, or None.
      input_layer_partitioner: must be None.
      batch_norm: whether the hidden layers are normalized.
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
        trained = {"dnn": (optimizer, self._dnn_rate(optimizer))}
        super().__init__(
            head, {"dnn": network}, trained, model_dir=model_dir, **settings
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


class LinearEstimator(PremadeEstimator):
    """A linear model under a head, as ``tf.compat.v1.estimator.LinearEstimator``.

    Args:
      head: a head of ``tf.estimator``.
      feature_columns: what the model takes from the features, a list.
      model_dir, config, settings: as for an ``Estimator``.
      optimizer: as for a ``BaselineEstimator``.
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
        **settings,
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
            **settings,
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
        **settings,
    ):
        head = self._classes(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(
            head, feature_columns, model_dir, optimizer, config, **settings
        )


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
        **settings,
    ):
        head = self._values(label_dimension, weight_column, loss_reduction)
        super().__init__(
            head, feature_columns, model_dir, optimizer, config, **settings
        )


class DNNLinearCombinedEstimator(PremadeEstimator):
    """Dense layers beside a linear model, under a head.

    Stands for ``tf.compat.v1.estimator.DNNLinearCombinedEstimator``.

    Args:
      head: a head of ``tf.estimator``.
      linear_feature_columns, dnn_feature_columns: what the two take from the features,
        lists; None for none of the two.
      linear_optimizer, dnn_optimizer: as for a ``BaselineEstimator``.
      dnn_hidden_units, networks: as for ``combined_networks``.
      input_layer_partitioner: must be None.
      model_dir, config, warm_start_from, checkpoints: as for an ``Estimator``.
    """

    def __init__(
        self,
        head,
        model_dir=None,
        linear_feature_columns=None,
        linear_optimizer="Ftrl",
        dnn_feature_columns=None,
        dnn_optimizer="Adagrad",
        dnn_hidden_units=None,
        *,
        input_layer_partitioner=None,
        config=None,
        warm_start_from=None,
        checkpoints=None,
        **networks,
    ):
        check_not_given(input_layer_partitioner=input_layer_partitioner)
        parts = combined_networks(
            linear_feature_columns, dnn_feature_columns, dnn_hidden_units, **networks
        )
        optimizers = {
            "dnn": (dnn_optimizer, 0.001),
            "linear": (linear_optimizer, 0.005),
        }
        super().__init__(
            head,
            parts,
            {scope: optimizers[scope] for scope in parts},
            is_combined=True,
            model_dir=model_dir,
            config=config,
            warm_start_from=warm_start_from,
            checkpoints=checkpoints,
        )


class DNNLinearCombinedClassifier(DNNLinearCombinedEstimator):
    """A classifier, as ``tf.compat.v1.estimator.DNNLinearCombinedClassifier``.

    Its arguments are those of ``DNNLinearCombinedEstimator``, without the head, and of
    ``BaselineClassifier``.
    """

    def __init__(
        self,
        *first,
        n_classes=2,
        weight_column=None,
        label_vocabulary=None,
        loss_reduction=None,
        **settings,
    ):
        head = self._classes(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(head, *first, **settings)


class DNNLinearCombinedRegressor(DNNLinearCombinedEstimator):
    """A regressor, as ``tf.compat.v1.estimator.DNNLinearCombinedRegressor``.

    Its arguments are those of ``DNNLinearCombinedEstimator``, without the head, and of
    ``BaselineRegressor``.
    """

    def __init__(
        self,
        *first,
        label_dimension=1,
        weight_column=None,
        loss_reduction=None,
        **settings,
    ):
        head = self._values(label_dimension, weight_column, loss_reduction)
        super().__init__(head, *first, **settings)
