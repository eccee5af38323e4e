"""More of ``tests.contrib_cases``: what ``tf.contrib.estimator`` had, in a model_fn and around an Estimator."""

import functools
import os
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tests.contrib_cases import evaluated, trained

LOGITS = np.sin(np.arange(12)).reshape(4, 3).astype(np.float32)
WEIGHTS = np.array([[1.0], [2.0], [0.5], [0.0]], np.float32)
HEADS = (
    ("multi_class_head", {"n_classes": 3}, 3, [[0], [2], [1], [1]]),
    (
        "multi_class_head",
        {"n_classes": 3, "label_vocabulary": ["a", "b", "c"]},
        3,
        [["a"], ["c"], ["b"], ["b"]],
    ),
    ("binary_classification_head", {}, 1, [[0], [1], [1], [0]]),
    ("regression_head", {}, 1, [[0.5], [1.0], [-1.0], [0.25]]),
    ("regression_head", {"label_dimension": 3}, 3, LOGITS[::-1].tolist()),
    ("binary_classification_head", {"thresholds": [0.4, 0.6], "name": "own"}, 1, [[0], [1], [1], [0]]),
    ("multi_head", {}, 2, {"first": [[0.5], [1.0], [-1.0], [0.25]], "second": [[0], [1], [1], [0]]}),
    ("poisson_regression_head", {}, 1, [[0.0], [1.0], [2.0], [3.0]]),
    ("logistic_regression_head", {}, 1, [[0.5], [1.0], [0.0], [0.25]]),
    ("multi_label_head", {"n_classes": 3, "thresholds": [0.4]}, 3, [[1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 1, 1]]),
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

    def replicated(directory):
        return made(
            directory,
            contrib.replicate_model_fn(model_fn_of(of, contrib.TowerOptimizer), devices=["/cpu:0"]),
        )

    def forwarded(directory):
        return contrib.forward_features(made(directory, model_fn_of(of, lambda one: one)), "id")

    def measured(directory):
        def metric_fn(labels, predictions, features):
            return {
                "mean_id": tf1.metrics.mean(features["id"]),
                "error": tf1.metrics.mean(predictions["y"] - labels),
            }

        return contrib.add_metrics(made(directory, model_fn_of(of, lambda one: one)), metric_fn)

    for case in (replicated, forwarded, measured):
        with tempfile.TemporaryDirectory() as directory:
            yield case.__name__, run(case(directory))


def heads(of):
    contrib = of("estimator")

    def contrib_head(name, settings):
        if name != "multi_head":
            return getattr(contrib, name)(**settings)
        first = contrib.regression_head(name="first", **settings)
        return contrib.multi_head([first, contrib.binary_classification_head(name="second", **settings)], [1.0, 2.0])

    def given(labels):
        return {key: tf.constant(one) for key, one in labels.items()} if type(labels) is dict else tf.constant(labels)

    def spec_of(mode, name, settings, size, labels):
        with tf1.variable_scope("", initializer=tf1.constant_initializer(0.5)):
            tf1.train.get_or_create_global_step()
            logits = tf.constant(LOGITS[:, :size]) * tf1.get_variable("w", [size])
        head = contrib_head(name, settings)
        assert head.logits_dimension == size
        return head.create_estimator_spec(
            {"weights": tf.constant(WEIGHTS)},
            mode,
            logits,
            labels=None if mode == "infer" else given(labels),
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


def predictors(of):
    def receiver_fn():
        x = tf1.placeholder(tf.float32, [None, 2])
        return of.core.export.ServingInputReceiver({"x": x}, {"given": x})

    with tempfile.TemporaryDirectory() as directory:
        estimator = of.core.Estimator(model_fn_of(of, lambda one: one), directory, params={"scale": 2.0})
        estimator.train(input_fn)
        predict = of("predictor").from_estimator(estimator, receiver_fn)
        yield "predictor", predict({"given": np.ones([3, 2], np.float32)})["y"]


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


def _learned(of):
    """An estimator of ``contrib.learn``: how far it trains, what it evaluates and predicts, its checkpoints."""
    learn = of("learn")

    def ops_of(features, labels, mode, **other):
        kernel = tf1.get_variable("kernel", [2, 1], initializer=tf1.constant_initializer([[0.5], [-1.0]]))
        outputs = tf.matmul(features["x"], kernel)
        predictions = {"y": outputs, "id": features["id"]}
        if labels is None:
            return predictions, None, None
        loss = tf1.losses.mean_squared_error(labels, outputs)
        step = tf1.train.GradientDescentOptimizer(0.1).minimize(loss, tf1.train.get_global_step())
        return predictions, loss, step

    def model_fn(x, y, mode, params, config, model_dir):
        predictions, loss, step = ops_of(x, y, mode)
        predictions["y"] *= params["scale"] * (config.model_dir == model_dir)
        metrics = None
        if mode == "eval":
            metrics = {"error": tf1.metrics.mean_absolute_error(y, predictions["y"]), "value": tf.constant(3.0)}
        return learn.ModelFnOps(mode=mode, predictions=predictions, loss=loss, train_op=step, eval_metric_ops=metrics)

    def with_own_loss(x, y, mode):
        predictions, loss, step = ops_of(x, y, mode)
        return learn.ModelFnOps(mode, predictions, loss, step, {"loss": tf1.metrics.mean(loss + 1.0)})

    def data():
        numbers = np.cos(np.arange(16)).reshape(8, 2).astype(np.float32)
        batches = tf.data.Dataset.from_tensor_slices(({"x": numbers, "id": np.arange(8)}, numbers[:, :1])).batch(3)
        return tf1.data.make_one_shot_iterator(batches.repeat(2)).get_next()

    def queued():
        return {"x": tf1.train.limit_epochs(tf.ones([2, 2]), 2), "id": tf.constant([1, 2])}

    def metrics_of():
        def ratio(logits, target, weight=None):
            return tf1.metrics.mean(logits / (tf.abs(target) + 1.0), weight)

        def largest(outputs):
            return tf1.metrics.mean(tf.reduce_max(outputs))

        spec = learn.MetricSpec
        return {
            "squares": spec(tf1.metrics.mean_squared_error, prediction_key="y"),
            "weighted": spec(tf1.metrics.mean_squared_error, "y", weight_key="id"),
            "ratio": spec(ratio, prediction_key="y"),
            "largest": spec(largest, "y"),
            "of a partial": spec(functools.partial(tf1.metrics.mean_absolute_error, name="own"), "y"),
        }

    def numbers(metrics):
        return {key: float(value) for key, value in sorted(metrics.items())}

    def told(batch):
        return {key: value.tolist() for key, value in sorted(batch.items())}

    with tempfile.TemporaryDirectory() as directory:
        config = learn.RunConfig(model_dir=directory, save_checkpoints_steps=2, tf_random_seed=1)
        made = learn.Estimator(model_fn, config=config, params={"scale": 1.0})
        for asked in ("evaluate", "predict"):
            try:
                getattr(made, asked)(input_fn=data)
            except ValueError:
                yield f"{asked} before training", "refused"
        yield "itself", made.fit(input_fn=data, steps=3) is made
        yield "no more", made.fit(input_fn=data, max_steps=3) is made
        made.partial_fit(input_fn=data)
        yield "to the end of the data", made.fit(input_fn=data, max_steps=100).get_variable_value("kernel")
        yield "names", sorted(made.get_variable_names())
        yield "checkpoints", sorted(one for one in os.listdir(directory) if one.endswith(".index"))
        yield "evaluated", numbers(made.evaluate(input_fn=data, metrics=metrics_of()))
        yield "two steps", numbers(made.evaluate(input_fn=data, steps=2, name="own"))
        yield "of no steps", numbers(made.evaluate(input_fn=data, steps=0))
        yield "directories", sorted(one for one in os.listdir(directory) if one.startswith("eval"))
        yield "predicted", [told(one) for one in made.predict(input_fn=data)]
        yield "of a queue", [told(one) for one in made.predict(input_fn=queued, outputs=["y"])]
        yield "in batches", [told(one) for one in made.predict(input_fn=queued, outputs=["y"], iterate_batches=True)]
        yield "one batch", told(made.predict(input_fn=queued, as_iterable=False))
        again = learn.Estimator(model_fn, directory, params={"scale": 2.0})
        yield "in a new object", [told(one) for one in again.predict(input_fn=data, outputs=["y"])]

        def with_config(run_config, hparams):
            estimator = learn.Estimator(model_fn, config=run_config, params={"scale": 1.0})
            options = {"train_steps": 9, "eval_steps": 1, "eval_metrics": metrics_of()}
            return learn.Experiment(estimator, data, data, **options)

        result = of("learn.learn_runner").run(with_config, run_config=config, schedule="train_and_evaluate")
        yield "experiment", [numbers(result[0]), len(result[1])]
    with tempfile.TemporaryDirectory() as directory:
        doubled = {"feature_engineering_fn": lambda x, y: ({"x": 2.0 * x["x"], "id": x["id"]}, y)}
        three = learn.Estimator(lambda x, y, mode: ops_of(x, y, mode), directory, **doubled)
        yield "three results", numbers(three.fit(input_fn=data, steps=2).evaluate(input_fn=data))
        yield "with labels of the training", [told(one) for one in three.predict(input_fn=data)]
    with tempfile.TemporaryDirectory() as directory:
        own = learn.Estimator(with_own_loss, directory)
        yield "a loss of its own", numbers(own.fit(input_fn=data, steps=2).evaluate(input_fn=data))


def learn_estimators(of):
    for name, value in _learned(of):
        yield f"contrib.learn, {name}", value


class FixedStart(tf1.train.SessionRunHook):
    """Begins with the same values in any TensorFlow."""

    def after_create_session(self, session, coord):
        for variable in sorted(tf1.trainable_variables(), key=lambda one: one.name):
            size = variable.shape.num_elements()
            variable.load(np.sin(np.arange(size) + len(variable.name)).reshape(variable.shape.as_list()), session)


def _with_arrays(of):
    learn = of("learn")
    x = np.cos(np.arange(33)).reshape(11, 3).astype(np.float32)
    double = x.astype(float)
    labels = {
        2: np.arange(11) % 2,
        3: (np.arange(11) % 3).astype(np.int32),
        "numbers": x[:, :1] * 2.0,
        "pairs": x[:, 1:],
    }

    def told(found):
        if isinstance(found, dict):
            return {key: np.asarray(value).tolist() for key, value in sorted(found.items())}
        return [told(one) if isinstance(one, dict) else np.asarray(one).tolist() for one in found]

    def batches(features, labels, mode):
        """Remembers the batches: each loss is a number that only one of them gives."""
        numbers = features["a"] if isinstance(features, dict) else features
        places = tf.cast(tf.range(1, tf.shape(numbers)[0] + 1), numbers.dtype)
        seen = tf.cast(tf.reduce_sum(tf.reduce_sum(numbers, -1) * places), tf.float32)
        weight = tf1.get_variable("weight", [], initializer=tf1.zeros_initializer())
        if labels is None:
            return learn.ModelFnOps(mode, numbers)
        seen += tf.reduce_sum(tf.cast(labels, tf.float32)) * weight
        step = tf1.train.GradientDescentOptimizer(0.125).minimize(seen * weight, tf1.train.get_global_step())
        return learn.ModelFnOps(mode, numbers, seen, step)

    for name, given in (("one", x), ("one of doubles", double), ("flat", double[:, 0]), ("dict", {"a": x, "b": x})):
        with tempfile.TemporaryDirectory() as directory:
            made = learn.Estimator(batches, directory)
            made.fit(x=given, y=labels[3], batch_size=4, steps=5)
            yield f"{name}, trained", made.get_variable_value("weight")
            made.fit(given, labels[3].reshape(-1, 1), steps=2)
            yield f"{name}, on all", made.get_variable_value("weight")
            yield f"{name}, evaluated", told(made.evaluate(x=given, y=labels[3], batch_size=4))
            yield f"{name}, two batches", told(made.evaluate(x=given, y=labels[3], batch_size=4, steps=2))
            yield f"{name}, predicted", told(list(made.predict(x=given, batch_size=4)))
            yield f"{name}, as an array", told(made.predict(x=given, batch_size=4, as_iterable=False))
            compatible = learn.SKCompat(made)
            yield f"{name}, itself", compatible.fit(given, labels[3], steps=3, batch_size=4) is compatible
            yield f"{name}, score", told(compatible.score(given, labels[3]))
            yield f"{name}, of it", told(compatible.predict(given, batch_size=4))


def learn_arrays(of):
    for name, value in _with_arrays(of):
        yield f"contrib.learn with arrays, {name}", value


ESTIMATOR_CASES = (
    clipped_optimizers,
    extended_estimators,
    heads,
    modes,
    exports,
    predictors,
    mirrored_strategies,
    learn_estimators,
    learn_arrays,
)
