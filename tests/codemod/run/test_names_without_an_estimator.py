"""A file that names the Estimator API and makes no estimator is told of, unless a program speaks of it."""

from pathlib import Path

import pytest

from migrate.cli.main import main
from migrate.pipeline.run import run
from migrate.settings import Settings
from tests.cases import each
from tests.codemod.run.test_object_form import HEAD
from tests.codemod.trees import outcome_of

pytestmark = pytest.mark.usefixtures("here")
TASK = """\
import model
import tensorflow as tf

estimator = tf.estimator.Estimator(model.model_fn, "d")
estimator.train(input_fn, max_steps=3)
"""


def told(*paths):
    findings = run(paths, Settings(), jobs=1, progress=None).findings
    return [finding for finding in findings if finding.code == "FT199"]


def test_a_model_fn_alone_is_told_once_and_the_exit_code_says_so():
    Path("model.py").write_text(HEAD)
    (finding,) = told("model.py")
    assert (
        finding.message
        == "`tensorflow.estimator.EstimatorSpec` is gone since TensorFlow 2.16, and no estimator is made here"
    )
    assert finding.help.startswith("No file here makes an estimator with it: name the directory of one that does")
    assert main(["model.py", "--check"]) == 1


def test_settings_that_no_estimator_is_seen_to_take_are_told_too():
    Path("settings.py").write_text("import tensorflow as tf\n\nCONFIG = tf.estimator.RunConfig(tf_random_seed=1)\n")
    (finding,) = told("settings.py")
    assert finding.message.startswith("`tensorflow.estimator.RunConfig` is gone since TensorFlow 2.16")


def test_modes_that_no_estimator_passes_become_the_words_that_they_stand_for():
    text = "from tensorflow.estimator import ModeKeys\n\nMODES = (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT)\n"
    Path("layers.py").write_text(text)
    [change] = outcome_of("layers.py").changes
    assert change.after.strip() == 'MODES = ("train", "eval", "infer")'


def test_a_mode_of_a_file_for_tensorflow_1_is_told_with_its_word():
    Path("layers.py").write_text("import tensorflow as tf\n\nPAIR = tf.estimator.ModeKeys.PREDICT, tf.placeholder\n")
    (finding,) = told("layers.py")
    assert 'write "infer"' in finding.help


def test_modes_beside_a_spec_stay_with_it():
    Path("model.py").write_text(HEAD + "\n\nMODE = tf.estimator.ModeKeys.PREDICT\n")
    assert outcome_of("model.py").changes == []


def test_an_estimator_of_contrib_is_told_with_what_it_names():
    trees = "tf.contrib.boosted_trees.estimator_batch.estimator.GradientBoostedDecisionTreeClassifier"
    inputs = "tf.estimator.inputs.numpy_input_fn"
    Path("trees.py").write_text(f"import tensorflow as tf\n\nf = {inputs}(x)\nmodel = {trees}()\nmodel.fit(f)\n")
    (finding,) = told("trees.py")
    assert finding.message == f"`tensorflow.{trees.removeprefix('tf.')}` exists in no TensorFlow 2"
    assert "tensorflow_decision_forests" in finding.help


def test_the_file_that_makes_the_estimator_is_named_with_the_command():
    Path("model.py").write_text(HEAD)
    Path("task.py").write_text(TASK)
    (finding,) = told("model.py")
    assert (finding.help or "").endswith(" model.py task.py")


def test_the_estimator_may_be_made_by_whoever_both_files_are_imported_by():
    Path("model.py").write_text(HEAD)
    Path("make.py").write_text("import tensorflow as tf\n\n\ndef make(f):\n    return tf.estimator.Estimator(f)\n")
    Path("task.py").write_text("import make, model\n\nmake.make(model.model_fn).train(f)\n")
    (finding,) = told("model.py")
    assert (finding.help or "").endswith(" model.py make.py")


def test_nothing_is_told_beside_the_program_that_the_file_is_of():
    Path("model.py").write_text(HEAD)
    Path("task.py").write_text(TASK)
    assert told(".") == []


HOOKS = """\
import tensorflow as tf
from tensorflow.estimator import SessionRunArgs


class Hook(tf.estimator.SessionRunHook):
    def before_run(self, run_context):
        return SessionRunArgs({step})
"""


@pytest.mark.parametrize(("step", "tf"), [("self.step", "tf.compat.v1"), ("tf.train.get_global_step()", "tf")])
def test_a_file_with_hooks_alone_gets_the_other_names_of_the_same_classes(step, tf):
    Path("hooks.py").write_text(HOOKS.format(step=step))
    outcome = outcome_of(".")
    [change] = outcome.changes
    assert f"class Hook({tf}.train.SessionRunHook):" in change.after
    assert f"return {tf}.train.SessionRunArgs({step})" in change.after
    assert "estimator" not in change.after
    [program] = outcome.programs
    assert (program.kinds, program.form) == (("hooks",), "names")


def test_hooks_of_a_program_that_is_skipped_stay_with_it():
    Path("hooks.py").write_text(HOOKS.format(step="self.step"))
    Path("task.py").write_text(TASK.replace("import model", "import hooks, model") + "estimator._train_model(3)\n")
    Path("model.py").write_text(HEAD)
    outcome = outcome_of(".")
    assert outcome.changes == []
    assert len(outcome.programs) == 1


def test_hooks_beside_a_session_that_saves_are_left_with_it():
    saving = "\nsaver = tf.compat.v1.train.Saver()\n"
    Path("hooks.py").write_text(HOOKS.format(step="self.step") + saving)
    assert outcome_of(".").changes == []


def test_an_estimator_of_another_package_is_told_where_tensorflow_s_is_not_named():
    text = "import tensorflow_gan as tfgan\n\ngan = tfgan.estimator.GANEstimator('m')\ngan.train(f, max_steps=3)\n"
    Path("gan.py").write_text(text)
    [finding] = outcome_of(".").findings
    said = "`tensorflow_gan.estimator.GANEstimator` is of TensorFlow GAN, which works with TensorFlow's own Estimator"
    assert finding.message == said


def test_another_part_of_such_a_package_is_not():
    Path("gan.py").write_text("import tensorflow_gan as tfgan\n\nestimator = tfgan.gan_model(f)\n")
    assert outcome_of(".").findings == []


@each("text", ids=["contrib's data sets", "asked for first", "another estimator"])(
    "import tensorflow as tf\nprint(tf.contrib.learn.datasets.load_dataset('iris'))  # no estimator\n",
    "import tensorflow as tf\nif hasattr(tf, 'estimator'):\n    print(tf.estimator.ModeKeys.TRAIN)\n",
    "from sklearn import svm\nimport tensorflow as tf\nestimator = svm.SVC()\n",
)
def test_what_names_no_estimator_of_tensorflow_or_asks_first_is_not_told(text):
    Path("other.py").write_text(text)
    assert told(".") == []
