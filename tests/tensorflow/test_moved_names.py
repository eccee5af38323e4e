"""What stands for private names that TensorFlow 2 lacks does what they did in the TensorFlow that had them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

USES = """\
import functools
import json
import os
import sys

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
{imports}


def plain(features, labels, mode=None, *, config, **others):
    pass


class Model:
    def __init__(self, params):
        pass

    def __call__(self, features, mode):
        pass

    def model_fn(self, features, labels):
        pass

    def counts(self, args=()):
        pass


def constants(cls):
    return {{name: value for name, value in vars(cls).items() if name.isupper()}}


def version(path):
    name = os.path.basename(path.path)
    return path._replace(export_version=int(name)) if name.isdigit() else None


def kept(keep):
    return [path.export_version for path in keep(export_paths(exports, version))]


exports = os.path.join(sys.argv[1], "exports")
for name in ("0", "3", "10", "100", "99", "7", "temp-8"):
    os.makedirs(os.path.join(exports, name))
newest, apart, by = largest_export_versions(2), export_versions_apart(10), export_versions_by(5)
functions = [plain, functools.partial(plain, 1, mode=2), lambda x, y: x]
functions += [Model, Model(1), Model(1).model_fn, Model.model_fn, Model(1).counts]
found = {{"arguments": [fn_args(one) for one in functions]}}
found["kept"] = [kept(one) for one in (newest, largest_export_versions(99), largest_export_versions(0), apart, by)]
found["kept"] += [kept(opposite_filter(newest)), kept(either_filter(newest, by))]
found["keys"] = [constants(PredictionKeys), constants(MetricKeys)]
found["steps"] = [int(step_in_directory(sys.argv[1]))]
with tf.Graph().as_default(), tf.Session() as session:
    tf.get_variable("global_step", initializer=tf.constant(7, tf.int64), use_resource=True)
    w = tf.get_variable("w", initializer=[1.0, 2.0, 4.0], use_resource=True)
    slots = [tf.get_variable(name, initializer=[0.5, 0.0, 1.0], use_resource=True) for name in ("m", "v")]
    m, v = (slot.handle for slot in slots)
    session.run(tf.global_variables_initializer())
    gradient = tf.constant([0.1, 0.2, -0.4])
    for update in (
        training_ops.resource_apply_momentum(w.handle, m, 0.1, gradient, 0.9, use_nesterov=True),
        training_ops.resource_apply_adam(
            w.handle, m, v, 0.9, 0.99, 0.1, beta1=0.9, beta2=0.99, epsilon=1e-8, grad=gradient
        ),
        training_ops.resource_sparse_apply_momentum(w.handle, m, 0.1, gradient[:1], [2], 0.9, use_locking=True),
        training_ops.resource_apply_adagrad_v2(w.handle, v, 0.1, 1e-7, gradient),
    ):
        session.run(update)
        found.setdefault("trained", []).append(session.run([w, *slots], {{}}))
    tf.train.Saver().save(session, sys.argv[1] + "/model.ckpt", global_step=7)
found["steps"].append(int(step_in_directory(sys.argv[1])))
print(json.dumps(found, default=lambda one: one.tolist()))
"""

OLD = """\
from tensorflow.python.training import training_ops
from tensorflow_estimator.python.estimator.canned.metric_keys import MetricKeys
from tensorflow_estimator.python.estimator.canned.prediction_keys import PredictionKeys
from tensorflow_estimator.python.estimator.estimator import _load_global_step_from_checkpoint_dir as step_in_directory
from tensorflow_estimator.python.estimator.gc import _get_paths as export_paths
from tensorflow_estimator.python.estimator.gc import _largest_export_versions as largest_export_versions
from tensorflow_estimator.python.estimator.gc import _mod_export_version as export_versions_by
from tensorflow_estimator.python.estimator.gc import _negation as opposite_filter
from tensorflow_estimator.python.estimator.gc import _one_of_every_n_export_versions as export_versions_apart
from tensorflow_estimator.python.estimator.gc import _union as either_filter
from tensorflow_estimator.python.estimator.util import fn_args
"""
NEW = """\
from migrate.recovery.estimator.export_versions import either_filter, export_paths, export_versions_apart
from migrate.recovery.estimator.export_versions import export_versions_by, largest_export_versions, opposite_filter
from migrate.recovery.estimator.private_names import step_in_directory
from migrate.recovery.estimator.private_names import MetricKeys, PredictionKeys
from migrate.recovery.estimator.private_names import fn_args
from migrate.recovery.estimator.private_names import training_ops
"""


def test_what_stands_for_private_names_does_what_they_did(tmp_path):
    results = []
    for name, python, imports in (("old", os.environ["MIGRATE_OLD_PYTHON"], OLD), ("new", sys.executable, NEW)):
        folder = tmp_path / name
        folder.mkdir()
        command = [python, "-c", USES.format(imports=imports), str(folder)]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        results.append(json.loads(run.stdout))
    old, new = results
    trained = [[pytest.approx(values, rel=1e-6) for values in step] for step in old.pop("trained")]
    assert new.pop("trained") == trained
    assert new == old
    assert new["steps"] == [0, 7]
