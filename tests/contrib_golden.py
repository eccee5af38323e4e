"""What TensorFlow 1.15's own code of ``tf.contrib`` computes, for the pieces that the tool writes in its place.

``python -m tests.contrib_golden WHEELS`` runs it under TensorFlow 2.15 and writes ``contrib_golden.json``; WHEELS holds
the unpacked wheel of tensorflow 1.15.5. ``tests/tensorflow/model_fn/test_contrib_golden.py`` compares.
"""

import importlib.abc
import importlib.util
import json
import os
import sys
import tempfile
import types
from pathlib import Path

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

GOLDEN = Path(__file__).with_name("contrib_golden.json")


def trained(optimizer, sparse, resource, decayed=None):
    """Losses, variables and their names after three steps; some variables may be named for the decay."""
    with tf.Graph().as_default(), tf1.Session() as session:
        start = np.arange(12, dtype=np.float32).reshape(6, 2) / 10
        table = tf1.get_variable("table", initializer=start, use_resource=resource)
        rate = tf1.get_variable("rate", initializer=np.float32(0.5), use_resource=resource)
        rows = tf.gather(table, [0, 2, 2, 5]) if sparse else table
        loss = tf.reduce_sum(tf.square(rows * rate - 1.0))
        made = optimizer()
        gradients = made.compute_gradients(loss)
        chosen = {} if decayed is None else {"decay_var_list": [v for _, v in gradients if v.op.name == decayed]}
        with tf.control_dependencies([loss, *(one for one, _ in gradients)]):  # contrib's decay waits for nothing
            step = made.apply_gradients(gradients, **chosen)
        session.run(tf1.global_variables_initializer())
        losses = [session.run([loss, step])[0] for _ in range(3)]
        variables = {v.op.name: session.run(v) for v in tf1.global_variables()}
        return [losses, variables]


def optimizers(of):
    opt = of("opt")
    adam_w = lambda: opt.AdamWOptimizer(0.01, 0.1)  # noqa: E731
    momentum_w = lambda: opt.MomentumWOptimizer(0.01, 0.1, 0.9)  # noqa: E731
    adagrad_w = opt.extend_with_decoupled_weight_decay(tf1.train.AdagradOptimizer)
    lazy = lambda: opt.LazyAdamOptimizer(0.1)  # noqa: E731
    for resource in (False, True):
        for sparse in (False, True):
            yield f"adam_w {sparse} {resource}", trained(adam_w, sparse, resource)
            yield f"lazy_adam {sparse} {resource}", trained(lazy, sparse, resource)
        yield f"momentum_w {resource}", trained(momentum_w, True, resource)
        yield f"adagrad_w {resource}", trained(lambda: adagrad_w(0.01, learning_rate=0.1), False, resource)
    yield "adam_w of one", trained(adam_w, False, True, "table")


def images(of):
    image = of("image")
    pictures = np.random.RandomState(0).rand(2, 5, 4, 3).astype(np.float32)
    with tf.Graph().as_default(), tf1.Session() as session:
        given = tf.constant(pictures)
        warped = [1.0, 0.1, -0.5, 0.2, 0.9, 0.3, 0.001, 0.002]
        bilinear = image.transform(given, warped, "BILINEAR", output_shape=[4, 4])
        found = {
            "transform": image.transform(given, [warped, warped[::-1]]),
            "bilinear": bilinear,
            "its gradient": tf.gradients(bilinear, given)[0],
            "rotate": image.rotate(given[0], 0.5, "BILINEAR"),
            "rotate all": image.rotate(given, [0.5, -1.0]),
            "translate": image.translate(given[0, :, :, 0], [1.0, -2.0]),
            "angles": image.angles_to_projective_transforms([0.1, 0.2], 5.0, 4.0),
            "translations": image.translations_to_projective_transforms([[1.0, 2.0]]),
        }
        yield "images", session.run(found)


def sequences(of):
    columns = of("feature_column")
    with tf.Graph().as_default(), tf1.Session() as session:
        ids = tf.sparse.from_dense([[1, 2], [3, 0]])
        words = columns.sequence_categorical_column_with_identity("words", 5)
        start = tf1.constant_initializer(np.arange(10.0).reshape(5, 2))
        column = tf1.feature_column.embedding_column(words, 2, initializer=start)
        numbers = columns.sequence_numeric_column("numbers")
        features = {"words": ids, "numbers": tf.sparse.from_dense([[0.5, 0.25], [0.125, 0.0]])}
        values, lengths = columns.sequence_input_layer(features, [column, numbers])
        gradient = tf.gradients(values, tf1.trainable_variables())[0]
        session.run(tf1.global_variables_initializer())
        names = [v.op.name for v in tf1.global_variables()]
        yield "sequences", [session.run([values, lengths, tf.convert_to_tensor(gradient)]), names]


def linear_maps(of):
    with tf.Graph().as_default(), tf1.Session() as session:
        left, right = tf.constant([[1.0, 2.0]]), tf.constant([[3.0]])
        start = tf1.constant_initializer(np.arange(12.0).reshape(3, 4))
        with tf1.variable_scope("cell"):
            made = of("rnn")._Linear([left, right], 4, True, kernel_initializer=start)
        value = made([left, right])
        session.run(tf1.global_variables_initializer())
        yield "linear", [session.run(value), [v.op.name for v in tf1.global_variables()]]


def lookups(of):
    with tf.Graph().as_default(), tf1.Session() as session:
        table = tf.constant(np.arange(10.0, dtype=np.float32).reshape(5, 2))
        ids = tf.sparse.from_dense(tf.constant([[1, 2, 0], [0, 0, 0], [3, 3, -1]], tf.int64))
        layers = of("layers")
        found = [layers.safe_embedding_lookup_sparse(table, ids, combiner="mean", default_id=one) for one in (None, 4)]
        yield "safe_embedding_lookup_sparse", session.run([*found, tf.gradients(found[0], table)[0].values])


def experiments(of):
    """What is evaluated and exported, at which step, as an experiment's schedules go on from one another."""
    learn, told = of("learn"), []

    def model_fn(features, labels, mode):
        weight = tf1.get_variable("w", [], initializer=tf1.zeros_initializer())
        loss = tf1.square(weight - tf1.reduce_mean(features))
        step = tf1.train.GradientDescentOptimizer(0.1).minimize(loss, tf1.train.get_global_step())
        return learn.EstimatorSpec(mode, loss=loss, train_op=step, predictions=weight)

    def input_fn():
        return tf.data.Dataset.from_tensors([1.0]).repeat()

    def export(estimator, path, checkpoint_path=None, eval_result=None):
        told.append(["exported", os.path.basename(os.fsdecode(path)), eval_result["global_step"]])

    def made(run_config, options):
        estimator = learn.Estimator(model_fn, config=run_config)
        evaluate = estimator.evaluate

        def evaluated(*args, **given):
            metrics = evaluate(*args, **given)
            told.append([f"evaluated {given.get('name')}", metrics["global_step"], round(float(metrics["loss"]), 6)])
            return metrics

        estimator.evaluate = evaluated
        strategies = learn.ExportStrategy("s", export)
        given = {"eval_steps": 2, "check_interval_secs": 0, "export_strategies": strategies, **options}
        return learn.Experiment(estimator, input_fn, input_fn, **given)

    with tempfile.TemporaryDirectory() as directory:
        for schedule, options in (
            ("train_and_evaluate", {"train_steps": 12}),
            ("train_and_evaluate", {"train_steps": 20, "min_eval_frequency": 7}),
            ("test", {}),
            ("evaluate", {"eval_delay_secs": 0}),
            ("train", {"train_steps": 23}),
        ):
            config = learn.RunConfig(model_dir=directory, save_checkpoints_steps=5)
            result = getattr(made(config, options), schedule)()
            told.append([schedule, len(result[1]) if isinstance(result, tuple) else isinstance(result, dict)])
    yield "experiments", told


CASES = (optimizers, images, sequences, linear_maps, lookups, experiments)


def computed(of):
    """The results of all cases, as JSON has them.

    Args:
      of: takes a module of contrib, returns an object that has its functions.
    """
    results = {name: result for case in CASES for name, result in case(of)}
    return json.loads(json.dumps(results, default=lambda value: np.asarray(value).tolist()))


_FILES = {
    "opt": ("opt.python.training.weight_decay_optimizers", "opt.python.training.lazy_adam_optimizer"),
    "image": ("image.python.ops.image_ops",),
    "feature_column": ("feature_column.python.feature_column.sequence_feature_column",),
    "rnn": ("rnn.python.ops.core_rnn_cell",),
    "layers": ("layers.python.layers.embedding_ops",),
}


_MOVED = {
    "framework.ops": {"RegisterShape": lambda name: lambda function: None, "Tensor": tf.Tensor},
    "framework.common_shapes": {"call_cpp_shape_fn": None},
    "ops.array_ops": {"stack": tf.stack},
    "util.nest": {"is_sequence": tf.nest.is_nested},
}
"""What contrib's files ask TensorFlow for where 2.15 has it no more."""


class _Contrib(importlib.abc.MetaPathFinder):
    """Finds contrib's files, and no package of it, which would import all."""

    def __init__(self, folder):
        self._folder = folder

    def find_spec(self, name, path=None, target=None):
        if name != "tensorflow.contrib" and not name.startswith("tensorflow.contrib."):
            return None
        place = self._folder.joinpath(*name.split(".")[2:])
        if place.is_dir():
            spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = [str(place)]
            return spec
        return importlib.util.spec_from_file_location(name, place.with_suffix(".py"))


def image_projective_transform_v2(images, transforms, output_shape, interpolation="NEAREST"):
    return tf.raw_ops.ImageProjectiveTransformV2(
        images=images, transforms=transforms, output_shape=output_shape, interpolation=interpolation
    )


def of_1(wheels):
    """Takes a module of contrib to the objects of TensorFlow 1.15's own files."""
    folder = Path(wheels) / "tensorflow_core" / "contrib"
    sys.meta_path.insert(0, _Contrib(folder))
    operations = types.ModuleType("tensorflow.contrib.image.ops.gen_image_ops")
    operations.image_projective_transform_v2 = image_projective_transform_v2
    loader = types.ModuleType("tensorflow.contrib.util.loader")
    loader.load_op_library = lambda path: None
    crossed = types.ModuleType("tensorflow.contrib.layers.python.ops.sparse_feature_cross_op")
    sys.modules |= {one.__name__: one for one in (operations, loader, crossed)}  # the rest of them is compiled
    framework = importlib.import_module("tensorflow.contrib.framework")
    framework.deprecated_arg_values = importlib.import_module(
        "tensorflow.python.util.deprecation"
    ).deprecated_arg_values
    registry = importlib.import_module("tensorflow.python.framework.ops").gradient_registry
    registry._registry.pop("ImageProjectiveTransformV2")  # contrib's file has a gradient of its own
    for place, names in _MOVED.items():
        module = importlib.import_module(f"tensorflow.python.{place}")
        for name, value in names.items():
            if not hasattr(module, name):
                setattr(module, name, value)

    def of(module):
        if module == "learn":
            return learn_of_1(folder)
        files = [importlib.import_module(f"tensorflow.contrib.{one}") for one in _FILES[module]]
        return types.SimpleNamespace(**{k: v for one in files for k, v in vars(one).items()})

    return of


class _Learn(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the three files of an Experiment, and an empty module for whatever else they import."""

    def __init__(self, folder):
        self._folder = folder

    def find_spec(self, name, path=None, target=None):
        if not name.startswith("tensorflow.contrib."):
            return None
        parts = name.split(".")[2:]
        if parts[-1] in ("experiment", "monitors", "export_strategy"):
            return importlib.util.spec_from_file_location(name, self._folder.joinpath(*parts).with_suffix(".py"))
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__path__ = []
        for name in ("deprecated", "deprecated_arg_values", "deprecated_args", "experimental"):
            setattr(module, name, lambda *args, **names: args[0] if callable(args[0]) else lambda function: function)
        for name in ("TPUEstimator", "Trainable", "Evaluable", "RunConfig"):
            setattr(module, name, type(name, (), {}))
        return module

    def exec_module(self, module):
        pass


def learn_of_1(folder):
    """TensorFlow 1.15's Experiment, over the Estimator of TensorFlow 2.15."""
    for name in [name for name in sys.modules if name.startswith("tensorflow.contrib.")]:
        del sys.modules[name]
    sys.meta_path.insert(0, _Learn(folder))
    place = "tensorflow.contrib.learn.python.learn"
    experiment = importlib.import_module(f"{place}.experiment")
    strategies = importlib.import_module(f"{place}.export_strategy")
    core = types.SimpleNamespace(Estimator=tf1.estimator.Estimator)
    experiment.core_estimator = experiment.monitors.core_estimator = core
    return types.SimpleNamespace(
        Estimator=tf1.estimator.Estimator,
        EstimatorSpec=tf1.estimator.EstimatorSpec,
        RunConfig=tf1.estimator.RunConfig,
        Experiment=experiment.Experiment,
        ExportStrategy=lambda name, function: strategies.ExportStrategy(name, function, None),
    )


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(computed(of_1(sys.argv[1])), indent=1) + "\n", encoding="utf-8")
