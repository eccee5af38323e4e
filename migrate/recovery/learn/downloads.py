"""Downloads files as ``tf.contrib.learn.datasets`` did."""

import os
import urllib.request

import tensorflow.compat.v1 as tf1


def maybe_download(filename, work_directory, source_url):
    """Returns the path of a file; downloads it if it is not in the directory."""
    path = os.path.join(work_directory, filename)
    if not tf1.gfile.Exists(path):
        tf1.gfile.MakeDirs(work_directory)
        fetched, _ = urllib.request.urlretrieve(source_url)
        tf1.gfile.Copy(fetched, path)
    return path
