"""Looks at its checkpoints: the name in the file ``checkpoint``, a copy of the newest's three files, the step in it."""

import sys

import tensorflow.compat.v1 as tf


def input_fn(steps):
    return tf.data.Dataset.from_tensors(([[1.0, 2.0]], [[1.0]])).repeat(steps)


def model_fn(features, labels, mode):
    loss = tf.reduce_mean((tf.layers.dense(features, 1, name="dense") - labels) ** 2)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main(directory):
    estimator = tf.estimator.Estimator(model_fn, directory)
    for ends_at in (0, 3):
        estimator.train(lambda steps=ends_at: input_fn(steps))
        with open(directory + "/checkpoint") as file:
            newest = file.readline().split(": ")[1].strip().strip('"')
        print("nothing trained" if newest == "model.ckpt-0" else "trained")
    newest = estimator.latest_checkpoint()
    for extension in ["meta", "data-00000-of-00001", "index"]:
        tf.gfile.Copy(newest + "." + extension, directory + "/model.ckpt-best." + extension, overwrite=True)
    print("kept", sorted(tf.train.list_variables(directory + "/model.ckpt-best")))
    print("step", tf.train.NewCheckpointReader(newest).get_tensor(tf.GraphKeys.GLOBAL_STEP))


if __name__ == "__main__":
    main(sys.argv[1])
