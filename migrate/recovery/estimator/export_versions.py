"""Which exports of a directory an exporter keeps, as ``estimator.gc`` chose them."""

import collections
import os

import tensorflow as tf

ExportPath = collections.namedtuple("ExportPath", "path export_version")


def export_paths(base_dir, parser):
    """Returns the paths below a directory that a parser takes, sorted.

    Args:
      base_dir: the directory.
      parser: gets an ``ExportPath`` whose version is None, and returns it with one; None
        to leave the path out.
    """
    names = [name.rstrip("/") for name in tf.io.gfile.listdir(base_dir)]
    found = [parser(ExportPath(os.path.join(base_dir, name), None)) for name in names]
    return sorted(path for path in found if path)


def largest_export_versions(n):
    """Returns a filter that keeps the ``n`` paths with the largest versions."""

    def keep(paths):
        known = [path for path in paths if path.export_version is not None]
        known = sorted(known, key=lambda path: path.export_version)
        return sorted(known[max(len(known) - n, 0) :])

    return keep


def opposite_filter(one):
    """Returns a filter that keeps what another drops."""
    return lambda paths: sorted({*paths} - {*one(paths)})
