"""A canned DNNClassifier whose RunConfig settles recovery, written for TensorFlow 2.12 to 2.15.

Trains on MNIST until --interrupt_at stops it, then trains on to --max_steps.
Started again in the same --model_dir it resumes at the newest checkpoint.
"""

import argparse
import tempfile

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from tf2_recovery.estimator.arrays import numpy_input_fn
from tf2_recovery.estimator.model_checkpoints import ModelCheckpoints
from tf2_recovery.estimator.run_config import RunConfig
from tf2_recovery.premade.dnn import DNNClassifier


class InterruptHook(tf1.train.SessionRunHook):
    """Asks training to stop once it has run the given number of steps."""

    def __init__(self, steps):
        self._steps = steps

    def begin(self):
        self._step = 0

    def before_run(self, run_context):
        self._step += 1

    def after_run(self, run_context, run_values):
        if self._step == self._steps:
            run_context.request_stop()


def load_data(path):
    """Returns images in [0, 1] and labels, from FILE.npz or from Keras."""
    if path is None:
        return tf.keras.datasets.mnist.load_data()
    with np.load(path) as data:
        return (data["x_train"], data["y_train"]), (data["x_test"], data["y_test"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", default=None, help="default: a new directory")
    parser.add_argument("--data", default=None, help="FILE.npz in MNIST's layout")
    parser.add_argument("--max_steps", type=int, default=10)
    parser.add_argument("--interrupt_at", type=int, default=5)
    args = parser.parse_args()
    model_dir = args.model_dir or tempfile.mkdtemp()

    (x_train, y_train), (x_test, y_test) = load_data(args.data)
    x_train, x_test = x_train / 255.0, x_test / 255.0

    feature_columns = [tf1.feature_column.numeric_column("x", shape=[28, 28])]
    # A checkpoint after every step: nothing is lost, whenever the job dies.
    config = RunConfig(save_summary_steps=1)
    classifier = DNNClassifier(
        feature_columns=feature_columns,
        hidden_units=[256, 32],
        optimizer=tf1.train.AdamOptimizer(0.001),
        n_classes=10,
        dropout=0.2,
        config=config,
        checkpoints=ModelCheckpoints(model_dir, checkpoint_interval=1),
    )
    train_input_fn = numpy_input_fn(
        x={"x": x_train},
        y=y_train.astype(np.int32),
        num_epochs=10,
        batch_size=50,
        shuffle=True,
    )
    test_input_fn = numpy_input_fn(
        x={"x": x_test}, y=y_test.astype(np.int32), num_epochs=1, shuffle=False
    )

    # The first call is interrupted, the second resumes at its last checkpoint.
    classifier.train(
        input_fn=train_input_fn,
        hooks=[InterruptHook(args.interrupt_at)],
        max_steps=args.max_steps,
    )
    classifier.train(input_fn=train_input_fn, max_steps=args.max_steps)
    metrics = classifier.evaluate(input_fn=test_input_fn)
    print("step", metrics["global_step"], "accuracy", metrics["accuracy"])


if __name__ == "__main__":
    main()
