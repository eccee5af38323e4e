# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 099f068399e36fd0).
"""Takes the steps of a training in its session."""

import time

import tensorflow as tf
import tensorflow.compat.v1 as tf1


class Steps:
    """Takes each step with all hooks.

    Args:
      spec: the EstimatorSpec.
      training: the ``Training``.

    Attributes:
      loss: of the last step, a float; None before the first.
    """

    loss = None

    def __init__(self, spec, training):
        self._fetches, self._training = [spec.train_op, spec.loss], training

    def take(self, step_context):
        """Takes a step, or several; for ``MonitoredSession.run_step_fn``."""
        self.loss = step_context.run_with_hooks(self._fetches)[1]


class BareSteps(Steps):
    """Takes steps without hooks, where only the hooks of ``Training`` are there.

    A hook costs some 0.02 ms a step, and a call of ``Session.run`` 0.1 ms. Steps at
    which none of these hooks does anything run by ``Session.make_callable``.

    Args:
      spec, training: as for ``Steps``.
      log: the ``LoggingTensorHook``, whose own count of steps must advance, or None.
    """

    _session = None

    def __init__(self, spec, training, log):
        super().__init__(spec, training)
        with tf.control_dependencies(tf.nest.flatten(self._fetches)):
            self._fetches.append(tf1.train.get_global_step().read_value())
        self._log = log

    def take(self, step_context):
        if self._session is None:
            self._begin(step_context.session)
        # After an error TensorFlow makes a new session: it runs with hooks alone.
        is_known_session = self._session is step_context.session
        until = time.monotonic() + 0.2  # the longest that a hook's timer may be late
        while is_known_session and self._counts_by_one and not self._needs_hooks():
            _, self.loss, step = self._call()
            if self.loss != self.loss:
                tf1.logging.error("Model diverged with loss = NaN.")
                raise tf1.train.NanLossDuringTrainingError
            self._count(step)
            if self._log:
                self._log._iter_count += 1
            if self._training.is_stopped:
                return
            if time.monotonic() > until:
                break
        _, self.loss, step = step_context.run_with_hooks(self._fetches)
        self._count(step)

    def _begin(self, session):
        self._session, self._counts_by_one = session, True
        self._call = session.make_callable(self._fetches)
        self._first = self._step = session.run(tf1.train.get_global_step())
        steps, last = self._training.ends
        if last is None:
            last = float("inf") if steps is None else self._first + steps
        self._last = last

    def _count(self, step):
        # If the model_fn counts otherwise, every step runs with hooks.
        self._counts_by_one &= step == self._step + 1
        self._step = step

    def _needs_hooks(self):
        """Returns whether a hook of ``Training`` does something in the next step."""
        taken, config = self._step - self._first, self._training.config
        saves = self._training.checkpoints.checkpoint_interval
        summaries, lines = config.save_summary_steps, config.log_step_count_steps
        return (
            taken == 0
            or self._step + 1 >= self._last
            or (saves and (taken + 1) % saves == 0)
            # SummarySaverHook must see the step before, too.
            or (summaries and (taken % summaries == 0 or (taken + 1) % summaries == 0))
            or (lines and taken % lines == 0)
        )
