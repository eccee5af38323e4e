"""Reads CSV files as ``tf.contrib.learn.datasets`` did."""

import csv
import os
import urllib.request
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1


class LoadedDataset(NamedTuple):
    """The examples, an array [count, features], and their targets, an array [count]."""

    data: Any
    target: Any


def load_csv_with_header(filename, target_dtype, features_dtype, target_column=-1):
    """Returns the ``LoadedDataset`` of a CSV file, without its first line.

    Args:
      filename: the path, of any file system that TensorFlow knows.
      target_dtype, features_dtype: types of NumPy.
      target_column: the column of the target, an int.
    """
    read = load_csv_without_header
    return read(filename, target_dtype, features_dtype, target_column, header=True)


def load_csv_without_header(
    filename, target_dtype, features_dtype, target_column=-1, header=False
):
    """Returns the ``LoadedDataset`` of a CSV file; see ``load_csv_with_header``.

    Args:
      filename, target_dtype, features_dtype, target_column: as there.
      header: whether to skip the first line.
    """
    with tf.io.gfile.GFile(filename) as file:
        rows = list(csv.reader(file))[1 if header else 0 :]
    target = np.array([row.pop(target_column) for row in rows], target_dtype)
    return LoadedDataset(np.array(rows, features_dtype), target)


def maybe_download(filename, work_directory, source_url):
    """Returns the path of a file; downloads it if it is not in the directory."""
    path = os.path.join(work_directory, filename)
    if not tf1.gfile.Exists(path):
        tf1.gfile.MakeDirs(work_directory)
        fetched, _ = urllib.request.urlretrieve(source_url)
        tf1.gfile.Copy(fetched, path)
    return path
