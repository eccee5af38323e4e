"""Trains a model_fn in TensorFlow's ``MonitoredTrainingSession``."""

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
    """Trains from a checkpoint to the last step, in this process alone.

    Args:
      estimator: the ``Estimator``.
      path: the checkpoint to restore, or None.
      ends: (steps to take, global step to end at), each an int or None.

    Attributes:
      is_chief: whether this process saves.
      is_alone: whether no other process trains with it.
      is_stopped: whether a SIGTERM asked it to end.
      checkpoints: the ``ModelCheckpoints``; set by ``run``.
    """

    is_chief, is_alone, is_stopped = True, True, False

    def __init__(self, estimator, path=None, ends=(None, None)):
        self.estimator, self.config = estimator, estimator.config
        self.path, self.ends = path, ends

    def join(self):
        """Joins the cluster; does nothing here."""

    def delay_secs(self):
        """Returns the seconds to wait before this process begins to train."""
        return 0

    def run(self, input_fn, hooks, listeners):
        """Trains; returns the loss of the last step, or None where no step was taken."""
        self.checkpoints = self.estimator.checkpoints
        self.checkpoints.read_list(self.checkpoints.directory, self.is_chief)
        with tf.Graph().as_default() as graph, self._scope(graph):
            tf1.set_random_seed(self.config.tf_random_seed)
            tf1.train.create_global_step()
            if self.config.train_distribute is None:
                # Adds an operation that an Estimator adds: op seeds count operations.
                tf1.train.StopAtStepHook(last_step=1).begin()
            spec, input_hooks = self._spec(input_fn)
            summaries = tf1.get_collection(tf1.GraphKeys.SUMMARIES)
            if "loss" not in [summary.op.name for summary in summaries]:
                tf1.summary.scalar("loss", spec.loss)
            tf1.add_to_collection(tf1.GraphKeys.LOSSES, spec.loss)
            own, log = self._standard_hooks(spec.loss)
            steps = self._steps(spec, hooks, log)
            worker_hooks = [*input_hooks, *hooks, *own, *(spec.training_hooks or ())]
            chief_hooks = list(spec.training_chief_hooks or ())
            scaffold = spec.scaffold or tf1.train.Scaffold()
            self._add_saver(scaffold, input_hooks)
            self._add_saver_hook(chief_hooks, worker_hooks, scaffold, listeners)
            self._add_summary_hook(chief_hooks, scaffold)
            if any(hasattr(hook, "iterator_saveable") for hook in input_hooks):
                chief_hooks[:0] = input_hooks  # the first save needs the iterator
                worker_hooks = worker_hooks[len(input_hooks) :]
            self._run_session(steps, scaffold, worker_hooks, chief_hooks)
        if steps.loss is None:
            tf1.logging.warning("Training made no steps: is the input empty?")
        return steps.loss

    def _scope(self, graph):
        """Returns the context in which the graph is built."""
        return graph.device(self.config.device_fn)

    def _spec(self, input_fn):
        """Returns the EstimatorSpec, and the hooks that initialize the input."""
        features, labels, hooks = self.estimator._input(input_fn, "train")
        return self.estimator._spec(features, labels, "train", self.path), hooks

    def _standard_hooks(self, loss):
        """Returns the hooks of every training, and the one that logs, or None."""
        has_end = self.ends != (None, None)
        own = [tf1.train.StopAtStepHook(*self.ends)] if has_end else []
        own.append(tf1.train.NanTensorHook(loss))
        every = self.config.log_step_count_steps
        if every is None:
            return own, None
        logged = {"loss": loss, "step": tf1.train.get_global_step()}
        log = tf1.train.LoggingTensorHook(logged, every)
        return [*own, log], log

    def _steps(self, spec, hooks, log):
        """Returns ``BareSteps`` if no hook of the user sees each step, else ``Steps``."""
        is_watched = hooks or spec.training_hooks or spec.training_chief_hooks
        is_fed = tf1.get_collection(tf1.GraphKeys.QUEUE_RUNNERS)
        if is_watched or is_fed or not self.is_alone:
            return Steps(spec, self)
        return BareSteps(spec, self, log)

    def _add_saver(self, scaffold, input_hooks):
        """Adds the Saver that saves by the manager, unless the model_fn made a Saver."""
        directory = self.checkpoints.directory
        saving = [hook for hook in input_hooks if hasattr(hook, "iterator_saveable")]
        iterators = [hook.iterator_saveable(directory) for hook in saving]
        if not (scaffold.saver or tf1.get_collection(tf1.GraphKeys.SAVERS)):
            saver = ManagedSaver(self.checkpoints, iterators)
            tf1.add_to_collection(tf1.GraphKeys.SAVERS, saver)

    def _add_saver_hook(self, hooks, others, scaffold, listeners):
        """Inserts the hook that saves into ``hooks``, unless the user has such a hook."""
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
        """Inserts the hook that writes summaries, before the one that saves."""
        every, directory = self.config.save_summary_steps, self.estimator.model_dir
        if every:
            hook = tf1.train.SummarySaverHook(every, None, directory, scaffold=scaffold)
            hooks.insert(0, hook)

    def _run_session(self, steps, scaffold, worker_hooks, chief_hooks):
        config, directory = self.config, self.estimator.model_dir
        settings = {
            "checkpoint_dir": directory,
            "scaffold": scaffold,
            "save_checkpoint_secs": 0,  # a hook of chief_hooks saves
            "save_summaries_steps": 0,  # another one writes summaries
            "config": self._session_config(),
            "max_wait_secs": config.session_creation_timeout_secs,
            "log_step_count_steps": config.log_step_count_steps,
            "save_graph_def": config.checkpoint_save_graph_def,
        }
        hooks = worker_hooks, chief_hooks
        with contextlib.ExitStack() as stack:
            if self.is_chief:
                tf.io.gfile.makedirs(directory)
                stack.enter_context(_warn_of_other_job(directory))
            stack.enter_context(self._end_on_sigterm())
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
    def _end_on_sigterm(self):
        """Lets a SIGTERM finish the step and save, if the estimator's save_on_sigterm."""
        in_main_thread = threading.current_thread() is threading.main_thread()
        if not (self.estimator.save_on_sigterm and in_main_thread):  # as signal() needs
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
def _warn_of_other_job(directory):
    """Locks a directory within the context; warns where another process has the lock.

    The kernel releases the lock when the process ends, even by a kill. A file system
    without locks gives no warning.
    """
    with contextlib.ExitStack() as stack:
        try:
            descriptor = os.open(directory, os.O_RDONLY)
            stack.callback(os.close, descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tf1.logging.warning(
                "Another process trains in %s: they overwrite one another.", directory
            )
        except (OSError, AttributeError):
            pass
        yield


class _FlushListener(tf1.train.CheckpointSaverListener):
    """Flushes summaries before each save: a resumed job does not write them again.

    Args:
      directory: of the summaries.
    """

    def __init__(self, directory):
        self._directory = directory

    def before_save(self, session, global_step_value):
        tf1.summary.FileWriterCache.get(self._directory).flush()


class InputHook(tf1.train.SessionRunHook):
    """Initializes the iterator of a dataset when the session is created.

    Args:
      iterator: a ``tf.compat.v1.data.Iterator``, or that of a strategy.
    """

    def __init__(self, iterator):
        self.iterator, self._initializer = iterator, iterator.initializer

    def after_create_session(self, session, coord):
        session.run(self._initializer)


class ProfilerHook(tf1.train.ProfilerHook):
    """A ``tf.compat.v1.train.ProfilerHook`` that can be made before its graph exists.

    Args:
      settings, named: the arguments of ``tf.compat.v1.train.ProfilerHook``.
    """

    def __init__(self, *settings, **named):
        self._settings, self._named = settings, named

    def begin(self):
        super().__init__(*self._settings, **self._named)
        super().begin()
