"""Fine-tunes a pretrained encoder with TPUEstimator, off a TPU, written for TensorFlow 2.12 to 2.15."""

import argparse

import modeling
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tf2_recovery.estimator.estimator import ModeKeys
from tf2_recovery.estimator.model_checkpoints import ModelCheckpoints
from tf2_recovery.estimator.tpu import (
    TPUConfig,
    TPUEstimator,
    TPUEstimatorSpec,
    TPURunConfig,
)


def model_fn_builder(init_checkpoint, rate, steps, warmup_steps):
    """Returns the model_fn."""

    def model_fn(features, labels, mode, params):
        pooled = modeling.encoder(features["words"], size=16)
        logits = tf.matmul(
            pooled,
            tf1.get_variable("output", [16, 2], initializer=tf1.zeros_initializer()),
        )
        scaffold_fn = None
        if init_checkpoint:
            tf1.train.init_from_checkpoint(init_checkpoint, {"encoder/": "encoder/"})
            scaffold_fn = tf1.train.Scaffold
        if mode == ModeKeys.PREDICT:
            return TPUEstimatorSpec(
                mode, predictions={"logits": logits}, scaffold_fn=scaffold_fn
            )
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
            features["label"], logits
        )
        loss = tf.reduce_mean(losses)
        if mode == ModeKeys.TRAIN:
            train_op = modeling.create_optimizer(loss, rate, steps, warmup_steps)
            return TPUEstimatorSpec(
                mode, loss=loss, train_op=train_op, scaffold_fn=scaffold_fn
            )

        def metric_fn(losses, labels, logits):
            return {
                "accuracy": tf1.metrics.accuracy(labels, tf.argmax(logits, axis=1)),
                "mean_loss": tf1.metrics.mean(losses),
            }

        eval_metrics = (metric_fn, [losses, features["label"], logits])
        return TPUEstimatorSpec(
            mode, loss=loss, eval_metrics=eval_metrics, scaffold_fn=scaffold_fn
        )

    return model_fn


def input_fn_builder(is_training):
    """Returns the input_fn."""

    def input_fn(params):
        random = np.random.RandomState(0)
        words = random.randint(0, 100, (256, 6)).astype(np.int32)
        dataset = tf.data.Dataset.from_tensor_slices(
            {"words": words, "label": (words[:, 0] % 2).astype(np.int32)}
        )
        if is_training:
            dataset = dataset.repeat().shuffle(100, seed=1)
        return dataset.batch(params["batch_size"], drop_remainder=is_training)

    return input_fn


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--init_checkpoint", default=None)
    parser.add_argument("--use_tpu", action="store_true")
    parser.add_argument("--max_steps", type=int, default=200)
    args = parser.parse_args()

    run_config = TPURunConfig(
        tpu_config=TPUConfig(iterations_per_loop=30),
    )
    estimator = TPUEstimator(
        use_tpu=args.use_tpu,
        model_fn=model_fn_builder(args.init_checkpoint, 1e-3, 10000, 10),
        config=run_config,
        train_batch_size=32,
        eval_batch_size=8,
        predict_batch_size=8,
        checkpoints=ModelCheckpoints(args.model_dir, checkpoint_interval=40),
    )
    estimator.train(input_fn_builder(True), max_steps=args.max_steps)
    metrics = estimator.evaluate(input_fn_builder(False))
    print(
        "step",
        metrics["global_step"],
        "accuracy",
        metrics["accuracy"],
        "loss",
        metrics["mean_loss"],
    )
    predictions = estimator.predict(input_fn_builder(False))
    print(sum(1 for _ in predictions), "predictions")


if __name__ == "__main__":
    main()
