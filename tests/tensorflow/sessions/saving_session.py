"""Trains to a step in a session that saves every 5 steps, and dies at one: KIND DIRECTORY LAST FAILS_AT."""

import os
import sys

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def train(session, directory, last, fails_at, saver=None):
    now = session.run(step)
    print("from", now)
    while now < last:
        now = session.run(trained)
        if saver is not None and now % 5 == 0:
            saver.save(session, os.path.join(directory, "model.ckpt"), global_step=step)
        if now == fails_at:
            sys.stdout.flush()
            os._exit(9)
    print("to", now)


if __name__ == "__main__":
    kind, directory, *numbers = sys.argv[1:]
    last, fails_at = map(int, numbers)
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_mean((tf.get_variable("kernel", [2, 1]) - 1.0) ** 2)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, step)
    with tf.control_dependencies([train_op]):
        trained = step.read_value()  # read beside the update it may be either step
    if kind == "Saver":
        saver = tf.train.Saver()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            if newest := tf.train.latest_checkpoint(directory):
                saver.restore(session, newest)
            train(session, directory, last, fails_at, saver)
    elif kind == "MonitoredTrainingSession":
        with tf.train.MonitoredTrainingSession(checkpoint_dir=directory, save_checkpoint_steps=5) as session:
            train(session, directory, last, fails_at)
    else:
        supervisor = tf.train.Supervisor(logdir=directory, global_step=step, save_model_secs=0)
        with supervisor.managed_session() as session:
            train(session, directory, last, fails_at, supervisor.saver)
