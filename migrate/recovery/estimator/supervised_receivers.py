"""The receivers of exports that train or evaluate, as ``tf.estimator.export`` had them."""

from typing import Any, NamedTuple

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .model_fn_call import features_and_labels


class SupervisedInputReceiver(NamedTuple):
    """What a receiver function returns for the modes that have labels.

    Attributes:
      features: what the model_fn gets, a tensor or a dict.
      labels: the same.
      receiver_tensors: what is fed, a dict of tensors.
    """

    features: Any
    labels: Any
    receiver_tensors: Any


def build_raw_supervised_input_receiver_fn(features, labels, default_batch_size=None):
    """Returns a function whose receiver is fed features and labels.

    Args:
      features: a tensor, or a dict of tensors, whose first dimension is the batch.
      labels: the same.
      default_batch_size: an int, or None for any.

    Raises:
      ValueError: features and labels have a name in common.
    """
    given = [
        part if isinstance(part, dict) else {name: part}
        for name, part in (("input", features), ("label", labels))
    ]
    common = sorted(set(given[0]).intersection(given[1]))
    if common:
        raise ValueError(
            "Features and labels must have distinct keys. "
            f"Found overlapping keys: {common}"
        )

    def supervised_input_receiver_fn():
        fed = [
            {
                name: _fed_tensor(tensor, default_batch_size)
                for name, tensor in one.items()
            }
            for one in given
        ]
        passed = [
            tensors if isinstance(part, dict) else next(iter(tensors.values()))
            for tensors, part in zip(fed, (features, labels))
        ]
        return SupervisedInputReceiver(*passed, {**fed[0], **fed[1]})

    return supervised_input_receiver_fn


def build_supervised_input_receiver_fn_from_input_fn(input_fn, **input_fn_args):
    """Returns a function whose receiver is fed what an ``input_fn`` returns.

    Args:
      input_fn: returns a ``tf.data.Dataset`` of (features, labels), or their tensors.
      **input_fn_args: what it is called with.
    """
    with tf.Graph().as_default():
        batch = input_fn(**input_fn_args)
        if isinstance(batch, tf.data.Dataset):
            batch = tf1.data.make_initializable_iterator(batch).get_next()
        return build_raw_supervised_input_receiver_fn(*features_and_labels(batch))


def _fed_tensor(tensor, batch_size):
    name = getattr(getattr(tensor, "op", None), "name", None)
    shape = tf.TensorShape([batch_size]).concatenate(tensor.shape[1:])
    return tf1.placeholder(tensor.dtype, shape, name)
