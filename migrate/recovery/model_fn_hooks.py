"""Runs unchanged ``SessionRunHook`` objects around a model_fn's training steps."""

import math

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.model_fn_training_session import (
    TrainingSession,
    fetch_names,
    fetch_results,
    fetch_tensors,
)


class HookedTraining:
    """A ``ModelFnTraining`` whose every step runs between its hooks.

    What the hooks' ``before_run`` asks for, of the model_fn's graph, is computed by the
    step itself. ``run_context.session.run`` computes what needs no batch. A hook that
    stops ends the training as the end of the dataset does.

    Args:
      train: a ``ModelFnTraining``, before it is restored.
      hooks: ``tf.compat.v1.train.SessionRunHook`` objects; those that the model_fn
        returned come after them.

    Attributes:
      hooks: all of them.
    """

    def __init__(self, train, hooks=()):
        spec = train.spec
        returned = [*(spec.training_hooks or ()), *(spec.training_chief_hooks or ())]
        self._train, self.hooks = train, [*hooks, *returned]
        self._session = TrainingSession(train)
        self._wanted, self._step, self._started = {}, None, False
        self._each("begin")

    def __getattr__(self, name):
        return getattr(self._train, name)

    def __call__(self, batches, until, first_step):
        """Takes steps as ``ModelFnTraining`` does, with the hooks around each."""
        if not self._started:
            self._each("after_create_session", self._session, tf.train.Coordinator())
            self._started = True
        loss = 0.0
        while int(self._train.global_step) < until and not math.isnan(loss):
            try:
                loss, stop = self._take_step(batches, first_step)
            except StopIteration:
                stop = True
            if stop:
                raise tf.errors.OutOfRangeError(None, None, "A hook stopped training.")
        return loss

    def end(self):
        """Ends the hooks, when training has ended without an error."""
        self._each("end", self._session)

    def _each(self, event, *arguments):
        with self._train.graph.as_default():
            return [getattr(hook, event)(*arguments) for hook in self.hooks]

    def _take_step(self, batches, first_step):
        own = tf1.train.SessionRunArgs([self._train.spec.train_op])
        context = tf1.train.SessionRunContext(own, self._session)
        asked = [args and args.fetches for args in self._each("before_run", context)]
        names = [fetch_names(self._train.graph, fetches) for fetches in asked]
        new = set(tf.nest.flatten(names)) - self._wanted.keys() - {None}
        if self._step is None or new:
            graph = self._train.graph
            self._wanted.update((name, graph.as_graph_element(name)) for name in new)
            self._step = tf.function(self._compute(dict(self._wanted)), autograph=False)
        loss, values = self._step(batches, tf.constant(first_step, tf.int64))
        metadata = tf1.RunMetadata()
        with self._train.graph.as_default():
            for hook, wanted in zip(self.hooks, names):
                results = fetch_results(wanted, values)
                run_values = tf1.train.SessionRunValues(results, None, metadata)
                hook.after_run(context, run_values)
        return float(loss), context.stop_requested

    def _compute(self, wanted):
        def step(batches, first_step):
            loss, values = self._train.take_step(batches, first_step, wanted.values())
            return loss, fetch_tensors(wanted, values)

        return step
