"""What stands beside a program's own names and is not of its making: other imports, other names, other programs."""

import pytest

from migrate.findings.finding import Fidelity
from tests.cases import each
from tests.codemod.changed import names as changed_names
from tests.codemod.trees import outcome_of

PROGRAM = """\
import tensorflow as tf
{}


def model_fn(features, labels, mode):
    loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features["x"], 1))
    train_op = tf.train.AdamOptimizer().minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main():
    estimator = tf.estimator.Estimator(model_fn, model_dir="/tmp/m")
    estimator.train(lambda: tf.data.Dataset.from_tensors(({{"x": [[1.0]]}}, [[1.0]])), steps=1)


main()
"""
REBOUND = ["tf = tf.compat.v1", 'if tf.__version__ >= "2.0":\n    tf = tf.compat.v1']
GAN = """\
import tensorflow as tf
import tensorflow_gan as tfgan


def main():
    config = tf.estimator.RunConfig(model_dir="/tmp/gan")
    gan = tfgan.estimator.GANEstimator(generator_fn=None, discriminator_fn=None, config=config)
    tf.estimator.train_and_evaluate(gan, None, None)


main()
"""


def migrated(folder, **texts):
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    return outcome_of(folder)


def text_of(outcome, name):
    return next(change.after for change in outcome.changes if change.path.endswith(f"{name}.py"))


@pytest.mark.parametrize("line", REBOUND)
def test_tensorflow_may_take_the_name_of_its_own_compat_v1(line, tmp_path):
    outcome = migrated(tmp_path, program=PROGRAM.format(line))
    text = text_of(outcome, "program")
    assert "import tensorflow.compat.v1 as tf\n" in text and line in text and "= Estimator(model_fn" in text


def test_tensorflow_may_not_take_the_name_of_anything_else(tmp_path):
    assert not changed_names(migrated(tmp_path, program=PROGRAM.format("tf = wrapped(tf)")))


@each("line")("from tensorflow.contrib import estimator", "from tensorflow.contrib import estimator, rnn")
def test_an_import_that_fails_goes_where_a_local_variable_has_its_name(line, tmp_path):
    assert "contrib" not in text_of(migrated(tmp_path, program=PROGRAM.format(line)), "program")


def test_a_program_of_a_library_with_estimators_of_its_own_leaves_the_programs_beside_it_alone(tmp_path):
    outcome = migrated(tmp_path, program=PROGRAM.format(""), gan=GAN)
    assert "= Estimator(model_fn" in text_of(outcome, "program")
    left = [one for one in outcome.findings if one.path.endswith("gan.py")]
    assert left and all(one.fidelity is Fidelity.MANUAL for one in left)
    assert any("is of TensorFlow GAN, which works with TensorFlow's own Estimator" in one.message for one in left)


HELPER = """\
from tensorflow.python.data import Dataset
from tensorflow.python.data.ops import dataset_ops


def input_fn():
    dataset = Dataset.from_tensors(({"x": [[1.0]]}, [[1.0]])).repeat()
    print(dataset_ops.Dataset)
    return dataset.make_one_shot_iterator().get_next()
"""


def test_private_names_of_datasets_keep_the_class_of_tensorflow_1(tmp_path):
    outcome = migrated(tmp_path, helper=HELPER, program=PROGRAM.format("from helper import input_fn"))
    text = text_of(outcome, "helper")
    assert "tensorflow.python" not in text and "dataset = tf.compat.v1.data.Dataset.from_tensors" in text
    assert "print(tf.compat.v1.data.Dataset)" in text


CONFIG = """\
from tensorflow.estimator import Estimator, RunConfig


def main(model_fn, input_fn):
    config = RunConfig(
        save_summary_steps=100,  # for the summaries
        save_checkpoints_steps=1000,  # for the saves
        save_checkpoints_secs=None
    )
    Estimator(model_fn, config=config, model_dir="m").train(input_fn)
"""


def test_the_comment_behind_the_argument_that_stays_is_kept(tmp_path):
    text = text_of(migrated(tmp_path, program=CONFIG), "program")
    assert "RunConfig(\n        save_summary_steps=100  # for the summaries\n    )" in text
    assert text.count("# for the summaries") == text.count("# for the saves") == 1
