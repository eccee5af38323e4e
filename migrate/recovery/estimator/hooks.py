"""Hooks of a session that cannot be made where TensorFlow works eagerly."""

import tensorflow.compat.v1 as tf1


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
