"""The premade estimators of TensorFlow 1 with dense layers beside a linear model."""

import tensorflow as tf

from .base import PremadeEstimator
from .heads import check_not_given
from .networks import dnn_network, linear_network


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


def combined_networks(
    linear_feature_columns,
    dnn_feature_columns,
    dnn_hidden_units,
    dnn_activation_fn=tf.nn.relu,
    dnn_dropout=None,
    batch_norm=False,
    linear_sparse_combiner="sum",
):
    """Returns the networks of a ``DNNLinearCombinedEstimator``, by variable scope.

    Args:
      linear_feature_columns, linear_sparse_combiner: as for ``linear_logits``; no
        columns for no such network.
      dnn_feature_columns, dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm:
        as for ``dnn_logits``; no columns for no such network.

    Raises:
      ValueError: there are no columns at all.
    """
    networks = {}
    if dnn_feature_columns:
        networks["dnn"] = dnn_network(
            dnn_feature_columns,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            batch_norm,
        )
    if linear_feature_columns:
        networks["linear"] = linear_network(
            linear_feature_columns, linear_sparse_combiner
        )
    if not networks:
        raise ValueError(
            "Either linear_feature_columns or dnn_feature_columns must be defined."
        )
    return networks
