"""A program for TensorFlow 2 without an Estimator."""

import helper
import tensorflow as tf

print(helper.named([tf.Variable(1.0, name="v")]))
