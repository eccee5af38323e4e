"""A translator of made-up sentences with attention, of contrib.seq2seq, written for TensorFlow 1.15.

It learns to turn sentences round. Started again in the same --model_dir it resumes at
the newest checkpoint. On TensorFlow 2.16 and newer it needs tf_keras and
TF_USE_LEGACY_KERAS=1.
"""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

from tf2_recovery.contrib.attention_mechanisms import LuongAttention
from tf2_recovery.contrib.attention_wrapper import AttentionWrapper
from tf2_recovery.contrib.decoding import BasicDecoder, dynamic_decode
from tf2_recovery.contrib.decoding_helpers import GreedyEmbeddingHelper, TrainingHelper
from tf2_recovery.estimator.estimator import Estimator, EstimatorSpec, ModeKeys
from tf2_recovery.estimator.model_checkpoints import ModelCheckpoints
from tf2_recovery.estimator.run_config import RunConfig

WORDS = 12
LONGEST = 6
START, END = 1, 0


def decoder_of(helper, cell, state, layer):
    decoder = BasicDecoder(cell, helper, state, layer)
    outputs, _, lengths = dynamic_decode(
        decoder, maximum_iterations=LONGEST, scope="decoder"
    )
    return outputs, lengths


def model_fn(features, labels, mode, params):
    start = tf.random_uniform_initializer(-0.5, 0.5, seed=3)
    with tf.variable_scope("translator", initializer=start):
        return translated(features, labels, mode, params)


def translated(features, labels, mode, params):
    table = tf.get_variable("table", [WORDS, params["units"]])
    encoded, _ = tf.nn.dynamic_rnn(
        tf.nn.rnn_cell.GRUCell(params["units"]),
        tf.nn.embedding_lookup(table, features["words"]),
        features["lengths"],
        dtype=tf.float32,
        scope="encoder",
    )
    attention = LuongAttention(params["units"], encoded, features["lengths"])
    cell = AttentionWrapper(
        tf.nn.rnn_cell.GRUCell(params["units"]), attention, params["units"]
    )
    state = cell.zero_state(tf.size(features["lengths"]), tf.float32)
    layer = tf.layers.Dense(WORDS, name="words")
    starts = tf.fill([tf.size(features["lengths"])], START)
    if mode == ModeKeys.PREDICT:
        helper = GreedyEmbeddingHelper(table, starts, END)
        outputs, lengths = decoder_of(helper, cell, state, layer)
        predictions = {"words": outputs.sample_id, "lengths": lengths}
        return EstimatorSpec(mode, predictions)
    inputs = tf.concat([starts[:, None], labels[:, :-1]], 1)
    embedded = tf.nn.embedding_lookup(table, inputs)
    helper = TrainingHelper(embedded, features["lengths"])
    outputs, _ = decoder_of(helper, cell, state, layer)
    weights = tf.sequence_mask(features["lengths"], LONGEST, tf.float32)
    logits = outputs.rnn_output
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits, weights)
    step = tf.train.get_global_step()
    train_op = tf.train.AdamOptimizer(params["rate"]).minimize(loss, step)
    right = tf.metrics.accuracy(labels, outputs.sample_id, weights)
    return EstimatorSpec(
        mode, loss=loss, train_op=train_op, eval_metric_ops={"right": right}
    )


def input_fn():
    random = np.random.RandomState(0)
    lengths = np.array([LONGEST, *random.randint(2, LONGEST + 1, 15)], np.int32)
    words = np.zeros([16, LONGEST], np.int32)
    turned = np.zeros([16, LONGEST], np.int32)
    for row, length in enumerate(lengths):
        words[row, :length] = random.randint(2, WORDS, length)
        turned[row, :length] = words[row, :length][::-1]
    features = {"words": words, "lengths": lengths}
    return tf.data.Dataset.from_tensors((features, turned)).repeat()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--max_steps", type=int, default=40)
    args = parser.parse_args()
    config = RunConfig(
        tf_random_seed=7,
        save_summary_steps=1,
    )
    params = {"units": 8, "rate": 0.01}
    estimator = Estimator(
        model_fn,
        args.model_dir,
        config,
        params,
        checkpoints=ModelCheckpoints(args.model_dir, checkpoint_interval=5),
    )
    estimator.train(input_fn, max_steps=args.max_steps)
    metrics = estimator.evaluate(input_fn, steps=1)
    print(metrics)
    predictions = estimator.predict(input_fn)
    for _, prediction in zip(range(2), predictions):
        print(prediction["words"].tolist())


if __name__ == "__main__":
    main()
