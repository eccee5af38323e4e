"""A hook that saves a model_fn's training, in the place of its own manager."""

import os
from concurrent.futures import ThreadPoolExecutor

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .model_fn_checkpoints import mend_checkpoint_list


class CheckpointSaverHook(tf1.train.SessionRunHook):
    """Saves at the start, in an interval, and at the end.

    ``tf.compat.v1.train.CheckpointSaverHook`` saved a session; there is none now. With
    this one among its hooks ``run_training`` leaves all saves to it.

    Args:
      checkpoint_dir: where it saves.
      save_secs: the seconds from one save to the next; or
      save_steps: the steps. One of the two must be None.
      listeners: ``tf.compat.v1.train.CheckpointSaverListener`` objects, or None.
      save_graph_def: taken for the old hook's sake.
    """

    def __init__(
        self,
        checkpoint_dir,
        save_secs=None,
        save_steps=None,
        listeners=None,
        save_graph_def=True,
    ):
        self.checkpoint_dir, self.manager = checkpoint_dir, None
        self._timer = tf1.train.SecondOrStepTimer(save_secs, save_steps)
        self._listeners = list(listeners or ())
        # Hooks run in the graph, a save does not; each thread has a place of its own.
        self._eager = ThreadPoolExecutor(1)

    def save_with(self, train, manager, listeners):
        """Takes over the saves of ``run_training``.

        Args:
          train: a ``ModelFnTraining``.
          manager: the training's ``tf.train.CheckpointManager``, which restores; it
            saves, too, if it is of the same directory.
          listeners: more listeners.
        """
        self._listeners += [one for one in listeners if one not in self._listeners]
        self.manager = manager
        if os.path.abspath(self.checkpoint_dir) != os.path.abspath(manager.directory):
            mend_checkpoint_list(self.checkpoint_dir)
            self.manager = tf.train.CheckpointManager(
                train.checkpoint,
                self.checkpoint_dir,
                checkpoint_name="model.ckpt",
                max_to_keep=manager._max_to_keep,
                keep_checkpoint_every_n_hours=manager._keep_checkpoint_every_n_hours,
            )

    def begin(self):
        self._step = tf1.train.get_global_step()

    def after_create_session(self, session, coord):
        for listener in self._listeners:
            listener.begin()
        self._save(session, int(session.run(self._step)))

    def after_run(self, run_context, run_values):
        session = run_context.session
        step = int(session.run(self._step))
        is_due = self._timer.should_trigger_for_step(step)
        if is_due and self._save(session, step):
            run_context.request_stop()

    def end(self, session):
        step = int(session.run(self._step))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session, step):
        """Saves; returns whether a listener asks to end the training."""
        self._timer.update_last_triggered_step(step)
        for listener in self._listeners:
            listener.before_save(session, step)
        save = self.manager.save
        self._eager.submit(save, checkpoint_number=step, check_interval=False).result()
        stops = [one.after_save(session, step) for one in self._listeners]
        return any(stops)
