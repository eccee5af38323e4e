"""The guide's premade classifier in a loop of its own that a CheckpointManager resumes, written by hand.

Trains on MNIST until --interrupt_at stops it, then trains on to --max_steps.
Started again in the same --model_dir it resumes at the newest checkpoint.
"""

import argparse
import tempfile

import numpy as np
import tensorflow as tf


def load_data(path):
    """Returns images in [0, 1] and labels, from FILE.npz or from Keras."""
    if path is None:
        return tf.keras.datasets.mnist.load_data()
    with np.load(path) as data:
        return (data["x_train"], data["y_train"]), (data["x_test"], data["y_test"])


def build_model():
    """Returns the classifier's layers."""
    layers = [tf.keras.Input((28, 28)), tf.keras.layers.Flatten()]
    for units in (256, 32):
        layers += [
            tf.keras.layers.Dense(units, activation="relu"),
            tf.keras.layers.Dropout(0.2),
        ]
    return tf.keras.Sequential([*layers, tf.keras.layers.Dense(10)])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", default=None, help="default: a new directory")
    parser.add_argument("--data", default=None, help="FILE.npz in MNIST's layout")
    parser.add_argument("--max_steps", type=int, default=10)
    parser.add_argument("--save_steps", type=int, default=1)
    parser.add_argument("--interrupt_at", type=int, default=5)
    args = parser.parse_args()

    (x_train, y_train), (x_test, y_test) = load_data(args.data)
    x_train, x_test = x_train / 255.0, x_test / 255.0
    dataset = tf.data.Dataset.from_tensor_slices((x_train, y_train))
    dataset = dataset.shuffle(1000).repeat().batch(50)

    model = build_model()
    optimizer = tf.keras.optimizers.Adam(0.001, epsilon=1e-8)
    # Slots that do not exist yet are not restored.
    optimizer.build(model.trainable_variables)
    loss = tf.keras.losses.SparseCategoricalCrossentropy(
        from_logits=True, reduction="sum"
    )
    step = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=step)
    manager = tf.train.CheckpointManager(
        checkpoint,
        args.model_dir or tempfile.mkdtemp(),
        max_to_keep=5,
        step_counter=step,
        checkpoint_interval=args.save_steps,
    )

    @tf.function
    def train_step(images, labels):
        with tf.GradientTape() as tape:
            value = loss(labels, model(images, training=True))
        gradients = tape.gradient(value, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        step.assign_add(1)

    def train(interrupt_at=None):
        if not manager.restore_or_initialize():
            manager.save(checkpoint_number=step)
        for images, labels in dataset.take(max(args.max_steps - int(step), 0)):
            train_step(images, labels)
            is_last = int(step) in (interrupt_at, args.max_steps)
            # The last step is saved whatever the interval says.
            manager.save(checkpoint_number=step, check_interval=not is_last)
            if int(step) == interrupt_at:
                return

    # The first call is interrupted, the second resumes at its last checkpoint.
    train(args.interrupt_at)
    train()
    predictions = model.predict(x_test, verbose=0).argmax(axis=-1)
    print("step", int(step), "accuracy", np.mean(predictions == y_test))


if __name__ == "__main__":
    main()
