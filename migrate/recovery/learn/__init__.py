"""Datasets and experiments of ``tf.contrib.learn``."""
