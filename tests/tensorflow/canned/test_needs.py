"""A program that the plan says needs Keras 2 does not start without it on Keras 3, and starts with it."""

import os
import shlex
import sys

import tensorflow as tf

from migrate.pipeline.run import run
from migrate.planning.rows import rows
from migrate.settings import Settings
from tests import nursery

PROGRAM = """\
import sys

import tensorflow as tf

estimator = tf.estimator.DNNClassifier(
    [4], [tf.feature_column.numeric_column("x")], sys.argv[1], optimizer=tf.keras.optimizers.legacy.Adagrad(0.05)
)
estimator.train(lambda: tf.data.Dataset.from_tensors(({"x": [[1.0]]}, [[1]])).repeat(), max_steps=2)
print("trained")
"""


def test_a_premade_estimator_with_a_legacy_optimizer_starts_with_what_the_plan_names(tmp_path):
    program = tmp_path / "train.py"
    program.write_text(PROGRAM)
    outcome = run([str(program)], Settings(), jobs=1, progress=None)
    [row] = rows(outcome, Settings())
    for change in outcome.changes:
        os.makedirs(os.path.dirname(change.path), exist_ok=True)
        with open(change.path, "w") as file:
            file.write(change.after)
    [need] = row.needs
    assert need.startswith(
        "tf_keras and TF_USE_LEGACY_KERAS=1 from TensorFlow 2.16 on: keras.optimizers.legacy.Adagrad"
    )
    words = shlex.split(row.commands[0].verify)
    name, _, value = words[words.index("--new-env") + 1].partition("=")
    environment = {key: text for key, text in os.environ.items() if key != name}
    alone = nursery.run([sys.executable, str(program), str(tmp_path / "alone")], environment)
    if not tf.__version__.startswith("2.15"):
        assert alone.returncode == 1
        assert "`keras.optimizers.legacy` is not supported in Keras 3" in alone.stderr
        alone = nursery.run([sys.executable, str(program), str(tmp_path / "with")], {**environment, name: value})
    assert (alone.returncode, alone.stdout.split()[-1]) == (0, "trained"), alone.stderr[-2000:]
