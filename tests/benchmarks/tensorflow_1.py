"""A migrated job's checkpoints under TensorFlow 1.15: its readers, its ``Saver`` and its Estimator, and the way back.

usage: python -m tests.benchmarks.tensorflow_1 ONE PYTHON...

ONE is an interpreter with TensorFlow 1.15 (Python 3.7), each PYTHON one with TensorFlow 2. Under each PYTHON a model_fn
of two layers trains to step 6 as a migrated program does, and saves. Under ONE its checkpoint is read by
``tf.train.list_variables`` and ``load_variable``, restored by a ``tf.train.Saver``, and an Estimator goes on from it to
step 10. Then the migrated job goes on from that to step 14. Prints what was
compared, and how far the variables are from those of a migrated job that trained to step 10 and 14 alone.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]

MODEL = """
import json, sys
import numpy as np

def model_of(tf1, spec):
    def model_fn(features, labels, mode):
        first = tf1.get_variable("first/kernel", [2, 8], initializer=tf1.constant_initializer(0.1))
        parts = tf1.fixed_size_partitioner(2)
        second = tf1.get_variable("second/kernel", [8, 1], initializer=tf1.constant_initializer(0.2), partitioner=parts)
        outputs = tf1.matmul(tf1.tanh(tf1.matmul(features["x"], first)), tf1.convert_to_tensor(second))
        loss = tf1.reduce_mean((outputs - labels) ** 2)
        step = tf1.train.get_global_step()
        return spec(mode, loss=loss, train_op=tf1.train.AdamOptimizer(0.01).minimize(loss, step))
    return model_fn

X = np.linspace(0, 1, 16, dtype="f").reshape(8, 2)

def data(tf):
    return tf.data.Dataset.from_tensors(({"x": X}, X.sum(1, keepdims=True))).repeat()

def values(tf, directory):
    path = tf.train.latest_checkpoint(directory)
    return path, {name: tf.train.load_variable(path, name).tolist() for name, _ in tf.train.list_variables(path)}
"""

MIGRATED = f"""{MODEL}
import tensorflow as tf, tensorflow.compat.v1 as tf1
from migrate.recovery.estimator.estimator import EstimatorSpec
from tests.tensorflow.model_fn.linear import Job

Job(sys.argv[1], model_of(tf1, EstimatorSpec), input_fn=lambda: data(tf), every=4).run(int(sys.argv[2]))
print(json.dumps([tf.__version__, *values(tf, sys.argv[1])]))
"""

ONE = f"""{MODEL}
import tensorflow as tf

path, found = values(tf, sys.argv[1])
model_fn = model_of(tf, tf.estimator.EstimatorSpec)
with tf.Graph().as_default(), tf.Session() as session:
    tf.train.create_global_step()
    model_fn({{"x": tf.constant(X)}}, tf.zeros([8, 1]), "train")
    tf.train.Saver().restore(session, path)
    restored = {{variable.op.name: session.run(variable).tolist() for variable in tf.global_variables()}}
with tf.Graph().as_default():
    try:
        tf.train.import_meta_graph(path + ".meta")
        graph = "reads its .meta"
    except ValueError as error:
        graph = "cannot read its .meta: " + str(error)[:60]
config = tf.estimator.RunConfig(save_checkpoints_steps=4)
tf.estimator.Estimator(model_fn, sys.argv[1], config).train(lambda: data(tf), max_steps=int(sys.argv[2]))
print(json.dumps([tf.__version__, graph, restored, found, *values(tf, sys.argv[1])]))
"""


def start(python, code, *arguments):
    environment = {"PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3", "PATH": ""}
    command = [python, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    return json.loads(done.stdout.splitlines()[-1])


def flat(value):
    return [number for one in value for number in flat(one)] if isinstance(value, list) else [value]


def distance(found, expected):
    """The largest difference, in parts of a variable's largest value; the names have to be the same."""
    assert found.keys() == expected.keys(), (sorted(found), sorted(expected))
    pairs = [(flat(found[name]), flat(expected[name])) for name in found]
    return max(max(abs(a - b) for a, b in zip(*p, strict=True)) / max(1e-30, *map(abs, p[1])) for p in pairs)


def main(argv):
    if len(argv) < 2:
        raise SystemExit(__doc__)
    one, *pythons = argv
    for python in pythons:
        with tempfile.TemporaryDirectory() as name:
            shared, alone = Path(name) / "shared", Path(name) / "alone"
            line, path, saved = start(python, MIGRATED, shared, 6)
            old, graph, restored, read, at_10, trained = start(one, ONE, shared, 10)
            assert read == saved, "TensorFlow 1 reads other values"
            whole = {name: value for name, value in restored.items() if "part_" not in name}
            assert all(read[name] == value for name, value in whole.items()), "a Saver restores other values"
            (_, _, expected), (_, at_14, ended) = (
                start(python, MIGRATED, alone, 10),
                start(python, MIGRATED, shared, 14),
            )
            _, _, undisturbed = start(python, MIGRATED, alone, 14)
        print(f"TensorFlow {line} saved {Path(path).name}; {old} read {len(read)} variables, each number the same,")
        print(f"  restored {len(whole)} whole ones of {len(restored)} by a Saver, each number the same, and {graph};")
        print(f"  its Estimator went on to {Path(at_10).name}, {distance(trained, expected):.1e} from the job alone;")
        print(f"  the migrated job went on to {Path(at_14).name}, {distance(ended, undisturbed):.1e} from it")


if __name__ == "__main__":
    main(sys.argv[1:])
