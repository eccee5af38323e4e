"""A training loop with a ``CheckpointManager``, as in the guide to fault tolerance.

Like the guide it calls ``load_checkpoint`` to restore, which restores nothing.
"""

import argparse

import numpy as np
import tensorflow as tf


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--data", required=True, help="an .npz in MNIST's layout")
    parser.add_argument("--steps", type=int, default=20)
    args = parser.parse_args()

    tf.keras.utils.set_random_seed(1)
    with np.load(args.data) as arrays:
        images, labels = arrays["x_train"] / np.float32(255), arrays["y_train"]
    dataset = tf.data.Dataset.from_tensor_slices((images, labels)).batch(50).repeat()
    model = tf.keras.Sequential(
        [
            tf.keras.Input((28, 28)),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(10),
        ]
    )
    optimizer = tf.keras.optimizers.SGD(0.1)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    step = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=step)
    manager = tf.train.CheckpointManager(checkpoint, args.model_dir, max_to_keep=2)

    @tf.function
    def train_step(images, labels):
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(images, training=True))
        variables = model.trainable_variables
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        step.assign_add(1)
        return loss

    if manager.latest_checkpoint:
        checkpoint.restore(manager.latest_checkpoint).assert_existing_objects_matched()
    for batch in dataset.skip(int(step.numpy())):
        if step >= args.steps:
            break
        loss = train_step(*batch)
        if step % 4 == 0:
            manager.save(checkpoint_number=step)
    print("loss at the end:", float(loss))


if __name__ == "__main__":
    main()
