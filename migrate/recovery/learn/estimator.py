"""A model_fn with the methods of ``tf.contrib.learn.Estimator``, and what it returns."""

import functools
import inspect
from typing import Any, NamedTuple

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from ..estimator.estimator import Estimator, EstimatorSpec
from ..estimator.model_fn_call import argument_names
from .arrays import SKCompat, array_input


class ModelFnOps(NamedTuple):
    """What a ``model_fn`` returns, as ``tf.contrib.learn.ModelFnOps``.

    As an ``EstimatorSpec``; evaluating needs predictions, too, a metric may be a value
    alone, and nothing reads output_alternatives.
    """

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metric_ops: Any = None
    output_alternatives: Any = None
    training_chief_hooks: Any = None
    training_hooks: Any = None
    scaffold: Any = None

    def as_estimator_spec(self):
        """Returns the ``EstimatorSpec`` that says the same."""
        if self.mode == "eval" and self.predictions is None:
            raise ValueError("Missing predictions.")
        loss = self.loss
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=None if loss is None else tf.reshape(tf.convert_to_tensor(loss), []),
            train_op=self.train_op,
            eval_metric_ops={
                name: metric if _is_pair(metric) else (metric, tf.no_op())
                for name, metric in (self.eval_metric_ops or {}).items()
            },
            training_chief_hooks=self.training_chief_hooks or (),
            training_hooks=self.training_hooks or (),
            scaffold=self.scaffold,
        )


def _is_pair(metric):
    return isinstance(metric, (tuple, list)) and len(metric) == 2


class MetricSpec:
    """A metric with what it takes, as ``tf.contrib.learn.MetricSpec``.

    Args:
      metric_fn: takes predictions, and may take labels and weights, by these names or
        by label, target(s), prediction, logit(s), weight; returns a value, or a value
        and its update.
      prediction_key, label_key, weight_key: of the predictions, of the labels, of the
        features; None for the only one, for no weights.
    """

    def __init__(self, metric_fn, prediction_key=None, label_key=None, weight_key=None):
        self.prediction_key, self.label_key = prediction_key, label_key
        self.weight_key = weight_key
        self._metric_fn = metric_fn
        names = _positional_names(metric_fn)
        self._labels = _only(names, _LABELS, label_key is not None)
        self._predictions = _only(names, _PREDICTIONS, False)
        self._weights = _only(names, _WEIGHTS, weight_key is not None)
        self._takes_labels_first = bool(names) and names[0] == self._labels

    def metric_fn(self, labels=None, predictions=None, weights=None):
        """Calls the function with the names that it has for its arguments."""
        placed, named = [], {}
        if self._labels and self._takes_labels_first and not self._predictions:
            placed.append(labels)
        elif self._labels:
            named[self._labels] = labels
        if self._predictions:
            named[self._predictions] = predictions
        else:
            placed.append(predictions)
        if weights is not None:
            named[self._weights] = weights
        return self._metric_fn(*placed, **named)

    def create_metric_ops(self, inputs, labels, predictions):
        """Returns the metric of the features, the labels and the predictions."""
        return self.metric_fn(
            labels=_chosen("label", labels, self.label_key),
            predictions=_chosen("prediction", predictions, self.prediction_key),
            weights=inputs[self.weight_key] if self.weight_key else None,
        )


_LABELS = {"labels", "label", "targets", "target"}
_PREDICTIONS = {"predictions", "prediction", "logits", "logit"}
_WEIGHTS = {"weights", "weight"}


def _positional_names(function):
    """Returns the names of the arguments, without those that a partial gives."""
    if isinstance(function, functools.partial):
        given = function.keywords
        return [name for name in _positional_names(function.func) if name not in given]
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = inspect.signature(function).parameters.values()
    return [one.name for one in parameters if one.kind in kinds]


def _only(names, known, is_required):
    found = [name for name in names if name in known]
    if len(found) > 1:
        raise ValueError(f"Ambiguous arguments {found}, must be one of {known}.")
    if is_required and not found:
        raise ValueError(f"{known} missing from {names}.")
    return found[0] if found else None


def _chosen(kind, tensors, key):
    if key:
        if not isinstance(tensors, dict):
            raise ValueError(f"MetricSpec with {kind}_key requires a dict of {kind}s.")
        return tensors[key]
    if not isinstance(tensors, dict):
        return tensors
    if len(tensors) != 1:
        raise ValueError(f"MetricSpec without {kind}_key requires a single {kind}.")
    return next(iter(tensors.values()))


class LearnEstimator(Estimator):
    """An Estimator with the methods of ``tf.contrib.learn.Estimator``.

    Args:
      model_fn: takes features and labels by their places, and may take mode, params,
        config and model_dir; returns a ``ModelFnOps``, or predictions, loss and
        train_op.
      model_dir: the directory of the checkpoints; by default config's, else a new one.
      config: a ``RunConfig``; None for its defaults.
      params: given to the model_fn as they are.
      feature_engineering_fn: takes features and labels, and returns those for the
        model_fn.

    Raises:
      ValueError: params are given and the model_fn takes none, or model_dir and that of
        config differ.
    """

    def __init__(
        self,
        model_fn=None,
        model_dir=None,
        config=None,
        params=None,
        feature_engineering_fn=None,
    ):
        self._learn_fn, self._engineered = model_fn, feature_engineering_fn
        self._names = argument_names(model_fn)
        if params is not None and "params" not in self._names:
            raise ValueError(f"model_fn ({model_fn}) has no params argument.")
        super().__init__(self._core_model_fn, model_dir, config)
        self._params = params
        self._metrics, self._labels, self._is_fed = None, None, False

    @property
    def params(self):
        """The params of the model_fn."""
        return self._params

    def fit(
        self,
        x=None,
        y=None,
        input_fn=None,
        steps=None,
        batch_size=None,
        monitors=None,
        max_steps=None,
    ):
        """Trains from the latest checkpoint; see ``Estimator.train``.

        Args:
          x, y, batch_size: arrays in place of an input_fn; see ``SKCompat``.
          monitors: ``tf.compat.v1.train.SessionRunHook`` objects.
        """
        _check_input(input_fn, x, y, batch_size)
        if x is not None:
            arrays = SKCompat(self)
            arrays.fit(x, y, batch_size, steps, max_steps, monitors)
            return self
        self.train(lambda: input_fn(), hooks=monitors, steps=steps, max_steps=max_steps)
        return self

    def partial_fit(
        self, x=None, y=None, input_fn=None, steps=1, batch_size=None, monitors=None
    ):
        """Trains ``steps`` more; see ``fit``."""
        return self.fit(x, y, input_fn, steps, batch_size, monitors)

    def evaluate(
        self,
        x=None,
        y=None,
        input_fn=None,
        feed_fn=None,
        batch_size=None,
        steps=None,
        metrics=None,
        name=None,
        checkpoint_path=None,
        hooks=None,
        log_progress=True,
    ):
        """Evaluates a checkpoint; see ``Estimator.evaluate``.

        Args:
          x, y, batch_size: arrays in place of an input_fn; see ``SKCompat``.
          feed_fn: must be None.
          steps: how many batches; None or 0 for all.
          metrics: a dict from name to a ``MetricSpec``, beside those of the model_fn.
          log_progress: not read.

        Raises:
          ValueError: there is no checkpoint.
        """
        _check_input(input_fn, x, y, batch_size, feed_fn)
        if x is not None:
            return SKCompat(self).score(x, y, batch_size, steps, metrics, name)
        for metric in (metrics or {}).values():
            if not hasattr(metric, "create_metric_ops"):
                raise ValueError(f"{metric} must be a MetricSpec.")
        if not checkpoint_path:
            self._check_trained()
        self._metrics = metrics
        try:
            return super().evaluate(
                lambda: input_fn(),
                steps=steps or None,
                hooks=hooks,
                checkpoint_path=checkpoint_path,
                name=name,
            )
        finally:
            self._metrics = None

    def predict(
        self,
        x=None,
        input_fn=None,
        batch_size=None,
        outputs=None,
        as_iterable=True,
        iterate_batches=False,
    ):
        """Predicts with the latest checkpoint.

        Args:
          x, batch_size: an array in place of an input_fn; see ``SKCompat``.
          input_fn: returns features, or a pair of which they are the first. Tensors
            that no queue feeds give one batch.
          outputs: the keys of the predictions to compute; None for all.
          as_iterable: False for the predictions of one batch, not of each example.
          iterate_batches: whether to yield whole batches.

        Returns:
          What yields the predictions of each example; or those of one batch.

        Raises:
          ValueError: there is no checkpoint.
        """
        _check_input(input_fn, x, None, batch_size)
        if x is not None and not as_iterable:
            return SKCompat(self).predict(x, batch_size)
        if x is not None:
            input_fn = array_input(x, None, batch_size)
        batches = self.predicted_batches(input_fn, outputs)
        if not as_iterable:
            return next(batches)
        if iterate_batches:
            return batches
        return (example for batch in batches for example in _examples_of(batch))

    def export_savedmodel(self, *arguments, **options):
        """Raises a ValueError: an export by ``InputFnOps`` is not supported."""
        raise ValueError("Export it as a tf.estimator.Estimator, on TensorFlow 1.15.")

    def predicted_batches(self, input_fn, outputs=None):
        """Yields the predictions of each batch; see ``predict``."""
        self._check_trained()
        return self._batches(input_fn, outputs)

    def _batches(self, input_fn, outputs):
        def noted_input_fn():
            given = input_fn()
            self._is_fed = isinstance(given, tf.data.Dataset)
            queues = tf1.get_collection(tf1.GraphKeys.QUEUE_RUNNERS)
            self._is_fed |= bool(queues)
            return given

        batches = super().predict(noted_input_fn, outputs, yield_single_examples=False)
        for batch in batches:
            yield batch
            if not self._is_fed:
                batches.close()
                return

    def _params_of(self, mode):
        return {}  # the model_fn gets the very object, an input_fn nothing

    def _core_model_fn(self, features, labels, mode, config):
        if mode == "infer":
            labels = self._placeholders()
        elif labels is not None:
            self._labels = tf.nest.map_structure(tf.type_spec_from_value, labels)
        if self._engineered:
            features, labels = self._engineered(features, labels)
        known = {
            "mode": mode,
            "params": self._params,
            "config": config,
            "model_dir": self.model_dir,
        }
        given = {name: known[name] for name in known if name in self._names}
        ops = self._learn_fn(features, labels, **given)
        if not hasattr(ops, "as_estimator_spec"):
            ops = ModelFnOps(mode, *ops)
        metrics = dict(ops.eval_metric_ops or {})
        for name, metric in sorted((self._metrics or {}).items()):
            metrics[name] = metric.create_metric_ops(features, labels, ops.predictions)
        return ops._replace(eval_metric_ops=metrics)

    def _placeholders(self):
        """Returns what stands for the labels of this process's training, or None."""
        if self._labels is None:
            return None

        def placeholder(spec):
            if isinstance(spec, tf.SparseTensorSpec):
                return tf1.sparse_placeholder(spec.dtype)
            return tf1.placeholder(spec.dtype, [None, *spec.shape[1:]])

        return tf.nest.map_structure(placeholder, self._labels)


def _check_input(input_fn, x, y, batch_size, feed_fn=None):
    if (input_fn is None) == (x is None) or feed_fn is not None:
        raise ValueError("Give either x or an input_fn, and no feed_fn.")
    if input_fn is not None and (y is not None or batch_size is not None):
        raise ValueError("Give an input_fn without y and batch_size.")


def _examples_of(batch):
    if not isinstance(batch, dict):
        return list(batch)
    return [dict(zip(batch, values)) for values in zip(*batch.values())]
