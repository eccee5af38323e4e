"""The heads of ``tf.estimator``, for a model_fn or for an estimator that takes one."""

from migrate.recovery.canned_head import CannedClasses, CannedRegression

_REDUCTIONS = {
    "auto": "weighted_sum_over_batch_size",
    "sum_over_batch_size": "weighted_sum_over_batch_size",
    "sum": "weighted_sum",
}


def loss_reduction_in_graph(name):
    """Returns the ``tf.compat.v1.losses.Reduction`` for one of ``tf.keras.losses``."""
    return _REDUCTIONS.get(name, name)


class MultiClassHead(CannedClasses):
    """A head for more than two classes, as ``tf.estimator.MultiClassHead``.

    Args:
      n_classes: how many classes there are.
      weight_column: a feature's name or a numeric column: the weight of each example.
      label_vocabulary: the classes' names, a list of strings; None for integers.
      loss_reduction: one of ``tf.keras.losses.Reduction``.
      loss_fn, name: must be None.

    Raises:
      ValueError: n_classes is less than 3, or another argument is not carried over.
    """

    _fewest = 3

    def __init__(
        self,
        n_classes,
        weight_column=None,
        label_vocabulary=None,
        loss_reduction="sum_over_batch_size",
        loss_fn=None,
        name=None,
    ):
        if n_classes < self._fewest:
            raise ValueError(f"n_classes must be > 2, given: {n_classes}.")
        check_not_given(loss_fn=loss_fn, name=name)
        super().__init__(
            n_classes,
            label_vocabulary,
            "careful_interpolation",
            weight_column=weight_column,
            loss_reduction=loss_reduction_in_graph(loss_reduction),
        )


class BinaryClassHead(MultiClassHead):
    """A head for two classes, as ``tf.estimator.BinaryClassHead``.

    Args:
      weight_column, label_vocabulary, loss_reduction: as for ``MultiClassHead``.
      thresholds, loss_fn, name: must be None.
    """

    _fewest = 2

    def __init__(
        self,
        weight_column=None,
        thresholds=None,
        label_vocabulary=None,
        loss_reduction="sum_over_batch_size",
        loss_fn=None,
        name=None,
    ):
        check_not_given(thresholds=thresholds)
        super().__init__(
            2, weight_column, label_vocabulary, loss_reduction, loss_fn, name
        )


class RegressionHead(CannedRegression):
    """A head for numbers, as ``tf.estimator.RegressionHead``.

    Args:
      label_dimension: how many values are predicted for an example.
      weight_column, loss_reduction: as for ``MultiClassHead``.
      loss_fn, inverse_link_fn, name: must be None.
    """

    def __init__(
        self,
        label_dimension=1,
        weight_column=None,
        loss_reduction="sum_over_batch_size",
        loss_fn=None,
        inverse_link_fn=None,
        name=None,
    ):
        check_not_given(loss_fn=loss_fn, inverse_link_fn=inverse_link_fn, name=name)
        super().__init__(
            label_dimension,
            weight_column=weight_column,
            loss_reduction=loss_reduction_in_graph(loss_reduction),
        )


def classes_head(
    n_classes, weight_column=None, label_vocabulary=None, loss_reduction="auto"
):
    """Returns the head for two classes, or for more."""
    if n_classes == 2:
        return BinaryClassHead(weight_column, None, label_vocabulary, loss_reduction)
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)


def check_not_given(**arguments):
    """Raises a ValueError for an argument that is not carried over, and not None."""
    given = [name for name, value in arguments.items() if value is not None]
    if given:
        raise ValueError(f"Not carried over from tf.estimator: {', '.join(given)}.")
