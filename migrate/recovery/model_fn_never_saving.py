"""A manager of checkpoints that saves none."""


class NeverSaving:
    """A ``tf.train.CheckpointManager`` in all but its saves, of which there are none.

    Args:
      manager: the ``tf.train.CheckpointManager``.
    """

    def __init__(self, manager):
        self._manager = manager

    def __getattr__(self, name):
        return getattr(self._manager, name)

    def save(self, checkpoint_number, check_interval=True):
        """Saves nothing; there is no path to return."""
