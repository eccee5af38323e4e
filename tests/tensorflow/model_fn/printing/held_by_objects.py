"""Its model_fn is an item of a dictionary or an object's attribute, and so is the step."""

import sys

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()  # Variables are true in graph mode.

RATES = {"slow": 0.1, "fast": 0.3}
STEPS = {"begin": 10 / 4}


class Net:
    def __init__(self, rate):
        self.rate = rate

    def model_fn(self, features, labels, mode):
        self.step = tf.train.get_global_step()
        print("a step" if self.step is not None else "no step")
        output = tf.layers.dense(features, 1, kernel_initializer=tf.ones_initializer(), name="dense")
        loss = tf.reduce_mean((output - labels) ** 2)
        train_op = tf.train.GradientDescentOptimizer(self.rate).minimize(loss, self.step)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


slow, fast = Net(RATES["slow"]), Net(RATES["fast"])


def slow_model_fn(features, labels, mode):
    return slow.model_fn(features, labels, mode)


def fast_model_fn(features, labels, mode):
    return fast.model_fn(features, labels, mode)


MODELS = {"slow": slow_model_fn, "fast": fast_model_fn}


def input_fn():
    return tf.data.Dataset.from_tensors(([[1.0, 2.0]], [[1.0]])).repeat(4)


class Job:
    def __init__(self, model_fn, steps=None):
        self.model_fn = model_fn
        self.steps = steps

    def run(self, directory):
        estimator = tf.estimator.Estimator(self.model_fn, directory)
        estimator.train(input_fn, max_steps=self.steps)
        print("ended at", estimator.latest_checkpoint().split("-")[-1])
        print(estimator.get_variable_value("dense/kernel").tolist())


if __name__ == "__main__":
    name = "fast" if len(sys.argv) > 2 else "slow"
    estimator = tf.estimator.Estimator(MODELS[name], sys.argv[1])
    estimator.train(input_fn, max_steps=STEPS["begin"])
    print("began to", estimator.latest_checkpoint().split("-")[-1])
    Job(fast_model_fn).run(sys.argv[1])
