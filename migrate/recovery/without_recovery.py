"""What a program lists of the directory that it saves in, where a recovery saves too."""

import os
import re


def without_recovery(listing):
    """Returns what a directory holds, without the directory of a recovery in it.

    Args:
      listing: what ``os.listdir``, ``glob.glob``, ``os.scandir``, ``os.walk`` and their
        like return: a list stays one, else it is an iterator.
    """
    if isinstance(listing, list):
        return [one for one in listing if not _is_recovery(one)]
    return _others(listing)


def _others(listing):
    for one in listing:
        if isinstance(one, tuple):  # of os.walk, which goes into those that stay
            one[1][:] = [name for name in one[1] if not _is_recovery(name)]
            yield one
        elif not _is_recovery(one):
            yield one


def _is_recovery(one):
    name = os.path.basename(str(getattr(one, "name", one)).rstrip("/"))
    # Of a later stage of a training it has a number.
    return re.search(r"(^|_)recovery(_\d+)?$", name) is not None
