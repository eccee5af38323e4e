"""A TF1 loop in a MonitoredTrainingSession, which saves every 5 steps, or by the clock."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf1

parser = argparse.ArgumentParser()
parser.add_argument("--model_dir", required=True)
parser.add_argument("--save_secs", type=int)
options = parser.parse_args()

rng = np.random.RandomState(0)
X, Y = rng.rand(640, 8).astype("float32"), rng.rand(640, 1).astype("float32")

with tf1.Graph().as_default():
    step = tf1.train.get_or_create_global_step()
    batch = tf1.data.make_one_shot_iterator(tf1.data.Dataset.from_tensor_slices((X, Y)).repeat().batch(64)).get_next()
    weights = tf1.get_variable("weights", [8, 1], initializer=tf1.zeros_initializer())
    loss = tf1.losses.mean_squared_error(batch[1], tf1.matmul(batch[0], weights))
    train_op = tf1.train.AdamOptimizer(0.05).minimize(loss, global_step=step)
    hooks = [tf1.train.StopAtStepHook(last_step=23)]
    with tf1.train.MonitoredTrainingSession(
        checkpoint_dir=options.model_dir,
        hooks=hooks,
        save_checkpoint_steps=None if options.save_secs else 5,
        save_checkpoint_secs=options.save_secs or None,
        log_step_count_steps=None,
    ) as session:
        while not session.should_stop():
            session.run([train_op, loss])
