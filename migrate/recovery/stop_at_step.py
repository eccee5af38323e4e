"""The end of ``fit`` at a number of steps that is no whole number of epochs."""

import tensorflow as tf


class StopAtStep(tf.keras.callbacks.Callback):
    """Ends ``fit`` when the optimizer has made ``last_step`` steps.

    Args:
      last_step: the step to stop at, an int, counted from the first step of the job.
    """

    def __init__(self, last_step):
        super().__init__()
        self.last_step = last_step

    def on_train_batch_end(self, batch, logs=None):
        if int(self.model.optimizer.iterations.numpy()) >= self.last_step:
            self.model.stop_training = True
