"""Checkpoint recovery for TensorFlow 2, written by estimator-migrate 0.1.0 (content 2f98416da41a).

Needs nothing but TensorFlow, 2.12 or later. Yours to read, keep and change;
`estimator-migrate renew` brings it up to date as long as nobody has changed it.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple
import concurrent.futures
import copy
import errno
import functools
import inspect
import json
import math
import numbers
import os
import re
import sys
import tempfile
import time
import types
import uuid

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1


def argument_names(function):
    """Returns the names of the arguments that a function can be given, a set."""
    bound = getattr(function, "keywords", {})  # of a functools.partial
    parameters = inspect.signature(function).parameters.values()
    several = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    return {one.name for one in parameters if one.kind not in several} - bound.keys()


def call_with_known(function, **known):
    """Calls ``function`` with those of the arguments ``known`` that it names."""
    names = argument_names(function)
    return function(**{name: known[name] for name in names if name in known})


def call_input_fn(input_fn, mode, params=None, config=None, input_context=None):
    """Calls ``input_fn`` on the CPU with those of the other arguments that it names."""
    known = {"params": params, "config": config, "input_context": input_context}
    with tf.device("/cpu:0"):
        return call_with_known(input_fn, mode=mode, **known)


def features_and_labels(batch):
    """Splits a batch into features and labels; labels are None where it has none."""
    if not isinstance(batch, (list, tuple)):
        return batch, None
    if len(batch) != 2:
        raise ValueError("input_fn should give features, or (features, labels).")
    return batch


def call_model_fn(model_fn, features, labels, mode, params=None, config=None):
    """Calls an unchanged TF1 ``model_fn`` in the default graph.

    Args:
      model_fn: takes features and any of labels, mode, params and config.
      features: a tensor or a structure of tensors.
      labels: the same, or None.
      mode: "train", "eval" or "infer", as in ``tf.estimator.ModeKeys``.
      params: a dict; the model_fn gets a copy.
      config: what the model_fn reads from its ``RunConfig``, if anything.

    Returns:
      The EstimatorSpec; a TPUEstimatorSpec is turned into one.

    Raises:
      ValueError: there are labels and the model_fn takes none, or its result lacks what
        the mode needs.
    """
    if labels is not None and "labels" not in argument_names(model_fn):
        raise ValueError("model_fn does not take labels, but input_fn returns labels.")
    spec = call_with_known(
        model_fn,
        features=features,
        labels=labels,
        mode=mode,
        params=copy.deepcopy(params or {}),
        config=config,
    )
    if hasattr(spec, "as_estimator_spec"):
        spec = spec.as_estimator_spec()
    needed = {
        "train": ("loss", "train_op"),
        "eval": ("loss",),
        "infer": ("predictions",),
    }
    for name in needed[mode]:
        if not hasattr(spec, name):
            raise ValueError("model_fn should return an EstimatorSpec.")
        if getattr(spec, name) is None:
            raise ValueError(f"Missing {name}.")
    return spec


def mend_checkpoint_list(model_dir):
    """Makes the file ``checkpoint``, a directory's list of checkpoints, safe to use.

    Call it before ``tf.train.CheckpointManager(..., model_dir)``, which deletes in time
    whatever that file lists, and begins from scratch when it is lost. Afterwards

    - what the list names counts for ``max_to_keep`` and is deleted in time, whoever
      wrote it: an Estimator lists no times, and a manager passes over what has none;
    - the latest checkpoint can be read: a torn one is passed over, with a warning. To
      know that, the latest is read once;
    - a list that was lost is there again, made from the files.

    Args:
      model_dir: the Estimator's directory; it may be new.

    Raises:
      ValueError: there are checkpoints, but none that can be read.
    """
    found = _on_disk(model_dir)
    try:
        state = tf.train.get_checkpoint_state(model_dir)
    except ValueError:  # the file is there, but empty
        state = None
    listed, names, times, preserved = [], [], {}, None
    if state:
        listed = [os.path.basename(path) for path in state.all_model_checkpoint_paths]
        latest = os.path.basename(state.model_checkpoint_path)
        names = [*(name for name in listed if name != latest), latest]
        times = dict(zip(listed, state.all_model_checkpoint_timestamps))
        preserved = state.last_preserved_timestamp if times else None
    whole = _without_torn(model_dir, names) or _without_torn(model_dir, found)
    if (found or names) and not whole:
        raise ValueError(f"None of the checkpoints in {model_dir} can be read.")
    managed = {name: times.get(name, found[name]) for name in whole if name in found}
    if whole != names or list(managed) != listed or managed != times:
        if preserved is None:  # as if the first of them had been kept for good
            preserved = min(managed.values()) - 1
        _write_list(model_dir, whole[-1], managed, preserved)


def _on_disk(model_dir):
    """Returns the time of each checkpoint, in seconds, by name and in order of step."""
    steps, times = {}, {}
    for path in tf.io.gfile.glob(os.path.join(model_dir, "*.index")):
        match = re.fullmatch(r"((?:model\.)?ckpt-(\d+))\.index", os.path.basename(path))
        if match:
            steps[match[1]] = int(match[2])
            times[match[1]] = tf.io.gfile.stat(path).mtime_nsec / 1e9
    return {name: times[name] for name in sorted(steps, key=steps.get)}


def _without_torn(model_dir, names):
    names = list(names)
    while names and not _is_whole(os.path.join(model_dir, names[-1])):
        tf.get_logger().warning("Cannot read checkpoint %s: passed over", names.pop())
    return names


def _is_whole(path):
    try:
        reader = tf.train.load_checkpoint(path)
        for name, dtype in reader.get_variable_to_dtype_map().items():
            if dtype != tf.variant:  # an iterator's, which no reader returns
                reader.get_tensor(name)
    except (tf.errors.OpError, IndexError, RuntimeError, ValueError):
        return False
    return True


def _write_list(model_dir, latest, managed, preserved):
    """Writes ``checkpoint``, a text of TensorFlow's ``CheckpointState``, in one go."""
    lines = [f'model_checkpoint_path: "{latest}"']
    lines += [f'all_model_checkpoint_paths: "{name}"' for name in managed]
    lines += [f"all_model_checkpoint_timestamps: {t}" for t in managed.values()]
    lines += [f"last_preserved_timestamp: {preserved}"]
    path = os.path.join(model_dir, "checkpoint")
    tf.io.write_file(path + ".new", "\n".join(lines) + "\n")
    tf.io.gfile.rename(path + ".new", path, overwrite=True)


def variable_key(name):
    """Returns the key of a variable in the checkpoints of ``train.checkpoint``."""
    escaped = name.replace(".", "..").replace("/", ".S")
    return f"variables/{escaped}/.ATTRIBUTES/VARIABLE_VALUE"


def is_by_name(path):
    """Returns whether an Estimator, or a ``Saver``, wrote a checkpoint."""
    saved = tf.train.load_checkpoint(path).get_variable_to_shape_map()
    return "_CHECKPOINTABLE_OBJECT_GRAPH" not in saved


def saved_step(path):
    """Returns the global step of a checkpoint, an int."""
    key = str if is_by_name(path) else variable_key
    return int(tf.train.load_variable(path, key("global_step")))


def input_in_graph(input_fn, mode, params=None, config=None, input_context=None):
    """Calls ``input_fn`` in the default graph.

    Args:
      input_fn: returns a ``tf.data.Dataset``, or the tensors of a batch.
      mode, params, config, input_context: passed on where input_fn names them.

    Returns:
      The batch, a structure of tensors, and the hooks that the session needs for it.
    """
    batch = call_input_fn(input_fn, mode, params, config, input_context)
    if not isinstance(batch, tf.data.Dataset):
        return batch, []
    iterator = tf1.data.make_initializable_iterator(batch)
    return iterator.get_next(), [_StartIterator(iterator.initializer)]


def warm_start(settings, checkpoint_path):
    """Has the variables of the default graph begin with those of another training.

    Args:
      settings: a checkpoint's path or a ``WarmStartSettings``; None for nothing.
      checkpoint_path: what is restored after all; then nothing is done.
    """
    if settings and checkpoint_path is None:
        path = isinstance(settings, str)
        tf1.train.warm_start(*([settings] if path else settings))


class _StartIterator(tf1.train.SessionRunHook):
    def __init__(self, initializer):
        self._initializer = initializer

    def after_create_session(self, session, coord):
        session.run(self._initializer)


class RestoredSession(tf1.train.SessionCreator):
    """Makes sessions whose variables are restored from a checkpoint.

    Args:
      checkpoint_path: of a ``tf.train.CheckpointManager`` or an Estimator; None to
        initialize the variables.
      scaffold: the EstimatorSpec's ``tf.compat.v1.train.Scaffold``, or None.
    """

    def __init__(self, checkpoint_path, scaffold=None):
        self._path = checkpoint_path
        self._scaffold = scaffold or tf1.train.Scaffold()

    def create_session(self):
        """Returns a ``tf.compat.v1.Session`` of the default graph."""
        if self._path is None:
            return tf1.train.ChiefSessionCreator(self._scaffold).create_session()
        if not tf1.train.checkpoint_exists(self._path):
            raise ValueError(
                f"The passed save_path is not a valid checkpoint: {self._path}"
            )
        local = (
            self._scaffold.local_init_op or tf1.train.Scaffold.default_local_init_op()
        )
        session = tf1.Session()
        self._saver().restore(session, self._path)
        session.run(local)
        return session

    def _saver(self):
        if self._scaffold.saver or is_by_name(self._path):
            return self._scaffold.saver or tf1.train.Saver()
        by_key = {variable_key(v.op.name): v for v in tf1.global_variables()}
        return tf1.train.Saver(by_key)


def dataset_from_input_fn(
    input_fn, params=None, config=None, input_context=None, seed=None, mode="train"
):
    """Returns the data of an ``input_fn`` as a ``tf.data.Dataset``.

    Where input_fn returns the tensors of a batch, each iteration calls it in a graph of
    its own, as an Estimator does, and takes batch after batch from there.

    Args:
      input_fn: returns a Dataset; or tensors, as of ``iterator.get_next()`` or of TF1's
        queues.
      params: a dict for the input_fn.
      config: what the input_fn reads from a ``RunConfig``, if anything.
      input_context: a ``tf.distribute.InputContext`` for the input_fn, if it names one.
      seed: the random seed of the graph of an input_fn that returns tensors.
      mode: what the data are for, as the input_fn is told: "train", "eval" or "infer".
    """
    given = params, config, input_context
    with tf.Graph().as_default():
        batch = call_input_fn(input_fn, mode, *given)
    if isinstance(batch, tf.data.Dataset):
        return call_input_fn(input_fn, mode, *given)
    features_and_labels(batch)  # raises an error where it is neither

    def batches():
        with tf.Graph().as_default():
            tf1.set_random_seed(seed)
            batch, hooks = input_in_graph(input_fn, mode, *given)
            session = tf1.train.MonitoredSession(hooks=hooks)
        with session:
            while not session.should_stop():
                yield session.run(batch)

    signature = tf.nest.map_structure(tf.type_spec_from_value, batch)
    return tf.data.Dataset.from_generator(batches, output_signature=signature)


def evaluate_model_fn(
    model_fn,
    input_fn,
    model_dir,
    *,
    params=None,
    config=None,
    seed=None,
    steps=None,
    hooks=(),
    checkpoint_path=None,
    name=None,
    warm_start_from=None,
):
    """Evaluates a checkpoint, and writes the metrics for TensorBoard.

    Args:
      model_fn: takes features and any of labels, mode, params and config.
      input_fn: returns a ``tf.data.Dataset``, or the tensors of a batch.
      model_dir: holds the checkpoints; the metrics go to its ``eval`` or ``eval_NAME``.
      params: a dict for the model_fn and the input_fn.
      config: what they read from a ``RunConfig``, if anything.
      seed: the graph's random seed.
      steps: how many batches, of a fraction the next whole number; None for all.
      hooks: ``tf.compat.v1.train.SessionRunHook`` objects.
      checkpoint_path: None for the latest; where there is none, the variables are new.
      name: tells apart evaluations on several datasets.
      warm_start_from: a checkpoint's path or a ``WarmStartSettings``, for variables
        that are new.

    Returns:
      A dict with the model_fn's metrics, the mean "loss", and the "global_step".
    """
    path = checkpoint_path or tf.train.latest_checkpoint(model_dir)
    with tf.Graph().as_default():
        tf1.set_random_seed(seed)
        step = tf1.train.create_global_step()
        batch, input_hooks = input_in_graph(input_fn, "eval", params, config)
        features, labels = features_and_labels(batch)
        spec = call_model_fn(model_fn, features, labels, "eval", params, config)
        warm_start(warm_start_from, path)
        metrics = spec.eval_metric_ops or {}
        pairs = {name: _pair(metric) for name, metric in metrics.items()}
        if "loss" not in pairs:  # contrib.learn lets a model_fn name its own
            pairs["loss"] = tf1.metrics.mean(spec.loss)
        update = tf.group(*[tf.nest.flatten(update) for _, update in pairs.values()])
        values = {name: value for name, (value, _) in sorted(pairs.items())}
        final = tf1.train.FinalOpsHook({**values, "global_step": step})
        creator = RestoredSession(path, spec.scaffold)
        hooks = [*input_hooks, *hooks, *(spec.evaluation_hooks or ()), final]
        with tf1.train.MonitoredSession(creator, hooks) as session:
            taken = 0
            while not session.should_stop() and (steps is None or taken < steps):
                session.run(update)
                taken += 1
        directory = os.path.join(model_dir, f"eval_{name}" if name else "eval")
        write_metrics(directory, final.final_ops_values, path)
    return final.final_ops_values


def _pair(metric):
    """Returns the value and the update of a ``tf1.metrics`` pair or a Keras metric."""
    if isinstance(metric, tuple):
        return metric
    return metric.result(), metric.updates


def write_metrics(directory, metrics, checkpoint_path=None):
    """Writes what an evaluation came to into the log, and for TensorBoard.

    Args:
      directory: where the events are.
      metrics: a dict with numbers, arrays and serialized summaries, as of images, and
        with the "global_step".
      checkpoint_path: what was evaluated; None where the variables were new.
    """
    step, events = metrics["global_step"], tf1.summary.FileWriterCache.get(directory)
    shown = {key: one for key, one in metrics.items() if not isinstance(one, bytes)}
    told = ", ".join(f"{key} = {one!s}" for key, one in sorted(shown.items()))
    tf1.logging.info("Saving dict for global step %d: %s", step, told)
    summary = tf1.Summary()
    for name, value in metrics.items():
        if isinstance(value, bytes):
            for i, part in enumerate(_parts(value)):
                part.tag = f"{name}/{i}"
                summary.value.add().CopyFrom(part)
        elif getattr(value, "shape", ()):  # an array
            summary.value.add(tag=name, tensor=tf.make_tensor_proto(value))
        elif isinstance(value, numbers.Number) and name != "global_step":
            summary.value.add(tag=name, simple_value=value)
    events.add_summary(summary, step)
    if checkpoint_path:
        line = "Saving 'checkpoint_path' summary for global step %d: %s"
        tf1.logging.info(line, step, checkpoint_path)
        path = tf1.Summary()
        tensor = tf.make_tensor_proto(checkpoint_path)
        path.value.add(tag="checkpoint_path", tensor=tensor)
        events.add_summary(path, step)
    events.flush()


def _parts(value):
    """Returns what a serialized summary holds; nothing of other text."""
    try:
        return tf1.Summary.FromString(value).value
    except Exception:  # of protobuf
        return []


def new_export(export_dir_base):
    """Returns where to write an export, a path that is not there yet."""
    while True:
        name = str(int(time.time()))
        if not tf.io.gfile.exists(os.path.join(export_dir_base, name)):
            # Whoever watches for exports sees a whole one or none.
            return os.path.join(export_dir_base, "temp-" + name)
        time.sleep(1)


def finish_export(unfinished, assets_extra=None):
    """Gives an export the name by which it is found.

    Args:
      unfinished: what ``new_export`` gave, written by now.
      assets_extra: a dict from a path in ``assets.extra`` to the file to copy there.

    Returns:
      The path of the export: bytes, as the Estimator gave it.
    """
    for name, source in (assets_extra or {}).items():
        copy = os.path.join(unfinished, "assets.extra", name)
        tf.io.gfile.makedirs(os.path.dirname(copy))
        tf.io.gfile.copy(source, copy)
    base, name = os.path.split(unfinished)
    export_dir = os.path.join(base, name[len("temp-") :])
    tf.io.gfile.rename(unfinished, export_dir)
    return tf.compat.as_bytes(export_dir)


class TensorServingInputReceiver(NamedTuple):
    """What a ``serving_input_receiver_fn`` returns for a model_fn that takes a tensor.

    Attributes:
      features: what the model_fn gets, a tensor.
      receiver_tensors: what a request feeds, a tensor or a dict of tensors.
    """

    features: Any
    receiver_tensors: Any


class ServingInputReceiver(TensorServingInputReceiver):
    """What a ``serving_input_receiver_fn`` returns.

    Attributes:
      features: what the model_fn gets, a dict; a tensor is put into one, as "feature".
      receiver_tensors: what a request feeds, a tensor or a dict of tensors.
    """

    def __new__(cls, features, receiver_tensors):
        features = features if isinstance(features, dict) else {"feature": features}
        return super().__new__(cls, features, receiver_tensors)


def build_parsing_serving_input_receiver_fn(feature_spec, default_batch_size=None):
    """Returns a ``serving_input_receiver_fn`` whose requests feed ``tf.Example``.

    Args:
      feature_spec: a dict for ``tf.io.parse_example``.
      default_batch_size: an int, or None for any.
    """

    def serving_input_receiver_fn():
        protos = tf1.placeholder(
            tf.string, [default_batch_size], "input_example_tensor"
        )
        features = tf.io.parse_example(protos, feature_spec)
        return ServingInputReceiver(features, {"examples": protos})

    return serving_input_receiver_fn


class PredictOutput:
    """The outputs of a signature for the Predict API: a tensor or a dict of them."""

    def __init__(self, outputs):
        self.outputs = outputs if isinstance(outputs, dict) else {"output": outputs}

    def as_signature_def(self, receiver_tensors):
        """Returns the ``SignatureDef`` for what a request feeds."""
        return tf1.saved_model.predict_signature_def(receiver_tensors, self.outputs)


def export_model_fn(
    model_fn, export_dir_base, serving_input_receiver_fn, model_dir, **options
):
    """Writes a SavedModel for serving; for the options see ``export_modes``.

    Args:
      model_fn, export_dir_base, model_dir, options: as there.
      serving_input_receiver_fn: returns a ``ServingInputReceiver``, or one of a tensor.
    """
    receivers = {"infer": serving_input_receiver_fn}
    return export_modes(model_fn, export_dir_base, receivers, model_dir, **options)


def export_modes(
    model_fn,
    export_dir_base,
    input_receiver_fn_map,
    model_dir,
    *,
    params=None,
    config=None,
    checkpoint_path=None,
    assets_extra=None,
    as_text=False,
    strip_default_attrs=True,
):
    """Writes a SavedModel of a checkpoint to a new directory, named by the time.

    Args:
      model_fn: takes features and any of labels, mode, params and config.
      export_dir_base: the directory to make the new one in.
      input_receiver_fn_map: a dict from "train", "eval" or "infer" to a function that
        returns a receiver; the SavedModel holds a graph for each.
      model_dir: holds the checkpoints.
      params: a dict for the model_fn.
      config: what it reads from a ``RunConfig``, if anything.
      checkpoint_path: None for the latest.
      assets_extra: a dict from a path in ``assets.extra`` to the file to copy there.
      as_text: whether to write the graph as text.
      strip_default_attrs: whether to leave out attributes that have their defaults.

    Returns:
      The path of the new directory: bytes, as the Estimator gave it.

    Raises:
      ValueError: there is no checkpoint, it lacks a variable, or there is no receiver.
    """
    path = checkpoint_path or tf.train.latest_checkpoint(model_dir)
    if path is None:
        raise ValueError(f"Couldn't find trained model at {model_dir}.")
    modes = [mode for mode in _TAGS if input_receiver_fn_map.get(mode)]
    if not modes:
        raise ValueError(
            "No valid modes for exporting found. Got " f"{list(input_receiver_fn_map)}."
        )
    unfinished = new_export(export_dir_base)
    builder = tf1.saved_model.Builder(unfinished)
    for mode in modes:
        with tf.Graph().as_default():
            tf1.train.create_global_step()
            receiver = input_receiver_fn_map[mode]()
            labels = getattr(receiver, "labels", None)
            spec = call_model_fn(
                model_fn, receiver.features, labels, mode, params, config
            )
            local = spec.scaffold and spec.scaffold.local_init_op
            graph = {
                "signature_def_map": _signatures(spec, mode, receiver),
                "assets_collection": tf1.get_collection("asset_filepaths"),
                "main_op": local or tf1.train.Scaffold.default_local_init_op(),
                "strip_default_attrs": strip_default_attrs,
            }
            with _session_of(path, spec.scaffold, mode) as session:
                if mode == modes[0]:
                    tags = [_TAGS[mode]]
                    builder.add_meta_graph_and_variables(session, tags, **graph)
                else:
                    builder.add_meta_graph([_TAGS[mode]], **graph)
    builder.save(as_text)
    return finish_export(unfinished, assets_extra)


_TAGS = {"train": "train", "eval": "eval", "infer": "serve"}


def _session_of(path, scaffold, mode):
    try:
        return RestoredSession(path, scaffold).create_session()
    except tf.errors.NotFoundError as error:
        raise ValueError(
            f"Could not load all variables that the mode {mode!r} has from {path}: "
            f"{error}"
        ) from error


def _signatures(spec, mode, receiver):
    if mode != "infer":
        return {mode: _supervised_signature(spec, mode, receiver)}
    default = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    outputs = spec.export_outputs or {default: PredictOutput(spec.predictions)}
    if len(outputs) == 1:
        outputs = {default: next(iter(outputs.values())), **outputs}
    if default not in outputs:
        raise ValueError(
            "Multiple `export_outputs` were provided, but none of them is named "
            f"{default!r}: {list(outputs)}."
        )
    fed = {"": receiver.receiver_tensors}
    fed.update(getattr(receiver, "receiver_tensors_alternatives", None) or {})
    signatures = {}
    for prefix, tensors in fed.items():
        tensors = tensors if isinstance(tensors, dict) else {"input": tensors}
        for name, output in outputs.items():
            key = f"{prefix}:{name}" if prefix else name
            try:
                signatures[key] = output.as_signature_def(tensors)
            except ValueError as error:  # such as one that only tf.Example can feed
                tf1.logging.info("No signature %s: %s", key, error)
    return signatures


def _supervised_signature(spec, mode, receiver):
    """Returns the signature of a graph that trains or evaluates."""
    outputs = {"loss": spec.loss}
    predictions = spec.predictions
    if predictions is not None and not isinstance(predictions, dict):
        predictions = {"output": predictions}
    for name, tensor in (predictions or {}).items():
        outputs[f"predictions/{name}"] = tensor
    for name, (value, update) in (spec.eval_metric_ops or {}).items():
        outputs[f"metrics/{name}/value"] = value
        outputs[f"metrics/{name}/update_op"] = update
    kind = {"train": "training", "eval": "eval"}[mode]
    info = tf1.saved_model.build_tensor_info
    inputs = receiver.receiver_tensors
    return tf1.saved_model.build_signature_def(
        {name: info(tensor) for name, tensor in inputs.items()},
        {name: info(tensor) for name, tensor in outputs.items()},
        f"tensorflow/supervised/{kind}",
    )


class ModelFnCheckpointManager(tf.train.CheckpointManager):
    """A ``tf.train.CheckpointManager`` of a training, in an Estimator's directory.

    The Estimator's checkpoints are among its own: it restores the latest, and deletes
    them when their turn comes.

    Args:
      training: a ``ModelFnTraining``, whose step the interval counts.
      model_dir: the Estimator's directory; it may be new.
      max_to_keep: how many checkpoints stay; None for all.
      settings: more arguments of ``tf.train.CheckpointManager``.

    Raises:
      ValueError: there are checkpoints, but none that can be read.
    """

    def __init__(self, training, model_dir, max_to_keep, **settings):
        if training.is_chief:  # the others read the list that the chief has mended
            mend_checkpoint_list(model_dir)
        training.wait_for_all()
        super().__init__(
            training.checkpoint,
            model_dir,
            max_to_keep,
            checkpoint_name="model.ckpt",
            step_counter=training.global_step,
            **settings,
        )


def predict_with_model_fn(
    model_fn,
    input_fn,
    model_dir,
    *,
    params=None,
    config=None,
    seed=None,
    predict_keys=None,
    hooks=(),
    checkpoint_path=None,
    yield_single_examples=True,
    warm_start_from=None,
):
    """Yields predictions of a checkpoint.

    Args:
      model_fn: takes features and any of labels, mode, params and config.
      input_fn: returns a ``tf.data.Dataset``, or the tensors of a batch; of a pair,
        the first is the features.
      model_dir: holds the checkpoints.
      params: a dict for the model_fn and the input_fn.
      config: what they read from a ``RunConfig``, if anything.
      seed: the graph's random seed.
      predict_keys: the keys of the predictions to compute; None for all.
      hooks: ``tf.compat.v1.train.SessionRunHook`` objects.
      checkpoint_path: None for the latest; where there is none, the variables are new.
      yield_single_examples: whether to take the batches apart.
      warm_start_from: a checkpoint's path or a ``WarmStartSettings``, for variables
        that are new.

    Yields:
      The predictions of one example, or of one batch, as numpy arrays.

    Raises:
      ValueError: no prediction has one of the predict_keys.
    """
    path = checkpoint_path or tf.train.latest_checkpoint(model_dir)
    with tf.Graph().as_default():
        tf1.set_random_seed(seed)
        tf1.train.create_global_step()
        batch, input_hooks = input_in_graph(input_fn, "infer", params, config)
        features = batch[0] if isinstance(batch, (list, tuple)) else batch
        spec = call_model_fn(model_fn, features, None, "infer", params, config)
        warm_start(warm_start_from, path)
        wanted = _with_keys(spec.predictions, predict_keys)
        creator = RestoredSession(path, spec.scaffold)
        hooks = [*input_hooks, *hooks, *(spec.prediction_hooks or ())]
        session = tf1.train.MonitoredSession(creator, hooks)
    # The graph is not the default one at a yield: the caller may go on eagerly.
    with session:
        while not session.should_stop():
            predictions = session.run(wanted)
            yield from (
                _examples(predictions) if yield_single_examples else [predictions]
            )


def _examples(predictions):
    if not isinstance(predictions, dict):
        return list(predictions)
    lengths = {key: len(value) for key, value in predictions.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"Predictions differ in batch length: {lengths}.")
    examples = zip(*predictions.values())
    return [dict(zip(predictions, example)) for example in examples]


def _with_keys(predictions, keys):
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys is for predictions that are a dict.")
    wanted = {key: predictions[key] for key in predictions if key in keys}
    if not wanted:
        raise ValueError(f"None of {keys} among the predictions {list(predictions)}.")
    return wanted


_RESOURCE = tf.resource.as_datatype_enum


_EFFECTS = {"Assert", "EagerPyFunc", "Print", "PrintV2", "PyFunc"}


class GraphPart:
    """The part of a TF1 graph that some results need, to be run in a ``tf.function``.

    It runs what ``Session.run(results)`` would run and nothing else. Unlike a session,
    it reads and writes a variable in program order: ``tf.function`` sees to that.

    Args:
      graph: the ``tf.Graph``.
      results: tensors and operations of the graph, to be computed.
      given: names of the tensors that each run is given from outside.
      prefix: begins the names under which the part's tables are shared.

    Attributes:
      needs: names of the tensors, of those given, that the part uses.
      operations: names of the operations that it runs.
    """

    def __init__(self, graph, results, given, prefix=""):
        self._results = [result.name for result in results]
        sources = {name.split(":")[0] for name in given}
        self.operations = _operations_behind(results, sources)
        self.needs = set(given).intersection(self._results)
        whole = graph.as_graph_def()
        _keep_effects(whole)
        _stay_in_this_process(whole)
        self._nodes = tf1.GraphDef(versions=whole.versions, library=whole.library)
        _register(self._nodes)
        for node in whole.node:  # in the order in which the program made them
            if node.name in self.operations:
                self._add(node, given, prefix)

    def _add(self, node, given, prefix):
        inputs = [name for name in node.input if not name.startswith("^")]
        controls = [name for name in node.input if name[1:] in self.operations]
        tensors = [name if ":" in name else f"{name}:0" for name in inputs]
        self.needs.update(set(given).intersection(tensors))
        del node.input[:]
        node.input.extend(inputs + controls)
        # A variable's handle is given: there is nothing to be placed beside.
        node.attr.pop("_class", None)
        if "shared_name" in node.attr and not node.attr["shared_name"].s:
            node.attr["shared_name"].s = (prefix + node.name).encode()
        self._nodes.node.append(node)

    def run(self, given):
        """Adds the part to the current ``tf.function``, and returns its results.

        Args:
          given: a dict from name to tensor, or from a handle's name to ``tf.Variable``.
        """
        known = {name: _inside(given[name]) for name in self.needs}
        inside = [name for name in self._results if name not in known]
        computed = tf.graph_util.import_graph_def(
            self._nodes, input_map=known, return_elements=inside, name=""
        )
        known.update(zip(inside, computed))
        return [known[name] for name in self._results]


def _register(graph_def):
    """Makes functions known outside of graphs, from where a ``tf.function`` calls them."""
    if graph_def.library.function:
        # A hook may be what asks, in the graph that it works on; a new thread is in none.
        with concurrent.futures.ThreadPoolExecutor(1) as thread:
            thread.submit(tf.graph_util.import_graph_def, graph_def, name="").result()


def _keep_effects(graph_def):
    """Has ``tf.function`` do what branches of ``tf.cond`` and bodies of loops do.

    A session does what the results of a branch depend on. ``tf.function`` leaves out
    assignments there, unless the branch names them among its control outputs.

    Args:
      graph_def: a ``GraphDef``, whose functions are changed, and get names of their own.
    """
    library = graph_def.library.function
    renamed = {one.signature.name: f"{one.signature.name}_run" for one in library}
    for function in library:
        function.signature.name = renamed[function.signature.name]
        for name in () if function.control_ret else _effects(function):
            function.control_ret[name] = name
            function.signature.control_output.append(name)
    for one in graph_def.library.gradient:
        one.function_name = renamed.get(one.function_name, one.function_name)
        one.gradient_func = renamed.get(one.gradient_func, one.gradient_func)
    for node in [*graph_def.node, *(node for one in library for node in one.node_def)]:
        for attribute in node.attr.values():
            called = [attribute.func] if attribute.HasField("func") else []
            for one in [*called, *attribute.list.func]:
                one.name = renamed.get(one.name, one.name)


def without_task(device):
    """Returns a device's name without the process that it is in."""
    spec = tf.DeviceSpec.from_string(device)
    return spec.replace(job=None, replica=None, task=None).to_string()


def _stay_in_this_process(graph_def):
    """Has the nodes run in this process, by whichever name a cluster knows it."""
    functions = graph_def.library.function
    for node in [
        *graph_def.node,
        *(node for one in functions for node in one.node_def),
    ]:
        if node.device:
            node.device = without_task(node.device)


def _effects(function):
    """Returns the names of nodes with effects, of those that a function's results need."""
    nodes = {node.name: node for node in function.node_def}
    state = {arg.name for arg in function.signature.input_arg if arg.type == _RESOURCE}
    ahead, found = [name.split(":")[0] for name in function.ret.values()], {}
    while ahead:
        name = ahead.pop()
        if name in nodes and name not in found:
            inputs = [one.lstrip("^").split(":")[0] for one in nodes[name].input]
            found[name] = nodes[name].op in _EFFECTS or not state.isdisjoint(inputs)
            ahead += inputs
    return [name for name, has_effect in found.items() if has_effect]


def _operations_behind(results, sources):
    found, ahead = set(), [getattr(result, "op", result) for result in results]
    while ahead:
        operation = ahead.pop()
        if operation.name not in found and operation.name not in sources:
            found.add(operation.name)
            ahead += [tensor.op for tensor in operation.inputs]
            ahead += operation.control_inputs
    return found


def _inside(given):
    """Brings a tensor or a variable into the function that is being traced."""
    if isinstance(given, tf.Variable):
        return tf.convert_to_tensor(given.handle)
    return tf.identity(given)


_ITERATOR = "batches/.ATTRIBUTES/ITERATOR_STATE"


class NamedCheckpoint(tf.train.Checkpoint):
    """What ``tf.train.CheckpointManager`` saves as an Estimator's ``Saver`` would.

    Whoever reads a checkpoint by the names of its variables, an Estimator too, finds
    them. An iterator that is set as the attribute ``batches`` is saved with them.

    Args:
      variables: a dict from name to ``tf.Variable``.
      keys: for a variable that a checkpoint has elsewhere, its name there, and which
        part of that it is, as ``tf.raw_ops.SaveV2`` wants it: a dict from the
        variable's name to both.
      write_graph: writes the graph to a path, for the file ``.meta``; None for none.
      sync: whether a save is on the disk before the list of checkpoints names it, and
        the list when the save is done, so that both outlast a power cut; on local disks.
    """

    def __init__(self, variables, keys=(), write_graph=None, sync=True):
        super().__init__(variables=variables)
        self._write_graph, self._graph, self._sync = write_graph, None, sync
        own = {name: (name, "") for name in variables}
        # A dict, or a function, would become a part of the checkpoint.
        self._keys = types.MappingProxyType({**own, **dict(keys)})
        self._bytes = sum(_size(variable) for variable in variables.values())
        put = tf.function(self._put, autograph=False)
        self._put_in_graph = lambda *given: put(*given)
        self._writes = 0

    @property
    def save_counter(self):
        """How many saves ``tf.train.CheckpointManager`` has begun, a ``tf.Variable``."""
        counter = super().save_counter
        if int(counter) > self._writes:
            # It saves by another way than below, which writes objects.
            self._writes = int(counter)
            tf.get_logger().warning(
                "This TensorFlow saves objects: an Estimator, and other readers of names, "
                "cannot read these checkpoints. This program can."
            )
        return counter

    def write(self, file_prefix, options=None):
        """Saves.

        Args:
          file_prefix: the path to write, without ``.index``.
          options: a ``tf.train.CheckpointOptions``; its callbacks are called.

        Returns:
          The path.

        Raises:
          tf.errors.DataLossError: what is on the disk is not whole; no list names it,
            and no older checkpoint is deleted for it.
        """
        self._writes += 1
        more = {}
        if hasattr(self, "batches"):
            more[_ITERATOR] = tf.raw_ops.SerializeIterator(
                resource_handle=self._iterator(), external_state_policy=2  # fail
            )
        tf.io.gfile.makedirs(os.path.dirname(file_prefix))
        self._put_in_graph(tf.constant(file_prefix), more)
        _check_written(file_prefix, self._bytes)
        if self._write_graph:
            self._put_graph(file_prefix + ".meta")
        if self._sync:
            _sync_files(file_prefix, ".data-00000-of-00001", ".index", ".meta")
        for callback in getattr(options, "experimental_write_callbacks", None) or ():
            callback(file_prefix)  # a manager's list names the new one, the old ones go
        if self._write_graph:
            _delete_graphs(file_prefix)
        if self._sync:
            _sync_files(os.path.join(os.path.dirname(file_prefix), "checkpoint"), "")
        return file_prefix

    def _put(self, prefix, more):
        """Writes the variables, and more: a dict from key to tensor."""
        names, parts = zip(*self._keys.values(), *((key, "") for key in more))
        tensors = [self.variables[name].read_value() for name in self._keys]
        written = tf.raw_ops.SaveV2(
            prefix=prefix,
            tensor_names=names,
            shape_and_slices=parts,
            tensors=tensors + list(more.values()),
        )
        with tf.control_dependencies([written]):
            return tf.identity(prefix)  # what nobody returns, a function may not run

    def _put_graph(self, path):
        """Writes ``.meta`` once; from then on it is the same file under more names."""
        if path == self._graph:
            return
        if tf.io.gfile.exists(path):
            tf.io.gfile.remove(path)
        if self._graph and tf.io.gfile.exists(self._graph):
            try:
                os.link(self._graph, path)
            except OSError:  # not on a local disk
                tf.io.gfile.copy(self._graph, path)
        else:
            self._write_graph(path)
        self._graph = path

    def _write(self, file_prefix, options=None):  # what a CheckpointManager calls
        return self.write(file_prefix, options)

    def read(self, save_path, options=None):
        """Restores, by name or from ``tf.train.Checkpoint(variables=variables)``.

        Args:
          save_path: the checkpoint's path; an Estimator may have written it.
          options: taken for the sake of ``tf.train.Checkpoint``.

        Raises:
          ValueError: the checkpoint lacks variables, or has them in another shape.
        """
        keys = dict(self._keys)
        if not is_by_name(save_path):
            keys = {name: (variable_key(name), "") for name in keys}
        saved = tf.train.load_checkpoint(save_path).get_variable_to_shape_map()
        _check_fit(save_path, saved, self.variables, keys)
        variables = [self.variables[name] for name in keys]
        values = _values(save_path, keys.values(), [v.dtype for v in variables])
        for variable, value in zip(variables, values):
            variable.assign(value)
        if hasattr(self, "batches") and _ITERATOR in saved:
            (state,) = _values(save_path, [(_ITERATOR, "")], [tf.variant])
            tf.raw_ops.DeserializeIterator(
                resource_handle=self._iterator(), serialized=state
            )

    def restore(self, save_path, options=None):
        """Restores as ``read`` does; this is what a ``CheckpointManager`` calls."""
        self.read(save_path, options)

    def _iterator(self):
        (handle,) = tf.nest.flatten(self.batches, expand_composites=True)
        return handle


def _size(variable):
    """The bytes that a checkpoint holds of a variable; at least, for strings."""
    if variable.dtype == tf.string:
        return 0
    return variable.dtype.size * variable.shape.num_elements()


def _check_written(prefix, expected):
    """Raises a DataLossError where fewer bytes are there than expected."""
    try:
        count = len(tf.train.load_checkpoint(prefix).get_variable_to_shape_map())
        found = tf.io.gfile.stat(prefix + ".data-00000-of-00001").length
    except (tf.errors.OpError, RuntimeError, ValueError) as error:
        raise tf.errors.DataLossError(None, None, f"{prefix}: {error}") from error
    if found < expected or not count:
        message = f"{prefix} has {found} bytes of {expected}"
        raise tf.errors.DataLossError(None, None, message)


def _sync_files(prefix, *endings):
    """Waits until files, and their names in their directory, are on the disk."""
    paths = [prefix + ending for ending in endings if os.path.exists(prefix + ending)]
    if paths:
        paths.append(os.path.dirname(prefix) or ".")
        with ThreadPoolExecutor(len(paths)) as threads:  # at once: a disk joins syncs
            list(threads.map(_sync, paths))


def _sync(path):
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that cannot
            raise
    finally:
        os.close(opened)


def _delete_graphs(prefix):
    """Deletes each ``.meta`` whose checkpoint a manager has deleted."""
    directory, name = os.path.split(prefix)
    base = re.escape(name.rpartition("-")[0])
    there = set(tf.io.gfile.listdir(directory))
    for name in there:
        graph = re.fullmatch(rf"({base}-\d+)\.meta", name)
        if graph and graph[1] + ".index" not in there:
            tf.io.gfile.remove(os.path.join(directory, name))


def _values(path, keys, dtypes):
    names, parts = zip(*keys)
    return tf.raw_ops.RestoreV2(
        prefix=path, tensor_names=names, shape_and_slices=parts, dtypes=dtypes
    )


def _check_fit(path, saved, variables, keys):
    """Raises a ValueError that names the variables that a checkpoint does not fit."""
    missing, misshapen = [], []
    for name, (key, part) in keys.items():
        whole = [int(size) for size in part.split()[:-1]]  # of "10 4 0,5:0,4"
        shape = whole or variables[name].shape.as_list()
        if key not in saved:
            missing.append(key)
        elif saved[key] != shape:
            misshapen.append(f"{key} {saved[key]}, not {shape}")
    if missing or misshapen:
        raise ValueError(
            f"{path} does not fit the model_fn. Missing in it: "
            f"{', '.join(missing) or 'none'}. Of another shape: "
            f"{', '.join(misshapen) or 'none'}."
        )


def saved_keys(variables, saver):
    """Returns where a TensorFlow 1 checkpoint has the variables of the current graph.

    Args:
      variables: a dict from name to variable.
      saver: the ``tf.compat.v1.train.Saver`` of a Scaffold; None for the default one,
        which saves all.

    Returns:
      A dict from the name of a variable that is elsewhere than under it, to its name
      in the checkpoint and the part of that which it is, "" for all, as
      ``tf.raw_ops.SaveV2`` wants both.

    Raises:
      ValueError: the saver saves what is no variable.
    """
    keys = {}
    for name, variable in variables.items():
        part = variable.to_proto().save_slice_info_def
        if part.full_name:
            whole = " ".join(map(str, part.full_shape))
            ranges = [f"{o},{s}" for o, s in zip(part.var_offset, part.var_shape)]
            keys[name] = part.full_name, f"{whole} {':'.join(ranges)}"
    if saver is not None:
        keys.update(_keys_of(saver, variables))
    return keys


def _keys_of(saver, variables):
    saver.build()
    names = {variable.handle.op.name: name for name, variable in variables.items()}
    keys, others = {}, []
    for save in _saves_before(saver.as_saver_def().save_tensor_name):
        _, saved, parts, *tensors = save.inputs
        found = zip(tf.get_static_value(saved), tf.get_static_value(parts), tensors)
        for key, part, tensor in found:
            source = tensor.op
            while source.inputs:  # a read of a variable, and what moves the value
                source = source.inputs[0].op
            if source.name in names:
                keys[names[source.name]] = key.decode(), part.decode()
            else:
                others.append(key.decode())
    if others:
        raise ValueError(f"Not variables, so the Saver's would be lost: {others}.")
    more = sorted(variables.keys() - keys.keys())
    if more:
        tf.get_logger().warning(
            "Saved beside what the model_fn's Saver saves: %s", more
        )
    return keys


def _saves_before(tensor_name):
    """Returns the operations that write a checkpoint's variables."""
    graph = tf.compat.v1.get_default_graph()
    ahead, found = [graph.get_tensor_by_name(tensor_name).op], {}
    while ahead:
        operation = ahead.pop()
        if operation.name not in found:
            found[operation.name] = operation
            ahead += [tensor.op for tensor in operation.inputs]
            ahead += operation.control_inputs
    return [operation for operation in found.values() if operation.type == "SaveV2"]


class ModelFnTraining:
    """An unchanged ``model_fn`` in training: its variables, and the steps it takes.

    The model_fn builds its TF1 graph once, as under an Estimator. ``tf.function`` runs
    that graph on ``tf.Variable`` objects, which have the names that the graph gave.

    Args:
      model_fn: takes features and any of labels, mode, params and config.
      dataset: a ``tf.data.Dataset`` of features, or of (features, labels).
      params: a dict for the model_fn.
      config: what the model_fn reads from its ``RunConfig``, if anything.
      seed: the graph's random seed, ``RunConfig.tf_random_seed``.
      warm_start_from: a checkpoint's path or a ``WarmStartSettings``, to take values
        from where there is no checkpoint to restore.
      summary_dir: where ``tf.compat.v1.summary`` goes; None for nowhere.
      save_summary_steps: steps from one summary to the next; None or 0 for none.
      sync_saves: whether a save waits until it is on the disk, if that is a local one.

    Attributes:
      graph: the TF1 graph.
      spec: the EstimatorSpec that the model_fn returned.
      variables: a dict from name to ``tf.Variable``: all that a checkpoint holds.
      checkpoint: a ``NamedCheckpoint`` of them.
      global_step: one of them, int64.
      last_loss: a ``tf.Variable``, the loss of the last step.
      dataset: as given.
      is_chief: whether this process saves.
      writer: a ``tf.summary.SummaryWriter`` into summary_dir, or None.
    """

    is_chief = True

    def __init__(
        self,
        model_fn,
        dataset,
        *,
        params=None,
        config=None,
        seed=None,
        warm_start_from=None,
        summary_dir=None,
        save_summary_steps=100,
        sync_saves=True,
    ):
        self.graph, self.dataset = tf.Graph(), dataset
        with self.graph.as_default():
            tf1.set_random_seed(seed)
            tf1.train.create_global_step()
            self._placeholders, batch = _placeholders(dataset.element_spec)
            features, labels = features_and_labels(batch)
            spec = call_model_fn(model_fn, features, labels, "train", params, config)
            warm_start(warm_start_from, None)
            self._loss = tf.reshape(spec.loss, [])
            if "loss" not in [s.op.name for s in tf1.get_collection("summaries")]:
                tf1.summary.scalar("loss", self._loss)
            self._summary = tf1.summary.merge_all()
            self._saved = {v.op.name: v for v in tf1.global_variables()}
            _check_carried(self._saved)
            local = {v.op.name: v for v in tf1.local_variables()}
            scaffold = self._scaffold = spec.scaffold or tf1.train.Scaffold()
            start = scaffold.local_init_op or scaffold.default_local_init_op()
            savers = [scaffold.saver, *tf1.get_collection(tf1.GraphKeys.SAVERS)]
            self._saver = next(filter(None, savers), None)
            keys = saved_keys(self._saved, self._saver)
        self.spec = spec
        in_graph = {**local, **self._saved}
        held = {
            name: tf.Variable(tf.zeros(v.shape, v.dtype), False, name=name)
            for name, v in in_graph.items()
        }
        self._by_handle = {v.handle.name: held[name] for name, v in in_graph.items()}
        self.variables = {name: held[name] for name in self._saved}
        self.checkpoint = NamedCheckpoint(
            self.variables, keys, self._write_graph, sync_saves
        )
        self.global_step = self.variables["global_step"]
        self.last_loss = tf.Variable(tf.zeros([], self._loss.dtype), False)
        self.writer = summary_dir and tf.summary.create_file_writer(summary_dir)
        self._save_summary_steps = summary_dir and save_summary_steps
        self._prefix = f"{uuid.uuid4()}/"  # the tables of two trainings must not meet
        self._take_steps = tf.function(self._take_steps, autograph=False)
        tf.function(
            lambda: self.part([start]).run(self._by_handle)[:0], autograph=False
        )()

    def managed_by(self, manager):
        """Returns the manager that saves, a ``tf.train.CheckpointManager``.

        That is another than the given one where the model_fn has a Saver of its own,
        which says how many checkpoints to keep.
        """
        if self._saver is None:
            return manager
        asked = self._saver.as_saver_def()
        return tf.train.CheckpointManager(
            self.checkpoint,
            manager.directory,
            max_to_keep=asked.max_to_keep or None,
            keep_checkpoint_every_n_hours=asked.keep_checkpoint_every_n_hours,
            checkpoint_name="model.ckpt",
            step_counter=self.global_step,
            checkpoint_interval=manager.checkpoint_interval,
        )

    def restore(self, manager):
        """Restores the latest checkpoint; where there is none, initializes.

        Args:
          manager: a ``tf.train.CheckpointManager`` that saves ``checkpoint``; the
            latest may be one that an Estimator wrote.

        Returns:
          The global step, an int.

        Raises:
          ValueError: the checkpoint lacks variables, or has them in another shape.
        """
        if manager.latest_checkpoint is None:
            self._initialize()
        else:
            manager.restore_or_initialize()
            tf1.logging.info("Restored %s", manager.latest_checkpoint)
        return int(self.global_step)

    def _initialize(self):
        """Takes the values that an Estimator's session begins with.

        Those are the initializers', ``init_from_checkpoint``'s, the Scaffold's and the
        warm start's.
        """
        with self.graph.as_default():
            creator = tf1.train.ChiefSessionCreator(self._scaffold)
            with creator.create_session() as session:
                values = session.run(self._saved)
        for name, value in values.items():
            self.variables[name].assign(value)

    def _write_graph(self, path):
        with self.graph.as_default():
            self._scaffold.finalize()
            self._scaffold.saver.export_meta_graph(path)

    def __call__(self, batches, until, first_step):
        """Takes several steps without coming back to Python between them.

        Args:
          batches: an iterator of the dataset.
          until: the global step to stop at, an int; a loss that is NaN stops before.
          first_step: the step at which the training began; summaries count from it.

        Returns:
          The last step's loss, a number.

        Raises:
          tf.errors.OutOfRangeError: the dataset ended; the steps before that are taken.
        """
        bounds = tf.constant(until, tf.int64), tf.constant(first_step, tf.int64)
        return self._take_steps(batches, *bounds).numpy()

    def wait_for_all(self):
        """Waits for the job's other processes, of which there are none."""

    def part(self, results, given=frozenset()):
        """Returns the ``GraphPart`` of some results; see ``given`` for its inputs."""
        inputs = {p.name for p in self._placeholders} | self._by_handle.keys()
        return GraphPart(self.graph, results, inputs | given, self._prefix)

    def given(self, batch):
        """Returns what a part is given: a batch, and the variables."""
        tensors = tf.nest.flatten(batch, expand_composites=True)
        names = [placeholder.name for placeholder in self._placeholders]
        return {**self._by_handle, **dict(zip(names, tensors))}

    def take_step(self, batches, first_step, more=()):
        """Adds one step to the ``tf.function`` that is being traced.

        Args:
          batches: an iterator of the dataset.
          first_step: as for a call.
          more: tensors and operations of the graph that the step computes as well.

        Returns:
          The loss, and a list of what was asked for.
        """
        given = self.given(next(batches))
        step = self.global_step.read_value()
        results = [self._loss, self.spec.train_op, *more]
        shared = self._shared_with_summary(results)
        values = self.part(results + list(shared.values())).run(given)
        self.last_loss.assign(values[0])
        if self._save_summary_steps:
            given.update(zip(shared, values[len(results) :]))
            due = (step - first_step) % self._save_summary_steps == 0
            tf.cond(due, lambda: self._write(given, step + 1), lambda: False)
        return values[0], values[2 : len(results)]

    def _take_steps(self, batches, until, first_step):
        def take_step(_, __):
            loss, _ = self.take_step(batches, first_step)
            return self.global_step.read_value(), loss

        return tf.while_loop(
            lambda step, loss: (step < until) & ~tf.math.is_nan(loss),
            take_step,
            (self.global_step.read_value(), tf.zeros([], self._loss.dtype)),
        )[1]

    def _shared_with_summary(self, results):
        """Returns, by name, the tensors of a step that a summary takes from it."""
        if not self._save_summary_steps:
            return {}
        operations = self.part(results).operations
        outputs = {
            tensor.name: tensor
            for operation in self.graph.get_operations()
            if operation.name in operations
            for tensor in operation.outputs
        }
        self._summary_part = self.part([self._summary], operations | outputs.keys())
        return {
            name: outputs[name] for name in self._summary_part.needs & outputs.keys()
        }

    def _write(self, given, step):
        (summary,) = self._summary_part.run(given)
        with self.writer.as_default(step):
            return tf.summary.experimental.write_raw_pb(summary)


def _placeholders(structure):
    parts = tf.nest.flatten(structure, expand_composites=True)
    flat = [tf1.placeholder(part.dtype, part.shape) for part in parts]
    return flat, tf.nest.pack_sequence_as(structure, flat, expand_composites=True)


def _check_carried(variables):
    """Raises a ValueError for what an Estimator saves and a checkpoint would lack."""
    other = [saved.name for saved in tf1.get_collection(tf1.GraphKeys.SAVEABLE_OBJECTS)]
    other += [name for name, v in variables.items() if not hasattr(v, "handle")]
    if other:
        raise ValueError(f"Not resource variables, so they would be lost: {other}.")


def get_variable_names(model_dir):
    """Returns the names of the variables in the latest checkpoint of a directory."""
    path = tf.train.latest_checkpoint(model_dir)
    names = [name for name, _ in tf.train.list_variables(path)]
    if is_by_name(path):  # an iterator's state may lie beside them
        return [name for name in names if not name.startswith("batches/.")]
    inside = [name.split("/")[1] for name in names if name.startswith("variables/")]
    return [name.replace(".S", "/").replace("..", ".") for name in inside]


def get_variable_value(model_dir, name):
    """Returns the value of a variable in the latest checkpoint, a numpy array."""
    path = tf.train.latest_checkpoint(model_dir)
    return tf.train.load_variable(
        path, name if is_by_name(path) else variable_key(name)
    )


_UNSET = object()


class RunConfig:
    """The settings of a training job, and its place in the cluster of ``TF_CONFIG``.

    Args:
      model_dir: the directory of the checkpoints.
      tf_random_seed: the graph's seed; None for none.
      save_summary_steps: steps between two summaries; None or 0 for none.
      save_checkpoints_steps: steps between two checkpoints; not with secs. None or 0
        for no checkpoints.
      save_checkpoints_secs: seconds between two checkpoints; 600 if neither is given.
        None or 0 for no checkpoints.
      session_config: a ``tf.compat.v1.ConfigProto``; evaluations and predictions run
        with it, training does not.
      keep_checkpoint_max: how many checkpoints to keep; 0 or None for all.
      keep_checkpoint_every_n_hours: the hours between checkpoints kept for good.
      log_step_count_steps: steps between two lines of the log; None for none.
      train_distribute: a ``tf.distribute.Strategy`` to train under: of one device, a
        ``MirroredStrategy``, or a ``MultiWorkerMirroredStrategy``.
      eval_distribute: a strategy for code that reads it; evaluations run on one device.
      device_fn, protocol, experimental_distribute, experimental_max_worker_delay_secs,
        session_creation_timeout_secs, checkpoint_save_graph_def: for code that reads
        them.

    Attributes:
      cluster_spec, task_type, task_id, is_chief, master, evaluation_master, service,
        num_ps_replicas, num_worker_replicas, global_id_in_cluster: what ``TF_CONFIG``
        says of the cluster, and of this process's place in it.

    Raises:
      ValueError: steps and seconds are both given, another value is wrong, or the
        strategy is one that does not train here.
    """

    def __init__(
        self,
        model_dir=None,
        tf_random_seed=None,
        save_summary_steps=100,
        save_checkpoints_steps=_UNSET,
        save_checkpoints_secs=_UNSET,
        session_config=None,
        keep_checkpoint_max=5,
        keep_checkpoint_every_n_hours=10000,
        log_step_count_steps=100,
        train_distribute=None,
        device_fn=None,
        protocol=None,
        eval_distribute=None,
        experimental_distribute=None,
        experimental_max_worker_delay_secs=None,
        session_creation_timeout_secs=7200,
        checkpoint_save_graph_def=True,
    ):
        tf_config = json.loads(os.environ.get("TF_CONFIG") or "{}")
        if save_checkpoints_steps is _UNSET:
            save_checkpoints_steps = None
            if save_checkpoints_secs is _UNSET:
                save_checkpoints_secs = 600
        elif save_checkpoints_secs is _UNSET:
            save_checkpoints_secs = None
        self._set(
            model_dir=_model_dir(model_dir, tf_config),
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_steps=save_checkpoints_steps,
            save_checkpoints_secs=save_checkpoints_secs,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            train_distribute=train_distribute,
            device_fn=device_fn,
            protocol=protocol,
            eval_distribute=eval_distribute,
            experimental_distribute=experimental_distribute,
            experimental_max_worker_delay_secs=experimental_max_worker_delay_secs,
            session_creation_timeout_secs=session_creation_timeout_secs,
            checkpoint_save_graph_def=checkpoint_save_graph_def,
        )
        self._read_cluster(tf_config)

    def replace(self, **changes):
        """Returns a copy with other settings; one save interval clears the other."""
        known = RunConfig.__init__.__code__.co_varnames
        for name in changes:
            if name not in known or name in ("self", "tf_config"):
                raise ValueError(f"Replacing {name} is not supported.")
        config = copy.copy(self)
        given = {name for name, value in changes.items() if value is not None}
        if "save_checkpoints_steps" in given and "save_checkpoints_secs" not in changes:
            config.save_checkpoints_secs = None
        if "save_checkpoints_secs" in given and "save_checkpoints_steps" not in changes:
            config.save_checkpoints_steps = None
        config._set(**changes)
        return config

    def _set(self, **settings):
        vars(self).update(settings)
        if None not in (self.save_checkpoints_steps, self.save_checkpoints_secs):
            raise ValueError(
                "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both "
                "set."
            )
        for name in ("summary_steps", "checkpoints_steps", "checkpoints_secs"):
            if (getattr(self, f"save_{name}") or 0) < 0:
                raise ValueError(f"save_{name} should be >= 0")
        if (self.keep_checkpoint_max or 0) < 0:
            raise ValueError("keep_checkpoint_max should be >= 0")
        for name in ("keep_checkpoint_every_n_hours", "log_step_count_steps"):
            if getattr(self, name) is not None and getattr(self, name) <= 0:
                raise ValueError(f"{name} should be > 0")
        if self.model_dir == "":
            raise ValueError("model_dir should be non-empty")
        if not isinstance(self.tf_random_seed, (int, type(None))):
            raise ValueError("tf_random_seed must be integer.")
        if not isinstance(self.session_config, (tf1.ConfigProto, type(None))):
            raise ValueError("session_config must be instance of ConfigProto")
        _check_strategies(self)

    def _read_cluster(self, tf_config):
        """Sets what ``TF_CONFIG`` says, a dict."""
        jobs = tf_config.get("cluster") or {}
        task = tf_config.get("task") or {}
        chief = "master" if "master" in jobs else "chief"
        if self.train_distribute is not None and chief not in jobs:
            chief = "worker"  # the first of them
        self.service = tf_config.get("service")
        self.task_type = task.get("type", None if jobs else "worker")
        self.task_id = task.get("index", None if jobs else 0)
        _check_task(jobs, self.task_type, self.task_id, chief)
        self.task_id = int(self.task_id)
        self.is_chief = not jobs or (self.task_type, self.task_id) == (chief, 0)
        if self.task_type == "evaluator":  # it is not of the cluster that trains
            jobs = {}
        self.cluster_spec = tf.train.ClusterSpec(jobs)
        self.num_ps_replicas = len(jobs.get("ps", ()))
        workers = {"worker", chief}
        self.num_worker_replicas = sum(len(jobs.get(name, ())) for name in workers)
        self.global_id_in_cluster = None
        self.master, self.evaluation_master = "", ""
        if self.task_type == "evaluator":
            self.evaluation_master = tf_config.get("eval_session_master", "")
            return
        order = [chief, *sorted(jobs.keys() - {chief, "ps"}), "ps"]
        before = order[: order.index(self.task_type)] if jobs else []
        ahead = sum(len(jobs.get(name, ())) for name in before)
        self.global_id_in_cluster = ahead + self.task_id
        if not jobs:
            self.num_worker_replicas = 1
            self.evaluation_master = tf_config.get("eval_session_master", "")
        elif sum(map(len, jobs.values())) > 1:
            self.master = f"grpc://{jobs[self.task_type][self.task_id]}"
        self.master = tf_config.get("session_master", self.master)


def _model_dir(given, tf_config):
    given = os.fspath(given) if given is not None else None
    other = tf_config.get("model_dir")
    if given and other and given != other:
        raise ValueError(
            f"model_dir is {given}, and in TF_CONFIG it is {other}: they must be equal."
        )
    return other if given is None else given


def _check_task(jobs, task_type, task_id, chief):
    """Raises a ValueError where ``TF_CONFIG`` names no task of its cluster."""
    if not jobs:
        if task_type != "worker" or int(task_id) != 0:
            raise ValueError(
                'If "cluster" is not set in TF_CONFIG, task type must be WORKER and '
                "task index must be 0."
            )
        return
    if len(jobs.get(chief, ())) != 1 and chief != "worker":
        raise ValueError(
            f'If "cluster" is set in TF_CONFIG, it must have one "{chief}" node.'
        )
    if not task_type or task_id is None:
        raise ValueError(
            'If "cluster" is set in TF_CONFIG, task type and index must be set.'
        )
    if task_type != "evaluator" and not 0 <= int(task_id) < len(
        jobs.get(task_type, ())
    ):
        raise ValueError(
            f"{task_type} {task_id} is not a valid task in the cluster {jobs}, which "
            "may come from the TF_CONFIG environment variable."
        )


def _check_strategies(config):
    # The last is the class of a MultiWorkerMirroredStrategy.
    kinds = "OneDeviceStrategy", "MirroredStrategy", "CollectiveAllReduceStrategy"
    for strategy in (config.train_distribute, config.eval_distribute):
        kind = type(strategy).__name__
        if strategy is not None and not kind.startswith(kinds):
            raise ValueError(
                f"A strategy {kind} is not carried over. Give a OneDeviceStrategy, a "
                "MirroredStrategy, a MultiWorkerMirroredStrategy, or none."
            )
    if config.experimental_distribute is not None:
        raise ValueError("Give train_distribute in place of experimental_distribute.")


def run_training(
    train,
    manager,
    *,
    max_steps=None,
    steps=None,
    save_secs=None,
    log_every=100,
    hooks=None,
    saving_listeners=(),
    resume_input=None,
):
    """Restores the latest checkpoint, trains, and saves at the start and at the end.

    In between it saves after each ``manager.checkpoint_interval`` steps, or save_secs;
    without either it never saves. Steps run without coming back to Python until a save,
    a line in the log or a hook is due, or a second is over. After an AbortedError or
    UnavailableError it goes on from the latest checkpoint.

    Args:
      train: a ``ModelFnTraining``.
      manager: a ``tf.train.CheckpointManager`` that saves ``train.checkpoint``; a Saver
        of the model_fn's own says how many are kept, as under an Estimator.
      max_steps: the global step to end at, of a fraction the next whole one; None for
        the end of the data. Where the latest checkpoint is as far, nothing is done.
      steps: instead, how many more steps to take.
      save_secs: the seconds between two saves, in place of the manager's interval.
      log_every: steps between two lines with the loss and the speed; None for none.
      hooks: a ``TrainingHooks``, or None.
      saving_listeners: ``tf.compat.v1.train.CheckpointSaverListener`` objects; without
        hooks, the session that they get is None.
      resume_input: takes the global step and returns the data from there on; by
        default ``train.checkpoint.batches``, an iterator that is saved, goes on, or
        else the data start again.

    Returns:
      The last step's loss; None where no step was taken.

    Raises:
      tf.compat.v1.train.NanLossDuringTrainingError: the loss is not a number.
      ValueError: there are listeners, and nothing is saved.
    """
    manager = train.managed_by(manager)
    path = manager.latest_checkpoint
    if path and max_steps is not None and saved_step(path) >= max_steps:
        tf1.logging.info("Skipping training since max_steps has already saved.")
        return None
    saves = _Saves(train, manager, save_secs, hooks, saving_listeners)
    log = _StepLog(train, log_every)
    # With hooks, Python comes in between any two steps.
    take_steps = hooks.take_step if hooks and hooks.hooks else train
    if hooks:
        hooks.begin()
    step, end, loss, stop = None, None, None, False
    while not stop:
        if step is None:  # at the beginning, and after an error to recover from
            saves.start(train.restore(manager))
            if hooks:
                hooks.after_create_session()
            step = first = int(train.global_step)  # a hook may have changed it
            if end is None:
                last = max_steps if steps is None else step + steps
                end = math.inf if last is None else math.ceil(last)
            batches = getattr(train.checkpoint, "batches", None)
            if batches is None:
                batches = iter(resume_input(step) if resume_input else train.dataset)
            log.start(first)
            at_once = 1
        until = min(end, saves.next(), log.next(step), step + at_once)
        began, before = time.monotonic(), step
        try:
            loss = take_steps(batches, max(step + 1, until), first)
            step = int(train.global_step)
            seconds = (time.monotonic() - began) / max(1, step - before)
            at_once = max(1, int(1 / seconds))
            # An Estimator saves before it calls the hooks.
            stop = saves.save_if_due(step)
            stop = bool(hooks and hooks.after_run()) or stop or step >= end
            if math.isnan(loss):
                raise tf1.train.NanLossDuringTrainingError
            log.log(step, loss)
        except (tf.errors.OutOfRangeError, StopIteration):  # the data's end, or a hook
            step, stop = int(train.global_step), True
            loss = train.last_loss.numpy() if step > before else loss
        except (tf.errors.AbortedError, tf.errors.UnavailableError) as error:
            tf1.logging.warning("Going on from the latest checkpoint: %s", error)
            step = None
    if loss is None:
        tf1.logging.warning("Training made no steps: is the input empty?")
    saves.end(step)
    if hooks:
        hooks.end()
    tf1.logging.info("Loss for final step: %s.", loss)
    return loss


class _Saves:
    """When a training saves, and who hears of it."""

    def __init__(self, train, manager, secs, hooks, listeners):
        self._train, self._manager, self._secs = train, manager, secs
        self._steps = None if secs else manager.checkpoint_interval
        self._is_on = bool(self._steps or secs)
        self._session, self._listeners = hooks and hooks.session, list(listeners)
        own = hooks and hooks.saver
        if own:  # a hook of the user's saves in the place of this
            own.save_with(train, manager, self._listeners)
            self._is_on, self._listeners = False, []
        elif self._listeners and not self._is_on:
            raise ValueError(
                "There is no save to listen to: set save_checkpoints_steps or "
                "save_checkpoints_secs."
            )
        elif not self._is_on:
            tf1.logging.warning("No checkpoints: no interval between saves is set.")
        self._step = self._time = None
        self._tell("begin")

    def start(self, step):
        if self._is_on:
            self._save(step)

    def next(self):
        """Returns the step at which the next save is due; by the clock, none."""
        return self._step + self._steps if self._is_on and self._steps else math.inf

    def save_if_due(self, step):
        """Returns whether a listener asks to stop."""
        is_due = step >= self.next()
        if self._is_on and self._secs:
            is_due = time.monotonic() >= self._time + self._secs
        return is_due and self._save(step)

    def end(self, step):
        if self._is_on and step != self._step:
            self._save(step)
        self._train.wait_for_all()
        self._tell("end", self._session, step)

    def _save(self, step):
        self._step, self._time = step, time.monotonic()
        if not self._train.is_chief:
            return False
        self._tell("before_save", self._session, step)
        path = self._manager.save(checkpoint_number=step, check_interval=False)
        if path:  # else this is the step that was restored
            prefix = path.rpartition("-")[0]
            tf1.logging.info("Saving checkpoints for %d into %s.", step, prefix)
        return any(self._tell("after_save", self._session, step))

    def _tell(self, event, *arguments):
        if not self._train.is_chief:
            return []
        with self._train.graph.as_default():
            return [getattr(one, event)(*arguments) for one in self._listeners]


class _StepLog:
    """The lines with the loss and the speed, as an Estimator wrote them."""

    def __init__(self, train, every):
        self._train, self._every = train, every

    def start(self, step):
        self._next, self._last = step + 1, None

    def next(self, step):
        """Returns the step after which the next line is due."""
        return self._next if self._every else math.inf

    def log(self, step, loss):
        if not self._every or step < self._next:
            return
        self._next = step + self._every
        now, told = (step, time.monotonic()), ""
        if self._last:
            seconds = now[1] - self._last[1]
            speed, told = (step - self._last[0]) / seconds, f" ({seconds:.3f} sec)"
            tf1.logging.info("global_step/sec: %g", speed)
            self._write(speed, step)
        # An Estimator names the step before the update.
        tf1.logging.info("loss = %s, step = %d%s", loss, step - 1, told)
        self._last = now

    def _write(self, speed, step):
        if self._train.writer:
            scalar = tf1.Summary.Value(tag="global_step/sec", simple_value=speed)
            summary = tf1.Summary(value=[scalar]).SerializeToString()
            with self._train.writer.as_default(step):
                tf.summary.experimental.write_raw_pb(summary)


class TrainingSession:
    """Computes what a hook or a listener asks its session for.

    Args:
      train: a ``ModelFnTraining``.

    Attributes:
      graph: the model_fn's graph.
    """

    def __init__(self, train):
        self._train, self.graph, self._functions = train, train.graph, {}
        # Hooks run in the graph, functions do not; each thread has a place of its own.
        self._eager = ThreadPoolExecutor(1)

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Computes tensors, and runs operations, that need no batch."""
        if feed_dict:
            raise ValueError("A hook cannot feed tensors here.")
        names = fetch_names(self.graph, fetches)
        key = tuple(tf.nest.flatten(names))
        if key not in self._functions:
            elements = [self.graph.as_graph_element(name) for name in key]
            part, given = self._train.part(elements), self._train.given(())
            self._functions[key] = tf.function(
                lambda: fetch_tensors(key, part.run(given)), autograph=False
            )
        values = self._eager.submit(lambda: self._functions[key]()).result()
        return fetch_results(names, values)


def fetch_names(graph, fetches):
    """Replaces what is fetched, be it a variable or a name, by names of the graph."""
    return tf.nest.map_structure(
        lambda fetch: None if fetch is None else graph.as_graph_element(fetch).name,
        fetches,
    )


def fetch_tensors(names, values):
    """Returns those of the values that are tensors, by their names."""
    pairs = zip(names, values)
    return {name: value for name, value in pairs if isinstance(value, tf.Tensor)}


def fetch_results(names, values):
    """Replaces names by numpy values, and those of operations by None, as a session."""
    return tf.nest.map_structure(
        lambda name: values[name].numpy() if name in values else None, names
    )


class TrainingHooks:
    """The hooks of a training, for ``run_training``.

    What their ``before_run`` asks for, of the model_fn's graph, is computed by the step
    itself. ``run_context.session.run`` computes what needs no batch. A hook that stops
    ends the training as the end of the data does.

    Args:
      train: a ``ModelFnTraining``.
      hooks: ``tf.compat.v1.train.SessionRunHook`` objects. As under an Estimator, the
        chief's hooks of the model_fn come before them, its other ones after them.

    Attributes:
      hooks: all of them.
      session: the ``TrainingSession`` that they get.
      saver: the ``CheckpointSaverHook`` among them, or None.
    """

    def __init__(self, train, hooks=()):
        first, last = train.spec.training_chief_hooks, train.spec.training_hooks
        self._train, self.hooks = train, [*(first or ()), *hooks, *(last or ())]
        self.session = TrainingSession(train)
        savers = [hook for hook in self.hooks if hasattr(hook, "save_with")]
        if len(savers) > 1:
            raise ValueError("Only one CheckpointSaverHook can save a training.")
        self.saver = savers[0] if savers else None
        self._wanted, self._step = {}, None

    def begin(self):
        """Tells the hooks that a training begins, before it is restored."""
        self._each("begin")

    def after_create_session(self):
        """Tells the hooks that the training is restored."""
        self._each("after_create_session", self.session, tf.train.Coordinator())

    def take_step(self, batches, until, first_step):
        """Takes one step, after the hooks' ``before_run``.

        Args:
          batches, until, first_step: as for a call of the ``ModelFnTraining``.

        Returns:
          The loss, a number.
        """
        own = tf1.train.SessionRunArgs([self._train.spec.train_op])
        self._context = tf1.train.SessionRunContext(own, self.session)
        asked = [
            args and args.fetches for args in self._each("before_run", self._context)
        ]
        graph = self._train.graph
        self._names = [fetch_names(graph, fetches) for fetches in asked]
        new = set(tf.nest.flatten(self._names)) - self._wanted.keys() - {None}
        if self._step is None or new:
            self._wanted.update((name, graph.as_graph_element(name)) for name in new)
            self._step = tf.function(self._compute(dict(self._wanted)), autograph=False)
        first = tf.constant(first_step, tf.int64)
        loss, self._values = self._step(batches, first)
        return loss.numpy()

    def after_run(self):
        """Gives the hooks what they asked for; returns whether one of them stops."""
        if not self.hooks:
            return False
        metadata = tf1.RunMetadata()
        with self._train.graph.as_default():
            for hook, wanted in zip(self.hooks, self._names):
                results = fetch_results(wanted, self._values)
                values = tf1.train.SessionRunValues(results, None, metadata)
                hook.after_run(self._context, values)
        return self._context.stop_requested

    def end(self):
        """Tells the hooks that the training has ended without an error."""
        self._each("end", self.session)

    def _each(self, event, *arguments):
        with self._train.graph.as_default():
            return [getattr(hook, event)(*arguments) for hook in self.hooks]

    def _compute(self, wanted):
        def step(batches, first_step):
            loss, values = self._train.take_step(batches, first_step, wanted.values())
            return loss, fetch_tensors(wanted, values)

        return step


def is_of_class(value, kind):
    """Returns whether a value is an instance of a class, or of its twin in another file.

    Args:
      value: any object.
      kind: a class of these helpers.
    """
    twins = [one for one in type(value).__mro__ if one.__name__ == kind.__name__]
    return isinstance(value, kind) or any(
        not one.__module__.startswith("tensorflow") for one in twins
    )


class Estimator:
    """A model_fn with its settings and its directory, as ``tf.estimator.Estimator``.

    Args:
      model_fn: takes features and any of labels, mode, params and config, and returns
        an ``EstimatorSpec``.
      model_dir: the directory of the checkpoints; by default config's, else a new one.
      config: a ``RunConfig``; None for its defaults.
      params: a dict for the model_fn and the input_fns.
      warm_start_from: a checkpoint's path or a ``WarmStartSettings``, to begin with
        where model_dir has no checkpoint.

    Raises:
      ValueError: the model_fn takes other arguments, or model_dir and that of config
        differ.
    """

    train_under = None  # ``distributed_training``, where that is written too

    def __init__(
        self, model_fn, model_dir=None, config=None, params=None, warm_start_from=None
    ):
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        _check_model_fn(model_fn, params)
        self._config = _config_of(config, model_dir)
        self._model_dir = self._config.model_dir
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})
        self._warm_start_from = warm_start_from
        tf1.logging.info("Using config: %s", vars(self._config))
        if self._config.train_distribute is not None and not self.train_under:
            raise ValueError("The helpers for a train_distribute are not written here.")

    @property
    def model_dir(self):
        """The directory of the checkpoints."""
        return self._model_dir

    @property
    def config(self):
        """The ``RunConfig``; a copy."""
        return copy.copy(self._config)

    @property
    def params(self):
        """The params of the model_fn; a copy."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self):
        """The model_fn with its params: takes features, labels, mode and config."""

        def model_fn(features, labels, mode, config):
            return self._call_model_fn(features, labels, mode, config)

        return model_fn

    def train(
        self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None
    ):
        """Trains from the latest checkpoint, and saves as the config says.

        Args:
          input_fn: returns a ``tf.data.Dataset`` of features or (features, labels), or
            the tensors of a batch; may take mode, params and config.
          hooks: ``tf.compat.v1.train.SessionRunHook`` objects.
          steps: how many more steps to take; or
          max_steps: the global step to end at; None for the end of the data.
          saving_listeners: ``tf.compat.v1.train.CheckpointSaverListener`` objects.

        Returns:
          The estimator.

        Raises:
          ValueError: steps and max_steps are both given, or not positive.
        """
        check_steps(steps=steps, max_steps=max_steps)
        hooks = _checked(hooks, tf1.train.SessionRunHook, "Hooks must be")
        listeners = _checked(
            saving_listeners, tf1.train.CheckpointSaverListener, "Listeners must be"
        )
        path, config = self.latest_checkpoint(), self.config
        if max_steps is not None and path and saved_step(path) >= max_steps:
            tf1.logging.info("Skipping training since max_steps has already saved.")
            return self
        training = self._training(input_fn, config)
        run_training(
            training,
            self._manager(training),
            steps=steps,
            max_steps=max_steps,
            save_secs=config.save_checkpoints_secs,
            log_every=config.log_step_count_steps,
            hooks=TrainingHooks(training, hooks),
            saving_listeners=listeners,
        )
        return self

    def evaluate(
        self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None
    ):
        """Evaluates a checkpoint, and writes the metrics to ``eval_dir(name)``.

        Args:
          input_fn: as for ``train``.
          steps: how many batches; None for all.
          hooks: ``tf.compat.v1.train.SessionRunHook`` objects.
          checkpoint_path: None for the latest.
          name: tells apart evaluations on several datasets.

        Returns:
          A dict with the model_fn's metrics, the mean "loss", and the "global_step".
        """
        check_steps(steps=steps)
        return evaluate_model_fn(
            self.model_fn,
            input_fn,
            self._model_dir,
            steps=steps,
            hooks=_checked(hooks, tf1.train.SessionRunHook, "Hooks must be"),
            checkpoint_path=checkpoint_path,
            name=name,
            **self._settings("eval"),
        )

    def predict(
        self,
        input_fn,
        predict_keys=None,
        hooks=None,
        checkpoint_path=None,
        yield_single_examples=True,
    ):
        """Yields predictions of a checkpoint; see ``predict_with_model_fn``."""
        return predict_with_model_fn(
            self.model_fn,
            input_fn,
            self._model_dir,
            predict_keys=predict_keys,
            hooks=_checked(hooks, tf1.train.SessionRunHook, "Hooks must be"),
            checkpoint_path=checkpoint_path,
            yield_single_examples=yield_single_examples,
            **self._settings("infer"),
        )

    def export_saved_model(
        self,
        export_dir_base,
        serving_input_receiver_fn,
        assets_extra=None,
        as_text=False,
        checkpoint_path=None,
        experimental_mode="infer",
    ):
        """Writes a SavedModel for serving; see ``export_modes``."""
        if not serving_input_receiver_fn:
            raise ValueError("An input_receiver_fn must be defined.")
        return self._export(
            export_dir_base,
            {experimental_mode: serving_input_receiver_fn},
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
        )

    def export_savedmodel(
        self,
        export_dir_base,
        serving_input_receiver_fn,
        assets_extra=None,
        as_text=False,
        checkpoint_path=None,
        strip_default_attrs=False,
    ):
        """Writes a SavedModel; the older name of ``export_saved_model``."""
        if not serving_input_receiver_fn:
            raise ValueError("An input_receiver_fn must be defined.")
        return self._export(
            export_dir_base,
            {"infer": serving_input_receiver_fn},
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
            strip_default_attrs=strip_default_attrs,
        )

    def experimental_export_all_saved_models(
        self,
        export_dir_base,
        input_receiver_fn_map,
        assets_extra=None,
        as_text=False,
        checkpoint_path=None,
    ):
        """Writes a SavedModel with a graph for each mode of input_receiver_fn_map."""
        return self._export(
            export_dir_base,
            input_receiver_fn_map,
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
        )

    def latest_checkpoint(self):
        """Returns the path of the latest checkpoint, or None."""
        return tf.train.latest_checkpoint(self._model_dir)

    def get_variable_names(self):
        """Returns the names of the variables in the latest checkpoint."""
        self._check_trained()
        return get_variable_names(self._model_dir)

    def get_variable_value(self, name):
        """Returns the value of a variable in the latest checkpoint, a numpy array."""
        self._check_trained()
        return get_variable_value(self._model_dir, name)

    def eval_dir(self, name=None):
        """Returns the directory that the metrics of an evaluation are written to."""
        return os.path.join(self._model_dir, f"eval_{name}" if name else "eval")

    def _check_trained(self):
        if self.latest_checkpoint() is None:
            raise ValueError(
                f"Could not find trained model in model_dir: {self._model_dir}."
            )

    def _training(self, input_fn, config):
        """Returns the training that a ``train`` runs."""
        tf1.set_random_seed(config.tf_random_seed)
        options = {
            **self._settings("train"),
            "summary_dir": self._model_dir,
            "save_summary_steps": config.save_summary_steps,
        }
        if config.train_distribute is not None:
            return self.train_under(input_fn, options)
        dataset = dataset_from_input_fn(
            input_fn, options["params"], config, seed=options["seed"]
        )
        return ModelFnTraining(self.model_fn, dataset, **options)

    def _manager(self, training):
        """Returns the manager with the settings of the config."""
        config = self._config
        interval = config.save_checkpoints_steps or (config.save_checkpoints_secs and 1)
        return ModelFnCheckpointManager(
            training,
            self._model_dir,
            max_to_keep=config.keep_checkpoint_max or None,
            keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
            checkpoint_interval=interval or None,
        )

    def _export(self, export_dir_base, input_receiver_fn_map, **options):
        return export_modes(
            self.model_fn,
            export_dir_base,
            input_receiver_fn_map,
            self._model_dir,
            config=self.config,
            **options,
        )

    def _settings(self, mode):
        """Returns what training, evaluation and prediction have in common."""
        config = self.config
        params = self._params_of(mode)
        return {
            "params": params,
            "config": config,
            "seed": config.tf_random_seed,
            "warm_start_from": self._warm_start_from,
        }

    def _params_of(self, mode):
        """Returns the params of a mode, which are the same for all."""
        return self.params

    def _call_model_fn(self, features, labels, mode, config):
        tf1.logging.info("Calling model_fn.")
        params = self._params_of(mode)
        spec = call_model_fn(self._model_fn, features, labels, mode, params, config)
        tf1.logging.info("Done calling model_fn.")
        return spec


def _config_of(config, model_dir):
    """Returns the config with the directory that the two settle."""
    config = RunConfig() if config is None else config
    if not is_of_class(config, RunConfig):
        raise ValueError(f"config must be an instance of RunConfig, not {config!r}.")
    if model_dir is not None:
        model_dir = os.fspath(model_dir)
        if config.model_dir not in (None, model_dir):
            raise ValueError(
                "`model_dir` are set both in constructor and `RunConfig`, but with "
                f"different values. In constructor: '{model_dir}', in `RunConfig`: "
                f"'{config.model_dir}'."
            )
    elif config.model_dir is None:
        model_dir = tempfile.mkdtemp()
        tf1.logging.warning("Using temporary folder as model directory: %s", model_dir)
    return config.replace(model_dir=model_dir or config.model_dir)


def _check_model_fn(model_fn, params):
    names = argument_names(model_fn)
    if "features" not in names:
        raise ValueError(f"model_fn ({model_fn}) must include features argument.")
    if params is not None and "params" not in names:
        raise ValueError(
            f"model_fn ({model_fn}) does not include params argument, but params "
            f"({params}) is passed to Estimator."
        )
    unknown = names - {"features", "labels", "mode", "params", "config", "self"}
    if unknown:
        raise ValueError(
            f"model_fn ({model_fn}) has following not expected args: {sorted(unknown)}"
        )


def check_steps(**given):
    """Raises a ValueError unless at most one number of steps is given, above 0."""
    if len([number for number in given.values() if number is not None]) > 1:
        raise ValueError("Can not provide both steps and max_steps.")
    for name, number in given.items():
        if number is not None and number <= 0:
            raise ValueError(f"Must specify {name} > 0, given: {number}")


def _checked(objects, kind, told):
    objects = list(objects or ())
    for one in objects:
        if not isinstance(one, kind):
            raise TypeError(f"{told} a {kind.__name__}, given: {one}")
    return objects


class ModeKeys:
    """The modes that a ``model_fn`` is called in."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = INFER = "infer"  # contrib.learn says INFER


class EstimatorSpec(NamedTuple):
    """What a ``model_fn`` returns, as ``tf.estimator.EstimatorSpec``.

    Attributes:
      mode: one of ``ModeKeys``.
      predictions: a tensor or a dict of tensors; needed to predict.
      loss: a tensor with one value; needed to train and to evaluate.
      train_op: needed to train.
      eval_metric_ops: a dict from name to a pair of value and update, or to a metric.
      export_outputs: a dict from the name of a signature to its outputs.
      training_chief_hooks, training_hooks, evaluation_hooks, prediction_hooks:
        ``tf.compat.v1.train.SessionRunHook`` objects.
      scaffold: a ``tf.compat.v1.train.Scaffold``.
    """

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metric_ops: Any = None
    export_outputs: Any = None
    training_chief_hooks: Any = ()
    training_hooks: Any = ()
    scaffold: Any = None
    evaluation_hooks: Any = ()
    prediction_hooks: Any = ()


def canned_variables(model):
    """Yields the variables of a migrated canned model, each after its old name.

    Args:
      model: the ``tf.keras.Model``, or one part of a ``WideAndDeep``.

    Raises:
      ValueError: a layer has weights, and no canned model has such a layer.
    """
    layers = getattr(model, "stack", None) or getattr(model, "layers", [model])
    dense = [layer for layer in layers if isinstance(layer, tf.keras.layers.Dense)]
    position, scope = -1, ""
    for layer in layers:
        kind = type(layer).__name__
        if isinstance(layer, tf.keras.layers.Dense):
            position += 1
            last = layer is dense[-1]
            scope = "dnn/logits" if last else f"dnn/hiddenlayer_{position}"
            for part in ("kernel", "bias"):
                yield f"{scope}/{part}", getattr(layer, part)
        elif isinstance(layer, tf.keras.layers.BatchNormalization):
            for part in ("gamma", "beta", "moving_mean", "moving_variance"):
                yield f"{scope}/batchnorm_{position}/{part}", getattr(layer, part)
        elif kind == "DenseColumns":
            where = "dnn/input_from_feature_columns/input_layer"
            for column, variable in layer.embeddings.items():
                yield f"{where}/{_in_scope(column)}/embedding_weights", variable
        elif kind == "LinearColumns":
            for column, variable in layer.kernels.items():
                yield f"linear/linear_model/{_in_scope(column)}/weights", variable
            yield "linear/linear_model/bias_weights", layer.bias
        elif kind == "BiasAlone":
            yield "baseline/bias", layer.bias
        elif layer.trainable_weights:
            raise ValueError(
                f"The layer {layer.name} has weights, and a canned estimator has no "
                "such layer."
            )


def _in_scope(column):
    return re.sub(r"[^A-Za-z0-9.\-_]", "_", column)


class CheckpointRecovery(tf.keras.callbacks.Callback):
    """Saves while ``fit`` runs, and restores the newest checkpoint that can be read.

    Saves when training starts, every ``manager.checkpoint_interval`` steps or
    ``save_secs`` seconds, and when it ends; an exception ends it without a save.

    Args:
      manager: a ``tf.train.CheckpointManager`` of
        ``tf.train.Checkpoint(model=..., optimizer=...)``.
      save_secs: seconds between two saves; None to save by steps alone.
    """

    def __init__(self, manager, save_secs=None):
        super().__init__()
        self.manager = manager
        self.save_secs = save_secs
        self._saved_step = None

    @property
    def step(self):
        """The number of training steps that the model has seen, an int."""
        return int(self.manager.checkpoint.optimizer.iterations.numpy())

    def restore(self):
        """Restores the newest readable checkpoint and returns its step, 0 if none.

        Raises:
          ValueError: the checkpoint does not fit; the message names the variable.
          RuntimeError: there are checkpoints, but none of them can be read.
        """
        problem = None
        for path in self._newest_first():
            try:
                self._restore_all(path)
            except (tf.errors.OpError, IndexError) as error:  # IndexError: cut short
                tf.get_logger().warning("Cannot read %s (%s)", path, error)
                problem = error
            else:
                tf.get_logger().info("Restored %s at step %d", path, self.step)
                self._saved_step = self.step
                return self.step
        if problem is not None:  # Never train from scratch over what is there.
            directory = self.manager.directory
            raise RuntimeError(f"No checkpoint in {directory} is whole.") from problem
        return self.step

    def on_train_begin(self, logs=None):
        self._make_slots()
        self._save()

    def on_epoch_begin(self, epoch, logs=None):
        self._epoch_start, self._epoch_steps = self.step, 0

    def on_train_batch_end(self, batch, logs=None):
        self._epoch_steps = batch + 1
        self._unsaved_steps += 1
        every, seconds = self.manager.checkpoint_interval, self.save_secs
        by_step = every is not None and self._unsaved_steps >= every
        if by_step or (
            seconds is not None and time.monotonic() >= self._saved_time + seconds
        ):
            self._save()

    def on_epoch_end(self, epoch, logs=None):
        self._uncount_missing_batch(self._epoch_start + self._epoch_steps)

    def on_train_end(self, logs=None):
        self._save()

    def _uncount_missing_batch(self, trained):
        # Of a dataset of unknown cardinality Keras finds the end by a step more, which
        # trains nothing but is counted.
        if self.step == trained + 1:
            self.manager.checkpoint.optimizer.iterations.assign(trained)

    def _save(self):
        step = self.step
        if step != self._saved_step:
            # check_interval=True would skip the last save.
            self.manager.save(checkpoint_number=step, check_interval=False)
        self._saved_step, self._unsaved_steps = step, 0
        self._saved_time = time.monotonic()

    def _newest_first(self):
        if self.manager.checkpoints:
            return self.manager.checkpoints[::-1]
        # The file "checkpoint", which lists them, is lost.
        files = tf.io.gfile.glob(
            os.path.join(self.manager.directory, "*ckpt-[0-9]*.index")
        )
        paths = [file[: -len(".index")] for file in files]
        return sorted(paths, key=lambda path: int(path.split("-")[-1]), reverse=True)

    def _restore_all(self, path):
        names = tf.train.load_checkpoint(path).get_variable_to_dtype_map()
        is_of_objects = "_CHECKPOINTABLE_OBJECT_GRAPH" in names
        if not is_of_objects or "estimator_global_step" in {
            n.split("/")[0] for n in names
        }:
            directory = self.manager.directory
            raise ValueError(
                f"{path} was written by tf.estimator and has other names than this "
                "model. To go on from it, train in the directory that this makes: "
                f"estimator-migrate checkpoint {directory} NEW_DIRECTORY --for "
                f"{sys.argv[0]}"
            )
        self._make_slots()
        try:
            self.manager.checkpoint.restore(path).assert_consumed()
        except (AssertionError, ValueError) as error:
            raise ValueError(f"{path} does not fit this model: {error}") from error

    def _make_slots(self):
        # Keras 3 would make them in the first step: too late for the first save, and
        # for a restore, which would find no place for them.
        checkpoint = self.manager.checkpoint
        model, optimizer = checkpoint.model, checkpoint.optimizer
        if not model.built:
            return
        with model.distribute_strategy.scope():
            if hasattr(optimizer, "build"):
                optimizer.build(model.trainable_variables)
            else:  # tf.keras.optimizers.legacy; Keras calls this to load a model.
                optimizer._create_all_weights(model.trainable_variables)


class ColumnBatch:
    """The features of one batch, each transformed once by the columns that read it.

    Args:
      features: a dict of dense or sparse tensors, [batch] or [batch, ...].
    """

    def __init__(self, features):
        self._features = features
        self._transformed = {}

    def get(self, key, state_manager=None, training=None):
        """Returns a feature by its name, or what a column makes of its own."""
        if key not in self._transformed:
            is_name = isinstance(key, str)
            self._transformed[key] = (
                self._feature(key)
                if is_name
                else key.transform_feature(self, state_manager)
            )
        return self._transformed[key]

    def _feature(self, name):
        if name not in self._features:
            raise ValueError(f"The input has no feature {name!r}.")
        value = self._features[name]
        if value.shape.rank != 1:
            return value
        if isinstance(value, tf.SparseTensor):
            return tf.sparse.expand_dims(value, -1)
        return tf.expand_dims(value, -1)


class ColumnState:
    """The embeddings of feature columns, and the tables of their vocabularies.

    Args:
      add_weight: that of the Keras layer to which the embeddings belong.

    Attributes:
      embeddings: the variables by the names of their columns.
    """

    def __init__(self, add_weight):
        self.embeddings = {}
        self._add_weight = add_weight
        self._resources = {}

    def create_variable(
        self,
        feature_column,
        name,
        shape,
        dtype=None,
        trainable=True,
        use_resource=True,
        initializer=None,
    ):
        self.embeddings[feature_column.name] = self._add_weight(
            name=weight_name(feature_column),
            shape=shape,
            dtype=dtype or "float32",
            trainable=trainable,
            initializer=initializer,
        )

    def get_variable(self, feature_column, name):
        return trained_variable(self.embeddings[feature_column.name])

    def has_resource(self, feature_column, name):
        return (feature_column.name, name) in self._resources

    def add_resource(self, feature_column, name, resource):
        self._resources[feature_column.name, name] = resource

    def get_resource(self, feature_column, name):
        return self._resources[feature_column.name, name]

    @property
    def tables(self):
        """The tables that have been made so far, a list."""
        return list(self._resources.values())


def in_order(columns):
    """Returns feature columns in the Estimator's order, that of their names.

    Raises:
      ValueError: two columns have one name.
    """
    by_name = {column.name: column for column in columns}
    if len(by_name) < len(columns):
        raise ValueError(f"Two feature columns have one name: {sorted(by_name)}")
    return [column for _, column in sorted(by_name.items())]


def weight_name(column):
    """Returns a name for a column's weight; Keras 3 takes no slash in one."""
    return column.name.replace("/", "_")


def trained_variable(weight):
    """Returns the ``tf.Variable`` of a layer's weight, which Keras 3 wraps."""
    return weight if isinstance(weight, tf.Variable) else weight.value


def example_batch(columns):
    """Returns features of one example without missing values, to build a model with.

    Args:
      columns: the feature columns of the model.
    """
    features = {}
    for column in columns:
        for name, kind in column.parse_example_spec.items():
            shape = getattr(kind, "shape", None)
            if shape is None and name in features:
                continue  # read as a number too, which settles its shape
            value = "?" if kind.dtype == tf.string else int(kind.dtype.is_floating)
            features[name] = tf.fill(
                [1, *(shape or (1,))], tf.constant(value, kind.dtype)
            )
    return features


class DenseColumns(tf.keras.layers.Layer):
    """Reads features through their columns, as the Estimator's networks do.

    Takes a dict of features and gives [batch, sum of the columns' sizes].

    Args:
      columns: numeric, bucketized, indicator and embedding columns of
        ``tf.feature_column``.

    Attributes:
      embeddings: the weights by the names of their columns.
    """

    def __init__(self, columns):
        super().__init__()
        self.supports_jit = False  # XLA knows no strings
        columns = self._columns = in_order(list(columns))
        self._state = ColumnState(self.add_weight)
        for column in columns:
            column.create_state(self._state)
        self.embeddings = self._state.embeddings
        for number, weight in enumerate(self.embeddings.values()):
            setattr(self, f"embedding_{number}", weight)  # for tf.train.Checkpoint
        self.built = True

    @property
    def tables(self):
        """The tables of the columns' vocabularies, a list; an export has to hold them."""
        return self._state.tables

    def call(self, features):
        batch, parts = ColumnBatch(features), []
        for column in self._columns:
            size = column.variable_shape.num_elements()
            dense = column.get_dense_tensor(batch, self._state)
            parts.append(tf.reshape(dense, [-1, size]))
        return tf.concat(parts, 1)


def drop_empty_checkpoint_list(directory):
    """Removes the file ``checkpoint``, a directory's list of checkpoints, if it is empty.

    ``tf.train.CheckpointManager(..., directory)`` would raise a ValueError. Where the
    file is not there, the recovery finds the checkpoints by their names.

    Args:
      directory: the manager's; it may be new.
    """
    path = os.path.join(directory, "checkpoint")
    if tf.io.gfile.exists(path) and not tf.io.gfile.stat(path).length:
        tf.get_logger().warning("%s is empty: removed", path)
        tf.io.gfile.remove(path)


class EpochRecovery(CheckpointRecovery):
    """Saves after each epoch of ``fit``, and restores the newest checkpoint.

    Use ``model.fit(..., initial_epoch=recovery.restore(), callbacks=[recovery])``;
    ``epochs`` is then the total over all starts of the job. From ``restore`` until the
    training ends, ``model.save`` and ``model.save_weights`` put a file in its place when
    it is whole, so that a kill leaves none that an older way to resume cannot load. The
    history that ``fit`` returns holds the epochs of earlier starts too.

    With ``save_freq`` an epoch that was interrupted goes on with the batches that it lacks.
    Its data start again from the first batch. Where Keras cannot know how many batches an
    epoch has, before one has ended, it trains all of them again.

    Args:
      manager: a ``tf.train.CheckpointManager`` of ``tf.train.Checkpoint(model=...,
        optimizer=..., epoch=tf.Variable(0))``; with ``save_freq`` the checkpoint has a
        ``batch=tf.Variable(0)`` too.
      save_freq: batches between two saves within an epoch, an int, as ``ModelCheckpoint``
        has it; None or "epoch" for none.
    """

    _unbuilt = None  # The checkpoint of a model that is not built yet.
    _is_built_late = False  # Whether the first batch builds the model.
    _is_first_again = False  # Whether the process's first epoch is not the job's.
    _first = 0  # The epoch before which the history is that of earlier starts.

    _done = 0  # Batches of the epoch that earlier starts have trained.
    _counted = None  # Batches of an epoch whose length Keras does not know.
    _unsaved = 0  # Batches since the last save.
    _is_shortened = False  # Whether the epoch ends before its data do.

    def __init__(self, manager, save_freq=None):
        super().__init__(manager)
        self.save_freq = None if save_freq == "epoch" else save_freq
        self._logs = {}  # By epoch.

    def restore(self, epoch=0, in_loop=False):
        """Restores the newest readable checkpoint and returns its epoch.

        Args:
          epoch: what to return where there is no checkpoint, an int.
          in_loop: whether each ``fit`` trains one epoch and returns its history alone.
        """
        super().restore()
        if self._saved_step is None:
            self.manager.checkpoint.epoch.assign(int(epoch))
        epoch = int(self.manager.checkpoint.epoch.numpy())
        if tf.io.gfile.exists(self._file("history.json")):
            with tf.io.gfile.GFile(self._file("history.json")) as file:
                logs = {int(name): value for name, value in json.load(file).items()}
            self._logs = {name: logs[name] for name in sorted(logs) if name < epoch}
        self._first = 0 if in_loop else epoch
        if self.save_freq is not None:
            self._done = int(self.manager.checkpoint.batch.numpy())
            if tf.io.gfile.exists(self._file("batches.json")):
                with tf.io.gfile.GFile(self._file("batches.json")) as file:
                    self._counted = json.load(file)
        # Keras 2 looks for the end of the data in its first epoch alone, which a job
        # without interruptions counts once; Keras 3 does so in each epoch.
        self._is_first_again = epoch > 0 and not hasattr(tf.keras, "ops")
        model = self.manager.checkpoint.model
        self._is_built_late = not model.built and isinstance(model, tf.keras.Sequential)
        for name in ("save", "save_weights"):
            write = functools.partial(self._write_whole, getattr(model, name))
            object.__setattr__(model, name, write)  # Keras looks into what it is set.
        return epoch

    def on_train_begin(self, logs=None):
        model = self.manager.checkpoint.model
        is_restorable = model.built or isinstance(model, tf.keras.Sequential)
        if not is_restorable and hasattr(tf.keras, "ops"):  # Keras 3 restores it never.
            raise ValueError("Build the model before fit: model.build(input_shape).")
        is_done = int(self.manager.checkpoint.epoch.numpy()) >= self.params["epochs"]
        shape = self._file("input_shape.json")
        if self._is_built_late and is_done and tf.io.gfile.exists(shape):
            with tf.io.gfile.GFile(shape) as file:
                model.build(json.load(file))  # Keras 2 wants it, for no epoch too.
        if self._unbuilt is not None and model.built:
            super()._restore_all(self._unbuilt)
            self._unbuilt = None

    def on_train_batch_end(self, batch, logs=None):
        if self._is_first_again:
            self._trained = self.step
        if self._unbuilt is not None:  # It was restored while it was built.
            self._status.assert_consumed()
            self._unbuilt = None
        if self.save_freq is not None:
            self._save_within_epoch(batch + 1)

    def _save_within_epoch(self, trained):
        self._unsaved += trained - self._epoch_steps
        self._epoch_steps = trained
        done, all_batches = self._done + trained, self.params.get("steps")
        all_batches = all_batches or self._counted
        if all_batches is not None and done >= all_batches:  # The epoch's end saves.
            if self._done and not self.model.stop_training:
                self._is_shortened = self.model.stop_training = True
        elif self._unsaved >= self.save_freq:
            self.manager.checkpoint.batch.assign(done)
            self._save_next()

    def _end_of_data(self):
        if self._is_first_again:
            self._uncount_missing_batch(self._trained)
        self._is_first_again = False
        if self.save_freq is not None and self.params.get("steps") is None:
            self._counted = self._done + self._epoch_steps
            self._write("batches.json", self._counted)

    def _save_next(self):
        self._unsaved = 0
        self.manager.save(check_interval=False)

    def on_epoch_end(self, epoch, logs=None):
        if self._is_shortened:  # It has not come to the end of its data.
            self._is_shortened = self.model.stop_training = False
        else:
            self._end_of_data()
        self._done = 0
        self._logs[epoch] = dict(logs or {})
        self._write("history.json", self._logs)
        self.save(epoch + 1)

    def save(self, epoch):
        """Saves after an epoch.

        Args:
          epoch: the number of epochs that are done, an int.
        """
        self.manager.checkpoint.epoch.assign(epoch)
        if self.save_freq is None:
            self.manager.save(checkpoint_number=epoch, check_interval=False)
        else:  # Several in an epoch: none may be written over another.
            self.manager.checkpoint.batch.assign(0)
            self._save_next()
        if self._is_built_late:
            self._is_built_late = False
            shape = self.manager.checkpoint.model.input_shape
            self._write("input_shape.json", shape)

    def on_train_end(self, logs=None):
        for name in ("save", "save_weights"):  # The last epoch is saved.
            vars(self.manager.checkpoint.model).pop(name, None)
        history, whole = self.model.history, {}
        earlier = [epoch for epoch in self._logs if epoch < self._first]
        for epoch in earlier:
            for name, value in self._logs[epoch].items():
                whole.setdefault(name, []).append(value)
        for name, values in history.history.items():
            whole.setdefault(name, []).extend(values)
        history.history, history.epoch = whole, earlier + history.epoch
        self._first = 0

    def _file(self, name):
        return os.path.join(self.manager.directory, name)

    def _write(self, name, value):
        tf.io.gfile.makedirs(self.manager.directory)
        with tf.io.gfile.GFile(self._file(name + ".part"), "w") as file:
            json.dump(
                value, file, default=lambda one: tf.constant(one).numpy().tolist()
            )
        tf.io.gfile.rename(self._file(name + ".part"), self._file(name), overwrite=True)

    def _write_whole(self, write, filepath, *args, **kwargs):
        is_over = args[0] if args else kwargs.get("overwrite", True)
        is_file = str(filepath).endswith((".h5", ".hdf5", ".keras"))
        if not is_file or not is_over:
            write(filepath, *args, **kwargs)
            return
        directory, name = self.manager.directory, os.path.basename(str(filepath))
        tf.io.gfile.makedirs(directory)
        part = os.path.join(directory, name)
        write(part, *args, **kwargs)
        tf.io.gfile.rename(part, str(filepath), overwrite=True)

    def _restore_all(self, path):
        if self.manager.checkpoint.model.built:
            super()._restore_all(path)
        else:
            self._status = self.manager.checkpoint.restore(path)
            self._unbuilt = path


@functools.cache
def event_writer(directory):
    """Returns the ``tf.compat.v1.summary.FileWriter`` of a directory, one a process."""
    # It asks for a graph. That of tf.summary asks for the package tensorboard, which
    # TensorFlow 2.21 does not install.
    with tf.Graph().as_default():
        return tf.compat.v1.summary.FileWriter(
            directory,
            # The file's name has the second only: a start within it would empty the file.
            filename_suffix=f".{time.time_ns()}",
        )


class EvaluationLog(tf.keras.callbacks.Callback):
    """Writes the metrics that ``evaluate`` gives, at the step of the training.

    Args:
      model_dir: a path; TensorBoard finds the metrics in its ``eval`` or ``eval_NAME``.
      name: tells apart evaluations on several datasets; None or a string.
    """

    def __init__(self, model_dir, name=None):
        super().__init__()
        self.directory = os.path.join(model_dir, f"eval_{name}" if name else "eval")

    def on_test_end(self, logs=None):
        summary = tf.compat.v1.Summary()
        for tag, value in logs.items():
            if np.ndim(value) == 0:
                summary.value.add(tag=tag, simple_value=value)
        writer = event_writer(self.directory)
        writer.add_summary(summary, int(self.model.optimizer.iterations.numpy()))
        writer.flush()


class EvaluationListener(tf1.train.CheckpointSaverListener):
    """Evaluates after each save but the first, and once at the end.

    Args:
      evaluate: is called without arguments.
      throttle_secs: the least time from one evaluation to the next but the last.
    """

    def __init__(self, evaluate, throttle_secs=600):
        self._evaluate, self._secs = evaluate, throttle_secs

    def begin(self):
        self._timer = tf1.train.SecondOrStepTimer(every_secs=self._secs)
        self._is_first = True

    def after_save(self, session, global_step_value):
        if self._is_first:  # nothing is trained yet
            self._is_first = False
        elif self._timer.should_trigger_for_step(global_step_value):
            self._timer.update_last_triggered_step(global_step_value)
            self._evaluate()
        else:
            tf1.logging.info(
                "Skip the current checkpoint eval due to throttle secs (%s secs).",
                self._secs,
            )

    def end(self, session, global_step_value):
        if global_step_value != self._timer.last_triggered_step():
            self._evaluate()


def two_class_metrics():
    """The metrics of a ``DNNClassifier`` whose model gives one logit for two classes."""
    metrics = tf.keras.metrics
    return [
        OfProbabilities(metrics.BinaryAccuracy("accuracy")),
        AccuracyBaseline("accuracy_baseline"),
        OfProbabilities(metrics.AUC(name="auc")),
        OfProbabilities(metrics.AUC(name="auc_precision_recall", curve="PR")),
        metrics.MeanMetricWrapper(_cross_entropy_of_each, name="average_loss"),
        OfProbabilities(metrics.Precision(name="precision")),
        OfProbabilities(metrics.Recall(name="recall")),
        metrics.MeanMetricWrapper(_label_of_each, name="label/mean"),
        OfProbabilities(
            metrics.MeanMetricWrapper(_prediction_of_each, name="prediction/mean")
        ),
    ]


def value_metrics():
    """The metrics of a ``DNNRegressor``."""
    return [
        tf.keras.metrics.MeanMetricWrapper(_squared_error_of_each, name="average_loss"),
        tf.keras.metrics.MeanMetricWrapper(_label_of_each, name="label/mean"),
        tf.keras.metrics.MeanMetricWrapper(_prediction_of_each, name="prediction/mean"),
    ]


class OfProbabilities(tf.keras.metrics.Metric):
    """Gives a metric the probabilities of the logits that it is called with.

    Args:
      metric: a ``tf.keras.metrics.Metric`` of labels and probabilities.
    """

    def __init__(self, metric):
        super().__init__(name=metric.name)
        self.metric = metric

    def update_state(self, labels, logits, sample_weight=None):
        labels = tf.reshape(labels, tf.shape(logits))  # Keras 3 takes no [batch] here.
        self.metric.update_state(labels, tf.sigmoid(logits), sample_weight)

    def result(self):
        return self.metric.result()

    def reset_state(self):
        self.metric.reset_state()


class AccuracyBaseline(tf.keras.metrics.Mean):
    """The accuracy of always predicting the more frequent of two classes."""

    def update_state(self, labels, logits, sample_weight=None):
        super().update_state(labels, sample_weight)

    def result(self):
        mean = super().result()
        return tf.maximum(mean, 1 - mean)


def _cross_entropy_of_each(labels, logits):
    labels = tf.cast(tf.reshape(labels, tf.shape(logits)), logits.dtype)
    return tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)


def _squared_error_of_each(labels, values):
    labels = tf.cast(tf.reshape(labels, tf.shape(values)), values.dtype)
    return tf.square(labels - values)


def _label_of_each(labels, predictions):
    return labels


def _prediction_of_each(labels, predictions):
    return predictions


def keep_newest_exports(export_dir_base, exports_to_keep=5):
    """Deletes all exports of a directory but the newest.

    Args:
      export_dir_base: holds exports that are named by their time.
      exports_to_keep: an int, or None to keep all.
    """
    if exports_to_keep is None or not tf.io.gfile.isdir(export_dir_base):
        return
    names = [name.rstrip("/") for name in tf.io.gfile.listdir(export_dir_base)]
    times = sorted(name for name in names if name.isdigit() and len(name) == 10)
    for name in times[:-exports_to_keep]:
        tf.io.gfile.rmtree(os.path.join(export_dir_base, name))


def loss_smaller(best_eval_result, current_eval_result):
    """Returns whether the current evaluation has the smaller loss."""
    return best_eval_result["loss"] > current_eval_result["loss"]


class BestResult:
    """Remembers the best evaluation, across restarts too, as ``BestExporter`` does.

    Args:
      events: where ``evaluate_model_fn`` writes metrics, such as ``model_dir/eval``; or
        a pattern of such files; None to forget earlier evaluations.
      compare_fn: takes best_eval_result and current_eval_result, dicts of metrics, and
        returns whether the current one is better.
    """

    def __init__(self, events, compare_fn=loss_smaller):
        self._compare_fn, self._best, self._is_first = compare_fn, None, True
        if events and "tfevents" not in events:
            events = os.path.join(events, "*.tfevents.*")
        for path in sorted(tf.io.gfile.glob(events)) if events else ():
            for event in tf1.train.summary_iterator(path):
                scalars = [v for v in event.summary.value if v.HasField("simple_value")]
                values = {value.tag: value.simple_value for value in scalars}
                if values and self._is_better(values):
                    self._best = values

    def improves(self, metrics):
        """Returns whether to export: at the first call, and when metrics are better."""
        if not self._is_first and not self._is_better(metrics):
            return False
        self._best, self._is_first = metrics, False
        return True

    def _is_better(self, metrics):
        return self._best is None or self._compare_fn(
            best_eval_result=self._best, current_eval_result=metrics
        )


class Exporter:
    """What ``train_and_evaluate`` calls after its evaluations; a base to derive from."""

    @property
    def name(self):
        """The name of the directory that it exports to, below ``export``."""
        raise NotImplementedError

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        """Exports a checkpoint, or not.

        Args:
          estimator: the ``Estimator``.
          export_path: the directory to make the export in.
          checkpoint_path: the checkpoint that was evaluated.
          eval_result: what ``Estimator.evaluate`` returned.
          is_the_final_export: whether the training is at its max_steps.

        Returns:
          The path of the export, or None.
        """
        raise NotImplementedError


class _ModelExporter(Exporter):
    def __init__(self, name, serving_input_receiver_fn, assets_extra, as_text, keep):
        if keep is not None and keep <= 0:
            raise ValueError("`exports_to_keep`, if provided, must be positive number")
        self._name, self._receiver_fn = name, serving_input_receiver_fn
        self._assets_extra, self._as_text, self._keep = assets_extra, as_text, keep

    @property
    def name(self):
        return self._name

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        exported = estimator.export_saved_model(
            export_path,
            self._receiver_fn,
            assets_extra=self._assets_extra,
            as_text=self._as_text,
            checkpoint_path=checkpoint_path,
        )
        keep_newest_exports(export_path, self._keep)
        return exported


class FinalExporter(_ModelExporter):
    """Exports when the training is at its max_steps; see ``LatestExporter``."""

    def __init__(
        self, name, serving_input_receiver_fn, assets_extra=None, as_text=False
    ):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, None)

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        if not is_the_final_export:
            return None
        tf1.logging.info("Performing the final export in the end of training.")
        return super().export(
            estimator, export_path, checkpoint_path, eval_result, True
        )


class FeatureNetwork(tf.keras.Model):
    """What ``tf.keras.Sequential`` is for one tensor, for a dict of features.

    Of Keras 3's Sequential that is called with a dict, and of layers in a list,
    ``tf.train.Checkpoint`` saves nothing: moving averages would be lost at a restart.
    So each layer is an attribute.

    Args:
      stack: the layers, a list; the first takes the dict.
    """

    def __init__(self, stack):
        super().__init__()
        self.stack = list(stack)
        for number, layer in enumerate(self.stack):
            setattr(self, f"layer_{number}", layer)

    def call(self, features, training=None):
        net = features
        for layer in self.stack:
            net = layer(net)  # Keras hands ``training`` on
        return net


def fit_on_workers(
    model,
    dataset,
    recovery=None,
    epochs=1,
    steps_per_epoch=None,
    callbacks=(),
    validation_data=None,
    validation_steps=None,
    verbose=1,
):
    """Trains a compiled model under its strategy, as ``Model.fit`` would.

    Keras 3 refuses ``fit`` where ``MultiWorkerMirroredStrategy`` has several workers.
    Callbacks get the metrics at the end of an epoch only.

    Args:
      model: a ``tf.keras.Model``, made and compiled in the scope of its strategy.
      dataset: a ``tf.data.Dataset`` of global batches; each worker takes its shard.
      recovery: a ``WorkerRecovery``, which tells the step to resume at.
      epochs: the total number of epochs, an int, with those before an interruption.
      steps_per_epoch: the steps in an epoch; None for a whole pass over ``dataset``.
      callbacks: more ``tf.keras.callbacks.Callback`` objects.
      validation_data: a ``tf.data.Dataset`` of global batches; None for none.
      validation_steps: as ``steps_per_epoch``, for ``validation_data``.
      verbose: as in ``Model.fit``, an int.

    Returns:
      The ``History`` that ``Model.fit`` returns.
    """
    strategy = model.distribute_strategy
    if not model.built:
        with strategy.scope():
            model(_zeros(dataset.element_spec[0]))
    done = 0 if recovery is None else recovery.restore()

    @tf.function
    def train(batches):
        strategy.run(model.train_step, args=(next(batches),))

    @tf.function
    def test(batches):
        strategy.run(model.test_step, args=(next(batches),))

    steps = math.ceil(steps_per_epoch or _length(dataset))
    batches = iter(strategy.experimental_distribute_dataset(dataset.repeat()))
    calls = tf.keras.callbacks.CallbackList(
        [*callbacks, *([] if recovery is None else [recovery])],
        add_history=True,
        add_progbar=verbose != 0,
        model=model,
        verbose=verbose,
        epochs=epochs,
        steps=steps,
    )
    model.stop_training = False
    logs = {}
    calls.on_train_begin()
    for epoch in range(done // steps, epochs):
        model.reset_metrics()
        calls.on_epoch_begin(epoch)
        for batch in range(max(0, done - epoch * steps), steps):
            calls.on_train_batch_begin(batch)
            train(batches)
            calls.on_train_batch_end(batch)
            if model.stop_training:
                break
        logs = _metrics(model)
        if validation_data is not None:
            model.reset_metrics()
            held_out = iter(strategy.experimental_distribute_dataset(validation_data))
            for _ in range(math.ceil(validation_steps or _length(validation_data))):
                test(held_out)
            logs |= {f"val_{name}": value for name, value in _metrics(model).items()}
        calls.on_epoch_end(epoch, logs)
        if model.stop_training:
            break
    calls.on_train_end(logs)
    return model.history


def _metrics(model):
    return {name: float(value) for name, value in model.get_metrics_result().items()}


def _length(dataset):
    length = int(dataset.cardinality())
    if length < 0:
        raise ValueError("Say how many steps an epoch has: the dataset has no length.")
    return length


def _zeros(features):
    return tf.nest.map_structure(
        lambda spec: tf.zeros([1, *spec.shape[1:]], spec.dtype), features
    )


def has_checkpoint(directory):
    """Returns whether a directory holds what a job can go on from.

    Args:
      directory: where a ``tf.train.CheckpointManager`` or ``BackupAndRestore`` saves,
        a str; it need not exist.
    """
    saved = ("*ckpt-[0-9]*.index", "*/*ckpt-[0-9]*.index", "*.weights.h5")
    paths = [os.path.join(directory, pattern) for pattern in saved]
    return any(tf.io.gfile.glob(path) for path in paths)


def predict_classes(recovery, dataset, names=None):
    """Yields what a canned classifier predicts for each example of a dataset.

    Args:
      recovery: a ``CheckpointRecovery``, whose newest checkpoint is restored first,
        or a trained ``tf.keras.Model``. The model gives logits, [batch, n_classes],
        or [batch, 1] for two classes.
      dataset: a ``tf.data.Dataset`` of features or of (features, labels), in batches.
      names: of the classes, a list of strings; None where they are numbers.

    Yields:
      A dict of NumPy arrays with the Estimator's keys: "logits", "probabilities",
      "class_ids", "classes", ..., and "logistic" if there are two classes.
    """
    for logits in _output_of_each(recovery, dataset):
        scores = logits if len(logits) > 1 else tf.concat([[0.0], logits], 0)
        class_ids = tf.argmax(scores)[tf.newaxis]
        all_class_ids = tf.range(len(scores))
        all_classes = tf.strings.as_string(all_class_ids)
        if names is not None:
            all_classes = tf.constant(names)
        logistic = {"logistic": tf.sigmoid(logits).numpy()} if len(logits) == 1 else {}
        yield {
            "logits": logits,
            **logistic,
            "probabilities": tf.nn.softmax(scores).numpy(),
            "class_ids": class_ids.numpy(),
            "classes": tf.gather(all_classes, class_ids).numpy(),
            "all_class_ids": all_class_ids.numpy(),
            "all_classes": all_classes.numpy(),
        }


def predict_outputs(recovery, dataset):
    """Yields what an Estimator made from a Keras model predicts for each example.

    Args: as for ``predict_classes``.

    Yields:
      A dict of NumPy arrays by the names of the layers that give the outputs.
    """
    model = _restored(recovery)
    layers = [output._keras_history[0].name for output in model.outputs]
    for batch in dataset:
        outputs = model.predict_on_batch(_features(batch))
        for values in zip(*(outputs if len(layers) > 1 else [outputs])):
            yield dict(zip(layers, values))


def _output_of_each(recovery, dataset):
    model = _restored(recovery)
    for batch in dataset:
        yield from model.predict_on_batch(_features(batch))


def _restored(recovery):
    if isinstance(recovery, tf.keras.Model):
        return recovery
    recovery.restore()
    return recovery.manager.checkpoint.model


def _features(batch):
    return batch[0] if isinstance(batch, tuple) else batch


class TrainingLog(tf.keras.callbacks.Callback):
    """Writes the loss and the speed while ``fit`` runs, and stops at a NaN loss.

    Args:
      directory: where TensorBoard finds the summaries, a path.
      summary_steps: steps between two summaries of the loss; None for none.
      log_steps: steps between two lines in the log; None for none.
      tags: the summaries: a dict from a metric of ``fit`` to its name in TensorBoard.

    Raises:
      ArithmeticError: out of ``fit``, when the loss is not a number.
    """

    def __init__(self, directory, summary_steps=None, log_steps=None, tags=None):
        super().__init__()
        self.summary_steps = summary_steps
        self.log_steps = log_steps
        self.directory = directory
        self.tags = tags or {"loss": "loss"}

    def on_train_begin(self, logs=None):
        self._step = int(self.model.optimizer.iterations.numpy())
        self._first = self._logged = self._step
        self._logged_time = time.monotonic()

    def on_train_batch_begin(self, batch, logs=None):
        step = self._step + 1
        if self._due(step, self.summary_steps) or self._due(step, self.log_steps):
            # Keras gives the mean since the last reset: of the next step alone, then.
            self.model.reset_metrics()

    def on_train_batch_end(self, batch, logs=None):
        self._step = step = self._step + 1
        if math.isnan(logs["loss"]):
            raise ArithmeticError(f"The loss is not a number at step {step}.")
        if self._due(step, self.summary_steps):
            self._write({tag: logs[metric] for metric, tag in self.tags.items()})
        if self._due(step, self.log_steps):
            tf.get_logger().info("loss = %g, step = %d", logs["loss"], step)
            seconds = time.monotonic() - self._logged_time
            if step > self._first + 1:  # the first step includes tracing
                self._write({"global_step/sec": (step - self._logged) / seconds})
            self._logged, self._logged_time = step, time.monotonic()

    def on_train_end(self, logs=None):
        event_writer(self.directory).flush()

    def _write(self, values):
        summary = tf.compat.v1.Summary()
        for tag, value in values.items():
            summary.value.add(tag=tag, simple_value=value)
        event_writer(self.directory).add_summary(summary, self._step)

    def _due(self, step, every):
        return bool(every) and (step - self._first - 1) % every == 0


class LinearColumns(tf.keras.layers.Layer):
    """Adds up weights of features, as the Estimator's linear models do.

    Takes a dict of features and gives [batch, units].

    Args:
      columns: numeric, bucketized and categorical columns of ``tf.feature_column``.
      units: how many sums an example has.
      sparse_combiner: "sum", "mean" or "sqrtn", for several values of one feature.

    Attributes:
      kernels: the weights by the names of their columns.
      bias: a weight, [units].
    """

    def __init__(self, columns, units=1, sparse_combiner="sum"):
        super().__init__()
        self.supports_jit = False  # XLA knows no strings
        columns = self._columns = in_order(list(columns))
        self._sparse_combiner = sparse_combiner
        self._state = ColumnState(self.add_weight)
        self.kernels = {}
        for column in columns:
            is_dense = not hasattr(column, "num_buckets")
            size = column.variable_shape.num_elements() if is_dense else None
            if is_dense:
                column.create_state(self._state)
            self.kernels[column.name] = self.add_weight(
                name=weight_name(column),
                shape=[size or column.num_buckets, units],
                initializer="zeros",
            )
        for number, weight in enumerate(self.kernels.values()):
            setattr(self, f"kernel_{number}", weight)  # for tf.train.Checkpoint
        self.bias = self.add_weight(
            name="bias_weights", shape=[units], initializer="zeros"
        )
        self.built = True

    @property
    def tables(self):
        """The tables of the columns' vocabularies, a list; an export has to hold them."""
        return self._state.tables

    def call(self, features):
        batch = ColumnBatch(features)
        sums = [self._sum(column, batch) for column in self._columns]
        return tf.nn.bias_add(tf.add_n(sums), trained_variable(self.bias))

    def _sum(self, column, batch):
        kernel = trained_variable(self.kernels[column.name])
        if not hasattr(column, "num_buckets"):
            dense = column.get_dense_tensor(batch, self._state)
            return tf.matmul(tf.reshape(dense, [-1, kernel.shape[0]]), kernel)
        values = column.get_sparse_tensors(batch, self._state)
        ids, weights = values.id_tensor, values.weight_tensor
        rows = tf.shape(ids, tf.int64)[0]
        return tf.nn.safe_embedding_lookup_sparse(
            kernel,
            tf.sparse.reshape(ids, [rows, -1]),
            None if weights is None else tf.sparse.reshape(weights, [rows, -1]),
            combiner=self._sparse_combiner,
        )


def evaluate_checkpoints(
    evaluate, model_dir, *, max_steps=None, start_delay_secs=120, throttle_secs=600
):
    """Evaluates checkpoint after checkpoint, as an Estimator's evaluator does.

    Args:
      evaluate: is called without arguments where there is a new checkpoint.
      model_dir: the directory of the checkpoints.
      max_steps: the step of the last checkpoint; None to go on for ever.
      start_delay_secs: how long to wait at first, an int or a float.
      throttle_secs: the least time from one evaluation to the next, likewise.
    """
    time.sleep(start_delay_secs)
    evaluated, step = None, 0
    while max_steps is None or step < max_steps:
        began = time.monotonic()
        path = tf.train.latest_checkpoint(model_dir)
        if path != evaluated:
            evaluate()
            evaluated, step = path, int(path.rpartition("-")[2])
        else:
            tf.get_logger().info("No new checkpoint in %s", model_dir)
        if max_steps is None or step < max_steps:
            time.sleep(max(1, began + throttle_secs - time.monotonic()))


class HostCallHook(tf1.train.SessionRunHook):
    """Computes in every step what a ``host_call`` returns.

    Args:
      fetches: what it returned: operations or tensors, in any structure. Those that
        write summaries write to the graph's own ``tf.summary`` writers.
    """

    def __init__(self, fetches):
        self._fetches = fetches

    def begin(self):
        # What makes each writer of the graph; TensorFlow keeps no public list of them.
        self._make = tf1.get_collection("_SUMMARY_WRITER_V2")
        writers = [operation.inputs[0] for operation in self._make]
        self._flush = [tf.raw_ops.FlushSummaryWriter(writer=one) for one in writers]

    def after_create_session(self, session, coord):
        session.run(self._make)

    def before_run(self, run_context):
        return tf1.train.SessionRunArgs(self._fetches)

    def end(self, session):
        session.run(self._flush)


class TPUEstimatorSpec(NamedTuple):
    """What a ``model_fn`` returns, as ``tf.estimator.tpu.TPUEstimatorSpec``.

    Attributes:
      mode: "train", "eval" or "infer".
      predictions, loss, train_op, export_outputs: as in ``EstimatorSpec``.
      eval_metrics: a pair of a function and its arguments, a list or a dict of tensors;
        the function returns the metrics.
      scaffold_fn: makes the ``tf.compat.v1.train.Scaffold``.
      host_call: a pair as eval_metrics; what the function returns runs in every step.
      training_hooks, evaluation_hooks, prediction_hooks: as in ``EstimatorSpec``.
    """

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metrics: Any = None
    export_outputs: Any = None
    scaffold_fn: Any = None
    host_call: Any = None
    training_hooks: Any = ()
    evaluation_hooks: Any = ()
    prediction_hooks: Any = ()

    def as_estimator_spec(self):
        """Returns the ``EstimatorSpec`` that ``TPUEstimator`` makes of it off a TPU."""
        metrics = _called(self.eval_metrics)
        hooks = (HostCallHook(_called(self.host_call)),) if self.host_call else ()
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=metrics,
            export_outputs=self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            training_hooks=(*(self.training_hooks or ()), *hooks),
            evaluation_hooks=(*(self.evaluation_hooks or ()), *hooks),
            prediction_hooks=(*(self.prediction_hooks or ()), *hooks),
        )


def _called(pair):
    if not pair:
        return None
    function, tensors = pair
    return function(**tensors) if isinstance(tensors, dict) else function(*tensors)


class WarmStartSettings(NamedTuple):
    """What to take from an older checkpoint, as ``tf.estimator.WarmStartSettings``.

    Attributes:
      ckpt_to_initialize_from: the path of a checkpoint, or of its directory.
      vars_to_warm_start: a regular expression, or a list of them or of variables.
      var_name_to_vocab_info: a dict from name to ``tf.compat.v1.train.VocabInfo``.
      var_name_to_prev_var_name: a dict from a variable's name to the one it had.
    """

    ckpt_to_initialize_from: str
    vars_to_warm_start: Any = ".*"
    var_name_to_vocab_info: Any = None
    var_name_to_prev_var_name: Any = None


class _TrainSpecFields(NamedTuple):
    input_fn: Any
    max_steps: Any = None
    hooks: Any = ()
    saving_listeners: Any = ()


class TrainSpec(_TrainSpecFields):
    """How to train, for ``train_and_evaluate``.

    Attributes:
      input_fn: as for ``Estimator.train``.
      max_steps: the global step to end at; None for the end of the data.
      hooks: ``tf.compat.v1.train.SessionRunHook`` objects.
      saving_listeners: ``tf.compat.v1.train.CheckpointSaverListener`` objects.
    """

    def __new__(cls, input_fn, max_steps=None, hooks=None, saving_listeners=None):
        _check_spec(input_fn, "max_steps", max_steps)
        hooks = _all_of(hooks, tf1.train.SessionRunHook, "hooks")
        listener = tf1.train.CheckpointSaverListener
        listeners = _all_of(saving_listeners, listener, "saving_listeners")
        return super().__new__(cls, input_fn, max_steps, hooks, listeners)


class _EvalSpecFields(NamedTuple):
    input_fn: Any
    steps: Any = 100
    name: Any = None
    hooks: Any = ()
    exporters: Any = ()
    start_delay_secs: Any = 120
    throttle_secs: Any = 600


class EvalSpec(_EvalSpecFields):
    """How to evaluate and to export, for ``train_and_evaluate``.

    Attributes:
      input_fn: as for ``Estimator.evaluate``.
      steps: how many batches; None for all.
      name: tells apart evaluations on several datasets.
      hooks: ``tf.compat.v1.train.SessionRunHook`` objects.
      exporters: an ``Exporter``, or several.
      start_delay_secs: how long an evaluator of a cluster waits at first.
      throttle_secs: the least time from one evaluation to the next.
    """

    def __new__(
        cls,
        input_fn,
        steps=100,
        name=None,
        hooks=None,
        exporters=None,
        start_delay_secs=120,
        throttle_secs=600,
    ):
        _check_spec(input_fn, "steps", steps)
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` must be string, given: {name}")
        hooks = _all_of(hooks, tf1.train.SessionRunHook, "hooks")
        given = [exporters] if is_of_class(exporters, Exporter) else exporters
        exporters = _all_of(given, Exporter, "exporters")
        names = [exporter.name for exporter in exporters]
        if len(set(names)) < len(names) or not all(names):
            raise ValueError(f"`exporters` must have unique names. All: {names}")
        for delay in ("start_delay_secs", "throttle_secs"):
            if locals()[delay] < 0:
                raise ValueError(f"Must specify {delay} >= 0, given: {locals()[delay]}")
        return super().__new__(
            cls,
            input_fn,
            steps,
            name,
            hooks,
            exporters,
            start_delay_secs,
            throttle_secs,
        )


def train_and_evaluate(estimator, train_spec, eval_spec):
    """Trains, and evaluates and exports after the saves, as ``TF_CONFIG`` says.

    Without a cluster the evaluations run in between: after each save but the first, not
    before throttle_secs are over, and at the end. Of a cluster this process trains, or
    it evaluates checkpoint after checkpoint.

    Args:
      estimator: an ``Estimator``.
      train_spec: a ``TrainSpec``.
      eval_spec: an ``EvalSpec``.

    Returns:
      The metrics of the last evaluation and the list of its exports, or (None, None)
      where there was none; None in a cluster.

    Raises:
      TypeError: an argument is something else.
    """
    kinds = {"estimator": Estimator, "train_spec": TrainSpec, "eval_spec": EvalSpec}
    for name, kind in kinds.items():
        if not is_of_class(locals()[name], kind):
            raise TypeError(
                f"`{name}` must have type `{kind.__name__}`, not {locals()[name]!r}."
            )
    config, max_steps = estimator.config, train_spec.max_steps
    evaluations = _Evaluations(estimator, eval_spec, max_steps)
    if config.task_type == "evaluator":
        return evaluate_checkpoints(
            evaluations.evaluate,
            estimator.model_dir,
            max_steps=max_steps,
            start_delay_secs=eval_spec.start_delay_secs,
            throttle_secs=eval_spec.throttle_secs,
        )
    listeners = train_spec.saving_listeners
    is_alone = not config.cluster_spec
    if is_alone or config.task_type == "master":
        secs = eval_spec.throttle_secs
        listeners = (*listeners, EvaluationListener(evaluations.evaluate, secs))
    estimator.train(
        train_spec.input_fn,
        hooks=list(train_spec.hooks),
        max_steps=max_steps,
        saving_listeners=listeners,
    )
    return (evaluations.metrics, evaluations.exports) if is_alone else None


class _Evaluations:
    """What the evaluations of a training come to."""

    def __init__(self, estimator, eval_spec, max_steps):
        self._estimator, self._spec = estimator, eval_spec
        self._max_steps = max_steps
        self.metrics = self.exports = None

    def evaluate(self):
        """Evaluates the latest checkpoint, and exports it."""
        spec, path = self._spec, self._estimator.latest_checkpoint()
        self.metrics = self._estimator.evaluate(
            spec.input_fn,
            steps=spec.steps,
            hooks=spec.hooks,
            checkpoint_path=path,
            name=spec.name,
        )
        step, end = self.metrics["global_step"], self._max_steps
        base = os.path.join(self._estimator.model_dir, "export")
        self.exports = [
            exporter.export(
                estimator=self._estimator,
                export_path=os.path.join(base, exporter.name),
                checkpoint_path=path,
                eval_result=self.metrics,
                is_the_final_export=bool(end) and step >= end,
            )
            for exporter in spec.exporters
        ]


def _check_spec(input_fn, name, steps):
    if not callable(input_fn):
        raise TypeError(f"`input_fn` must be callable, given: {input_fn}")
    if steps is not None and steps <= 0:
        raise ValueError(f"Must specify {name} > 0, given: {steps}")


def _all_of(objects, kind, told):
    objects = tuple(objects or ())
    for one in objects:
        if not is_of_class(one, kind):
            raise TypeError(
                f"All {told} must be `{kind.__name__}` instances, given: {one}"
            )
    return objects


class WarmStartedRecovery(CheckpointRecovery):
    """A ``CheckpointRecovery`` whose job, where it has no checkpoint yet, starts warm.

    Args:
      manager, save_secs: as for ``CheckpointRecovery``.
      warm_start_from: a ``WarmStartSettings`` whose ``vars_to_warm_start`` is a regular
        expression, for trained variables by the names that the Estimator gave them; or
        the path of a checkpoint or its directory, for all of them. The checkpoint may be
        an Estimator's or that of a migrated program with the same model. None for
        nothing.
    """

    def __init__(self, manager, warm_start_from, save_secs=None):
        super().__init__(manager, save_secs)
        self._warm_start_from = warm_start_from

    def on_train_begin(self, logs=None):
        self._make_slots()
        if self._warm_start_from and not self._newest_first():
            settings = self._warm_start_from
            if not isinstance(settings, tuple):
                settings = WarmStartSettings(settings)
            _start_warm(self.manager.checkpoint.model, settings)
        super().on_train_begin(logs)


def _start_warm(model, settings):
    path, pattern, *others = settings
    if not isinstance(pattern, str) or "$" in pattern or any(others):
        raise ValueError("Give a path and one pattern for the beginnings of names.")
    parts = (model.deep, model.wide) if hasattr(model, "wide") else (model,)
    variables = {n: v for part in parts for n, v in canned_variables(part)}
    chosen = {
        name: variable
        for name, variable in variables.items()
        if variable.trainable and re.match(pattern, f"{name}:0")
    }
    reader = tf.train.load_checkpoint(path)
    if reader.has_tensor("_CHECKPOINTABLE_OBJECT_GRAPH"):
        _take_from_objects(model, chosen, path)
    else:
        missing = [name for name in chosen if not reader.has_tensor(name)]
        if missing:
            raise ValueError(f"{path} has no {missing} to start with.")
        for name, variable in chosen.items():
            variable.assign(reader.get_tensor(name))
    tf.get_logger().info("Started %s warm from %s", sorted(chosen), path)


def _take_from_objects(model, chosen, path):
    # All that fits is read; what was not asked for gets its own value back.
    optimizers = {model.optimizer, getattr(model, "wide_optimizer", model.optimizer)}
    others = [*model.weights, *(v for one in optimizers for v in one.variables)]
    rates = [one.learning_rate for one in optimizers]
    others += [rate for rate in rates if hasattr(rate, "assign")]
    ids = {id(variable) for variable in chosen.values()}
    kept = [(v, v.numpy()) for v in others if id(v) not in ids]
    for variable in chosen.values():  # a mark: what stays so was not in the checkpoint
        variable.assign(np.full(variable.shape, np.nan, np.float32))
    if tf.io.gfile.isdir(path):
        path = tf.train.latest_checkpoint(path)
    tf.train.Checkpoint(model=model).restore(path).expect_partial()
    for variable, value in kept:
        variable.assign(value)
    missing = [name for name, v in chosen.items() if np.isnan(v.numpy()).all()]
    if missing:
        raise ValueError(f"{path} has no {missing} to start with.")


class WideAndDeep(tf.keras.Model):
    """Adds up what a wide and a deep part make of the features.

    Args:
      wide: the part that ``wide_optimizer`` trains, a layer or model.
      deep: the part that ``optimizer`` trains.
    """

    def __init__(self, wide, deep):
        super().__init__()
        self.wide, self.deep = wide, deep

    def call(self, features, training=None):
        return self.deep(features, training=training) + self.wide(features)

    def compile(self, optimizer, wide_optimizer, **settings):
        super().compile(optimizer=optimizer, **settings)
        self.wide_optimizer = wide_optimizer
        self.optimizer.build(self.deep.trainable_variables)
        wide_optimizer.build(self.wide.trainable_variables)

    def train_step(self, data):
        features, labels, weights = tf.keras.utils.unpack_x_y_sample_weight(data)
        with tf.GradientTape(persistent=True) as tape:
            logits = self(features, training=True)
            loss = self.compute_loss(features, labels, logits, weights)
        for part, optimizer in (
            (self.deep, self.optimizer),
            (self.wide, self.wide_optimizer),
        ):
            trained = part.trainable_variables
            gradients = tape.gradient(loss, [trained_variable(v) for v in trained])
            optimizer.apply_gradients(zip(gradients, trained))
        for metric in self.metrics:
            if metric.name == "loss":  # Keras 3 leaves this to a train_step
                metric.update_state(loss, sample_weight=tf.shape(logits)[0])
        return self.compute_metrics(features, labels, logits, weights)


class WorkerRecovery(CheckpointRecovery):
    """Saves on all workers at once, and restores the chief's checkpoint on each.

    A save gathers values from every worker, so every worker has to take part. Only
    what the chief writes stays: each other one writes to ``workertemp_<task>_<index>``
    in the same directory and removes it.

    Args:
      manager: a ``tf.train.CheckpointManager`` of
        ``tf.train.Checkpoint(model=..., optimizer=...)`` with a
        ``checkpoint_interval``, in a directory that all workers share.
    """

    def __init__(self, manager):
        super().__init__(manager)
        self.strategy = strategy = manager.checkpoint.model.distribute_strategy
        self._temporary = None
        if not _is_chief(strategy):
            task = strategy.cluster_resolver
            name = f"workertemp_{task.task_type}_{task.task_id}"
            self._temporary = os.path.join(manager.directory, name)
            self._remove_temporary()  # A killed worker has left it behind.

    def restore(self):
        """Restores the newest readable checkpoint and returns its step, 0 if none.

        Raises:
          RuntimeError: the workers found checkpoints of different steps.
        """
        with self.strategy.scope():
            # Made by the first step, the slots would miss in the save before it.
            self._make_slots()
            step = super().restore()
        own = self.strategy.experimental_distribute_values_from_function(
            lambda context: tf.constant([step])
        )
        steps = self.strategy.gather(own, axis=0).numpy().tolist()
        if len(set(steps)) > 1:
            raise RuntimeError(
                f"The workers would resume at different steps, {steps}: "
                f"{self.manager.directory} has to be a directory that all of them see."
            )
        return step

    def _save(self):
        if self._temporary is None or self.step == self._saved_step:
            super()._save()
            return
        self.manager.checkpoint.save(os.path.join(self._temporary, "ckpt"))
        self._remove_temporary()
        self._saved_step, self._unsaved_steps = self.step, 0

    def _remove_temporary(self):
        if tf.io.gfile.exists(self._temporary):
            tf.io.gfile.rmtree(self._temporary)


def _is_chief(strategy):
    """Whether it is this worker's files that count; those of a single process do.

    The chief is the task of that name, or worker 0 in a ``TF_CONFIG`` without one.
    """
    resolver = strategy.cluster_resolver
    if resolver is None or resolver.task_type is None:
        return True
    if {"chief", "master"} & set(resolver.cluster_spec().jobs):
        return resolver.task_type in ("chief", "master")
    return resolver.task_type == "worker" and resolver.task_id == 0
