"""Prints a checkpoint's variables as JSON; runs under the program's interpreter, which has its TensorFlow.

usage: python checkpoint_reader.py DIRECTORY

Each variable has its ``key`` in the file, ``shape``, the first ``LENGTH`` ``values``, and a ``digest`` of all values.
"""

import hashlib
import json
import os
import sys
from typing import Any

LENGTH = 4096


def names_by_key(reader: Any) -> dict[str, str]:
    """Maps the keys of an object-based checkpoint to the variables' names; empty for a name-based one."""
    from tensorflow.core.protobuf import trackable_object_graph_pb2

    if not reader.has_tensor("_CHECKPOINTABLE_OBJECT_GRAPH"):
        return {}
    graph = trackable_object_graph_pb2.TrackableObjectGraph()
    graph.ParseFromString(reader.get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH"))
    return {each.checkpoint_key: each.full_name for node in graph.nodes for each in node.attributes if each.full_name}


def variables(directory: str) -> dict[str, Any]:
    """Returns the numeric variables of the newest checkpoint below ``directory``; empty if there is none."""
    import numpy as np
    import tensorflow as tf

    latest = [tf.train.latest_checkpoint(root) for root, _, _ in os.walk(directory)]
    path = max((path for path in latest if path), key=lambda path: os.path.getmtime(path + ".index"), default=None)
    if path is None:
        return {}
    reader = tf.train.load_checkpoint(path)
    names = names_by_key(reader)
    unique = {name for name in names.values() if list(names.values()).count(name) == 1}
    found = {}
    for key in reader.get_variable_to_shape_map():
        value = reader.get_tensor(key)
        if not isinstance(value, (np.ndarray, np.generic)) or np.asarray(value).dtype.kind not in "fiub":
            continue
        if key.split("/")[0] == "save_counter":
            continue
        name = names.get(key, "")
        flat: Any = np.ravel(value)
        found[name if name in unique else key] = {
            "key": key,
            "shape": list(np.shape(value)),
            "values": [float(each) for each in flat[:LENGTH]],
            "digest": hashlib.sha256(np.ascontiguousarray(flat.astype("float64")).tobytes()).hexdigest(),
        }
    return found


if __name__ == "__main__":
    json.dump(variables(sys.argv[1]), sys.stdout)
