"""Fine-tuning that takes over what a checkpoint has under its own variables' names, as BERT's does."""

import sys

import tensorflow.compat.v1 as tf


def input_fn():
    return tf.data.Dataset.from_tensors(([[1.0, 2.0]], [[1.0]])).repeat()


def model_fn(features, labels, mode, params):
    loss = tf.reduce_mean((tf.layers.dense(features, 1, name="dense") - labels) ** 2)
    if params["init"]:
        ours = {v.op.name: v for v in tf.trainable_variables()}
        found = [name for name, _ in tf.train.list_variables(params["init"]) if name in ours]
        tf.train.init_from_checkpoint(params["init"], {name: ours[name] for name in found})
        print("taken over:", sorted(found))
    step = tf.train.get_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main(directory):
    pretraining = tf.estimator.Estimator(model_fn, directory + "/pre", params={"init": None})
    pretraining.train(input_fn, max_steps=10)
    finetuning = tf.estimator.Estimator(
        model_fn, directory + "/fine", params={"init": tf.train.latest_checkpoint(directory + "/pre")}
    )
    finetuning.train(input_fn, max_steps=2)


if __name__ == "__main__":
    main(sys.argv[1])
