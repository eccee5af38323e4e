"""Caches of what a run knows of files, which can all be emptied at once."""

from collections.abc import Callable
from functools import _lru_cache_wrapper, cache
from typing import Any, TypeVar

_Result = TypeVar("_Result")

_caches: list["_lru_cache_wrapper[Any]"] = []
_tree_caches: list["_lru_cache_wrapper[Any]"] = []


def run_cache(function: Callable[..., _Result]) -> "_lru_cache_wrapper[_Result]":
    """Returns the function with a cache of all its results, until ``forget`` empties it."""
    cached = cache(function)
    _caches.append(cached)
    return cached


def tree_cache(function: Callable[..., _Result]) -> "_lru_cache_wrapper[_Result]":
    """Returns a ``run_cache`` for results with the text or nodes of files: ``forget_trees`` empties it too."""
    cached = run_cache(function)
    _tree_caches.append(cached)
    return cached


def forget() -> None:
    """Empties all caches, before files of another repository are read or after files have changed."""
    for cached in _caches:
        cached.cache_clear()


def forget_trees() -> None:
    """Empties the caches with texts or nodes of files."""
    for cached in _tree_caches:
        cached.cache_clear()
