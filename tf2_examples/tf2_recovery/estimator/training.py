# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 5668f46501ae6fc8).
"""The training of a model_fn in TensorFlow's own session."""

import contextlib
import os
import signal
import threading

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .model_checkpoints import ManagedSaver
from .steps import BareSteps, Steps

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


class Training:
    """A training from a checkpoint to its end, by this process alone.

    Args:
      estimator: the ``Estimator``.
      path: the checkpoint that it goes on from, or None.
      ends: how many steps to take, and the step to end at; None for neither.

    Attributes:
      is_chief: whether this process saves.
      is_alone: whether no other one trains.
      is_stopped: whether a SIGTERM asked it to end.
      checkpoints: the ``ModelCheckpoints``, while it runs.
    """

    is_chief, is_alone, is_stopped = True, True, False

    def __init__(self, estimator, path=None, ends=(None, None)):
        self.estimator, self.config = estimator, estimator.config
        self.path, self.ends = path, ends

    def join(self):
        """Joins the others, of which there are none."""

    def delay_secs(self):
        """Returns how long it waits before it joins them."""
        return 0

    def run(self, input_fn, hooks, listeners):
        """Trains; returns the loss of the last step."""
        self.checkpoints = self.estimator.checkpoints
        self.checkpoints.read_list(self.checkpoints.directory, self.is_chief)
        with tf.Graph().as_default() as graph, self._scope(graph):
            tf1.set_random_seed(self.config.tf_random_seed)
            tf1.train.create_global_step()
            if self.config.train_distribute is None:
                # It makes the read of the step: seeds count an Estimator's operations.
                tf1.train.StopAtStepHook(last_step=1).begin()
            spec, input_hooks = self._spec(input_fn)
            summaries = tf1.get_collection(tf1.GraphKeys.SUMMARIES)
            if "loss" not in [summary.op.name for summary in summaries]:
                tf1.summary.scalar("loss", spec.loss)
            tf1.add_to_collection(tf1.GraphKeys.LOSSES, spec.loss)
            own, log = self._own_hooks(spec.loss)
            steps = self._steps(spec, hooks, log)
            worker_hooks = [*input_hooks, *hooks, *own, *(spec.training_hooks or ())]
            chief_hooks = list(spec.training_chief_hooks or ())
            scaffold = spec.scaffold or tf1.train.Scaffold()
            self._add_saver(scaffold, input_hooks)
            self._add_saver_hook(chief_hooks, worker_hooks, scaffold, listeners)
            self._add_summary_hook(chief_hooks, scaffold)
            if any(hasattr(hook, "saved_in") for hook in input_hooks):
                chief_hooks[:0] = input_hooks  # the first save holds the iterator, too
                worker_hooks = worker_hooks[len(input_hooks) :]
            self._run_session(steps, scaffold, worker_hooks, chief_hooks)
        if steps.loss is None:
            tf1.logging.warning("Training made no steps: is the input empty?")
        return steps.loss

    def _scope(self, graph):
        """Returns a context to build the graph in."""
        return graph.device(self.config.device_fn)

    def _spec(self, input_fn):
        """Returns the EstimatorSpec of the training, and hooks that start the input."""
        features, labels, hooks = self.estimator._input(input_fn, "train")
        return self.estimator._spec(features, labels, "train", self.path), hooks

    def _own_hooks(self, loss):
        """Returns the hooks that every training has, and which of them logs, or None."""
        has_end = self.ends != (None, None)
        own = [tf1.train.StopAtStepHook(*self.ends)] if has_end else []
        own.append(tf1.train.NanTensorHook(loss))
        every = self.config.log_step_count_steps
        if every is None:
            return own, None
        told = {"loss": loss, "step": tf1.train.get_global_step()}
        log = tf1.train.LoggingTensorHook(told, every)
        return [*own, log], log

    def _steps(self, spec, hooks, log):
        """Returns the steps; hooks are the user's."""
        is_watched = hooks or spec.training_hooks or spec.training_chief_hooks
        is_fed = tf1.get_collection(tf1.GraphKeys.QUEUE_RUNNERS)
        if is_watched or is_fed or not self.is_alone:
            return Steps(spec, self)
        return BareSteps(spec, self, log)

    def _add_saver(self, scaffold, input_hooks):
        """Has a manager save, unless the model_fn has a Saver of its own."""
        directory = self.checkpoints.directory
        saved = [hook for hook in input_hooks if hasattr(hook, "saved_in")]
        iterators = [hook.saved_in(directory) for hook in saved]
        if not (scaffold.saver or tf1.get_collection(tf1.GraphKeys.SAVERS)):
            saver = ManagedSaver(self.checkpoints, iterators)
            tf1.add_to_collection(tf1.GraphKeys.SAVERS, saver)

    def _add_saver_hook(self, hooks, others, scaffold, listeners):
        """Puts the hook that saves before the chief's, unless there is one of the user's."""
        kind, checkpoints = tf1.train.CheckpointSaverHook, self.checkpoints
        steps, secs = checkpoints.checkpoint_interval, checkpoints.save_secs
        savers = [hook for hook in [*others, *hooks] if isinstance(hook, kind)]
        if (steps or secs) and not savers:
            saver = kind(
                checkpoints.directory,
                secs or None,
                steps or None,
                scaffold=scaffold,
                save_graph_def=self.config.checkpoint_save_graph_def,
            )
            hooks.insert(0, saver)
            savers = [saver]
        if listeners and not savers:
            raise ValueError(
                "There should be a CheckpointSaverHook to use saving_listeners. Set "
                "save_checkpoints_steps or save_checkpoints_secs."
            )
        if not savers:
            tf1.logging.warning("No checkpoints: no interval between saves is set.")
            return
        savers[0]._listeners.insert(0, _FlushListener(self.estimator.model_dir))
        for listener in listeners:
            if listener not in savers[0]._listeners:
                savers[0]._listeners.append(listener)

    def _add_summary_hook(self, hooks, scaffold):
        """Puts the hook that writes summaries before the one that saves."""
        every, directory = self.config.save_summary_steps, self.estimator.model_dir
        if every:
            hook = tf1.train.SummarySaverHook(every, None, directory, scaffold=scaffold)
            hooks.insert(0, hook)

    def _run_session(self, steps, scaffold, worker_hooks, chief_hooks):
        config, directory = self.config, self.estimator.model_dir
        settings = {
            "checkpoint_dir": directory,
            "scaffold": scaffold,
            "save_checkpoint_secs": 0,  # a hook saves
            "save_summaries_steps": 0,  # another writes them
            "config": self._session_config(),
            "max_wait_secs": config.session_creation_timeout_secs,
            "log_step_count_steps": config.log_step_count_steps,
            "save_graph_def": config.checkpoint_save_graph_def,
        }
        hooks = worker_hooks, chief_hooks
        with contextlib.ExitStack() as stack:
            if self.is_chief:
                tf.io.gfile.makedirs(directory)
                stack.enter_context(_told_of_others(directory))
            stack.enter_context(self._ended_by_sigterm())
            session = stack.enter_context(self._session(*hooks, **settings))
            self._take_steps(session, steps)

    def _take_steps(self, session, steps):
        while not session.should_stop() and not self.is_stopped:
            session.run_step_fn(steps.take)

    def _session(self, hooks, chief_only_hooks, **settings):
        """Returns the session of the training."""
        return tf1.train.MonitoredTrainingSession(
            hooks=hooks, chief_only_hooks=chief_only_hooks, **settings
        )

    def _session_config(self):
        """Returns the ``ConfigProto`` of the session."""
        return self.estimator._session_config()

    @contextlib.contextmanager
    def _ended_by_sigterm(self):
        """A context in which a SIGTERM waits for the end of the step, and for a save."""
        in_main_thread = threading.current_thread() is threading.main_thread()
        if not (self.estimator.save_on_sigterm and in_main_thread):  # which has signals
            yield
            return

        def stop(number, frame):
            tf1.logging.info("SIGTERM: saves and ends.")
            self.is_stopped = True

        before = signal.signal(signal.SIGTERM, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, before or signal.SIG_DFL)
        if self.is_stopped:
            signal.raise_signal(signal.SIGTERM)


@contextlib.contextmanager
def _told_of_others(directory):
    """A context that holds a directory, and warns where another process holds it.

    The kernel lets go of it with the process, however that ends. Where a file system
    cannot hold a directory, nothing is said.
    """
    with contextlib.ExitStack() as stack:
        try:
            held = os.open(directory, os.O_RDONLY)
            stack.callback(os.close, held)
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tf1.logging.warning(
                "Another process trains in %s: they overwrite one another.", directory
            )
        except (OSError, AttributeError):
            pass
        yield


class _FlushListener(tf1.train.CheckpointSaverListener):
    """Writes the summaries out before each save: a killed job does not take them again.

    Args:
      directory: the job's, in which its summaries are.
    """

    def __init__(self, directory):
        self._directory = directory

    def before_save(self, session, global_step_value):
        tf1.summary.FileWriterCache.get(self._directory).flush()


class InputHook(tf1.train.SessionRunHook):
    """Starts a dataset's iterator at its beginning.

    Args:
      iterator: of ``tf.compat.v1.data``.
    """

    def __init__(self, iterator):
        self.iterator = iterator

    def after_create_session(self, session, coord):
        session.run(self.iterator.initializer)


class ProfilerHook(tf1.train.ProfilerHook):
    """A ``tf.compat.v1.train.ProfilerHook`` that is made before its graph is there.

    Args:
      settings: as of that, by place or by name.
    """

    def __init__(self, *settings, **named):
        self._settings, self._named = settings, named

    def begin(self):
        super().__init__(*self._settings, **self._named)
        super().begin()
