"""A backup directory of two trainings gives the first what the second saved; one for each does not."""

import numpy as np
import pytest
import tensorflow as tf

X = np.arange(40, dtype=np.float32).reshape(20, 2) / 40
Y = X.sum(1, keepdims=True)


class Interrupt(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        if epoch == 0:
            raise RuntimeError("interrupted")


class Begun(tf.keras.callbacks.Callback):
    """Records the epochs that a training begins, and the weights that it begins with."""

    def on_train_begin(self, logs=None):
        self.epochs = []

    def on_epoch_begin(self, epoch, logs=None):
        if not self.epochs:
            self.weights = self.model.get_weights()[0]
        self.epochs.append(epoch)


def made(value):
    model = tf.keras.Sequential(
        [tf.keras.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer=tf.keras.initializers.Constant(value))]
    )
    model.compile("sgd", "mse")
    return model


def start(tmp_path, is_shared, is_interrupted):
    """Trains a teacher for 2 epochs and a student for 3; returns what each begins with."""
    found = []
    for name, value, epochs in (("teacher", 0.0, 2), ("student", 100.0, 3)):
        place = tmp_path / ("b" if is_shared else name)
        keeps = {} if is_shared else {"delete_checkpoint": name == "student"}
        begun = Begun()
        stops = [Interrupt()] if is_interrupted and name == "student" else []
        callbacks = [tf.keras.callbacks.BackupAndRestore(str(place), **keeps), begun, *stops]
        made(value).fit(X, Y, epochs=epochs, verbose=0, callbacks=callbacks)
        found.append(begun)
    return found


@pytest.mark.parametrize("is_shared", [True, False])
def test_the_teacher_begins_with_the_students_weights_unless_each_has_a_directory(tmp_path, is_shared):
    with pytest.raises(RuntimeError, match="interrupted"):
        start(tmp_path, is_shared, is_interrupted=True)
    teacher, student = start(tmp_path, is_shared, is_interrupted=False)
    assert teacher.epochs == ([1] if is_shared else [])
    if is_shared:
        assert np.abs(teacher.weights).min() > 10
        assert student.epochs == [0, 1, 2]
    else:
        assert student.epochs == ([2] if hasattr(student, "weights") and len(student.epochs) == 1 else [1, 2])
