"""Tells unchanged ``CheckpointSaverListener`` objects of the saves of a training."""

from migrate.recovery.model_fn_training_session import TrainingSession


class ListenedManager:
    """A ``tf.train.CheckpointManager`` whose saves an Estimator's listeners hear of.

    Args:
      manager: the ``tf.train.CheckpointManager``.
      train: the ``ModelFnTraining`` whose checkpoint it saves.
      listeners: ``tf.compat.v1.train.CheckpointSaverListener`` objects.

    Attributes:
      should_stop: whether a listener has asked, after a save, to end the training.
    """

    def __init__(self, manager, train, listeners):
        self._manager, self._train, self._listeners = manager, train, list(listeners)
        self._session, self._last, self.should_stop = None, None, False

    def __getattr__(self, name):
        return getattr(self._manager, name)

    def save(self, checkpoint_number, check_interval=True):
        """Saves where the interval is over, or else at a step that is not saved yet.

        Args:
          checkpoint_number: the global step, an int.
          check_interval: whether to wait for the end of the interval.

        Returns:
          The path of the checkpoint, or None where none was written.
        """
        step = checkpoint_number
        every = (self._manager.checkpoint_interval or 1) if check_interval else 1
        if self._last is not None and step - self._last < every:
            return None
        is_first = self._session is None
        if is_first:
            self._session = TrainingSession(self._train)
            self._each("begin")
        self._each("before_save", self._session, step)
        path = self._manager.save(checkpoint_number=step, check_interval=False)
        self._last = step
        stops = self._each("after_save", self._session, step)
        self.should_stop = any(stops) and not is_first
        return path

    def end(self):
        """Tells the listeners that the training has ended without an error."""
        self._each("end", self._session, self._last)

    def _each(self, event, *arguments):
        with self._train.graph.as_default():
            return [getattr(one, event)(*arguments) for one in self._listeners]
