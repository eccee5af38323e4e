"""What stands for private names that TensorFlow 2 lacks does what they did in the TensorFlow that had them."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

USES = """\
import functools
import json
import os
import sys

import tensorflow.compat.v1 as tf1

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
newest = largest_export_versions(2)
functions = [plain, functools.partial(plain, 1, mode=2), lambda x, y: x]
functions += [Model, Model(1), Model(1).model_fn, Model.model_fn, Model(1).counts]
found = {{"arguments": [fn_args(one) for one in functions]}}
found["kept"] = [kept(one) for one in (newest, largest_export_versions(99), largest_export_versions(0))]
found["kept"].append(kept(opposite_filter(newest)))
found["keys"] = [constants(PredictionKeys), constants(MetricKeys)]
found["steps"] = [int(load_global_step(sys.argv[1])), int(load_global_step("no directory"))]
with tf1.Graph().as_default(), tf1.Session() as session:
    session.run(tf1.train.create_global_step().assign(7))
    tf1.train.Saver().save(session, os.path.join(sys.argv[1], "model.ckpt"), global_step=7)
found["steps"].append(int(load_global_step(sys.argv[1])))
print(json.dumps(found))
"""

OLD = """\
from tensorflow_estimator.python.estimator.canned.metric_keys import MetricKeys
from tensorflow_estimator.python.estimator.canned.prediction_keys import PredictionKeys
from tensorflow_estimator.python.estimator.estimator import _load_global_step_from_checkpoint_dir as load_global_step
from tensorflow_estimator.python.estimator.gc import _get_paths as export_paths
from tensorflow_estimator.python.estimator.gc import _largest_export_versions as largest_export_versions
from tensorflow_estimator.python.estimator.gc import _negation as opposite_filter
from tensorflow_estimator.python.estimator.util import fn_args
"""
NEW = """\
from migrate.recovery.estimator.private_names import MetricKeys, PredictionKeys, export_paths, fn_args
from migrate.recovery.estimator.private_names import largest_export_versions, load_global_step, opposite_filter
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
    assert results[1] == results[0]
