"""The input of a training that goes on where its checkpoint stood, not from the start."""

import contextlib

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .checkpoint_list import latest_checkpoint
from .model_checkpoints import saved_step
from .training import InputHook


def continued_input(estimator, make_batch):
    """Returns a batch, and the hooks that set its input to where the job stood.

    Args:
      estimator: the ``Estimator``.
      make_batch: calls the ``input_fn``.
    """
    batch = make_batch()
    if not isinstance(batch, tf.data.Dataset):
        return batch, [_DrawnAgainHook(batch)]
    kind = _SavedInputHook
    if not _can_save(make_batch):
        batch, kind = skipped(estimator, batch), InputHook
    hook = kind(tf1.data.make_initializable_iterator(batch))
    return hook.iterator.get_next(), [hook]


def skipped(estimator, dataset, draws=1):
    """Returns what is left of a dataset of which each step has drawn so many."""
    path = estimator.latest_checkpoint()
    return dataset.skip(saved_step(path) * draws) if path else dataset


class _SavedInputHook(InputHook):
    """Starts an iterator where a checkpoint stood."""

    _saved = None

    def saved_in(self, directory):
        """Has it go on where the latest checkpoint stood; returns what saves it.

        Args:
          directory: of the checkpoints.
        """
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


class _DrawnAgainHook(tf1.train.SessionRunHook):
    """Draws the batches of the steps that a job has made, where none can be restored.

    Args:
      batch: the tensors that an ``input_fn`` returned.
    """

    def __init__(self, batch):
        self._batch = [each for each in tf.nest.flatten(batch) if each is not None]

    def after_create_session(self, session, coord):
        step = session.run(tf1.train.get_global_step(session.graph))
        with contextlib.suppress(tf.errors.OutOfRangeError):  # the first step ends it
            for _ in range(step):
                session.run(self._batch)


def _can_save(make_dataset):
    """Returns whether a checkpoint can hold a dataset's iterator, or Python makes it."""
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
