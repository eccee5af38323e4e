"""Names that stand around an Estimator program are written where TensorFlow 2 has their like, and told where not."""

import pytest

from tests.cases import each
from tests.codemod.programs import migrate

PROGRAM = """\
import tensorflow as tf
{head}


def model_fn(features, labels, mode):
    {body}
    return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_sum(labels), train_op=tf.no_op())


models = [tf.estimator.Estimator(model_fn, "d")]
models[0].train(input_fn, max_steps=3)
"""


def changed(head="", body="pass"):
    """The program in object form with these lines, which must be rewritten whole."""
    before = PROGRAM.format(head=head, body=body)
    after, findings = migrate(before)
    assert [finding.message for finding in findings if finding.is_own_reason] == []
    assert "tf.estimator" not in after
    return after


@each("import_")(
    "from tensorflow.contrib.tpu.python.tpu import tpu_function",
    "import tensorflow.contrib.tpu.python.tpu.tpu_function as tpu_function",
)
def test_the_context_of_a_tpu_is_asked_where_tensorflow_2_has_it(import_):
    after = changed(import_, "shards = tpu_function.get_tpu_context().number_of_shards")
    assert "shards = get_tpu_context().number_of_shards" in after
    assert "tensorflow.contrib" not in after


@each("head", "name")(
    ("", "tf.contrib.tpu.AsyncCheckpointSaverHook"),
    ("from tensorflow.python.tpu import async_checkpoint", "async_checkpoint.AsyncCheckpointSaverHook"),
)
def test_the_hook_that_saves_for_tpus_becomes_the_one_of_tensorflow(head, name):
    after = changed(head, f"hooks = [{name}('d', save_steps=5)]")
    assert ".train.CheckpointSaverHook('d', save_steps=5)]" in after
    assert "Async" not in after


def test_a_hook_that_saves_stays_whatever_saver_it_has():
    after = changed("", "hook = tf.train.CheckpointSaverHook('d', None, 5, saver)")
    assert "hook = tf.train.CheckpointSaverHook('d', None, 5, saver)" in after


def test_a_variable_for_a_module_of_contrib_goes_with_its_uses():
    after = changed("summary = tf.contrib.summary", "summary.scalar('a', 1.0); use(summary.image)")
    assert "write_scalar('a', 1.0); use(write_image)" in after
    assert "tensorflow.contrib" not in after


def test_a_run_config_of_contrib_learn_with_shared_arguments_is_a_run_config():
    assert "config = RunConfig(save_checkpoints_steps=7)" in changed(
        "config = tf.contrib.learn.RunConfig(save_checkpoints_steps=7)"
    )


@pytest.mark.parametrize(("given", "named"), [("gpu_memory_fraction=0.5", "gpu_memory_fraction"), ("None, 4", "None")])
def test_what_no_run_config_takes_is_named(given, named):
    before = PROGRAM.format(head=f"config = tf.contrib.learn.RunConfig({given})", body="pass")
    after, findings = migrate(before)
    assert after == before
    (reason,) = [finding.message for finding in findings if finding.is_own_reason]
    assert reason == f"`{named}` is no argument of tf.estimator.RunConfig, which takes them by their names"


def test_a_table_of_contrib_may_name_its_dtype():
    after = changed(body="table = tf.contrib.lookup.index_table_from_tensor(words, dtype=tf.string)")
    assert "table = index_table_from_tensor(words, dtype=tf.string)" in after


@pytest.mark.parametrize("name", ["Dataset.range(3)", "TextLineDataset('f')"])
def test_a_dataset_of_contrib_with_a_method_of_its_own_leaves_the_program_with_what_to_write(name):
    before = PROGRAM.format(head=f"data = tf.contrib.data.{name}.group_by_window(f, g, 3)", body="pass")
    after, findings = migrate(before)
    assert after == before
    (reason,) = [finding for finding in findings if finding.is_own_reason]
    assert "has methods or arguments here" in reason.message
    assert "d.apply(tf.data.experimental.group_by_window(…))" in (reason.help or "")


@each("asked", "help")(
    ("model = learn.SKCompat(learn.Estimator(fn))", "its train takes the place of fit"),
    ("columns = learn.infer_real_valued_columns_from_input(x)", "Move to tf.estimator"),
    ("model = learn.DNNClassifier([8], columns)", "tf.estimator has one in its place"),
    ("model = learn.LinearClassifier(columns)", "tf.estimator has one in its place"),
    ("model = learn.SVM('id')", "Move to tf.estimator"),
)
def test_a_program_of_contrib_learns_own_estimators_is_left_with_what_to_do(asked, help):
    before = PROGRAM.format(head=f"from tensorflow.contrib import learn\n{asked}", body="pass")
    after, findings = migrate(before)
    assert after == before
    assert any(help in (finding.help or "") for finding in findings)
