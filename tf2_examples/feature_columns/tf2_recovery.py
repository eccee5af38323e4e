"""Checkpoint recovery for TensorFlow 2, written by estimator-migrate 0.1.0 (content 0ccd7b8c5dea).

Needs nothing but TensorFlow, 2.12 or later. Yours to read, keep and change;
`estimator-migrate renew` brings it up to date as long as nobody has changed it.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple
import concurrent.futures
import copy
import errno
import inspect
import math
import numbers
import os
import re
import time
import types
import uuid

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


class ClassificationOutput:
    """The outputs of a signature for the Classify API: scores, classes, or both."""

    def __init__(self, scores=None, classes=None):
        self._scores, self._classes = scores, classes

    def as_signature_def(self, receiver_tensors):
        """Returns the ``SignatureDef`` for one tensor of ``tf.Example`` protos."""
        (examples,) = receiver_tensors.values()
        return tf1.saved_model.classification_signature_def(
            examples, self._classes, self._scores
        )


class RegressionOutput:
    """The output of a signature for the Regress API: a float tensor."""

    def __init__(self, value):
        self._value = value

    def as_signature_def(self, receiver_tensors):
        """Returns the ``SignatureDef`` for one tensor of ``tf.Example`` protos."""
        (examples,) = receiver_tensors.values()
        return tf1.saved_model.regression_signature_def(examples, self._value)


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


def class_predictions(logits, names=None):
    """Returns the predictions for a batch, a dict of tensors by the Estimator's keys.

    Args:
      logits: a tensor, [batch, n_classes], or [batch, 1] for two classes.
      names: of the classes, a list of strings; None where they are numbers.
    """
    scores, logistic = logits, {}
    if logits.shape[-1] == 1:
        logistic = {"logistic": tf.sigmoid(logits)}
        scores = tf.concat([tf.zeros_like(logits), logits], -1)
    class_ids = tf.expand_dims(tf.argmax(scores, -1), -1)
    all_ids = tf.range(scores.shape[-1])
    if names:
        names = tf.constant(names)
        classes, all_classes = tf.gather(names, class_ids), names
    else:
        classes = tf.strings.as_string(class_ids)
        all_classes = tf.strings.as_string(all_ids)
    each = [tf.shape(logits)[0], 1]
    return {
        "logits": logits,
        **logistic,
        "probabilities": tf.nn.softmax(scores),
        "class_ids": class_ids,
        "classes": classes,
        "all_class_ids": tf.tile(all_ids[tf.newaxis], each),
        "all_classes": tf.tile(all_classes[tf.newaxis], each),
    }


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


class CannedHead:
    """What a canned estimator makes of its logits.

    Args:
      weight_column: a feature's name or a numeric column: the weight of each example.
      loss_reduction: one of ``tf.compat.v1.losses.Reduction``.
    """

    name = None

    def __init__(self, weight_column=None, loss_reduction="weighted_sum"):
        if isinstance(weight_column, str):
            weight_column = tf.feature_column.numeric_column(weight_column)
        self._weight_column = weight_column
        self._loss_reduction = loss_reduction

    @property
    def logits_dimension(self):
        """How many logits an example has."""
        return self.units

    def create_estimator_spec(
        self,
        features,
        mode,
        logits,
        labels=None,
        optimizer=None,
        trainable_variables=None,
        train_op_fn=None,
        update_ops=None,
        regularization_losses=None,
    ):
        """Returns the ``EstimatorSpec`` for one mode, as ``tf.estimator.Head`` does.

        Args:
          features, mode, logits, labels: as for ``spec``.
          optimizer: a ``tf.compat.v1.train.Optimizer``; or
          train_op_fn: takes the loss and returns what a step runs.
          trainable_variables: what the optimizer trains; None for all.
          update_ops: what a step runs as well; None for the collection UPDATE_OPS.
          regularization_losses: tensors, to be added to the loss.

        Raises:
          ValueError: optimizer and train_op_fn are both given, or neither, to train.
        """
        if mode == "train" and (optimizer is None) == (train_op_fn is None):
            raise ValueError("Give one of optimizer and train_op_fn.")

        def minimize(loss):
            return self._minimize(optimizer, loss, trainable_variables)

        train = train_op_fn or minimize
        more = regularization_losses
        return self.spec(features, labels, mode, logits, train, update_ops, more)

    def spec(
        self,
        features,
        labels,
        mode,
        logits,
        train_op_fn,
        update_ops=None,
        regularization_losses=None,
    ):
        """Returns the ``EstimatorSpec`` for one mode.

        Args:
          features: a dict of tensors.
          labels: a tensor, [batch] or [batch, 1]; None to predict.
          mode: "train", "eval" or "infer".
          logits: a tensor, [batch, units].
          train_op_fn: takes the loss and returns what a step runs.
          update_ops, regularization_losses: as for ``create_estimator_spec``.
        """
        with tf.name_scope(self.name or "head"):
            predictions = self._predictions(logits)
            if mode == "infer":
                outputs = self._outputs(predictions)
                return EstimatorSpec(mode, predictions, export_outputs=outputs)
            if labels.shape.rank == 1:
                labels = tf.expand_dims(labels, -1)
            labels = self._checked(labels)
            losses = self._losses(labels, logits, features)
            weights = self._weights(features)
            loss = tf1.losses.compute_weighted_loss(
                losses, weights, reduction=self._loss_reduction
            )
            metrics = None
            if mode == "eval":
                metrics = self._metrics(labels, predictions, losses, weights)
            settings = train_op_fn, update_ops, regularization_losses
            return self._spec_of(mode, predictions, loss, metrics, *settings)

    def _spec_of(self, mode, predictions, loss, metrics, train_op_fn, update_ops, more):
        """Returns the ``EstimatorSpec`` to train or evaluate, with more losses added."""
        more = tf.add_n(more) if more else None
        loss = loss if more is None else loss + more
        if mode == "eval":
            if more is not None:
                metrics["regularization_loss"] = tf1.metrics.mean(more)
            if self.name:
                metrics = {f"{key}/{self.name}": one for key, one in metrics.items()}
            return EstimatorSpec(mode, predictions, loss, None, metrics)
        if update_ops is None:
            update_ops = tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)
        train_op = tf.group(train_op_fn(loss), *update_ops)
        return EstimatorSpec(mode, predictions, loss, train_op)

    def _minimize(self, optimizer, loss, variables):
        if not hasattr(optimizer, "compute_gradients"):
            raise ValueError(
                "Give a tf.compat.v1.train.Optimizer, or train_op_fn, in place of "
                f"{optimizer!r}."
            )
        return optimizer.minimize(loss, tf1.train.get_global_step(), variables)

    def _weights(self, features):
        if self._weight_column is None:
            return 1.0
        return tf1.feature_column.input_layer(features, [self._weight_column])

    def _checked(self, labels):
        return labels

    def _metrics(self, labels, predictions, losses, weights):
        return {"average_loss": tf1.metrics.mean(losses, weights)}


class CannedRegression(CannedHead):
    """The head of a ``DNNRegressor`` and the like.

    Args:
      label_dimension: how many values are predicted for an example.
      weight_column, loss_reduction: as for ``CannedHead``.
    """

    def __init__(self, label_dimension=1, **settings):
        super().__init__(**settings)
        self.units = label_dimension

    def _predictions(self, logits):
        return {"predictions": logits}

    def _outputs(self, predictions):
        return {
            "serving_default": RegressionOutput(predictions["predictions"]),
            "regression": RegressionOutput(predictions["predictions"]),
            "predict": PredictOutput(predictions),
        }

    def _checked(self, labels):
        return tf.cast(labels, tf.float32)

    def _losses(self, labels, logits, features):
        return tf1.losses.mean_squared_error(labels, logits, reduction="none")

    def _metrics(self, labels, predictions, losses, weights):
        return {
            **super()._metrics(labels, predictions, losses, weights),
            "prediction/mean": _mean(predictions["predictions"], weights),
            "label/mean": _mean(labels, weights),
        }


class CannedClasses(CannedHead):
    """The head of a ``DNNClassifier`` and the like.

    Args:
      n_classes: how many classes there are; for two there is one logit.
      label_vocabulary: the classes' names, a list of strings; None for integers.
      pr_curve: how the area under the precision-recall curve is summed up, as
        ``tf.compat.v1.metrics.auc`` takes it.
      weight_column, loss_reduction: as for ``CannedHead``.
    """

    def __init__(
        self, n_classes=2, label_vocabulary=None, pr_curve="trapezoidal", **settings
    ):
        super().__init__(**settings)
        self.units = n_classes if n_classes > 2 else 1
        self._n_classes = n_classes
        self._names = label_vocabulary
        self._pr_curve = pr_curve

    def _predictions(self, logits):
        return class_predictions(logits, self._names)

    def _outputs(self, predictions):
        classes = ClassificationOutput(
            predictions["probabilities"], predictions["all_classes"]
        )
        outputs = {"serving_default": classes, "classification": classes}
        if self.units == 1:
            outputs["regression"] = RegressionOutput(predictions["logistic"])
        return {**outputs, "predict": PredictOutput(predictions)}

    def _checked(self, labels):
        if self._names:
            ids = tf.range(len(self._names), dtype=tf.int64)
            entries = tf.lookup.KeyValueTensorInitializer(self._names, ids)
            labels = tf.lookup.StaticHashTable(entries, -1).lookup(labels)
        if self.units == 1:
            labels = tf.cast(labels, tf.float32)
        last = tf.cast(self._n_classes - 1, labels.dtype)
        in_range = tf1.debugging.Assert(
            tf.reduce_all((labels >= 0) & (labels <= last)),
            [f"Labels must be in [0, {self._n_classes - 1}].", labels],
        )
        with tf1.control_dependencies([in_range]):
            return tf.identity(labels)

    def _losses(self, labels, logits, features):
        if self.units == 1:
            return tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)
        losses = tf1.losses.sparse_softmax_cross_entropy(
            labels, logits, reduction="none"
        )
        return tf.expand_dims(losses, -1)

    def _metrics(self, labels, predictions, losses, weights):
        metrics, ids = tf1.metrics, predictions["class_ids"]
        found = {
            **super()._metrics(labels, predictions, losses, weights),
            "accuracy": metrics.accuracy(labels, ids, weights),
        }
        if self.units > 1:
            return found
        logistic, baseline = predictions["logistic"], _mean(labels, weights)
        return {
            **found,
            "precision": metrics.precision(labels, ids, weights),
            "recall": metrics.recall(labels, ids, weights),
            "prediction/mean": _mean(logistic, weights),
            "label/mean": baseline,
            "accuracy_baseline": tuple(tf.maximum(v, 1 - v) for v in baseline),
            "auc": metrics.auc(labels, logistic, weights),
            "auc_precision_recall": metrics.auc(
                labels,
                logistic,
                weights,
                curve="PR",
                summation_method=self._pr_curve,
            ),
        }


def _mean(values, weights):
    return tf1.metrics.mean(values, tf.broadcast_to(weights, tf.shape(values)))


def dnn_logits(
    features,
    feature_columns,
    hidden_units,
    units,
    mode,
    *,
    activation_fn=tf.nn.relu,
    dropout=None,
    batch_norm=False,
):
    """Returns the logits of a ``DNNClassifier`` and the like, [batch, units].

    Args:
      features: a dict of tensors.
      feature_columns: what to take from them, a list.
      hidden_units: the widths of the hidden layers, a list of ints.
      units: how many logits an example has.
      mode: "train", "eval" or "infer".
      activation_fn: of the hidden layers.
      dropout: the part of the units that a training step leaves out, or None.
      batch_norm: whether the hidden layers are normalized.
    """
    training = mode == "train"
    with tf1.variable_scope("input_from_feature_columns"):
        net = tf1.feature_column.input_layer(features, feature_columns)
    for number, width in enumerate(hidden_units):
        with tf1.variable_scope(f"hiddenlayer_{number}"):
            net = _dense(net, width)
            net = activation_fn(net) if activation_fn else net
            if dropout is not None and training:
                net = tf.nn.dropout(net, dropout)
            if batch_norm:
                with tf1.variable_scope(f"batchnorm_{number}") as scope:
                    net = _normalized(net, training, scope)
    with tf1.variable_scope("logits"):
        return _dense(net, units)


def linear_logits(features, feature_columns, units, sparse_combiner="sum"):
    """Returns the logits of a ``LinearClassifier`` and the like, [batch, units].

    Args:
      features, feature_columns, units: as for ``dnn_logits``.
      sparse_combiner: "sum", "mean" or "sqrtn", for several values of one feature.
    """
    return tf1.feature_column.linear_model(
        features, feature_columns, units, sparse_combiner
    )


def _dense(net, width):
    width = int(width)  # a layer takes a number's text too, as a flag gives it
    glorot = tf1.glorot_uniform_initializer()
    kernel = tf1.get_variable("kernel", [net.shape[-1], width], initializer=glorot)
    bias = tf1.get_variable("bias", [width], initializer=tf1.zeros_initializer())
    return tf.nn.bias_add(tf.matmul(net, kernel), bias)


def _normalized(net, training, scope):
    shape, ones = [net.shape[-1]], tf1.ones_initializer()
    zeros = tf1.zeros_initializer()
    gamma = tf1.get_variable("gamma", shape, initializer=ones)
    beta = tf1.get_variable("beta", shape, initializer=zeros)
    scope.set_partitioner(None)
    fixed = {"trainable": False}
    moving_mean = tf1.get_variable("moving_mean", shape, initializer=zeros, **fixed)
    moving_variance = tf1.get_variable(
        "moving_variance", shape, initializer=ones, **fixed
    )
    mean, variance = moving_mean, moving_variance
    if training:
        mean, variance = tf.nn.moments(net, [0])
        for moving, value in ((moving_mean, mean), (moving_variance, variance)):
            update = moving.assign_sub((moving - value) * (1 - 0.999))
            tf1.add_to_collection(tf1.GraphKeys.UPDATE_OPS, update)
    return tf.nn.batch_normalization(net, mean, variance, beta, gamma, 0.001)


def canned_optimizer(optimizer, learning_rate):
    """Returns a ``tf.compat.v1.train.Optimizer``.

    Args:
      optimizer: one, a function that makes one, or the name of one.
      learning_rate: the rate for one that is given by name.
    """
    named = {
        "Adagrad": tf1.train.AdagradOptimizer,
        "Adam": tf1.train.AdamOptimizer,
        "Ftrl": tf1.train.FtrlOptimizer,
        "RMSProp": tf1.train.RMSPropOptimizer,
        "SGD": tf1.train.GradientDescentOptimizer,
    }
    if isinstance(optimizer, str):
        return named[optimizer](learning_rate)
    return optimizer() if callable(optimizer) else optimizer


def whole_variables():
    """Returns a partitioner that leaves variables whole.

    With it slots get the names that the canned estimators of TensorFlow 1 gave them.
    """
    return tf1.min_max_variable_partitioner(max_partitions=0)


def canned_train_op(loss, optimizer):
    """Returns what takes a step of an optimizer.

    Args:
      loss: a tensor with one value.
      optimizer: a ``tf.compat.v1.train.Optimizer``; or several, by the variable scope
        that each trains.
    """
    step = tf1.train.get_global_step()
    if not isinstance(optimizer, dict):
        return optimizer.minimize(loss, step)
    trained = [
        one.minimize(loss, var_list=tf1.trainable_variables(f"{scope}/"))
        for scope, one in optimizer.items()
    ]
    with tf1.control_dependencies(trained):
        return tf1.assign_add(step, 1)


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
