"""A translator of made-up sentences with attention, of contrib.seq2seq, written for TensorFlow 1.15.

It learns to turn sentences round. Started again in the same --model_dir it resumes at
the newest checkpoint. On TensorFlow 2.16 and newer it needs tf_keras and
TF_USE_LEGACY_KERAS=1.
"""

import argparse

import numpy as np
import tensorflow as tf
from tensorflow.contrib import seq2seq

WORDS = 12
LONGEST = 6
START, END = 1, 0


def decoder_of(helper, cell, state, layer):
    decoder = seq2seq.BasicDecoder(cell, helper, state, layer)
    outputs, _, lengths = seq2seq.dynamic_decode(
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
        tf.contrib.rnn.GRUCell(params["units"]),
        tf.nn.embedding_lookup(table, features["words"]),
        features["lengths"],
        dtype=tf.float32,
        scope="encoder",
    )
    attention = seq2seq.LuongAttention(params["units"], encoded, features["lengths"])
    cell = seq2seq.AttentionWrapper(
        tf.contrib.rnn.GRUCell(params["units"]), attention, params["units"]
    )
    state = cell.zero_state(tf.size(features["lengths"]), tf.float32)
    layer = tf.layers.Dense(WORDS, name="words")
    starts = tf.fill([tf.size(features["lengths"])], START)
    if mode == tf.estimator.ModeKeys.PREDICT:
        helper = seq2seq.GreedyEmbeddingHelper(table, starts, END)
        outputs, lengths = decoder_of(helper, cell, state, layer)
        predictions = {"words": outputs.sample_id, "lengths": lengths}
        return tf.estimator.EstimatorSpec(mode, predictions)
    inputs = tf.concat([starts[:, None], labels[:, :-1]], 1)
    embedded = tf.nn.embedding_lookup(table, inputs)
    helper = seq2seq.TrainingHelper(embedded, features["lengths"])
    outputs, _ = decoder_of(helper, cell, state, layer)
    weights = tf.sequence_mask(features["lengths"], LONGEST, tf.float32)
    logits = outputs.rnn_output
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits, weights)
    step = tf.train.get_global_step()
    train_op = tf.train.AdamOptimizer(params["rate"]).minimize(loss, step)
    right = tf.metrics.accuracy(labels, outputs.sample_id, weights)
    return tf.estimator.EstimatorSpec(
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
    config = tf.estimator.RunConfig(
        tf_random_seed=7,
        save_checkpoints_steps=5,
        save_summary_steps=1,
    )
    params = {"units": 8, "rate": 0.01}
    estimator = tf.estimator.Estimator(model_fn, args.model_dir, config, params)
    estimator.train(input_fn, max_steps=args.max_steps)
    metrics = estimator.evaluate(input_fn, steps=1)
    print(metrics)
    predictions = estimator.predict(input_fn)
    for _, prediction in zip(range(2), predictions):
        print(prediction["words"].tolist())


if __name__ == "__main__":
    main()
