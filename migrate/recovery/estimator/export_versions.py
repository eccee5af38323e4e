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


def export_versions_apart(n):
    """Returns a filter that keeps the largest of each ``n`` versions: 1 to n, and on."""

    def keep(paths):
        largest = {}
        for path in paths:
            version = path.export_version
            if version is not None:
                interval = (version - 1) // n if version else 0
                if (
                    interval not in largest
                    or largest[interval].export_version < version
                ):
                    largest[interval] = path
        return sorted(largest.values())

    return keep


def export_versions_by(n):
    """Returns a filter that keeps the paths whose version is a multiple of ``n``."""
    return lambda paths: sorted(path for path in paths if path.export_version % n == 0)


def either_filter(one, other):
    """Returns a filter that keeps what one of two filters keeps."""
    return lambda paths: sorted({*one(paths), *other(paths)})


def opposite_filter(one):
    """Returns a filter that keeps what another drops."""
    return lambda paths: sorted({*paths} - {*one(paths)})
