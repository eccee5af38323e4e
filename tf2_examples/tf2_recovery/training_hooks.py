# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content 8ae30604013d3955).
"""Runs unchanged ``SessionRunHook`` objects around a model_fn's training steps."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .model_fn_training_session import (
    TrainingSession,
    fetch_names,
    fetch_results,
    fetch_tensors,
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
