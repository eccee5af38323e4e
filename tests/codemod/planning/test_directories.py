"""Where a program's directory comes from."""

import pytest

from migrate import api
from migrate.analysis.program.tree import Tree
from migrate.planning.directories import Origin, directories
from tests.cases import each
from tests.codemod.planning.test_plan import plan

HEAD = """\
import argparse, os, tempfile
from absl import flags
import tensorflow as tf

flags.DEFINE_string("out", "/prod", "")
FLAGS = flags.FLAGS
"""
SEEN = {
    "tf.estimator.Estimator(f, '/prod')": (Origin.WRITTEN, "'/prod'"),
    "tf.estimator.Estimator(f, os.path.join('/prod', 'run'))": (Origin.WRITTEN, "os.path.join('/prod', 'run')"),
    "D = '/prod'\ntf.estimator.Estimator(f, config=tf.estimator.RunConfig(D))": (Origin.WRITTEN, "'/prod'"),
    "tf.estimator.Estimator(f, tempfile.mkdtemp())": (Origin.TEMPORARY, "tempfile.mkdtemp()"),
    "tf.estimator.Estimator(f)": (Origin.TEMPORARY, ""),
    "tf.estimator.Estimator(f, None)": (Origin.TEMPORARY, ""),
    "tf.estimator.Estimator(f, FLAGS.out)": (Origin.FLAG, "--out"),
    "tf.estimator.Estimator(f, f'{FLAGS.out}/run')": (Origin.FLAG, "--out"),
    "tf.estimator.Estimator(f, FLAGS.out or tempfile.mkdtemp())": (Origin.FLAG, "--out"),
    "def go(d):\n    tf.estimator.Estimator(f, d)\ngo(FLAGS.out)": (Origin.FLAG, "--out"),
    "tf.estimator.Estimator(f, os.environ['DIR'])": (Origin.ENVIRONMENT, "DIR"),
    "tf.estimator.Estimator(f, os.getenv('DIR', '/prod'))": (Origin.ENVIRONMENT, "DIR"),
    "tf.estimator.Estimator(f, read('file')['dir'])": (Origin.UNKNOWN, "read('file')['dir']"),
    "tf.train.CheckpointManager(c, directory='/prod', max_to_keep=3)": (Origin.WRITTEN, "'/prod'"),
    "tf.keras.callbacks.BackupAndRestore('/prod')": (Origin.WRITTEN, "'/prod'"),
    "tf.compat.v1.train.MonitoredTrainingSession(checkpoint_dir='/prod')": (Origin.WRITTEN, "'/prod'"),
    "tf.keras.callbacks.ModelCheckpoint(os.path.join(FLAGS.out, 'w.keras'))": (Origin.FLAG, "--out"),
    "path = FLAGS.out + '/w.h5'\nmodel.save_weights(path)": (Origin.FLAG, "--out"),
    "tf.keras.callbacks.ModelCheckpoint(FLAGS.out)": (Origin.UNKNOWN, "FLAGS.out"),
    "path = FLAGS.out\nmodel.save_weights(path)": (Origin.UNKNOWN, "path"),
    "model.save_weights('run/w.h5')": (Origin.WRITTEN, "'run/w.h5'"),
}


@pytest.mark.parametrize("code", list(SEEN))
def test_a_directory_is_followed_to_what_it_comes_from(code, tmp_path):
    (tmp_path / "job.py").write_text(HEAD + code + "\n")
    [found] = directories(str(tmp_path / "job.py"), Tree())
    assert (found.origin, found.name) == SEEN[code]
    assert found.place.startswith(f"{tmp_path / 'job.py'}:")


MIGRATED = """\
import argparse
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--out", default="/prod")
args = parser.parse_args()


def model_fn(features, labels, mode):
    return tf.estimator.EstimatorSpec(mode, loss=features, train_op=features)


estimator = tf.estimator.Estimator(model_fn, {directory}, tf.estimator.RunConfig(save_checkpoints_steps=5))
estimator.train(lambda: tf.data.Dataset.range(9), max_steps=9)
"""


@pytest.mark.parametrize("directory", ["'/prod'", "args.out", "None"])
def test_the_migrated_program_saves_where_the_old_one_does(directory, tmp_path):
    path = tmp_path / "job.py"
    path.write_text(MIGRATED.format(directory=directory))
    [old] = directories(str(path), Tree())
    api.write(api.rewrite(path))
    assert ("ModelCheckpoints(" in path.read_text()) == (directory != "None")
    [new] = directories(str(path), Tree())
    assert (new.origin, new.name) == (old.origin, old.name)


@pytest.mark.parametrize("code", ["tf.estimator.Estimator(f, config=made())", "tf.estimator.Estimator(f, **given)"])
def test_of_what_is_not_seen_nothing_is_said(code, tmp_path):
    (tmp_path / "job.py").write_text(HEAD + code + "\n")
    assert directories(str(tmp_path / "job.py"), Tree()) == []


LOOP = """\
import argparse
import os
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--out_dir", required=True)
parser.add_argument("--steps_per_epoch", type=int, default=10)
parser.add_argument("--num-epochs", type=int, default=90)
args = parser.parse_args()
path = os.path.join(args.out_dir, "w.weights.h5")
model = build()
if os.path.exists(path):
    model.load_weights(path)
for epoch in range(args.num_epochs):
    for step in range(args.steps_per_epoch):
        model.train_on_batch(x, y)
    model.save_weights(path)
"""


def test_a_loop_is_given_its_directory_and_the_flag_that_counts_its_epochs(project, capsys):
    (project / "train.py").write_text(LOOP)
    [row] = plan(capsys)["programs"]
    options = "--model-dir-flag --out_dir --args '--num-epochs NUM_EPOCHS'"
    assert row["commands"][0]["verify"].endswith(options)


@each("flag", "options")(
    ("--ckpt_dir", "--model-dir-flag --ckpt_dir --args '"),  # called after a directory of saves
    ("--save-dir", "--model-dir-flag --save-dir --args '"),
    ("--workdir", "--own-cwd --args '--workdir {model_dir} "),  # called after a directory, and required
)
def test_a_flag_that_is_called_after_a_directory_gives_it_where_the_code_does_not_say(flag, options, project, capsys):
    hidden = LOOP.replace("args.out_dir", "vars(args).popitem()[1]").replace("--out_dir", flag)
    (project / "train.py").write_text(
        hidden.replace("args =", 'parser.add_argument("--data_dir", default="data")\nargs =')
    )
    [row] = plan(capsys)["programs"]
    assert row["commands"][0]["verify"].endswith(f"{options}--num-epochs NUM_EPOCHS'")
