"""A loop that saves each epoch's weights into the directory that it is given, and goes on from the last."""

import argparse
import glob
import os

import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--save_dir", required=True)
folder = parser.parse_args().save_dir
os.makedirs(folder, exist_ok=True)
model = tf.keras.Sequential([tf.keras.layers.Input((1,)), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
first = len(glob.glob(os.path.join(folder, "*.weights.h5")))
if first:
    model.load_weights(os.path.join(folder, f"{first}.weights.h5"))
for epoch in range(first, 4):
    for _ in range(3):
        model.train_on_batch(tf.ones([4, 1]), tf.ones([4, 1]))
    model.save_weights(os.path.join(folder, f"{epoch + 1}.weights.h5"))
