"""More of ``tests.contrib_cases``: what ``tf.contrib.estimator`` had, in a model_fn and around an Estimator."""

import tempfile

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tests.contrib_cases import evaluated, trained

LOGITS = np.sin(np.arange(12)).reshape(4, 3).astype(np.float32)
WEIGHTS = np.array([[1.0], [2.0], [0.5], [0.0]], np.float32)
HEADS = (
    ("multi_class_head", {"n_classes": 3}, 3, [[0], [2], [1], [1]]),
    ("multi_class_head", {"n_classes": 3, "label_vocabulary": ["a", "b", "c"]}, 3, [["a"], ["c"], ["b"], ["b"]]),
    ("binary_classification_head", {}, 1, [[0], [1], [1], [0]]),
    ("regression_head", {}, 1, [[0.5], [1.0], [-1.0], [0.25]]),
    ("regression_head", {"label_dimension": 3}, 3, LOGITS[::-1].tolist()),
    ("binary_classification_head", {"thresholds": [0.4, 0.6], "name": "own"}, 1, [[0], [1], [1], [0]]),
)


def clipped_optimizers(of):
    clip = of("estimator").clip_gradients_by_norm
    for sparse in (False, True):
        for made in (tf1.train.GradientDescentOptimizer, tf1.train.AdagradOptimizer):
            yield f"clipped {made.__name__} {sparse}", trained(lambda made=made: clip(made(0.1), 0.5), sparse, True)
    yield "its name", clip(tf1.train.GradientDescentOptimizer(0.1), 0.5).get_name()


def model_fn_of(of, wrap):
    """A model_fn with a table; ``wrap`` takes its optimizer."""

    def model_fn(features, labels, mode, params):
        kernel = tf1.get_variable("kernel", [2, 1], initializer=tf1.constant_initializer([[0.5], [-1.0]]))
        logits = tf.matmul(features["x"], kernel) * params["scale"]
        if mode == "infer":
            return of.core.EstimatorSpec(mode, predictions={"y": logits})
        loss = tf1.losses.mean_squared_error(labels, logits)
        step = tf1.train.get_global_step()
        train_op = wrap(tf1.train.AdagradOptimizer(0.1)).minimize(loss, step)
        metrics = {"error": tf1.metrics.mean_absolute_error(labels, logits)}
        return of.core.EstimatorSpec(mode, {"y": logits}, loss, train_op, metrics)

    return model_fn


def input_fn():
    numbers = np.cos(np.arange(16)).reshape(8, 2).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices(({"x": numbers, "id": np.arange(8)}, numbers[:, :1])).batch(4)


def run(estimator):
    """What is trained, evaluated and predicted, and the variables."""
    estimator.train(input_fn)
    metrics = {key: float(value) for key, value in estimator.evaluate(input_fn).items()}
    predictions = [{key: value.tolist() for key, value in one.items()} for one in estimator.predict(input_fn)]
    variables = {name: estimator.get_variable_value(name) for name in sorted(estimator.get_variable_names())}
    return [metrics, [dict(sorted(one.items())) for one in predictions], variables]


def extended_estimators(of):
    contrib = of("estimator")

    def made(directory, model_fn):
        return of.core.Estimator(model_fn, model_dir=directory, params={"scale": 2.0})

    def forwarded(directory):
        return contrib.forward_features(made(directory, model_fn_of(of, lambda one: one)), "id")

    def measured(directory):
        def metric_fn(labels, predictions, features):
            return {"mean_id": tf1.metrics.mean(features["id"]), "error": tf1.metrics.mean(predictions["y"] - labels)}

        return contrib.add_metrics(made(directory, model_fn_of(of, lambda one: one)), metric_fn)

    for case in (forwarded, measured):
        with tempfile.TemporaryDirectory() as directory:
            yield case.__name__, run(case(directory))


def heads(of):
    contrib = of("estimator")

    def spec_of(mode, name, settings, size, labels):
        with tf1.variable_scope("", initializer=tf1.constant_initializer(0.5)):
            tf1.train.get_or_create_global_step()
            logits = tf.constant(LOGITS[:, :size]) * tf1.get_variable("w", [size])
        head = getattr(contrib, name)(**settings)
        assert head.logits_dimension == size
        return head.create_estimator_spec(
            {"weights": tf.constant(WEIGHTS)},
            mode,
            logits,
            labels=None if mode == "infer" else tf.constant(labels),
            optimizer=tf1.train.GradientDescentOptimizer(0.1),
        )

    def made(*asked):
        spec = spec_of(*asked)
        found = {str(key): tensor for key, tensor in (spec.predictions or {}).items()}
        for key in sorted(spec.eval_metric_ops or {}):
            found[key], found[f"{key} update"] = spec.eval_metric_ops[key]
        if spec.loss is not None:
            found["the loss"] = spec.loss
        return {key: tensor for key, tensor in found.items() if tensor is not None}

    for number, (name, settings, size, labels) in enumerate(HEADS):
        for weighted in (False, True):
            more = dict(settings, weight_column="weights") if weighted else settings
            for mode in ("train", "eval", "infer"):
                asked = mode, name, more, size, labels
                found = evaluated(lambda asked=asked: made(*asked))
                yield f"{name} {number} {mode} {weighted}", found


def modes(of):
    keys = of.raw("learn", "ModeKeys")
    yield "modes", [keys.TRAIN, keys.EVAL, keys.INFER]


def exports(of):
    """An export strategy's name and what it exports."""

    def serving():
        x = tf1.placeholder(tf.float32, [None, 2], "x")
        return of.core.export.ServingInputReceiver({"x": x}, {"x": x})

    strategy = of("learn").make_export_strategy(serving, exports_to_keep=1)
    yield "name", strategy.name
    with tempfile.TemporaryDirectory() as directory:
        estimator = of.core.Estimator(model_fn_of(of, lambda one: one), directory, params={"scale": 2.0})
        estimator.train(input_fn)
        path = strategy.export(estimator, directory + "/exports")
        path = path.decode() if isinstance(path, bytes) else path
        with tf.Graph().as_default(), tf1.Session() as session:
            loaded = tf1.saved_model.load(session, ["serve"], path)
            signature = loaded.signature_def["serving_default"]
            (fed,), (read,) = signature.inputs.values(), signature.outputs.values()
            yield "exported", session.run(read.name, {fed.name: [[1.0, 2.0], [0.5, -1.0]]})


def mirrored_strategies(of):
    """Contrib's arguments for a strategy, and an Estimator trained under it."""
    made = of("distribute").MirroredStrategy
    arguments = (
        ((), {}),
        ((["/cpu:0"],), {}),
        ((None, 0), {}),
        ((), {"num_gpus": 0}),
        ((), {"num_gpus_per_worker": 2}),
        ((), {"devices": ["/cpu:0"], "cross_device_ops": of("distribute").AllReduceCrossDeviceOps("nccl", 2)}),
        ((), {"num_gpus": 1, "auto_shard_dataset": False}),
    )
    for given, named in arguments:
        with tf.Graph().as_default():  # in which no device needs to be there
            strategy = made(*given, **named)
        shown = "cross_device_ops" if "cross_device_ops" in named else f"{given} {named}"
        yield shown, [one.split("/")[-1].lower() for one in strategy.extended.worker_devices]
    for named in ({"devices": ["/cpu:0"], "num_gpus": 1}, {"num_gpus": 1, "num_gpus_per_worker": 1}):
        try:
            made(**named)
        except ValueError:
            yield f"{named} refused", True
    for name, (given, named) in (("plain", arguments[0]), ("on no GPU", arguments[3])):
        with tempfile.TemporaryDirectory() as directory:
            config = of.core.RunConfig(train_distribute=made(*given, **named))
            model_fn = model_fn_of(of, lambda one: one)
            yield name, run(of.core.Estimator(model_fn, directory, config, params={"scale": 2.0}))


ESTIMATOR_CASES = (clipped_optimizers, extended_estimators, heads, modes, exports, mirrored_strategies)
