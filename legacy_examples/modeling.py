"""The model and the optimizer of ``fine_tuning``, in a module of their own."""

import re

import tensorflow as tf
import tensorflow.compat.v1 as tf1


def encoder(words, size):
    """Returns the mean of the words' embeddings, through one layer."""
    with tf1.variable_scope("encoder"):
        table = tf1.get_variable(
            "embeddings",
            [100, size],
            initializer=tf1.truncated_normal_initializer(0, 0.02),
        )
        kernel = tf1.get_variable(
            "kernel",
            [size, size],
            initializer=tf1.truncated_normal_initializer(0, 0.02),
        )
        return tf.tanh(
            tf.matmul(tf.reduce_mean(tf.gather(table, words), axis=1), kernel)
        )


def create_optimizer(loss, rate, steps, warmup_steps):
    """Returns the train_op of Adam with weight decay, which moves the global step by hand."""
    global_step = tf1.train.get_or_create_global_step()
    rate = tf1.train.polynomial_decay(
        tf.constant(rate), global_step, steps, end_learning_rate=0.0
    )
    if warmup_steps:
        done = tf.cast(global_step, tf.float32) / warmup_steps
        rate = tf.where(done < 1.0, rate * done, rate)
    optimizer = AdamWeightDecayOptimizer(rate)
    variables = tf1.trainable_variables()
    gradients, _ = tf1.clip_by_global_norm(
        tf1.gradients(loss, variables), clip_norm=1.0
    )
    train_op = optimizer.apply_gradients(zip(gradients, variables), global_step)
    # The rate reads the step: moved beside the update, some runs would take the next step's rate.
    with tf.control_dependencies([train_op]):
        return global_step.assign(global_step + 1).op


class AdamWeightDecayOptimizer(tf1.train.Optimizer):
    """Adam with weight decay, without bias correction."""

    def __init__(self, rate):
        super().__init__(False, "AdamWeightDecayOptimizer")
        self.rate = rate

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        assignments = []
        for gradient, variable in grads_and_vars:
            name = re.match("^(.*):\\d+$", variable.name).group(1)
            zeros = {"trainable": False, "initializer": tf1.zeros_initializer()}
            m = tf1.get_variable(
                name + "/adam_m", variable.shape.as_list(), tf.float32, **zeros
            )
            v = tf1.get_variable(
                name + "/adam_v", variable.shape.as_list(), tf.float32, **zeros
            )
            next_m = 0.9 * m + tf.multiply(0.1, gradient)
            next_v = 0.999 * v + 0.001 * tf.square(gradient)
            update = next_m / (tf.sqrt(next_v) + 1e-6) + 0.01 * variable
            assignments += [
                variable.assign(variable - self.rate * update),
                m.assign(next_m),
                v.assign(next_v),
            ]
        return tf.group(*assignments, name=name)
