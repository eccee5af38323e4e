"""Checkpoint recovery for TensorFlow 2, written by estimator-migrate 0.1.0 (content 0614940eb224).

Needs nothing but TensorFlow, 2.12 or later. Yours to read, keep and change;
`estimator-migrate renew` brings it up to date as long as nobody has changed it.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple
import collections
import concurrent.futures
import copy
import errno
import functools
import importlib
import inspect
import math
import numbers
import os
import re
import time
import types
import uuid

from tensorflow.python.framework import ops
from tensorflow.python.ops import array_ops, control_flow_ops, variable_scope
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


class AttentionMechanism:
    """What an AttentionWrapper asks where to look; to derive mechanisms from."""

    @property
    def alignments_size(self):
        raise NotImplementedError

    @property
    def state_size(self):
        raise NotImplementedError


class _OverMemory(AttentionMechanism):
    """Keeps a memory and its keys.

    Args:
      query_layer, memory_layer: layers over the query and the memory.
      memory: [batch, time, ...].
      probability_fn: takes the scores, [batch, time], and the state, returns alignments.
      memory_sequence_length: how much of each row of the memory counts; None for all.
      score_mask_value: the score of what does not count; None for minus infinity.
      custom_key_value_fn: takes and returns the keys and the values.
    """

    def __init__(
        self,
        query_layer,
        memory,
        probability_fn,
        memory_sequence_length=None,
        memory_layer=None,
        score_mask_value=None,
        custom_key_value_fn=None,
    ):
        self._query_layer, self._memory_layer = query_layer, memory_layer
        self.dtype = memory_layer.dtype
        if score_mask_value is None:
            score_mask_value = -math.inf
        lengths = memory_sequence_length

        def probabilities(score, state):
            if lengths is not None:
                with tf1.control_dependencies([tf1.debugging.assert_positive(lengths)]):
                    inside = tf1.sequence_mask(lengths, tf1.shape(score)[1])
                outside = score_mask_value * tf1.ones_like(score)
                score = tf1.where(inside, score, outside)
            return probability_fn(score, state)

        self._probability_fn = probabilities
        values = tf1.convert_to_tensor(memory)
        if lengths is not None:
            mask = tf1.sequence_mask(lengths, tf1.shape(values)[1], values.dtype)
            values *= mask[(..., *[None] * (values.shape.rank - 2))]
        keys = memory_layer(values)
        if custom_key_value_fn is not None:
            keys, values = custom_key_value_fn(keys, values)
        self._keys, self._values = keys, values

    @property
    def memory_layer(self):
        return self._memory_layer

    @property
    def query_layer(self):
        return self._query_layer

    @property
    def values(self):
        return self._values

    @property
    def keys(self):
        return self._keys

    @property
    def batch_size(self):
        return self._size(0)

    @property
    def alignments_size(self):
        return self._size(1)

    @property
    def state_size(self):
        return self.alignments_size

    def _size(self, axis):
        return self._keys.shape.as_list()[axis] or tf1.shape(self._keys)[axis]

    def initial_alignments(self, batch_size, dtype):
        return tf1.zeros([batch_size, self.alignments_size], dtype)

    def initial_state(self, batch_size, dtype):
        return self.initial_alignments(batch_size, dtype)


class LuongAttention(_OverMemory):
    """Scores by the product of query and key.

    Args:
      num_units: the size of the query and of the keys.
      scale: whether the score is scaled by a variable.
      memory, memory_sequence_length, probability_fn, score_mask_value, dtype,
        custom_key_value_fn, name: as of BahdanauAttention.
    """

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        scale=False,
        probability_fn=None,
        score_mask_value=None,
        dtype=None,
        custom_key_value_fn=None,
        name="LuongAttention",
    ):
        probability_fn = probability_fn or tf1.nn.softmax
        self._num_units, self._scale = num_units, scale
        super().__init__(
            None,
            memory,
            lambda score, _: probability_fn(score),
            memory_sequence_length,
            _projection(num_units, "memory_layer", dtype),
            score_mask_value,
            custom_key_value_fn,
        )

    def __call__(self, query, state):
        """Returns the alignments, [batch, time], and the next state, which they are.

        Raises:
          ValueError: the query is of another size than the keys.
        """
        if query.shape.as_list()[-1] != self._keys.shape.as_list()[-1]:
            raise ValueError(f"Query {query}, but keys {self._keys}.")
        with tf1.variable_scope(None, "luong_attention", [query]):
            score = tf1.matmul(query[:, None], self._keys, transpose_b=True)[:, 0]
            if self._scale:
                start = tf1.ones_initializer
                score *= tf1.get_variable("attention_g", [], query.dtype, start)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


def _projection(units, name, dtype):
    dtype = dtype or tf1.float32
    return tf1.layers.Dense(units, name=name, use_bias=False, dtype=dtype)


_FIELDS = (
    "cell_state",
    "attention",
    "time",
    "alignments",
    "alignment_history",
    "attention_state",
)


class AttentionWrapperState(collections.namedtuple("AttentionWrapperState", _FIELDS)):
    """The state of an AttentionWrapper."""

    def clone(self, **fields):
        """Returns a state with other fields, which take the shapes that are known."""

        def with_shape(old, new):
            are_tensors = tf1.is_tensor(old) and tf1.is_tensor(new)
            return tf1.ensure_shape(new, old.shape) if are_tensors else new

        return tf1.nest.map_structure(with_shape, self, self._replace(**fields))


class AttentionWrapper:
    """A recurrent cell whose input has what the last step attended to.

    Args:
      cell: the cell within.
      attention_mechanism: where to look, or a list of such.
      attention_layer_size: the size of a layer over output and context for each
        mechanism; None for the context itself.
      alignment_history: whether the state keeps the alignments of all steps.
      cell_input_fn: makes the cell's input of the input and the last attention; None
        to join them.
      output_attention: whether the attention is the output, not the cell's own.
      initial_cell_state: what zero_state() has for the cell; None for zeros.
      name: of the variables' scope; "attention_wrapper" where it is None.
      attention_layer: a layer for each mechanism, in place of attention_layer_size.
      attention_fn: returns attention, alignments and state of a mechanism, the cell's
        output, the state and the layer.
      dtype: has no effect: the cell within and the layers have theirs.

    Raises:
      ValueError: layers and mechanisms do not fit.
    """

    def __init__(
        self,
        cell,
        attention_mechanism,
        attention_layer_size=None,
        alignment_history=False,
        cell_input_fn=None,
        output_attention=True,
        initial_cell_state=None,
        name=None,
        attention_layer=None,
        attention_fn=None,
        dtype=None,
    ):
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        mechanisms = _listed(attention_mechanism)
        if attention_layer_size is not None:
            if attention_layer is not None:
                raise ValueError("attention_layer_size and attention_layer are set.")
            attention_layer = [
                tf1.layers.Dense(
                    size, name="attention_layer", use_bias=False, dtype=mechanism.dtype
                )
                for size, mechanism in zip(_listed(attention_layer_size), mechanisms)
            ]
            is_complete = len(_listed(attention_layer_size)) == len(mechanisms)
        else:
            is_complete = attention_layer is None or len(
                _listed(attention_layer)
            ) == len(mechanisms)
        if not is_complete:
            raise ValueError(f"One layer for each mechanism is needed: {mechanisms}.")
        layers = None if attention_layer is None else _listed(attention_layer)
        self._attention_layers = layers
        sizes = [mechanism.values.shape.as_list()[-1] for mechanism in mechanisms]
        if layers is not None:
            shapes = [[None, cell.output_size + size] for size in sizes]
            sizes = [
                layer.compute_output_shape(shape)[-1]
                for layer, shape in zip(layers, shapes)
            ]
        self._attention_layer_size = sum(int(size) for size in sizes)
        self._cell = cell
        self._attention_mechanisms = mechanisms
        self._attention_fn = attention_fn or _attention
        self._cell_input_fn = cell_input_fn or (
            lambda inputs, attention: tf1.concat([inputs, attention], -1)
        )
        self._alignment_history = alignment_history
        self._output_attention = output_attention
        self._initial_cell_state = initial_cell_state
        self._name, self._scope = name or "attention_wrapper", None

    @property
    def output_size(self):
        cell_size = self._cell.output_size
        return self._attention_layer_size if self._output_attention else cell_size

    @property
    def state_size(self):
        sizes = [one.alignments_size for one in self._attention_mechanisms]
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            attention=self._attention_layer_size,
            time=tf1.TensorShape([]),
            alignments=self._one_or_all(sizes),
            alignment_history=self._one_or_all(
                size if self._alignment_history else () for size in sizes
            ),
            attention_state=self._one_or_all(
                one.state_size for one in self._attention_mechanisms
            ),
        )

    def zero_state(self, batch_size, dtype):
        """Returns the first state, an AttentionWrapperState."""
        with tf1.control_dependencies(self._same_batch(batch_size)):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.zero_state(batch_size, dtype)
            cell_state = tf1.nest.map_structure(tf1.identity, cell_state)
        alignments = [
            one.initial_alignments(batch_size, dtype)
            for one in self._attention_mechanisms
        ]
        return AttentionWrapperState(
            cell_state=cell_state,
            attention=tf1.zeros([batch_size, self._attention_layer_size], dtype),
            time=tf1.zeros([], tf1.int32),
            alignments=self._one_or_all(alignments),
            alignment_history=self._one_or_all(
                (
                    tf1.TensorArray(
                        dtype, size=0, dynamic_size=True, element_shape=one.shape
                    )
                    if self._alignment_history
                    else ()
                )
                for one in alignments
            ),
            attention_state=self._one_or_all(
                one.initial_state(batch_size, dtype)
                for one in self._attention_mechanisms
            ),
        )

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """Returns the first state, for a batch of inputs or a batch size and a type."""
        if inputs is not None:
            batch_size, dtype = tf1.shape(inputs)[0], inputs.dtype
        return self.zero_state(batch_size, dtype)

    def __call__(self, inputs, state, scope=None):
        """Returns the output and the next state; its variables are those of a layer."""
        reuse = None if self._scope is None else True
        if self._scope is None:
            with tf1.variable_scope(scope, self._name) as self._scope:
                pass
        with tf1.variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False):
            return self.call(inputs, state)

    def call(self, inputs, state):
        """Returns the output and the next state, in the scope of its variables.

        Raises:
          TypeError: state is no AttentionWrapperState.
        """
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(f"No AttentionWrapperState: {state}.")
        inputs = self._cell_input_fn(inputs, state.attention)
        output, cell_state = self._cell(inputs, state.cell_state)
        with tf1.control_dependencies(self._same_batch(tf1.shape(output)[0])):
            output = tf1.identity(output)
        before, histories = state.attention_state, state.alignment_history
        if not self._is_multi:
            before, histories = [before], [histories]
        layers = self._attention_layers or [None] * len(self._attention_mechanisms)
        found = [
            self._attention_fn(mechanism, output, one, layer)
            for mechanism, one, layer in zip(self._attention_mechanisms, before, layers)
        ]
        attentions, alignments, states = zip(*found)
        if self._alignment_history:
            histories = [
                history.write(state.time, one)
                for history, one in zip(histories, alignments)
            ]
        attention = tf1.concat(attentions, 1)
        state = AttentionWrapperState(
            cell_state=cell_state,
            attention=attention,
            time=state.time + 1,
            alignments=self._one_or_all(alignments),
            alignment_history=self._one_or_all(histories),
            attention_state=self._one_or_all(states),
        )
        return (attention if self._output_attention else output), state

    def _one_or_all(self, values):
        values = tuple(values)
        return values if self._is_multi else values[0]

    def _same_batch(self, batch_size):
        """Checks that the batch is the memory's, which a beam search has to tile."""
        message = "The memory is of another batch size: a beam needs tile_batch."
        checks = [
            tf1.debugging.assert_equal(batch_size, one.batch_size, message=message)
            for one in self._attention_mechanisms
        ]
        return [check for check in checks if check is not None]


def _listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _attention(mechanism, output, state, layer):
    alignments, state = mechanism(output, state=state)
    context = tf1.matmul(alignments[:, None], mechanism.values)[:, 0]
    if layer is not None:
        context = layer(tf1.concat([output, context], 1))
    return context, alignments, state


class SequenceDecoder:
    """What decodes one step at a time, to derive decoders from.

    ``batch_size``, ``output_size`` and ``output_dtype`` are asked for after
    ``initialize()``; the last two have the structure of the outputs.
    """

    tracks_own_finished = False
    """Whether a step tells all that has ended, as where it changes their order."""

    def initialize(self, name=None):
        """Returns what has ended, the first inputs and the first state."""
        raise NotImplementedError

    def step(self, time, inputs, state, name=None):
        """Returns the outputs, the next state and inputs, and what has ended."""
        raise NotImplementedError

    def finalize(self, outputs, final_state, sequence_lengths):
        """Returns what takes the place of the outputs and of the state."""
        return outputs, final_state


def dynamic_decode(
    decoder,
    output_time_major=False,
    impute_finished=False,
    maximum_iterations=None,
    parallel_iterations=32,
    swap_memory=False,
    scope=None,
):
    """Returns the outputs of all steps, the last state and the sequences' lengths.

    Args:
      decoder: a SequenceDecoder.
      output_time_major: whether the outputs are [time, batch, ...].
      impute_finished: whether a sequence that ended keeps its state, and gives zeros.
      maximum_iterations: how many steps there are at most; None for no limit.
      parallel_iterations, swap_memory: of the loop.
      scope: the variables' scope; "decoder" where it is None.

    Raises:
      TypeError: it is no decoder.
      ValueError: maximum_iterations is no scalar.
    """
    if not isinstance(decoder, SequenceDecoder):
        raise TypeError(f"No decoder: {decoder}.")
    with tf1.variable_scope(scope, "decoder"):
        if maximum_iterations is not None:
            maximum_iterations = tf1.convert_to_tensor(maximum_iterations, tf1.int32)
            if maximum_iterations.shape.rank != 0:
                raise ValueError("maximum_iterations must be a scalar.")
        finished, inputs, state = decoder.initialize()
        if maximum_iterations is not None:
            finished = tf1.logical_or(finished, maximum_iterations <= 0)
        batch_size = decoder.batch_size
        zeros = tf1.nest.map_structure(
            lambda size, dtype: tf1.zeros(
                [batch_size, *tf1.TensorShape(size).as_list()], dtype
            ),
            decoder.output_size,
            decoder.output_dtype,
        )
        arrays = tf1.nest.map_structure(
            lambda zero, dtype: tf1.TensorArray(
                dtype, size=0, dynamic_size=True, element_shape=zero.shape
            ),
            zeros,
            decoder.output_dtype,
        )

        def is_unfinished(time, arrays, state, inputs, finished, lengths):
            return tf1.logical_not(tf1.reduce_all(finished))

        def step(time, arrays, state, inputs, finished, lengths):
            outputs, new_state, inputs, now = decoder.step(time, inputs, state)
            if not decoder.tracks_own_finished:
                now = tf1.logical_or(now, finished)
            lengths = tf1.where(
                finished, lengths, tf1.fill(tf1.shape(lengths), time + 1)
            )
            if impute_finished:
                outputs = tf1.nest.map_structure(
                    lambda zero, one: tf1.where(finished, zero, one), zeros, outputs
                )
                new_state = tf1.nest.map_structure(
                    lambda old, new: _kept(finished, old, new), state, new_state
                )
            arrays = tf1.nest.map_structure(
                lambda array, one: array.write(time, one), arrays, outputs
            )
            return time + 1, arrays, new_state, inputs, now, lengths

        lengths = tf1.zeros_like(finished, tf1.int32)
        _, arrays, state, _, _, lengths = tf1.while_loop(
            is_unfinished,
            step,
            (tf1.constant(0), arrays, state, inputs, finished, lengths),
            parallel_iterations=parallel_iterations,
            maximum_iterations=maximum_iterations,
            swap_memory=swap_memory,
        )
        outputs = tf1.nest.map_structure(lambda array: array.stack(), arrays)
        outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = tf1.nest.map_structure(_batch_first, outputs)
    return outputs, state, lengths


def _kept(finished, old, new):
    """The new state, the old one where a sequence has ended."""
    if isinstance(old, tf1.TensorArray) or new.shape.merge_with(old.shape).rank == 0:
        return new
    return tf1.where(finished, old, new)


def _batch_first(value):
    rank = value.shape.rank
    return value if rank < 2 else tf1.transpose(value, [1, 0, *range(2, rank)])


BasicDecoderOutput = collections.namedtuple(
    "BasicDecoderOutput", ("rnn_output", "sample_id")
)


class BasicDecoder(SequenceDecoder):
    """Gives a cell the inputs that a helper tells, and samples by the helper.

    Args:
      cell: a recurrent cell.
      helper: tells the inputs, the samples and the end.
      initial_state: the cell's first state.
      output_layer: a layer over the cell's outputs; None for none.
    """

    def __init__(self, cell, helper, initial_state, output_layer=None):
        self._cell = cell
        self._helper = helper
        self._initial_state = initial_state
        self._output_layer = output_layer

    @property
    def batch_size(self):
        return self._helper.batch_size

    @property
    def output_size(self):
        return BasicDecoderOutput(
            self._rnn_output_size(), self._helper.sample_ids_shape
        )

    @property
    def output_dtype(self):
        dtype = tf1.nest.flatten(self._initial_state)[0].dtype
        sizes = self._rnn_output_size()
        return BasicDecoderOutput(
            tf1.nest.map_structure(lambda _: dtype, sizes),
            self._helper.sample_ids_dtype,
        )

    def initialize(self, name=None):
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time, inputs, state, name=None):
        with tf1.name_scope(name, "BasicDecoderStep"):
            outputs, state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=state)
            finished, inputs, state = self._helper.next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=ids
            )
        return BasicDecoderOutput(outputs, ids), state, inputs, finished

    def _rnn_output_size(self):
        def after_layer(size):
            shape = tf1.TensorShape([None]).concatenate(size)
            shape = self._output_layer.compute_output_shape(shape)
            return tf1.TensorShape(shape)[1:]

        size = self._cell.output_size
        has_layer = self._output_layer is not None
        return tf1.nest.map_structure(after_layer, size) if has_layer else size


class DecodingHelper:
    """Tells a decoder its inputs, its samples and the end; to derive helpers from.

    ``batch_size`` is a scalar, asked for after ``initialize()``.
    """

    sample_ids_shape = tf1.TensorShape([])
    sample_ids_dtype = tf1.int32

    def initialize(self, name=None):
        """Returns what has ended, [batch], and the first inputs."""
        raise NotImplementedError

    def sample(self, time, outputs, state, name=None):
        """Returns the samples of the outputs."""
        raise NotImplementedError

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """Returns what has ended, the next inputs and the next state."""
        raise NotImplementedError


class GreedyEmbeddingHelper(DecodingHelper):
    """Samples what is likeliest, whose embedding is the next input.

    Args:
      embedding: a function of ids, or the embeddings, [ids, values].
      start_tokens: the first ids, [batch].
      end_token: the id that ends a sequence.

    Raises:
      ValueError: start_tokens is no vector or end_token no scalar.
    """

    def __init__(self, embedding, start_tokens, end_token):
        self._embedding_fn = embedding
        if not callable(embedding):
            self._embedding_fn = lambda ids: tf1.nn.embedding_lookup(embedding, ids)
        self._start_tokens = tf1.convert_to_tensor(start_tokens, tf1.int32)
        self._end_token = tf1.convert_to_tensor(end_token, tf1.int32)
        if (self._start_tokens.shape.rank, self._end_token.shape.rank) != (1, 0):
            raise ValueError("start_tokens must be a vector, end_token a scalar.")
        self._batch_size = tf1.size(self._start_tokens)
        self._start_inputs = self._embedding_fn(self._start_tokens)

    @property
    def batch_size(self):
        return self._batch_size

    def initialize(self, name=None):
        return tf1.fill([self._batch_size], False), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        return tf1.argmax(outputs, -1, output_type=tf1.int32)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        finished = tf1.equal(sample_ids, self._end_token)
        inputs = tf1.cond(
            tf1.reduce_all(finished),
            lambda: self._start_inputs,
            lambda: self._embedding_fn(sample_ids),
        )
        return finished, inputs, state


class TrainingHelper(DecodingHelper):
    """Reads the inputs, and samples what is likeliest.

    Args:
      inputs: [batch, time, ...].
      sequence_length: [batch].
      time_major: whether the inputs are [time, batch, ...].
      name: of the scope of the operations.

    Raises:
      ValueError: sequence_length is no vector.
    """

    def __init__(self, inputs, sequence_length, time_major=False, name=None):
        with tf1.name_scope(name, "TrainingHelper"):
            inputs = self.inputs = tf1.convert_to_tensor(inputs)
            self.sequence_length = tf1.convert_to_tensor(sequence_length)
            if self.sequence_length.shape.rank != 1:
                raise ValueError(f"No vector of lengths: {sequence_length}.")
            if not time_major:
                inputs = tf1.transpose(inputs, [1, 0, *range(2, inputs.shape.rank)])
            self._steps = tf1.TensorArray(
                inputs.dtype, tf1.shape(inputs)[0], element_shape=inputs.shape[1:]
            ).unstack(inputs)
            self._zero_inputs = tf1.zeros_like(inputs[0])
            self.batch_size = tf1.size(self.sequence_length)

    def initialize(self, name=None):
        finished = tf1.equal(self.sequence_length, 0)
        return finished, self._read(0, finished)

    def sample(self, time, outputs, name=None, **more):
        return tf1.argmax(outputs, -1, output_type=tf1.int32)

    def next_inputs(self, time, outputs, state, name=None, **more):
        finished = self.sequence_length <= time + 1
        return finished, self._read(time + 1, finished), state

    def _read(self, time, finished):
        return tf1.cond(
            tf1.reduce_all(finished),
            lambda: self._zero_inputs,
            lambda: self._steps.read(time),
        )


def sequence_loss(
    logits,
    targets,
    weights,
    average_across_timesteps=True,
    average_across_batch=True,
    sum_over_timesteps=False,
    sum_over_batch=False,
    softmax_loss_function=None,
    name=None,
):
    """Returns the weighted cross-entropy, over the dimensions that are asked for.

    Args:
      logits: [batch, time, classes].
      targets: the true classes, [batch, time].
      weights: of each place, [batch, time].
      average_across_timesteps, average_across_batch: divide by the sum of weights.
      sum_over_timesteps, sum_over_batch: divide by the number of weights but 0.
      softmax_loss_function: takes labels and logits by name, one row for each place;
        None for the sparse softmax.
      name: of the scope of the operations.

    Raises:
      ValueError: a rank is another, or one dimension is averaged and summed.
    """
    if [len(one.shape) for one in (logits, targets, weights)] != [3, 2, 2]:
        raise ValueError("Logits are [batch, time, classes], the others [batch, time].")
    if average_across_timesteps and sum_over_timesteps:
        raise ValueError("Timesteps are averaged or summed, not both.")
    if average_across_batch and sum_over_batch:
        raise ValueError("The batch is averaged or summed, not both.")
    cross_entropy = (
        softmax_loss_function or tf1.nn.sparse_softmax_cross_entropy_with_logits
    )
    with tf1.name_scope(name, "sequence_loss", [logits, targets, weights]):
        shape = tf1.shape(logits)
        losses = cross_entropy(
            labels=tf1.reshape(targets, [-1]),
            logits=tf1.reshape(logits, [-1, shape[2]]),
        )
        losses = tf1.reshape(losses * tf1.reshape(weights, [-1]), shape[:2])
        averaged = [average_across_batch, average_across_timesteps]
        summed = [sum_over_batch, sum_over_timesteps]
        if all(averaged) or all(summed):
            axes = [0, 1]
        elif any(averaged) or any(summed):
            axes = [(averaged if any(averaged) else summed).index(True)]
        else:
            return losses
        if any(averaged):
            size = tf1.reduce_sum(weights, axes)
        else:
            size = tf1.cast(tf1.math.count_nonzero(weights, axes), losses.dtype)
        return tf1.div_no_nan(tf1.reduce_sum(losses, axes), size)


class _Slim:
    """tf_slim, imported when a name of it is used: a program without it needs no tf_slim."""

    def __getattr__(self, name):
        return getattr(_with_what_it_needs(), name)


@functools.cache
def _with_what_it_needs():
    """Gives tf_slim 1.1.0 what it takes from places where TensorFlow 2 has it no more.

    A tf_slim that looks elsewhere, or a TensorFlow that has it, stays as it is.
    """
    importlib.import_module("tf_slim.nets")
    here = tf1.cond, tf1.case, tf1.while_loop, tf1.Assert
    for module, found in (
        (ops, (tf.Tensor, tf.IndexedSlices)),
        (array_ops, (tf.stack, tf.unstack)),
        (control_flow_ops, here),
    ):
        for one in found:
            if not hasattr(module, one.__name__):
                setattr(module, one.__name__, one)
    if not hasattr(variable_scope, "variable"):
        variable_scope.variable = tf1.Variable
    layers = importlib.import_module("tf_slim.layers.layers")
    layers.normalization_layers = tf1.layers
    return importlib.import_module("tf_slim")


slim = _Slim()
