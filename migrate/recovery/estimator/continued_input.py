"""Continues the input of a resumed training at its checkpoint, not from the start."""

import contextlib

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .checkpoint_list import latest_checkpoint
from .model_checkpoints import saved_step
from .training import InputHook


def continued_input(estimator, make_batch):
    """Returns the tensors of a batch, and the hooks that continue its input.

    Args:
      estimator: the ``Estimator``.
      make_batch: calls the ``input_fn``; takes no arguments.
    """
    batch = make_batch()
    if not isinstance(batch, tf.data.Dataset):
        return batch, [_RedrawHook(batch)]
    kind = _SavedInputHook
    if not _can_save(make_batch):
        batch, kind = skip_batches(estimator, batch), InputHook
    hook = kind(tf1.data.make_initializable_iterator(batch))
    return hook.iterator.get_next(), [hook]


def skip_batches(estimator, dataset, draws=1):
    """Returns a dataset without the batches of past steps; a step takes ``draws``."""
    path = estimator.latest_checkpoint()
    return dataset.skip(saved_step(path) * draws) if path else dataset


class _SavedInputHook(InputHook):
    """Restores an iterator from the latest checkpoint, if that holds it."""

    _saved = None

    def iterator_saveable(self, directory):
        """Returns the ``SaveableObject`` of the iterator; directory is the model_dir."""
        self._saved = tf.data.experimental.make_saveable_from_iterator(self.iterator)
        self._directory, self._path = directory, tf1.placeholder(tf.string, [])
        read = tf.raw_ops.RestoreV2(
            prefix=self._path,
            tensor_names=[self._saved.specs[0].name],
            shape_and_slices=[""],
            dtypes=[tf.variant],
        )
        self._restore = self._saved.restore(read, None)
        return self._saved

    def after_create_session(self, session, coord):
        super().after_create_session(session, coord)
        path = self._saved and latest_checkpoint(self._directory)
        names = path and tf1.train.NewCheckpointReader(path).get_variable_to_shape_map()
        if path and self._saved.specs[0].name in names:
            session.run(self._restore, {self._path: path})


class _RedrawHook(tf1.train.SessionRunHook):
    """Draws and drops the batches of the steps trained so far: tensors have no state.

    Args:
      batch: the tensors that an ``input_fn`` returned.
    """

    def __init__(self, batch):
        self._batch = [each for each in tf.nest.flatten(batch) if each is not None]

    def after_create_session(self, session, coord):
        step = session.run(tf1.train.get_global_step(session.graph))
        with contextlib.suppress(tf.errors.OutOfRangeError):  # the next step raises it
            for _ in range(step):
                session.run(self._batch)


def _can_save(make_dataset):
    """Returns whether a checkpoint can hold the iterator, not a Python generator's."""
    with tf.Graph().as_default(), tf1.Session() as session:
        iterator = tf1.data.make_initializable_iterator(make_dataset())
        saved = tf.data.experimental.make_saveable_from_iterator(iterator)
        session.run(tf1.tables_initializer())
        session.run(iterator.initializer)
        try:
            session.run(saved.specs[0].tensor.op)
        except tf.errors.FailedPreconditionError:
            return False
    return True
