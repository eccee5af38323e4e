"""The names that ``from … import *`` binds: Keras's public names, and those of the files of the tree."""

import ast
import os

from migrate.analysis.source.imports import target_from
from migrate.analysis.source.names import Names
from migrate.files.parse import parse
from migrate.files.read import read
from migrate.files.run_cache import run_cache
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable
from migrate.tensorflow.known_names import names_in

_ROOTS = {"keras", "tensorflow", "tensorflow_estimator", "tf_keras"}
KERAS = ("keras", "tf_keras")
_MAX_DEPTH = 5
"""The most star imports that are followed; files may import each other in a circle."""


def star_names(directory: str, dotted: str, depth: int = 0) -> dict[str, str | None]:
    """Returns the names that a star import binds, each with its dotted name in TensorFlow or Keras, or None.

    The key ``*`` is the TensorFlow module that the imported file star-imports itself.
    """
    module = dotted.removeprefix("tensorflow.")
    if module.partition(".")[0] in KERAS:
        return {name: f"{dotted}.{name}" for name in names_in(f"keras.{module.partition('.')[2]}".rstrip("."))}
    found = target_from(directory, dotted) if dotted.strip(".") and depth < _MAX_DEPTH else None
    if found is None or found.names:
        return {}
    stars, own, exported = _top_level_names(found.path)
    known = dict[str, str | None]()
    for star in stars:
        known |= star_names(os.path.dirname(found.path), star, depth + 1)
    known |= own
    whole = [star for star in stars if star.split(".")[0] == "tensorflow"]
    if len(whole) == 1 and {"contrib", "estimator"}.isdisjoint(own):
        known["*"] = whole[0]
    return {name: full for name, full in known.items() if name in exported or (not exported and name[0] != "_")}


@run_cache
def _top_level_names(path: str) -> tuple[tuple[str, ...], dict[str, str | None], frozenset[str]]:
    """Returns a file's star imports, its top-level names as in ``star_names``, and its ``__all__``."""
    try:
        tree = parse(SourceText.decode(path, read(path)))
    except (OSError, Unreadable):
        return (), {}, frozenset()
    names = Names(tree)
    own = dict[str, str | None]()
    for name, bindings in names.top.bindings.items():
        imported = {binding.imported for binding in bindings}
        full = imported.pop() if len(imported) == 1 else None
        own[name] = full if full is not None and full.split(".")[0] in _ROOTS else None
    exported = next((binding.value for binding in names.top.bindings.get("__all__", ())), None)
    listed = exported.elts if isinstance(exported, ast.List | ast.Tuple) else []
    texts = frozenset(one.value for one in listed if isinstance(one, ast.Constant) and isinstance(one.value, str))
    return tuple(names.stars), own, texts
