"""Where a Keras model takes an Estimator's place, whoever reads its checkpoints by name is found."""

import pytest

from migrate.findings.finding import Finding
from migrate.pipeline.run import run
from migrate.settings import Settings
from tests.codemod.programs import migrate

PROGRAM = """\
import glob
import os
import tensorflow as tf
import tensorflow.compat.v1 as tf1


def report(path):
    {report}


def main(args):
    columns = [tf.feature_column.numeric_column("x")]
    config = tf1.estimator.RunConfig(model_dir=args.model_dir)
    model = tf1.estimator.DNNClassifier([8], columns, config=config)
    model.train(input_fn, max_steps=10)
    {after}


def input_fn():
    return tf.data.Dataset.from_tensors(({{"x": [[1.0]]}}, [[0]])).repeat()
"""


def told(after: str, report: str = "pass", **settings: str) -> list[Finding]:
    _, findings = migrate(PROGRAM.format(after=after, report=report), **settings)
    return [finding for finding in findings if finding.code == "FT128"]


@pytest.mark.parametrize(
    "reader",
    [
        "tf.train.latest_checkpoint(args.model_dir)",
        "tf.train.list_variables(args.model_dir)",
        "tf.train.load_variable(tf.train.latest_checkpoint(args.model_dir), 'global_step')",
        "tf1.train.NewCheckpointReader(os.path.join(args.model_dir, 'step-10'))",
        "tf1.train.init_from_checkpoint(args.model_dir, {'/': '/'})",
        "tf.train.load_checkpoint(args.model_dir)",
        "os.path.exists(args.model_dir + '/model.ckpt-0.index')",
        "glob.glob('*.meta')",
    ],
)
def test_a_reader_of_the_programs_checkpoints_is_told_and_the_program_is_rewritten(reader: str) -> None:
    found = told(f"print({reader})", canned="keras")
    assert found
    assert all(finding.rewritten and "hold objects" in finding.message for finding in found)
    assert all("--canned object" in finding.help for finding in found)


def test_a_reader_in_a_function_is_found_by_what_its_one_call_gives() -> None:
    assert told("report(args.model_dir)", "print(tf.train.list_variables(path))", canned="keras")


@pytest.mark.parametrize(
    "other",
    [
        "tf.train.latest_checkpoint(args.pretrained)",
        "tf.train.list_variables(args.model_dir_of_bert)",
        "'bert_model.ckpt'",
        "'the model.ckpt of others'",
        "os.path.join(args.model_dir, 'events')",
        "'export.meta'",
    ],
)
def test_what_reads_other_checkpoints_or_other_files_is_not(other: str) -> None:
    assert told(f"print({other})", canned="keras") == []


@pytest.mark.parametrize("canned", ["object", "auto"])
def test_a_reader_by_name_is_not_told_where_the_names_are_kept(canned: str) -> None:
    assert told("print(tf.train.list_variables(args.model_dir))", canned=canned) == []


def test_a_reader_by_name_is_why_a_premade_estimator_becomes_an_object_by_itself() -> None:
    text = PROGRAM.format(after="print(tf.train.list_variables(args.model_dir))", report="pass")
    assert "model = DNNClassifier(" in migrate(text, canned="auto")[0]
    assert "model.fit(" in migrate(text.replace("args.model_dir))", "args.other))"), canned="auto")[0]


def test_a_reader_in_another_file_of_the_program_is_told_at_the_estimator(tmp_path) -> None:
    (tmp_path / "main.py").write_text(PROGRAM.format(after="pass", report="pass"))
    (tmp_path / "look.py").write_text(
        "import main\nimport tensorflow as tf\n\n\ndef look(args):\n    main.main(args)\n"
        "    return tf.train.list_variables(args.model_dir)\n"
    )
    settings = Settings(canned="keras")
    outcome = run([str(tmp_path)], settings, jobs=1, progress=None)
    (found,) = [finding for finding in outcome.findings if finding.code == "FT128"]
    assert found.path.endswith("main.py")
    assert "line 7 of" in found.message
    assert "look.py" in found.message
