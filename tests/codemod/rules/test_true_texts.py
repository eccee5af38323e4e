"""Each sentence of a report is true of the very line that it stands at."""

from migrate.findings.finding import Fidelity
from tests.cases import each
from tests.codemod.programs import migrate, program


@each("name", "advice")(
    ("distributions.Independent", "tensorflow_probability"), ("quantize.x", "optimization"), ("rnn.x", "Copy the cell")
)
def test_ft138_advises_the_package_that_has_the_name(name, advice):
    _, findings = migrate(program(head=f"print(tf.contrib.{name})", kind="custom"))
    finding = next(one for one in findings if one.code == "FT138" and one.cause is None)
    assert advice in finding.help
    assert "optimize_loss" not in finding.message


def test_a_name_of_contrib_in_a_program_that_is_left_tells_its_successor():
    names = "print(tf.contrib.data.map_and_batch, tf.contrib.rnn.LSTMCell, tf.contrib.slim.conv2d, tf.contrib.rnn.x)"
    _, findings = migrate(program(head=names, kind="custom"))
    told = [one.help for one in findings if one.code == "FT138" and one.cause is not None]
    assert [help.split()[-1 if "slim" not in help else 3] for help in told] == [
        "tf.compat.v1.data.experimental.map_and_batch.", "tf.compat.v1.nn.rnn_cell.LSTMCell.", "tf_slim.conv2d",
    ]  # fmt: skip


@each("name", "advice")(
    ("learn.learn_runner.tune", "learn_runner.run"),
    ("learn.read_batch_examples", "tf.data.TFRecordDataset"),
    ("learn.python.learn.learn_io.graph_io.read_batch_examples", "tf.data.TFRecordDataset"),
    ("learn.LogisticRegressor", "Move to tf.estimator"),
)
def test_what_to_do_about_a_name_of_contrib_learn_is_advised(name, advice):
    _, findings = migrate(program(head=f"models = [tf.estimator.Estimator]; tf.contrib.{name}(models)", kind="custom"))
    assert any(advice in one.help for one in findings if one.code == "FT151")


def test_ft138_says_once_a_file_what_tf_slim_needs():
    names = "print(tf.contrib.slim.conv2d, tf.contrib.slim.flatten, tf.contrib.layers.avg_pool2d)"
    _, findings = migrate(program(head=names, kind="custom"))
    found = [one for one in findings if one.code == "FT138"]
    assert [one.message.split(",")[0] for one in found] == [
        "becomes slim.conv2d", "becomes slim.flatten", "becomes slim.avg_pool2d",
    ]  # fmt: skip
    assert all(one.fidelity is Fidelity.NOTED for one in found)
    assert ["requirements.txt" in one.help for one in found] == [True, False, False]
