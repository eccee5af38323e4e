# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content 6c8916ae393187d6).
"""A graph and a session of their own for a model_fn, as an Estimator makes them."""

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .model_fn_call import call_input_fn
from .model_fn_checkpoints import is_by_name, variable_key


def input_in_graph(input_fn, mode, params=None, config=None, input_context=None):
    """Calls ``input_fn`` in the default graph.

    Args:
      input_fn: returns a ``tf.data.Dataset``, or the tensors of a batch.
      mode, params, config, input_context: passed on where input_fn names them.

    Returns:
      The batch, a structure of tensors, and the hooks that the session needs for it.
    """
    batch = call_input_fn(input_fn, mode, params, config, input_context)
    if not isinstance(batch, tf.data.Dataset):
        return batch, []
    iterator = tf1.data.make_initializable_iterator(batch)
    return iterator.get_next(), [_StartIterator(iterator.initializer)]


def warm_start(settings, checkpoint_path):
    """Has the variables of the default graph begin with those of another training.

    Args:
      settings: a checkpoint's path or a ``WarmStartSettings``; None for nothing.
      checkpoint_path: what is restored after all; then nothing is done.
    """
    if settings and checkpoint_path is None:
        path = isinstance(settings, str)
        tf1.train.warm_start(*([settings] if path else settings))


class _StartIterator(tf1.train.SessionRunHook):
    def __init__(self, initializer):
        self._initializer = initializer

    def after_create_session(self, session, coord):
        session.run(self._initializer)


class RestoredSession(tf1.train.SessionCreator):
    """Makes sessions whose variables are restored from a checkpoint.

    Args:
      checkpoint_path: of a ``tf.train.CheckpointManager`` or an Estimator; None to
        initialize the variables.
      scaffold: the EstimatorSpec's ``tf.compat.v1.train.Scaffold``, or None.
    """

    def __init__(self, checkpoint_path, scaffold=None):
        self._path = checkpoint_path
        self._scaffold = scaffold or tf1.train.Scaffold()

    def create_session(self):
        """Returns a ``tf.compat.v1.Session`` of the default graph."""
        if self._path is None:
            return tf1.train.ChiefSessionCreator(self._scaffold).create_session()
        if not tf1.train.checkpoint_exists(self._path):
            raise ValueError(
                f"The passed save_path is not a valid checkpoint: {self._path}"
            )
        local = (
            self._scaffold.local_init_op or tf1.train.Scaffold.default_local_init_op()
        )
        session = tf1.Session()
        self._saver().restore(session, self._path)
        session.run(local)
        return session

    def _saver(self):
        if self._scaffold.saver or is_by_name(self._path):
            return self._scaffold.saver or tf1.train.Saver()
        by_key = {variable_key(v.op.name): v for v in tf1.global_variables()}
        return tf1.train.Saver(by_key)
