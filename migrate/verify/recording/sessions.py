"""Records TF1's ``MonitoredSession`` and ``Saver``, and ``tf.estimator.Estimator``, which uses them."""

import os

from . import batches, event_log, saving, steps, training
from .wrapping import wrap_method


def watch_session(module):
    """Adds the recorder's hook, after all others, to every monitored session that trains."""

    class Recorder(module.SessionRunHook if hasattr(module, "SessionRunHook") else _hook_class()):
        """Fetches nothing that the step does not compute already: its loss and its batch."""

        def begin(self):
            import tensorflow.compat.v1 as tf1

            self.global_step = tf1.train.get_global_step()
            self.batch = None

        def after_create_session(self, session, coord):
            if self.global_step is not None:
                # A callable takes half the time of session.run at every step.
                self.read_step = session.make_callable(self.global_step)
                training.record_start("session", int(self.read_step()))

        def before_run(self, run_context):
            import tensorflow.compat.v1 as tf1

            wanted = {}
            loss = _loss_among(run_context.original_args.fetches)
            if loss is not None:
                wanted["loss"] = loss
            if self.batch is None:
                self.batch = getattr(run_context.session.graph, "_recorded_batch", [])
            if self.batch:
                wanted["batch"] = self.batch
            return tf1.train.SessionRunArgs(wanted) if wanted else None

        def after_run(self, run_context, run_values):
            if self.global_step is None:
                return
            results = run_values.results or {}
            now = int(self.read_step())
            if now == training.step:
                return
            losses = [float(results["loss"])] if "loss" in results else []
            digests = [batches.digest_arrays(results["batch"])] if "batch" in results else []
            training.record_steps(now, losses, digests, "step")

    def make(original, self, creator, hooks, *args, **kwargs):
        if any(type(hook).__name__ == "FinalOpsHook" for hook in hooks or []):
            with training.in_phase("evaluate"):
                return original(self, creator, hooks, *args, **kwargs)
        if _only_predicts(creator):
            with training.in_phase("predict"):
                return original(self, creator, hooks, *args, **kwargs)
        if training.phase == "train":
            hooks = [*(hooks or []), Recorder()]
        return original(self, creator, hooks, *args, **kwargs)

    wrap_method(module._MonitoredSession, "__init__", make)
    wrap_method(module._MonitoredSession, "run_step_fn", _run_step_fn)


def _only_predicts(creator):
    """Whether a session restores one named checkpoint in a graph that does not increment the global step."""
    import tensorflow.compat.v1 as tf1

    if getattr(creator, "_checkpoint_filename_with_path", None) is None:
        return False
    adds = ("AssignAdd", "AssignAddVariableOp")
    added_to = [one.inputs[0].op.name for one in tf1.get_default_graph().get_operations() if one.type in adds]
    return not any(name.endswith(tf1.GraphKeys.GLOBAL_STEP) for name in added_to)


def _run_step_fn(original, self, step_fn):
    """Makes a migrated program run its hooks at every step: it skips hooks that need nothing, but the recorder does."""
    return original(self, lambda step_context: step_fn(_StepContext(step_context)))


class _StepContext:
    """A step's context with a new session object at each step, so that no step runs without hooks."""

    def __init__(self, step_context):
        self._context = step_context

    def __getattr__(self, name):
        return getattr(self._context, name)

    @property
    def session(self):
        return _Session(self._context.session)


class _Session:
    def __init__(self, session):
        self._session = session

    def __getattr__(self, name):
        return getattr(self._session, name)


def watch_hooks(module):
    """Watches the hook that reads the metrics when an evaluation's session ends, and the one that saves."""
    wrap_method(module.FinalOpsHook, "end", _end_evaluation)  # an Estimator's evaluations are recorded by ``_evaluate``
    wrap_method(module.CheckpointSaverHook, "begin", _begin_saver_hook)


def _begin_saver_hook(original, self):
    seconds = getattr(getattr(self, "_timer", None), "_every_secs", None)
    if seconds:
        event_log.write("saves_by_clock", seconds=seconds)
    return original(self)


def _end_evaluation(original, self, *args, **kwargs):
    result = original(self, *args, **kwargs)
    values = self.final_ops_values
    if training.phase == "train" and isinstance(values, dict):
        step = values.get("global_step")
        saving.record_evaluation(None if step is None else int(step), values)
    return result


def _hook_class():
    from tensorflow.python.training.session_run_hook import SessionRunHook

    return SessionRunHook


def _loss_among(fetches):
    """Returns a floating-point scalar among the program's fetches, at best one named loss; None if there is none."""
    import tensorflow as tf

    tensors = [
        tensor
        for tensor in tf.nest.flatten(fetches)
        if tf.is_tensor(tensor) and tensor.dtype.is_floating and tensor.shape.rank == 0
    ]
    named = [tensor for tensor in tensors if "loss" in tensor.name.lower()]
    return (named or tensors or [None])[0]


def watch_saver(module):
    wrap_method(module.Saver, "save", _save)
    wrap_method(module.Saver, "restore", _restore)


def _save(original, self, sess, save_path, *args, **kwargs):
    if os.path.basename(os.path.dirname(str(save_path))) == "variables":
        # The weights of a SavedModel: an export, from which nothing resumes.
        return original(self, sess, save_path, *args, **kwargs)
    given = args[0] if args else kwargs.get("global_step")
    number = int(given) if hasattr(given, "__index__") else None
    step = training.step if number is None else number
    path = save_path if number is None else f"{save_path}-{number}"
    with saving.record_save("saver", path, lambda: step):
        return original(self, sess, save_path, *args, **kwargs)


def _restore(original, self, sess, save_path):
    with saving.watch_restore("saver", save_path):
        result = original(self, sess, save_path)
    training.unsettled = training.phase == "train"
    training.expected = steps.step_in_path(save_path)
    saving.record_restore("saver", save_path, steps.step_in_path(save_path))
    return result


def watch_estimator(module):
    owner = module.Estimator
    wrap_method(owner, "_train_with_estimator_spec", _estimator_train)
    wrap_method(owner, "_get_features_and_labels_from_input_fn", _call_input_fn)
    wrap_method(owner, "evaluate", _evaluate)
    wrap_method(owner, "predict", _predict)


def watch_evaluations(module):
    """Watches ``train_and_evaluate`` in a single process, which evaluates every so many seconds."""
    wrap_method(module._TrainingExecutor, "run_local", _train_and_evaluate)


def _train_and_evaluate(original, self):
    event_log.write("evaluates_by_clock", seconds=self._eval_spec.throttle_secs)
    return original(self)


def _estimator_train(original, self, *args, **kwargs):
    with training.reported_by("session"):
        return original(self, *args, **kwargs)


def _call_input_fn(original, self, *args, **kwargs):
    features, labels, hooks = original(self, *args, **kwargs)
    with event_log.contain_errors("batch"):
        batches.remember_batch(batches.numeric_tensors((features, {} if labels is None else labels)))
    return features, labels, hooks


def _evaluate(original, self, *args, **kwargs):
    with training.in_phase("evaluate"):
        metrics = original(self, *args, **kwargs)
    saving.record_evaluation(int(metrics["global_step"]) if "global_step" in metrics else None, metrics)
    return metrics


def _predict(original, self, *args, **kwargs):
    # The phase is "predict" only while an element is computed, not while the program uses it.
    elements = original(self, *args, **kwargs)
    while True:
        with training.in_phase("predict"):
            try:
                element = next(elements)
            except StopIteration:
                return
        yield element
