"""Reads MNIST as ``tf.contrib.learn`` did."""

import gzip
import os
import urllib.request
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1


class MnistDatasets(NamedTuple):
    """The parts of MNIST, each a ``MnistExamples``."""

    train: Any
    validation: Any
    test: Any


class MnistExamples:
    """Images and labels, which ``next_batch`` returns in batches.

    Args:
      images: uint8, [count, 28, 28, 1].
      labels: [count] or, one-hot, [count, 10].
      dtype: tf.uint8, or tf.float32 for images in [0, 1].
      reshape: whether an image becomes a vector of 784 values.
      seed: of the order of the examples; seeds NumPy's global generator.
    """

    def __init__(self, images, labels, dtype=tf.float32, reshape=True, seed=None):
        first, second = tf1.random.get_seed(seed)
        np.random.seed(first if seed is None else second)
        dtype = tf.as_dtype(dtype).base_dtype
        if dtype not in (tf.uint8, tf.float32):
            raise TypeError(f"Invalid image dtype {dtype}, expected uint8 or float32")
        if reshape:
            images = images.reshape(len(images), -1)
        if dtype == tf.float32:
            images = np.multiply(images.astype(np.float32), 1.0 / 255.0)
        self.images, self.labels = images, labels
        self.num_examples, self.epochs_completed, self._next = len(images), 0, 0

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        """Returns the next images and labels; a batch may continue in the next epoch."""
        if fake_data:
            raise ValueError("fake_data is not supported.")
        start = self._next
        if self.epochs_completed == 0 and start == 0 and shuffle:
            self._shuffle()
        if start + batch_size <= self.num_examples:
            self._next += batch_size
            return self.images[start : self._next], self.labels[start : self._next]
        self.epochs_completed += 1
        images, labels = self.images[start:], self.labels[start:]
        if shuffle:
            self._shuffle()
        self._next = batch_size - len(images)
        return (
            np.concatenate((images, self.images[: self._next])),
            np.concatenate((labels, self.labels[: self._next])),
        )

    def _shuffle(self):
        order = np.arange(self.num_examples)
        np.random.shuffle(order)
        self.images, self.labels = self.images[order], self.labels[order]


def read_data_sets(
    train_dir,
    fake_data=False,
    one_hot=False,
    dtype=tf.float32,
    reshape=True,
    validation_size=5000,
    seed=None,
    source_url=None,
):
    """Reads MNIST from a directory, and downloads missing files into it.

    Args:
      train_dir: the directory.
      fake_data: must be False.
      one_hot: whether the labels are one-hot vectors.
      dtype, reshape, seed: as for ``MnistExamples``.
      validation_size: how many training examples to use for validation instead.
      source_url: the files' URL without their names, with a slash at its end.

    Returns:
      A ``MnistDatasets``.

    Raises:
      ValueError: a file is not MNIST's, or an argument is invalid.
    """
    if fake_data:
        raise ValueError("fake_data is not supported.")
    location = train_dir, source_url or _SOURCE

    def images(name):
        return _read(*location, f"{name}-images-idx3-ubyte.gz", 2051)[..., np.newaxis]

    def labels(name):
        found = _read(*location, f"{name}-labels-idx1-ubyte.gz", 2049)
        return np.eye(10)[found] if one_hot else found

    x, y, count = images("train"), labels("train"), validation_size
    test_part = images("t10k"), labels("t10k")
    if not 0 <= count <= len(x):
        raise ValueError(
            f"Validation size should be between 0 and {len(x)}. Received: {count}."
        )
    parts = (x[count:], y[count:]), (x[:count], y[:count]), test_part
    return MnistDatasets(*(MnistExamples(*one, dtype, reshape, seed) for one in parts))


_SOURCE = "https://storage.googleapis.com/cvdf-datasets/mnist/"


def _read(directory, source, name, magic):
    """Returns the array in a file of MNIST; downloads the file if it is missing."""
    path = os.path.join(directory, name)
    if not tf.io.gfile.exists(path):
        tf.io.gfile.makedirs(directory)
        with urllib.request.urlopen(source + name) as found:
            content = found.read()
        with tf.io.gfile.GFile(path, "wb") as file:
            file.write(content)
    with tf.io.gfile.GFile(path, "rb") as file:
        content = gzip.decompress(file.read())
    found_magic, *shape = np.frombuffer(content, ">u4", 2 if magic == 2049 else 4)
    if found_magic != magic:
        raise ValueError(f"Invalid magic number {found_magic} in MNIST file: {path}")
    offset = 4 * (1 + len(shape))
    return np.frombuffer(content, np.uint8, np.prod(shape), offset).reshape(shape)


def load_mnist(train_dir="MNIST-data"):
    """Reads MNIST as ``tf.contrib.learn.datasets.mnist.load_mnist``."""
    return read_data_sets(train_dir)


def load_dataset(name):
    """Reads MNIST as ``tf.contrib.learn.datasets.load_dataset("mnist")``."""
    if name != "mnist":
        raise ValueError(f"The dataset {name} is not supported.")
    return load_mnist()
