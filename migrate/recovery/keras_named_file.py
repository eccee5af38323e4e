"""What a Keras job was told to begin from, for a recovery that does not know its name."""

import sys

# A program may import this file by two names, which are two modules: what one of them
# has noted, the other must know.
_NOTED = vars(sys).setdefault("_begun_from", [])


def begin_from(path):
    """Notes a file that is loaded to begin from, and returns its path.

    Use ``model.load_weights(begin_from(path))``, and where the training begins
    ``recovery.restore(named=begun_from())``: nothing is restored over the file, but what was
    saved since the same file was named.

    Args:
      path: the file, a str or a path; None or "" for none.
    """
    if path and str(path) not in _NOTED:
        _NOTED.append(str(path))
    return path


def begun_from():
    """Returns what this process has loaded to begin from, a str; None for nothing.

    Several files, such as those of a generator and a discriminator, stand in lines of
    their own, sorted.
    """
    return "\n".join(sorted(_NOTED)) or None
