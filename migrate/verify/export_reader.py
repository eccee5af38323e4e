"""Prints the outputs of the exports in a directory; runs under the program's interpreter, which has its TensorFlow.

usage: python export_reader.py DIRECTORY

Prints, for each signature of the newest SavedModel in each directory of exports: ``inputs`` and ``outputs`` (dtype and
shape by name), and ``values``: its outputs for inputs that are generated from their names, types and shapes only, so
that two exports with the same signature get the same inputs. ``problem`` says why there are no values.
"""

import json
import os
import sys
import zlib
from collections.abc import Iterator
from typing import Any

ROWS = 3
"""The size of the batch."""
LENGTH = 4096


def newest(directory: str) -> dict[str, str]:
    """Maps each directory of exports, relative to ``directory``, to the path of its newest SavedModel."""
    found: dict[str, list[str]] = {}
    for root, _, files in os.walk(directory):
        name = os.path.basename(root)
        if "saved_model.pb" in files and not name.startswith("temp-"):
            place = os.path.dirname(root) if name.isdigit() else root
            found.setdefault(os.path.relpath(place, directory), []).append(root)
    return {place: max(paths, key=lambda path: (len(path), path)) for place, paths in sorted(found.items())}


def exports(directory: str) -> dict[str, Any]:
    """Returns the signatures and outputs of each of the newest exports."""
    import tensorflow as tf

    load = tf.saved_model.load
    if tf.__version__.startswith("1."):  # there the default load needs a session, and numpy() needs eager mode
        tf.compat.v1.enable_eager_execution()
        load = tf.compat.v2.saved_model.load
    found = {}
    for place, path in newest(directory).items():
        try:
            loaded = load(path)
            found[place] = {name: _answers(one) for name, one in sorted(loaded.signatures.items())}
        except Exception as error:
            found[place] = {"": {"inputs": {}, "outputs": {}, "values": {}, "problem": _error_text(error)}}
    return found


def _answers(signature: Any) -> dict[str, Any]:
    import numpy as np
    import tensorflow as tf

    inputs = _inputs(signature)
    outputs = signature.structured_outputs
    answer: dict[str, Any] = {
        "inputs": {name: _describe_spec(spec) for name, spec in sorted(inputs.items())},
        "outputs": {name: _describe_spec(spec) for name, spec in sorted(outputs.items())},
        "values": {},
        "problem": "",
    }
    try:
        given = {name: tf.constant(_input(name, spec, signature.graph)) for name, spec in inputs.items()}
        for name, value in signature(**given).items():
            flat = np.ravel(value.numpy())
            answer["values"][name] = [
                each.decode("utf-8", "replace") if isinstance(each, bytes) else float(each) for each in flat[:LENGTH]
            ]
    except Exception as error:
        answer["values"], answer["problem"] = {}, _error_text(error)
    return answer


def _inputs(signature: Any) -> dict[str, Any]:
    """Returns a signature's inputs by name; in TensorFlow 1 these are its tensors."""
    structured = signature.structured_input_signature
    if structured is not None:
        return dict(structured[1])
    return dict(zip(signature._arg_keywords, signature.inputs))  # noqa: B905  Python 3.7 has no strict


def _describe_spec(spec: Any) -> list[Any]:
    """Returns a tensor's dtype and shape, with None for an unknown shape or size."""
    shape = None if spec.shape.rank is None else spec.shape.as_list()
    return [spec.dtype.name, shape]


def _error_text(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:200]


def _input(name: str, spec: Any, graph: Any) -> Any:
    """Returns a batch for an input, the same for the same name, type and shape."""
    import numpy as np

    shape = [
        ROWS if size is None else size for size in (spec.shape.as_list() if spec.shape.rank is not None else [ROWS])
    ]
    if spec.dtype.name == "string":
        features = dict(_parsed_features(graph))
        texts = [_example(features, row) if features else b"a" for row in range(int(np.prod(shape)))]
        return np.array(texts, object).reshape(shape)
    numbers = np.random.RandomState(zlib.crc32(name.encode()))
    if spec.dtype.is_integer or spec.dtype.is_bool:
        return numbers.randint(0, 2, shape).astype(spec.dtype.as_numpy_dtype)
    return numbers.uniform(size=shape).astype(spec.dtype.as_numpy_dtype)


def _parsed_features(graph: Any) -> Iterator[tuple[str, tuple[Any, int]]]:
    """Yields the features that a graph parses from serialized examples: name, type and number of values."""
    import numpy as np
    import tensorflow as tf

    whole = graph.as_graph_def()
    for nodes in (whole.node, *(function.node_def for function in whole.library.function)):
        by_name = {node.name: node for node in nodes}
        for node in nodes:
            if node.op not in ("ParseExample", "ParseExampleV2"):
                continue
            sparse, dense = (
                [key for name in names for key in np.ravel(tf.make_ndarray(by_name[name].attr["value"].tensor))]
                for names in _keys(node)
            )
            shapes = [tf.TensorShape(shape) for shape in node.attr["dense_shapes"].list.shape]
            for key, kind, shape in zip(dense, node.attr["Tdense"].list.type, shapes):  # noqa: B905  Python 3.7 has no strict
                sizes = [1 if size is None else size for size in shape.as_list()]
                yield key.decode(), (tf.as_dtype(kind), int(np.prod(sizes)))
            for key, kind in zip(sparse, node.attr["sparse_types"].list.type):  # noqa: B905  Python 3.7 has no strict
                yield key.decode(), (tf.as_dtype(kind), 1)


def _keys(node: Any) -> tuple[list[str], list[str]]:
    """Returns the names of the constants with the keys of sparse and dense features: TensorFlow 1 has one for each."""
    inputs = [name.partition(":")[0].lstrip("^") for name in node.input]
    if node.op == "ParseExampleV2":
        return inputs[2:3], inputs[3:4]
    sparse, dense = node.attr["Nsparse"].i, node.attr["Ndense"].i
    return inputs[2 : 2 + sparse], inputs[2 + sparse : 2 + sparse + dense]


def _example(features: dict[str, tuple[Any, int]], row: int) -> bytes:
    """Returns a serialized example with values for each feature."""
    import numpy as np
    import tensorflow as tf

    made = {}
    for name, (kind, count) in sorted(features.items()):
        numbers = np.random.RandomState(zlib.crc32(f"{name} {row}".encode()))
        if kind.name == "string":
            made[name] = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a"] * count))
        elif kind.is_integer:
            made[name] = tf.train.Feature(int64_list=tf.train.Int64List(value=numbers.randint(0, 2, count).tolist()))
        else:
            made[name] = tf.train.Feature(float_list=tf.train.FloatList(value=numbers.uniform(size=count).tolist()))
    example = tf.train.Example(features=tf.train.Features(feature=made))
    return bytes(example.SerializeToString(deterministic=True))


if __name__ == "__main__":
    json.dump(exports(sys.argv[1]), sys.stdout)
