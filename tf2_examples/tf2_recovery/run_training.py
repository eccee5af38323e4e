# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content 887966cbd24102bf).
"""Trains a model_fn from its latest checkpoint to its end, as ``Estimator.train``."""

import math
import time

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .model_fn_checkpoints import saved_step


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
