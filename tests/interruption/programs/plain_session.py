"""A TF1 loop on a plain Session, fed by hand; it saves every 5 steps, and evaluates at times."""

import argparse
import os

import numpy as np
import tensorflow.compat.v1 as tf1

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", required=True)
parser.add_argument("--max_steps", type=int, default=23)
parser.add_argument("--weights", help="where the final weights are written, as .npz")
parser.add_argument("--set_step", action="store_true", help="leave the step out of the checkpoints, and set it by hand")
options = parser.parse_args()

rng = np.random.RandomState(0)
X, Y = rng.rand(640, 8).astype("float32"), rng.rand(640, 1).astype("float32")


def fed(index):
    begin = index % 10 * 64
    return {features: X[begin : begin + 64], labels: Y[begin : begin + 64], rate: 0.05}


def train(session):
    at = session.run(step)
    while at < options.max_steps:
        batch = fed(at)
        at, _, _ = session.run([step, train_op, {"loss": loss}], batch)
        at = session.run(step)
        if at % 10 == 0:
            session.run(loss, fed(0))
        if at % 5 == 0 or at == options.max_steps:
            saver.save(session, os.path.join(options.model_dir, "model.ckpt"), global_step=step)
    if options.weights:
        np.savez(options.weights, *session.run(tf1.global_variables()))


with tf1.Graph().as_default():
    tf1.set_random_seed(7)
    features, labels = tf1.placeholder("float32", [None, 8]), tf1.placeholder("float32", [None, 1])
    rate = tf1.placeholder("float32", [])
    step = tf1.Variable(0, trainable=False, dtype="int64", name="iterations")
    hidden = tf1.nn.relu(tf1.matmul(features, tf1.get_variable("hidden", [8, 16])))
    error = tf1.matmul(hidden, tf1.get_variable("weights", [16, 1])) - labels
    loss = tf1.reduce_mean(tf1.square(error), name="mean_square")
    train_op = tf1.train.AdamOptimizer(rate).minimize(loss, global_step=step)
    saved = [variable for variable in tf1.global_variables() if variable is not step or not options.set_step]
    saver = tf1.train.Saver(saved, max_to_keep=3)
    start = tf1.global_variables_initializer()
    set_step = step.assign(tf1.placeholder("int64", [], name="start"))
    with tf1.Session() as session:
        session.run(start)
        latest = tf1.train.latest_checkpoint(options.model_dir)
        if latest:
            saver.restore(session, latest)
            if options.set_step:
                session.run(set_step, {"start:0": int(latest.rpartition("-")[2])})
        train(session)
