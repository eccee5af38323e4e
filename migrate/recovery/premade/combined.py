"""The premade estimators of TensorFlow 1 that add dense layers to a linear model."""

import tensorflow as tf

from .base import PremadeEstimator
from .heads import check_not_given
from .networks import dnn_network, linear_network


class DNNLinearCombinedEstimator(PremadeEstimator):
    """Adds the logits of dense layers and of a linear model, and has a head.

    As ``tf.compat.v1.estimator.DNNLinearCombinedEstimator``.

    Args:
      head: a head of ``tf.estimator``.
      linear_feature_columns, dnn_feature_columns: the ``tf.feature_column`` objects of
        the two parts, lists; None or [] omits the part.
      linear_optimizer, dnn_optimizer: as for a ``BaselineEstimator``.
      dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm: as for ``dnn_network``.
      linear_sparse_combiner: as for ``linear_network``.
      input_layer_partitioner: must be None.
      model_dir, settings: as for an ``Estimator``.

    Raises:
      ValueError: both lists are empty.
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
        dnn_activation_fn=tf.nn.relu,
        dnn_dropout=None,
        batch_norm=False,
        linear_sparse_combiner="sum",
        input_layer_partitioner=None,
        **settings,
    ):
        check_not_given(input_layer_partitioner=input_layer_partitioner)
        networks, optimizers = {}, {}
        if dnn_feature_columns:
            layers = dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm
            networks["dnn"] = dnn_network(dnn_feature_columns, *layers)
            optimizers["dnn"] = dnn_optimizer, 0.001
        if linear_feature_columns:
            columns = linear_feature_columns, linear_sparse_combiner
            networks["linear"] = linear_network(*columns)
            optimizers["linear"] = linear_optimizer, 0.005
        if not networks:
            raise ValueError(
                "Either linear_feature_columns or dnn_feature_columns must be defined."
            )
        super().__init__(
            head, networks, optimizers, True, model_dir=model_dir, **settings
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
