"""Makes ``migrate/tensorflow/meanings.txt``: which names mean one thing in ``tf`` and another in ``tf.compat.v1``.

``OLD/bin/python -m tests.tensorflow_meanings read old.json`` with TensorFlow 2.15, ``NEW/bin/python -m
tests.tensorflow_meanings read new.json`` with the newest and tf_keras, then ``python -m tests.tensorflow_meanings
write old.json new.json``.

Two objects mean the same if they are the same function below their decorators. Of others the functions in ``CASES`` are
called by both names: where they compute the same, only arguments that go to different parameters tell them apart.
"""

import functools
import inspect
import json
import os
import subprocess
import sys
import types
from collections import defaultdict
from itertools import takewhile
from pathlib import Path

import numpy as np

from migrate.tensorflow.meanings import TABLE

_OPEN = ("compat", "raw_ops", "test", "experimental", "lite", "__operators__", "estimator")
"""Modules that are not compared; an Estimator's names have a table of their own."""
M = np.array([[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]], np.float32)
S = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]], np.float32)
IMAGE = np.array([[[[1.0], [2.0]], [[3.0], [4.0]]]], np.float32)
KERNEL = np.array([[[[0.5]]]], np.float32)


def _assertion(*arguments):
    def case(f):
        import tensorflow as tf

        f(*arguments)
        return tf.constant(1)

    return case


def _example(many):
    import tensorflow as tf

    example = tf.train.Example()
    example.features.feature["a"].float_list.value.append(2.5)
    text = example.SerializeToString()
    return [text] if many else text


def _float_feature():
    import tensorflow as tf

    return {"a": tf.io.FixedLenFeature([1], tf.float32)}


def _sparse():
    import tensorflow as tf

    return tf.SparseTensor([[0, 0], [1, 1]], tf.constant([1.0, 2.0]), [2, 3])


def _vocabulary_free(f):
    import tensorflow as tf

    return f([tf.feature_column.numeric_column("a", shape=(2,))])["a"].shape


CASES = {
    "argmax": lambda f: f(M),
    "argmin": lambda f: f(M),
    "assert_all_finite": lambda f: f(M, "finite"),
    "assert_equal": _assertion(1, 1),
    "assert_greater": _assertion(2, 1),
    "assert_greater_equal": _assertion(2, 1),
    "assert_integer": _assertion(1),
    "assert_less": _assertion(1, 2),
    "assert_less_equal": _assertion(1, 2),
    "assert_near": _assertion(1.0, 1.0),
    "assert_negative": _assertion(-1),
    "assert_non_negative": _assertion(1),
    "assert_non_positive": _assertion(-1),
    "assert_none_equal": _assertion(1, 2),
    "assert_positive": _assertion(1),
    "assert_rank": _assertion(M, 2),
    "assert_rank_at_least": _assertion(M, 1),
    "assert_rank_in": _assertion(M, (1, 2)),
    "assert_scalar": _assertion(1),
    "assert_shapes": _assertion([]),
    "boolean_mask": lambda f: f(M, [True, False]),
    "case": lambda f: f([(_less(), lambda: 1.0)], default=lambda: 2.0),
    "cond": lambda f: f(_less(), lambda: 1.0, lambda: 2.0),
    "confusion_matrix": lambda f: f([0, 1, 1], [1, 1, 0]),
    "constant": lambda f: f(M),
    "constant_initializer": lambda f: f(2.0)([2, 3]),
    "convert_to_tensor": lambda f: f(M),
    "conv1d": lambda f: f([[[1.0], [2.0], [3.0]]], [[[0.5]]], 1, "SAME"),
    "conv2d": lambda f: f(IMAGE, KERNEL, [1, 1, 1, 1], "SAME"),
    "conv2d_transpose": lambda f: f(IMAGE, KERNEL, [1, 2, 2, 1], [1, 1, 1, 1]),
    "count_nonzero": lambda f: f(M),
    "crelu": lambda f: f(M),
    "decode_csv": lambda f: f(["1,2"], [[0], [0]]),
    "dropout": lambda f: f(M, rate=0.5, seed=1),
    "decode_raw": lambda f: f(["ab"], "uint8"),
    "depth_to_space": lambda f: f([[[[1.0, 2.0, 3.0, 4.0]]]], 2),
    "depthwise_conv2d": lambda f: f(IMAGE, KERNEL, [1, 1, 1, 1], "SAME"),
    "expand_dims": lambda f: f(M, 0),
    "extract_patches": lambda f: f(IMAGE, [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"),
    "foldl": lambda f: f(lambda a, x: a - x, _numbers()),
    "foldr": lambda f: f(lambda a, x: a - x, _numbers()),
    "gather": lambda f: f(M, [1, 0]),
    "gather_nd": lambda f: f(M, [[1, 0]]),
    "log_softmax": lambda f: f(M),
    "make_parse_example_spec": _vocabulary_free,
    "name_scope": lambda f: _entered(f("a")).name,
    "map_fn": lambda f: f(lambda x: x * 2, _numbers()),
    "max_pool": lambda f: f(IMAGE, [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
    "avg_pool": lambda f: f(IMAGE, [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
    "avg_pool2d": lambda f: f(IMAGE, [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
    "moments": lambda f: f(_m(), [0]),
    "norm": lambda f: f(M),
    "ones_initializer": lambda f: f()([2, 3]),
    "ones_like": lambda f: f(M),
    "pad": lambda f: f(M, [[0, 1], [1, 0]]),
    "parse_example": lambda f: f(_example(True), _float_feature())["a"],
    "parse_single_example": lambda f: f(_example(False), _float_feature())["a"],
    "reduce_all": lambda f: f([True, False]),
    "reduce_any": lambda f: f([True, False]),
    "reduce_join": lambda f: f(["a", "b"]),
    "reduce_logsumexp": lambda f: f(M),
    "reduce_max": lambda f: f(_sparse() if "sparse" in f.__module__ else M),
    "reduce_mean": lambda f: f(M),
    "reduce_min": lambda f: f(M),
    "reduce_prod": lambda f: f(M),
    "reduce_sum": lambda f: f(_sparse() if "sparse" in f.__module__ else M),
    "reverse_sequence": lambda f: f(M, [2, 3], 1, 0),
    "scan": lambda f: f(lambda a, x: a - x, _numbers()),
    "segment_mean": lambda f: f(M, [0, 1], [0, 0]),
    "segment_sqrt_n": lambda f: f(M, [0, 1], [0, 0]),
    "segment_sum": lambda f: f(M, [0, 1], [0, 0]),
    "separable_conv2d": lambda f: f(IMAGE, KERNEL, KERNEL, [1, 1, 1, 1], "SAME"),
    "shape": lambda f: f(M),
    "sigmoid_cross_entropy_with_logits": lambda f: f(labels=S, logits=M),
    "size": lambda f: f(M),
    "softmax": lambda f: f(M),
    "space_to_depth": lambda f: f(IMAGE, 2),
    "sparse_softmax_cross_entropy_with_logits": lambda f: f(labels=[0, 1], logits=M),
    "squeeze": lambda f: f(IMAGE),
    "gradients": lambda f: _gradient(f),
    "length": lambda f: f("abc"),
    "substr": lambda f: f("abc", 1, 1),
    "to_hash_bucket": lambda f: f(["a", "b"], 7),
    "to_number": lambda f: f(["1.5"]),
    "tuple": lambda f: f([_one(), _numbers()]),
    "transpose": lambda f: f(M),
    "weighted_cross_entropy_with_logits": lambda f: f(labels=S, logits=M, pos_weight=2.0),
    "weighted_moments": lambda f: f(M, [0], S),
    "where": lambda f: f([True, False]),
    "zeros_initializer": lambda f: f()([2, 3]),
    "zeros_like": lambda f: f(M),
}
"""Calls with the fewest arguments, by a name's last part: both functions must compute the same of them."""
ALONE = {"where"}
"""Functions that compute the same with the arguments of their case alone."""


def _one():
    import tensorflow as tf

    return tf.constant(1)


def _m():
    import tensorflow as tf

    return tf.constant(M)


def _numbers():
    import tensorflow as tf

    return tf.constant([1.0, 2.0, 3.0])


def _entered(context):
    """What is made within a scope."""
    with context:
        return _one()


def _gradient(function):
    x = _numbers()
    return function(x * x, [x])


def _less():
    return _one() < 2


def read_installed():
    """What the TensorFlow of this interpreter has by two names: whether both are one, and the parameters of each."""
    import tensorflow as tf

    found = dict(_compared(tf.compat.v1, tf))
    if not tf.__version__.startswith("2.15") and os.environ.get("TF_USE_LEGACY_KERAS") != "1":
        code = "import json; from tests.tensorflow_meanings import read_installed as r; print(json.dumps(r()))"
        env = {**os.environ, "TF_USE_LEGACY_KERAS": "1"}
        out = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True).stdout
        legacy = json.loads(out.splitlines()[-1])
        found |= {name: row for name, row in legacy.items() if name.startswith("keras.") or name not in found}
    return found


def _compared(one, two, above=""):
    for name in sorted({*dir(two), *(two.__dict__.get("_tfmw_public_apis") or ())}):
        path = above + name
        try:
            old, new = getattr(one, name), getattr(two, name)
        except Exception:  # one of them does not have it, or Keras 3 lists what it lacks
            continue
        if name.startswith("_") or path in _OPEN or path.count(".") > 3:
            continue
        if isinstance(new, types.ModuleType):
            if isinstance(old, types.ModuleType) and _is_public(new):
                yield from _compared(old, new, f"{path}.")
        elif not _are_one(old, new):
            yield path, _row(path, old, new)


def _is_public(module):
    try:
        return module.__name__.startswith(("tensorflow._api.", "keras.", "tf_keras.")) and ".src" not in module.__name__
    except AttributeError:  # a lazy loader of Keras 2 under Keras 3
        return True


def _inner(thing):
    from tensorflow.python.util import tf_decorator

    return tf_decorator.unwrap(thing)[1]


def _are_one(old, new):
    old, new = _inner(old), _inner(new)
    if old is new or (isinstance(old, int | str | float) and old == new):
        return True
    codes = getattr(old, "__code__", None), getattr(new, "__code__", None)
    return None not in codes and codes[0] == codes[1]


def _row(path, old, new):
    is_wider = isinstance(old, type) and isinstance(new, type) and issubclass(old, new)
    row = {"wider": is_wider, "same": False, "v1": _parameters(old), "v2": _parameters(new)}
    last = path.rpartition(".")[2]
    if last not in CASES or path.startswith(("keras.", "initializers.")):
        return row
    places = []
    row["same"] = _compute(CASES[last], _counting(old, places)) == _compute(CASES[last], _counting(new, places))
    if last in ALONE:
        row["v1"], row["v2"] = row["v1"][: max(places)], row["v2"][: max(places)]
    # What the case gives by its place has one meaning, whatever the parameter is called.
    pairs = zip(row["v1"], row["v2"][: max(places, default=0)], strict=False)
    renamed = [one if one == two else f"{one}={two}" for one, two in pairs]
    return row | ({"v1": [*renamed, *row["v1"][len(renamed) :]]} if row["same"] else {})


def _counting(function, places):
    """The function, which notes how many arguments it is given by their places."""

    @functools.wraps(function)
    def counting(*arguments, **named):
        places.append(len(arguments))
        return function(*arguments, **named)

    return counting


def _parameters(thing):
    try:
        given = inspect.signature(_inner(thing)).parameters.values()
    except (TypeError, ValueError):
        return ["*"]
    return [one.name if one.kind is one.POSITIONAL_OR_KEYWORD else f"*{one.name}" for one in given]


def _compute(case, function):
    """What a case comes to in a graph, with the gradients of what it computes; in words."""
    import tensorflow as tf

    assert case is not None
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        try:
            given = case(function)
            values = session.run([tf.convert_to_tensor(one) for one in tf.nest.flatten(given)])
        except Exception as error:
            raise RuntimeError(f"{function} cannot be compared") from error
    return [(str(np.asarray(one).dtype), np.asarray(one).tolist()) for one in values]


def write(parts):
    """The table of several parts: a name means the same only if every TensorFlow says so, with the same parameters."""
    rows = defaultdict(list)
    for part in parts:
        for name, row in part.items():
            rows[name].append(row)
    other, wider, lines = defaultdict(set), defaultdict(set), set()
    for name, found in rows.items():
        module, _, last = name.rpartition(".")
        parameters = {(" ".join(row["v1"]), " ".join(row["v2"])) for row in found}
        is_same, is_wider = all(row["same"] for row in found), any(row["wider"] for row in found)
        if not is_same:
            (wider if is_wider else other)[module].add(last)
        one, two = functools.reduce(_shared, parameters)
        if is_same or (one != two and "*" not in one + two):
            kind = "takes" if not is_same else "part" if last in ALONE else "same"
            lines.add(f"{kind} {name}: {one} | {two}")
    for kind, names in (("other", other), ("wider", wider)):
        lines |= {f"{kind} {module}: {' '.join(sorted(found))}" for module, found in names.items()}
    return "".join(f"{line}\n" for line in sorted(lines))


def _shared(one, two):
    """The parameters that two TensorFlows have at the same places."""
    pairs = (zip(a.split(), b.split(), strict=False) for a, b in zip(one, two, strict=True))
    first, second = (" ".join(a for a, b in takewhile(lambda both: both[0] == both[1], pair)) for pair in pairs)
    return first, second


def _main(command, *arguments):
    if command == "read":
        Path(arguments[0]).write_text(json.dumps(read_installed()))
    else:
        Path(TABLE).write_text(write([json.loads(Path(part).read_text()) for part in arguments]), encoding="utf-8")


if __name__ == "__main__":
    _main(*sys.argv[1:])
