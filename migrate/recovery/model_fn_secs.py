"""Says when some seconds are over."""

import time


class EverySecs:
    """Is due at first, and whenever so many seconds have gone since it last was.

    Args:
      secs: an int or a float, as ``RunConfig.save_checkpoints_secs``; None or 0 for
        always.
    """

    def __init__(self, secs):
        self._secs, self._last = secs, -float("inf")

    def due(self):
        """Returns whether the seconds are over, and if so counts them anew."""
        now = time.monotonic()
        if now < self._last + (self._secs or 0):
            return False
        self._last = now
        return True
