"""The programs that the mutations begin with: the examples, those of the rules, and shapes of public training code."""

from functools import cache
from pathlib import Path

from migrate.rules import RULES
from tests.codemod.programs import program
from tests.interruption.resume.programs import SHAPES

LEGACY = Path(__file__).parents[2] / "legacy_examples"

BERT = """\
import tensorflow as tf

flags = tf.flags
FLAGS = flags.FLAGS


def model_fn(features, labels, mode, params):
    optimizer = tf.train.AdamOptimizer()
    if FLAGS.use_tpu:
        optimizer = tf.contrib.tpu.CrossShardOptimizer(optimizer)
    loss = tf.reduce_mean(features)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.contrib.tpu.TPUEstimatorSpec(mode=mode, loss=loss, train_op=train_op, scaffold_fn=None)


def input_fn(params):
    return tf.data.Dataset.from_tensors([1.0]).repeat().batch(params["batch_size"])


def main(_):
    tpu_cluster_resolver = None
    if FLAGS.use_tpu and FLAGS.tpu_name:
        # The TPU's address.
        tpu_cluster_resolver = tf.contrib.cluster_resolver.TPUClusterResolver(
            FLAGS.tpu_name, zone=FLAGS.tpu_zone, project=FLAGS.gcp_project)

    is_per_host = tf.contrib.tpu.InputPipelineConfig.PER_HOST_V2
    run_config = tf.contrib.tpu.RunConfig(
        cluster=tpu_cluster_resolver,
        master=FLAGS.master,
        model_dir=FLAGS.output_dir,
        save_checkpoints_steps=FLAGS.save_checkpoints_steps,
        tpu_config=tf.contrib.tpu.TPUConfig(
            iterations_per_loop=FLAGS.iterations_per_loop,
            num_shards=FLAGS.num_tpu_cores,
            per_host_input_for_training=is_per_host))
    estimator = tf.contrib.tpu.TPUEstimator(
        use_tpu=FLAGS.use_tpu,
        model_fn=model_fn,
        config=run_config,
        train_batch_size=FLAGS.train_batch_size,
        eval_batch_size=FLAGS.eval_batch_size)
    estimator.train(input_fn=input_fn, max_steps=FLAGS.num_train_steps)
    result = estimator.evaluate(input_fn=input_fn, steps=FLAGS.max_eval_steps)
    tf.logging.info("***** Eval results ***** %s", result)


if __name__ == "__main__":
    tf.app.run()
"""
"""A TPUEstimator on its flag, in the manner of BERT."""

PUBLIC_SHAPES = (
    # Flags, a closure for the input, a config in a branch, train and evaluate in a loop.
    '''\
"""Trains a model."""
from __future__ import absolute_import, division, print_function

import argparse
import os
import sys

import tensorflow as tf

tf.logging.set_verbosity(tf.logging.INFO)
flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string("model_dir", "/tmp/model", "Where to write.")
flags.DEFINE_integer("steps", 1000, "How long to train.")


def make_input_fn(path, batch_size, training=True):
    def input_fn():
        dataset = tf.data.TextLineDataset(path).map(lambda line: ({"x": tf.strings.to_number(line)}, 0))
        if training:
            dataset = dataset.shuffle(100).repeat()
        return dataset.batch(batch_size).prefetch(1)

    return input_fn


def model_fn(features, labels, mode, params):
    net = tf.feature_column.input_layer(features, [tf.feature_column.numeric_column("x")])
    for units in params["hidden"]:  # one layer each
        net = tf.layers.dense(net, units, activation=tf.nn.relu)
    logits = tf.layers.dense(net, 2)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"class": tf.argmax(logits, 1)})
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    train_op = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main(unused_argv):
    if FLAGS.steps > 100:
        run_config = tf.estimator.RunConfig(model_dir=FLAGS.model_dir, save_checkpoints_steps=100)
    else:
        run_config = tf.estimator.RunConfig().replace(save_checkpoints_secs=60)  # often
    estimator = tf.estimator.Estimator(model_fn, config=run_config, params={"hidden": [8, 8]})
    for epoch in range(3):
        estimator.train(make_input_fn("train.csv", 8), steps=FLAGS.steps)
        print(estimator.evaluate(make_input_fn("test.csv", 8, False)))


if __name__ == "__main__":
    tf.app.run()
''',
    # A canned estimator at module level, by names imported from the module, with train_and_evaluate.
    """\
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.compat.v1 import estimator as est, feature_column as fc

x = {"a": np.arange(10.0), "b": np.arange(10.0)}
y = np.arange(10) % 2
config = est.RunConfig(save_checkpoints_steps=5, keep_checkpoint_max=2, tf_random_seed=1)
columns = [fc.numeric_column(key) for key in x]
classifier = est.DNNClassifier([16, 8], columns, "/tmp/m", config=config, optimizer="Adam")
train_fn = est.inputs.numpy_input_fn(x, y, num_epochs=None, shuffle=True)
test_fn = est.inputs.numpy_input_fn(x, y, shuffle=False)
est.train_and_evaluate(classifier, est.TrainSpec(train_fn, max_steps=20), est.EvalSpec(test_fn, throttle_secs=1))
metrics = classifier.evaluate(test_fn)
print({key: float(value) for key, value in metrics.items()})
predictions = [p["class_ids"][0] for p in classifier.predict(test_fn)]
""",
    # A class that owns its estimator, and one from a builder.
    """\
import tensorflow as tf


class Trainer(object):
    def __init__(self, directory, **settings):
        self.config = tf.estimator.RunConfig(model_dir=directory, **settings)
        self.estimator = tf.estimator.DNNRegressor([4], self._columns(), config=self.config)

    @staticmethod
    def _columns():
        return [tf.feature_column.numeric_column("x")]

    def fit(self, input_fn, hooks=()):
        self.estimator.train(input_fn, hooks=list(hooks), max_steps=10); return self


def build(directory):
    columns = [tf.feature_column.numeric_column("x")]
    return tf.estimator.DNNRegressor(hidden_units=[4], feature_columns=columns, model_dir=directory)


def data(): return tf.data.Dataset.from_tensor_slices(({"x": [1.0, 2.0]}, [0.0, 1.0])).batch(1)


regressor = build("/tmp/regressor")
regressor.train(data, max_steps=3)
Trainer("/tmp/trainer", save_summary_steps=None).fit(data)
for row in regressor.predict(data): print(row["predictions"], '''a
  b''')
""",
    BERT,
    # Keras code that recovers by ModelCheckpoint.
    SHAPES["sorted_and_split"],
)


@cache
def seeds():
    """All of them, each once, in an order that does not change from run to run."""
    examples = [program(e.kind, **{e.slot: e.before}) for rule in RULES.values() for e in rule.examples]
    legacy = [path.read_text(encoding="utf-8") for path in sorted(LEGACY.glob("*.py"))]
    return tuple(dict.fromkeys([*PUBLIC_SHAPES, *legacy, *examples]))
