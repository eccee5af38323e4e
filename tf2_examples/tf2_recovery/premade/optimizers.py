# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content bbad2418a9a8700c).
"""What trains the premade estimators of TensorFlow 1."""

import tensorflow.compat.v1 as tf1


def canned_optimizer(optimizer, learning_rate):
    """Returns a ``tf.compat.v1.train.Optimizer``.

    Args:
      optimizer: one, a function that makes one, or the name of one.
      learning_rate: the rate for one that is given by name.
    """
    named = {
        "Adagrad": tf1.train.AdagradOptimizer,
        "Adam": tf1.train.AdamOptimizer,
        "Ftrl": tf1.train.FtrlOptimizer,
        "RMSProp": tf1.train.RMSPropOptimizer,
        "SGD": tf1.train.GradientDescentOptimizer,
    }
    if isinstance(optimizer, str):
        return named[optimizer](learning_rate)
    return optimizer() if callable(optimizer) else optimizer


def whole_variables():
    """Returns a partitioner that leaves variables whole.

    With it slots get the names that the canned estimators of TensorFlow 1 gave them.
    """
    return tf1.min_max_variable_partitioner(max_partitions=0)


def canned_train_op(loss, optimizer):
    """Returns what takes a step of an optimizer.

    Args:
      loss: a tensor with one value.
      optimizer: a ``tf.compat.v1.train.Optimizer``; or several, by the variable scope
        that each trains.
    """
    step = tf1.train.get_global_step()
    if not isinstance(optimizer, dict):
        return optimizer.minimize(loss, step)
    trained = [
        one.minimize(loss, var_list=tf1.trainable_variables(f"{scope}/"))
        for scope, one in optimizer.items()
    ]
    with tf1.control_dependencies(trained):
        return tf1.assign_add(step, 1)
