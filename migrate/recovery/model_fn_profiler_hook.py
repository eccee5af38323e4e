"""A hook that profiles some of the steps of a training."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1


class ProfilerHook(tf1.train.SessionRunHook):
    """Profiles one step every so many, for TensorBoard's page "Profile".

    ``tf.compat.v1.train.ProfilerHook`` wrote what a session traced; there is none now.

    Args:
      save_steps: the steps from one profile to the next; or
      save_secs: the seconds. One of the two must be None.
      output_dir: where the profiles go, below ``plugins/profile``.
      show_dataflow, show_memory: taken for the old hook's sake.
    """

    def __init__(
        self,
        save_steps=None,
        save_secs=None,
        output_dir="",
        show_dataflow=True,
        show_memory=False,
    ):
        self._timer = tf1.train.SecondOrStepTimer(save_secs, save_steps)
        self._output_dir, self._next_step, self._runs = output_dir, None, False

    def begin(self):
        self._global_step = tf1.train.get_global_step()

    def before_run(self, run_context):
        due = self._timer.should_trigger_for_step
        self._runs = self._next_step is not None and due(self._next_step)
        if self._runs:
            tf.profiler.experimental.start(self._output_dir or ".")
        return tf1.train.SessionRunArgs(self._global_step)

    def after_run(self, run_context, run_values):
        step = int(run_values.results) + 1
        if self._next_step is None:
            self._timer.update_last_triggered_step(step - 1)
        if self._runs:
            tf.profiler.experimental.stop()
            self._timer.update_last_triggered_step(step)
        self._next_step = step + 1
