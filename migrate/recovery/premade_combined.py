"""The premade estimators of TensorFlow 1 over dense layers beside a linear model."""

from migrate.recovery.canned_head import CannedClasses, CannedRegression
from migrate.recovery.canned_layers import combined_networks
from migrate.recovery.estimator_heads import check_not_given
from migrate.recovery.premade import PremadeEstimator


class DNNLinearCombinedEstimator(PremadeEstimator):
    """Dense layers beside a linear model, under a head.

    Stands for ``tf.compat.v1.estimator.DNNLinearCombinedEstimator``.

    Args:
      head: a head of ``tf.estimator``.
      model_dir: as for an ``Estimator``, and so are config and warm_start_from.
      linear_feature_columns, dnn_feature_columns: what the two take from the features,
        lists; None for none of the two.
      linear_optimizer, dnn_optimizer: a ``tf.compat.v1.train.Optimizer`` each, a
        function that makes one, or the name of one.
      dnn_hidden_units, networks: as for ``combined_networks``.
      input_layer_partitioner: must be None.
      config, warm_start_from: as for an ``Estimator``.
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
        **networks
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
        )


class DNNLinearCombinedClassifier(DNNLinearCombinedEstimator):
    """A classifier, as ``tf.compat.v1.estimator.DNNLinearCombinedClassifier``.

    Args:
      model_dir, linear_feature_columns, linear_optimizer, dnn_feature_columns,
        dnn_optimizer, dnn_hidden_units, settings: as for ``DNNLinearCombinedEstimator``.
      n_classes: how many classes there are.
      weight_column: a feature's name or a numeric column: the weight of each example.
      label_vocabulary: the classes' names, a list of strings; None for integers.
      loss_reduction: one of ``tf.compat.v1.losses.Reduction``.
    """

    def __init__(
        self,
        model_dir=None,
        linear_feature_columns=None,
        linear_optimizer="Ftrl",
        dnn_feature_columns=None,
        dnn_optimizer="Adagrad",
        dnn_hidden_units=None,
        *,
        n_classes=2,
        weight_column=None,
        label_vocabulary=None,
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
            head,
            model_dir,
            linear_feature_columns,
            linear_optimizer,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            **settings
        )


class DNNLinearCombinedRegressor(DNNLinearCombinedEstimator):
    """A regressor, as ``tf.compat.v1.estimator.DNNLinearCombinedRegressor``.

    Args:
      model_dir, linear_feature_columns, linear_optimizer, dnn_feature_columns,
        dnn_optimizer, dnn_hidden_units, settings: as for ``DNNLinearCombinedEstimator``.
      label_dimension: how many values are predicted for an example.
      weight_column, loss_reduction: as for ``DNNLinearCombinedClassifier``.
    """

    def __init__(
        self,
        model_dir=None,
        linear_feature_columns=None,
        linear_optimizer="Ftrl",
        dnn_feature_columns=None,
        dnn_optimizer="Adagrad",
        dnn_hidden_units=None,
        *,
        label_dimension=1,
        weight_column=None,
        loss_reduction="weighted_sum",
        **settings
    ):
        head = CannedRegression(
            label_dimension,
            weight_column=weight_column,
            loss_reduction=loss_reduction,
        )
        super().__init__(
            head,
            model_dir,
            linear_feature_columns,
            linear_optimizer,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            **settings
        )
