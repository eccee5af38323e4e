"""Whether a migrated program's columns number the same words in the same way as when a checkpoint was written.

A row of an embedding belongs to a word by its place in a vocabulary: with other words in its place, every shape fits
and every row means something else.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import tensorflow as tf

_LOOKUP = re.compile(r"(?:^|/)([^/]+)_lookup/")


@dataclass
class Vocabularies:
    """What became of the comparison.

    Attributes:
      same: the features whose words are the same.
      unchecked: the features that could not be looked at, each with the reason.
      different: the features whose words differ, each with the first that does.
    """

    same: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)

    @property
    def notes(self) -> list[str]:
        """A line for each feature that fits, or may fit."""
        same = [f"the vocabulary of {name} is the same, word by word" for name in self.same]
        return [*same, *(f"not looked at, the vocabulary of {text}" for text in self.unchecked)]


def compare(prefix: str, model: Any) -> Vocabularies:
    """Compares a checkpoint's vocabularies with those of a Keras model's feature columns, by their words.

    Args:
      prefix: an Estimator's checkpoint; its graph lies beside it, in the file with the ending ``.meta``.
      model: the Keras model.
    """
    compared = Vocabularies()
    own = {column.key: column for layer in _layers(model) for column in _with_words(layer)}
    if not own:
        return compared
    if not os.path.exists(f"{prefix}.meta"):
        reason = f"there is no {os.path.basename(prefix)}.meta with the old program's graph"
        compared.unchecked += [f"{name}: {reason}" for name in sorted(own)]
        return compared
    old = _of_graph(f"{prefix}.meta")
    for name, column in sorted(own.items()):
        if name not in old:
            compared.unchecked.append(f"{name}: the old program's graph has no vocabulary of it")
            continue
        try:
            words, place = _words(old[name])
            mine, own_place = _words(_of_column(column))
        except OSError as error:
            compared.unchecked.append(f"{name}: {error}")
            continue
        _compare(compared, name, (words, place), (mine, own_place))
    return compared


def _compare(compared: Vocabularies, name: str, old: tuple[Sequence[Any], str], new: tuple[Sequence[Any], str]) -> None:
    if old[1] == new[1] and old[1] != _LISTED:
        compared.unchecked.append(f"{name}: both read {old[1]}, which is as it is now, not as it was then")
    elif list(old[0]) == list(new[0]):
        compared.same.append(name)
    else:
        pairs = enumerate(zip(old[0], new[0], strict=False))
        place = next((number for number, (one, other) in pairs if one != other), min(len(old[0]), len(new[0])))
        one, other = (repr(words[place]) if place < len(words) else "no more" for words in (old[0], new[0]))
        compared.different.append(f"{name}: number {place} was {one} ({old[1]}) and is {other} ({new[1]})")


_LISTED = "a list in the program"


@dataclass(frozen=True)
class _Source:
    """Where words stand: in a file, of which the first ``size`` lines count if it is not None, or in a list."""

    path: str = ""
    size: int | None = None
    listed: Sequence[Any] = ()
    is_number: bool = False


def _words(source: _Source) -> tuple[Sequence[Any], str]:
    if not source.path:
        return source.listed, _LISTED
    if not tf.io.gfile.exists(source.path):
        raise OSError(f"{source.path} is not at hand")
    with tf.io.gfile.GFile(source.path, "rb") as file:
        lines = file.read().splitlines()[: source.size]
    return [int(line) for line in lines] if source.is_number else lines, os.path.abspath(source.path)


def _layers(model: Any) -> Iterator[Any]:
    return (layer for layer in [model, *model._flatten_layers()] if hasattr(layer, "_columns"))


def _with_words(layer: Any) -> Iterator[Any]:
    """The categorical columns with a vocabulary that a layer's columns are made of."""
    waiting = list(layer._columns)
    while waiting:
        column = waiting.pop()
        if hasattr(column, "vocabulary_file") or hasattr(column, "vocabulary_list"):
            yield column
        elif hasattr(column, "categorical_column"):
            waiting.append(column.categorical_column)
        elif hasattr(column, "keys"):  # a crossed column, of names and columns
            waiting += [key for key in column.keys if not isinstance(key, str)]


def _of_column(column: Any) -> _Source:
    is_number = column.dtype.is_integer
    if hasattr(column, "vocabulary_file"):
        return _Source(column.vocabulary_file, column.vocabulary_size, is_number=is_number)
    words = column.vocabulary_list
    return _Source(listed=[int(word) if is_number else tf.compat.as_bytes(word) for word in words])


def _of_graph(path: str) -> Mapping[str, _Source]:
    """The vocabularies in the graph of an Estimator, by the names of the features."""
    with tf.io.gfile.GFile(path, "rb") as file:
        graph = tf.compat.v1.MetaGraphDef.FromString(file.read()).graph_def
    nodes, found = {node.name: node for node in graph.node}, {}
    for node in graph.node:
        feature = _LOOKUP.search(node.name)
        if feature is None or not node.op.startswith(("InitializeTableFromTextFile", "LookupTableImport")):
            continue
        constant = _constant(nodes, node.input[1])
        if constant is None:
            continue
        value = tf.make_ndarray(constant.attr["value"].tensor)
        if node.op.startswith("LookupTableImport"):
            found[feature[1]] = _Source(listed=value.tolist())
        else:
            size = node.attr["vocab_size"].i
            table = nodes[node.input[0]]
            is_number = tf.as_dtype(table.attr["key_dtype"].type).is_integer
            words = value.item().decode()
            found[feature[1]] = _Source(words, None if size < 0 else size, is_number=is_number)
    return found


def _constant(nodes: Mapping[str, Any], name: str) -> Any:
    """The constant that a graph's node takes its value from; None where it is computed."""
    node = nodes.get(name.partition(":")[0])
    while node is not None and node.op in ("Cast", "Identity"):
        node = nodes.get(node.input[0].partition(":")[0])
    return node if node is not None and node.op == "Const" else None
