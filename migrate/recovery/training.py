"""The training of a model_fn in TensorFlow's own session."""

import contextlib
import signal
import threading
import time

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .model_checkpoints import ManagedSaver, told_of_others


class OnlyTask:
    """The place of a process that trains alone."""

    is_chief, is_alone, is_bound = True, True, False

    def scope(self, estimator, graph):
        """Returns a context to build the graph in."""
        return graph.device(estimator.config.device_fn)

    def spec(self, estimator, input_fn, path):
        """Returns the EstimatorSpec of the training, and hooks that start the input."""
        features, labels, hooks = estimator._input(input_fn, "train")
        return estimator._spec(features, labels, "train", path), hooks

    def session_config(self, estimator):
        """Returns the ``ConfigProto`` of the session."""
        return estimator._session_config()

    def session(self, estimator, hooks, chief_only_hooks, **settings):
        """Returns the session of the training."""
        return tf1.train.MonitoredTrainingSession(
            hooks=hooks, chief_only_hooks=chief_only_hooks, **settings
        )

    def join(self, estimator):
        """Joins the others, of which there are none."""

    def delay_secs(self):
        """Returns how long it waits before it joins them."""
        return 0


class Training:
    """A training from a checkpoint to its end.

    Args:
      estimator: the ``Estimator``.
      task: this process's place in it.
      path: the checkpoint that it goes on from, or None.
      ends: how many steps to take, and the step to end at; None for neither.
    """

    def __init__(self, estimator, task, path, ends):
        self._estimator, self._task, self._path = estimator, task, path
        self._config, self._ends, self._stop = estimator.config, ends, _Stop()
        self._checkpoints = estimator.checkpoints

    def run(self, input_fn, hooks, listeners):
        """Trains; returns the loss of the last step."""
        self._checkpoints.read_list(self._checkpoints.directory, self._task.is_chief)
        scope = self._task.scope
        with tf.Graph().as_default() as graph, scope(self._estimator, graph):
            tf1.set_random_seed(self._config.tf_random_seed)
            tf1.train.create_global_step()
            if self._config.train_distribute is None:
                # It makes the read of the step: seeds count an Estimator's operations.
                tf1.train.StopAtStepHook(last_step=1).begin()
            spec, input_hooks = self._task.spec(self._estimator, input_fn, self._path)
            summaries = tf1.get_collection(tf1.GraphKeys.SUMMARIES)
            if "loss" not in [summary.op.name for summary in summaries]:
                tf1.summary.scalar("loss", spec.loss)
            tf1.add_to_collection(tf1.GraphKeys.LOSSES, spec.loss)
            steps, own = self._steps(spec, hooks)
            worker_hooks = [*input_hooks, *hooks, *own, *(spec.training_hooks or ())]
            chief_hooks = list(spec.training_chief_hooks or ())
            scaffold = spec.scaffold or tf1.train.Scaffold()
            self._add_saver(scaffold, input_hooks)
            self._add_saver_hook(chief_hooks, worker_hooks, scaffold, listeners)
            self._add_summary_hook(chief_hooks, scaffold)
            if any(hasattr(hook, "saved_in") for hook in input_hooks):
                chief_hooks[:0] = input_hooks  # the first save holds the iterator, too
                worker_hooks = worker_hooks[len(input_hooks) :]
            return self._run_session(steps, scaffold, worker_hooks, chief_hooks)

    def _steps(self, spec, hooks):
        """Returns the steps, and the hooks that every training has."""
        config, ends, loss = self._config, self._ends, spec.loss
        own = [] if ends == (None, None) else [tf1.train.StopAtStepHook(*ends)]
        own.append(tf1.train.NanTensorHook(loss))
        every, log = config.log_step_count_steps, None
        if every is not None:
            step = tf1.train.get_global_step()
            log = tf1.train.LoggingTensorHook({"loss": loss, "step": step}, every)
            own.append(log)
        is_watched = [*hooks, *(spec.training_hooks or ())] or spec.training_chief_hooks
        is_fed = tf1.get_collection(tf1.GraphKeys.QUEUE_RUNNERS)
        if self._task.is_bound:
            return self._task.bound_steps(spec, self._stop), own
        if is_watched or is_fed or not self._task.is_alone:
            return Steps(spec, self._stop), own
        saves = self._checkpoints.checkpoint_interval
        return _BareSteps(spec, self._stop, config, saves, ends, log), own

    def _add_saver(self, scaffold, input_hooks):
        """Has a manager save, unless the model_fn has a Saver of its own."""
        directory = self._checkpoints.directory
        iterators = [
            hook.saved_in(directory)
            for hook in input_hooks
            if hasattr(hook, "saved_in")
        ]
        if not (scaffold.saver or tf1.get_collection(tf1.GraphKeys.SAVERS)):
            saver = ManagedSaver(self._checkpoints, iterators)
            tf1.add_to_collection(tf1.GraphKeys.SAVERS, saver)

    def _add_saver_hook(self, hooks, others, scaffold, listeners):
        """Puts the hook that saves before the chief's, unless there is one of the user's."""
        checkpoints, config = self._checkpoints, self._config
        steps, secs = checkpoints.checkpoint_interval, checkpoints.save_secs
        kind = tf1.train.CheckpointSaverHook
        savers = [hook for hook in [*others, *hooks] if isinstance(hook, kind)]
        if (steps or secs) and not savers:
            graph_def = config.checkpoint_save_graph_def
            saver = kind(
                checkpoints.directory,
                secs or None,
                steps or None,
                scaffold=scaffold,
                save_graph_def=graph_def,
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
        savers[0]._listeners.insert(0, _FlushListener(self._estimator.model_dir))
        for listener in listeners:
            if listener not in savers[0]._listeners:
                savers[0]._listeners.append(listener)

    def _add_summary_hook(self, hooks, scaffold):
        """Puts the hook that writes summaries before the one that saves; a session's own comes after it."""
        every, directory = self._config.save_summary_steps, self._estimator.model_dir
        if every:
            hook = tf1.train.SummarySaverHook(every, None, directory, scaffold=scaffold)
            hooks.insert(0, hook)

    def _run_session(self, steps, scaffold, worker_hooks, chief_hooks):
        config, task, estimator = self._config, self._task, self._estimator
        directory = estimator.model_dir
        with contextlib.ExitStack() as stack:
            if task.is_chief:
                tf.io.gfile.makedirs(directory)
                stack.enter_context(told_of_others(directory))
            if estimator.save_on_sigterm:
                stack.enter_context(self._stop.on_sigterm())
            session = stack.enter_context(
                task.session(
                    estimator,
                    worker_hooks,
                    chief_hooks,
                    checkpoint_dir=directory,
                    scaffold=scaffold,
                    save_checkpoint_secs=0,  # a hook saves
                    save_summaries_steps=0,
                    config=task.session_config(estimator),
                    max_wait_secs=config.session_creation_timeout_secs,
                    log_step_count_steps=config.log_step_count_steps,
                    save_graph_def=config.checkpoint_save_graph_def,
                )
            )
            while not session.should_stop() and not self._stop.is_asked:
                session.run_step_fn(steps.take)
        if steps.loss is None:
            tf1.logging.warning("Training made no steps: is the input empty?")
        return steps.loss


class _Stop:
    """Whether the training was asked to stop by a SIGTERM."""

    is_asked = False

    @contextlib.contextmanager
    def on_sigterm(self):
        """A context in which a SIGTERM waits for the end of the step, and for a save."""
        if threading.current_thread() is not threading.main_thread():
            yield  # only there Python handles signals
            return
        before = signal.signal(signal.SIGTERM, self._ask)
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, before or signal.SIG_DFL)
        if self.is_asked:
            signal.raise_signal(signal.SIGTERM)

    def _ask(self, number, frame):
        tf1.logging.info("SIGTERM: saves and ends.")
        self.is_asked = True


class Steps:
    """The steps of a training.

    A hook costs some 0.02 ms a step, and calling ``Session.run`` 0.1 ms. Where no hook
    of the user watches, the steps at which none of TensorFlow's own has anything to do
    run without them.

    Args:
      spec: the EstimatorSpec.
      stop: a ``_Stop``.

    Attributes:
      loss: of the last step; None before it.
    """

    loss = None

    def __init__(self, spec, stop):
        self._fetches, self._stop = [spec.train_op, spec.loss], stop

    def take(self, step_context):
        """Takes a step, or several."""
        self.loss = step_context.run_with_hooks(self._fetches)[1]


class _BareSteps(Steps):
    """Steps that nobody but TensorFlow's own hooks watches.

    Args:
      spec, stop: as for ``Steps``.
      config: the ``RunConfig``, which says when these hooks have something to do.
      saves: the steps from one save to the next; None for none, or by the clock.
      ends: the steps to take, and the step to end at, of which one is None or both are.
      log: the ``LoggingTensorHook``, which counts steps by itself; or None.
    """

    def __init__(self, spec, stop, config, saves, ends, log):
        super().__init__(spec, stop)
        with tf.control_dependencies(tf.nest.flatten(self._fetches)):
            self._fetches.append(tf1.train.get_global_step().read_value())
        self._every = saves, config.save_summary_steps, config.log_step_count_steps
        self._ends, self._log = ends, log
        self._session = None

    def take(self, step_context):
        if self._session is None:
            self._begin(step_context.session)
        # After an error TensorFlow makes a new session, and its hooks count on.
        is_bare = self._session is step_context.session
        until = time.monotonic() + 0.2  # what hooks do by the clock waits no longer
        while is_bare and self._is_regular and not self._is_due():
            _, self.loss, step = self._call()
            if self.loss != self.loss:
                tf1.logging.error("Model diverged with loss = NaN.")
                raise tf1.train.NanLossDuringTrainingError
            self._count(step)
            if self._log:
                self._log._iter_count += 1
            if self._stop.is_asked:
                return
            if time.monotonic() > until:
                break
        _, self.loss, step = step_context.run_with_hooks(self._fetches)
        self._count(step)

    def _begin(self, session):
        self._session, self._is_regular = session, True
        self._call = session.make_callable(self._fetches)
        self._first = self._step = session.run(tf1.train.get_global_step())
        steps, last = self._ends
        if last is None:
            last = float("inf") if steps is None else self._first + steps
        self._last = last

    def _count(self, step):
        # A model_fn that counts otherwise has the hooks in each step.
        self._is_regular &= step == self._step + 1
        self._step = step

    def _is_due(self):
        """Returns whether one of TensorFlow's hooks does something in the next step."""
        taken, (saves, summaries, lines) = self._step - self._first, self._every
        return (
            taken == 0
            or self._step + 1 >= self._last
            or (saves and (taken + 1) % saves == 0)
            # It has to see the step before, too.
            or (summaries and (taken % summaries == 0 or (taken + 1) % summaries == 0))
            or (lines and taken % lines == 0)
        )


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
