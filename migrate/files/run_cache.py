"""What a run knows of files, kept so that it asks once, and dropped where no later file asks again."""

from collections.abc import Callable
from functools import _lru_cache_wrapper, cache
from typing import Any, TypeVar

_Result = TypeVar("_Result")

_caches: list["_lru_cache_wrapper[Any]"] = []
_of_trees: list["_lru_cache_wrapper[Any]"] = []


def run_cache(function: Callable[..., _Result]) -> "_lru_cache_wrapper[_Result]":
    """Returns the function with a cache of all its results, until ``forget`` empties it."""
    cached = cache(function)
    _caches.append(cached)
    return cached


def tree_cache(function: Callable[..., _Result]) -> "_lru_cache_wrapper[_Result]":
    """As ``run_cache``, for what holds the text or the nodes of files: ``forget_trees`` empties it too."""
    cached = run_cache(function)
    _of_trees.append(cached)
    return cached


def forget() -> None:
    """Empties the caches: the next file is of another repository, or the files on the disk are other ones."""
    for cached in _caches:
        cached.cache_clear()


def forget_trees() -> None:
    """Empties the caches of trees, which are made anew for whoever asks again."""
    for cached in _of_trees:
        cached.cache_clear()
