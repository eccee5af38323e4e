"""The datasets that ``tf.contrib.learn.datasets`` fetched and read."""

import csv
import gzip
import os
import urllib.request
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1


class LoadedDataset(NamedTuple):
    """Arrays of examples and of their targets."""

    data: Any
    target: Any


def load_csv_with_header(filename, target_dtype, features_dtype, target_column=-1):
    """Reads a file whose first line begins with the numbers of examples and features.

    Args:
      filename: the file, of any file system that TensorFlow knows.
      target_dtype, features_dtype: types of numpy.
      target_column: where the target stands in a line.
    """
    read = load_csv_without_header
    return read(filename, target_dtype, features_dtype, target_column, header=True)


def load_csv_without_header(
    filename, target_dtype, features_dtype, target_column=-1, header=False
):
    """Reads a file; for the arguments see ``load_csv_with_header``.

    Args:
      filename, target_dtype, features_dtype, target_column: as there.
      header: whether the first line holds no example.
    """
    with tf.io.gfile.GFile(filename) as file:
        rows = list(csv.reader(file))[1 if header else 0 :]
    target = np.array([row.pop(target_column) for row in rows], target_dtype)
    return LoadedDataset(np.array(rows, features_dtype), target)


def maybe_download(filename, work_directory, source_url):
    """Returns the path of a file, which is fetched where the directory lacks it."""
    path = os.path.join(work_directory, filename)
    if not tf1.gfile.Exists(path):
        tf1.gfile.MakeDirs(work_directory)
        fetched, _ = urllib.request.urlretrieve(source_url)
        tf1.gfile.Copy(fetched, path)
    return path


class MnistDatasets(NamedTuple):
    """The three parts of MNIST, each a ``MnistExamples``."""

    train: Any
    validation: Any
    test: Any


class MnistExamples:
    """Images and labels, and batches of them.

    Args:
      images: uint8, [count, 28, 28, 1].
      labels: [count] or, one-hot, [count, 10].
      dtype: tf.uint8, or tf.float32 for images in [0, 1].
      reshape: whether an image becomes a vector of 784.
      seed: for the order of the batches; it seeds numpy's own generator.
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
        """Returns the next images and labels, over the end into the next epoch."""
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
    """Reads MNIST from a directory, into which missing files are downloaded.

    Args:
      train_dir: the directory.
      fake_data: must be False.
      one_hot: whether the labels are vectors of 10.
      dtype, reshape, seed: as for ``MnistExamples``.
      validation_size: how many of the examples for training are taken away.
      source_url: where the files are, with a slash at its end.

    Returns:
      A ``MnistDatasets``.

    Raises:
      ValueError: a file is not MNIST's, or an argument is wrong.
    """
    if fake_data:
        raise ValueError("fake_data is not supported.")
    source = source_url or "https://storage.googleapis.com/cvdf-datasets/mnist/"

    def read(name, magic):
        path = os.path.join(train_dir, name)
        if not tf.io.gfile.exists(path):
            tf.io.gfile.makedirs(train_dir)
            with urllib.request.urlopen(source + name) as found:
                content = found.read()
            with tf.io.gfile.GFile(path, "wb") as file:
                file.write(content)
        with tf.io.gfile.GFile(path, "rb") as file:
            content = gzip.decompress(file.read())
        given, *shape = np.frombuffer(content, ">u4", 2 if magic == 2049 else 4)
        if given != magic:
            raise ValueError(f"Invalid magic number {given} in MNIST file: {path}")
        offset = 4 * (1 + len(shape))
        return np.frombuffer(content, np.uint8, np.prod(shape), offset).reshape(shape)

    def images(name):
        return read(f"{name}-images-idx3-ubyte.gz", 2051)[..., np.newaxis]

    def labels(name):
        found = read(f"{name}-labels-idx1-ubyte.gz", 2049)
        return np.eye(10)[found] if one_hot else found

    x, y, count = images("train"), labels("train"), validation_size
    held_out = images("t10k"), labels("t10k")
    if not 0 <= count <= len(x):
        raise ValueError(
            f"Validation size should be between 0 and {len(x)}. Received: {count}."
        )
    parts = (x[count:], y[count:]), (x[:count], y[:count]), held_out
    return MnistDatasets(
        *(MnistExamples(*part, dtype, reshape, seed) for part in parts)
    )


def load_mnist(train_dir="MNIST-data"):
    """Reads MNIST as ``tf.contrib.learn.datasets.mnist.load_mnist``."""
    return read_data_sets(train_dir)


def load_dataset(name):
    """Reads MNIST as ``tf.contrib.learn.datasets.load_dataset("mnist")``."""
    if name != "mnist":
        raise ValueError(f"The dataset {name} is not supported.")
    return load_mnist()
