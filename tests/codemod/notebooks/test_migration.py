"""Notebooks are migrated cell by cell, and nothing else in their files moves."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import nbformat
import pytest

from migrate.cli.main import main
from migrate.pipeline.run import run
from migrate.pipeline.run import write as write_changes
from migrate.settings import Settings
from tests.cases import each
from tests.codemod import forks
from tests.codemod.notebooks.conftest import notebook
from tests.codemod.trees import outcome_of
from tests.notebooks import SHAPES, shape
from tests.runtime_package import files_beside

SCHEMA = json.loads((Path(__file__).parents[3] / "migrate/report/schema.json").read_text(encoding="utf-8"))
IMPORTS = "import tensorflow as tf\nimport tensorflow.compat.v1 as tf1"
DATA = "def data():\n  return tf.data.Dataset.from_tensor_slices(({'x': [1.0]}, [0])).batch(1)"
CONFIG = "config = tf1.estimator.RunConfig(save_checkpoints_steps=5)  # often"
MADE = (
    "est = tf1.estimator.DNNClassifier([4], [tf1.feature_column.numeric_column('x')],\n"
    "                                  model_dir='m', config=config)"
)
TRAIN = "est.train(data, max_steps=10)"
MODEL_FN = (
    "def model_fn(features, labels, mode):\n"
    "  loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features['x'], 1))\n"
    "  train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())\n"
    "  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)"
)
JOB = (IMPORTS, DATA, "# md The estimator:", CONFIG, MADE, TRAIN)


def sources(path):
    return ["".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8-sig"))["cells"]]


def migrated(path, **settings):
    """Migrates and writes; the sources of the cells after that."""
    outcome = outcome_of(path, **settings)
    assert not [finding for finding in outcome.findings if finding.error], outcome.findings
    assert write_changes(outcome) == []
    return sources(path)


def test_a_program_that_spans_cells_is_rewritten_in_them(write):
    path = write(*JOB)
    imports, data, text, config, made, train = migrated(path)
    assert "from tf2_recovery.estimator.model_checkpoints import ModelCheckpoints" in imports
    assert "class ModelCheckpoints(" in (path.parent / "tf2_recovery/estimator/model_checkpoints.py").read_text()
    assert (data, text) == (DATA, "# md The estimator:")
    assert config == ""
    assert "checkpoint_interval=5" in made
    assert "# often" in made
    assert train == TRAIN


def test_outputs_metadata_and_all_cells_without_a_site_are_kept(write):
    path = write(*JOB)
    before = json.loads(path.read_text())["cells"]
    migrated(path)
    after = json.loads(path.read_text())["cells"]
    for old, new in zip(before, after, strict=True):
        assert {**old, "source": None} == {**new, "source": None}
        assert isinstance(new["source"], list)
    assert before[1:3] == after[1:3]
    assert len(before) == len(after)


@pytest.mark.parametrize("name", SHAPES)
def test_the_shapes_of_the_documentation_are_migrated_whole_and_valid(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(shape(name))
    migrated(path)
    nbformat.validate(nbformat.read(path, as_version=nbformat.NO_CONVERT))
    assert "estimator.Estimator(" not in path.read_text()
    assert "estimator.DNN" not in path.read_text()


LAYOUTS = {
    "nbformat's": lambda made: json.dumps(made, indent=1, ensure_ascii=False, sort_keys=True) + "\n",
    "Colab's": lambda made: json.dumps(made, indent=2, ensure_ascii=False),
    "escaped": lambda made: json.dumps(made, indent=4, ensure_ascii=True) + "\n",
    "one line": lambda made: json.dumps(made),
    "tight": lambda made: json.dumps(made, separators=(",", ":")),
    "tabs": lambda made: json.dumps(made, indent="\t"),
    "Windows": lambda made: json.dumps(made, indent=1).replace("\n", "\r\n") + "\r\n",
    "a byte order mark": lambda made: "\ufeff" + json.dumps(made, indent=1),
    "keys in another order": lambda made: json.dumps(
        {key: [dict(reversed(cell.items())) for cell in made[key]] if key == "cells" else made[key] for key in made},
        indent=1,
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_byte_outside_the_changed_sources_stays(layout, tmp_path):
    made = notebook("s = 'é ☃ \x7f'", *JOB, "# md é")
    path = tmp_path / "job.ipynb"
    path.write_text(LAYOUTS[layout](made), encoding="utf-8", newline="")
    before = path.read_bytes()
    new = migrated(path)
    after = path.read_bytes()
    assert json.loads(after.decode("utf-8-sig"))["nbformat"] == 4
    assert len(json.loads(after.decode("utf-8-sig"))["cells"]) == len(made["cells"])
    for text in ("s = 'é ☃ \x7f'", DATA, "# md é"):
        assert text in new
    lines = before.splitlines(keepends=True)
    if len(lines) > 5:
        kept = set(after.splitlines(keepends=True))
        gone = [line for line in lines if line not in kept]
        assert all(any(word in line for word in (b"tf", b"est", b"model_dir")) for line in gone), gone
        assert (b"\r\n" in after) == (b"\r\n" in before)
    assert after.endswith(b"\n") == before.endswith(b"\n")
    assert after.isascii() == before.isascii()


def test_a_source_that_is_one_text_stays_one(tmp_path):
    made = notebook(*JOB)
    for cell in made["cells"]:
        cell["source"] = "".join(cell["source"])
    path = tmp_path / "job.ipynb"
    path.write_text(json.dumps(made), encoding="utf-8")
    migrated(path)
    cells = json.loads(path.read_text())["cells"]
    assert all(isinstance(cell["source"], str) for cell in cells)


def test_a_module_that_a_cell_writes_into_a_directory_finds_its_runtime_files_however_it_is_started(write):
    module = "%%writefile trainer/task.py\n" + "\n\n".join([IMPORTS, DATA, CONFIG, MADE, TRAIN])
    path = write("x = 1", module, "!python -m trainer.task")
    (path.parent / "trainer").mkdir()
    first, written, last = migrated(path)
    assert (first, last) == ("x = 1", "!python -m trainer.task")
    assert written.startswith("%%writefile trainer/task.py\nimport ")
    assert "  from .tf2_recovery.estimator.model_checkpoints import " in written
    assert "if __package__:\n  from .tf2_recovery." in written
    assert "else:\n  from tf2_recovery." in written
    assert "checkpoints=ModelCheckpoints(" in written
    assert (path.parent / "trainer/tf2_recovery/estimator/model_checkpoints.py").exists()
    assert migrated(path) == [first, written, last]


def test_a_module_of_a_package_that_needs_no_runtime_file_is_rewritten(write):
    path = write(
        "%%writefile trainer/task.py\nimport tensorflow as tf\n\n"
        "strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()"
    )
    (path.parent / "trainer").mkdir()
    outcome = outcome_of(path)
    assert [finding.code for finding in outcome.findings] == ["FT401"]
    assert "= tf.distribute.MultiWorkerMirroredStrategy()" in outcome.changes[0].after


def test_a_module_that_a_cell_writes_from_a_directory_above_finds_its_runtime_files_there(write):
    text = "\n\n".join([IMPORTS, DATA, CONFIG, MADE, TRAIN])
    path = write("%cd ..", f"%%writefile src/task.py\n{text}")
    there, nested = path.parent / "src", path.parent / "notebooks"
    there.mkdir()
    nested.mkdir()
    path = path.rename(nested / path.name)
    (there / "task.py").write_text(text)
    assert not write_changes(outcome_of(nested.parent))
    written = "".join(json.loads(path.read_text())["cells"][1]["source"])
    assert "  from .tf2_recovery.estimator.model_checkpoints import " in written
    assert (there / "tf2_recovery/estimator/model_checkpoints.py").exists()
    assert not (nested / "src").exists()


def test_a_module_that_a_cell_writes_where_no_directory_is_stays_and_says_why(write):
    module = "%%writefile trainer/task.py\n" + "\n\n".join([IMPORTS, DATA, CONFIG, MADE, TRAIN])
    path = write("x = 1", module)
    outcome = outcome_of(path)
    assert outcome.changes == []
    assert any("a directory that is not there" in finding.message for finding in outcome.findings)
    assert migrated(path, helpers="package")[1].count("from tf2_recovery.") > 1


def test_a_notebook_and_the_modules_beside_it_share_one_runtime_folder(write):
    job = "est = tf.estimator.Estimator(model_fn, 'm')\nest.train(lambda: data(), max_steps=3)\n"
    custom = "\n\n".join(["import tensorflow as tf", MODEL_FN, job])
    path = write("%%writefile task.py\n" + custom, *JOB)
    task, imports, *_ = migrated(path)
    assert "from tf2_recovery.estimator.estimator import Estimator, EstimatorSpec" in task
    assert "from tf2_recovery.premade.dnn import " in imports
    assert files_beside(path.parent).keys() >= {"__init__", "estimator/estimator", "premade/dnn"}


def test_findings_name_the_cell_and_the_line_in_it(write, capsys):
    write("# md one", "%%capture\n" + IMPORTS, DATA, CONFIG, MADE, "\n" + TRAIN)
    assert main(["job.ipynb", "--format", "text"]) == 1
    out = capsys.readouterr().out
    assert "job.ipynb:cell 4:1:10: FT152 " in out
    assert "job.ipynb:cell 5:1:7: FT151 " in out
    assert f"1 | {CONFIG}\n  |          ^^^^" in out
    main(["job.ipynb", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, SCHEMA)
    (made,) = [finding for finding in document["findings"] if finding["code"] == "FT151"]
    assert (made["cell"], made["start"]) == (5, {"line": 1, "column": 7})


def test_lines_in_messages_count_in_their_cells(write):
    path = write(IMPORTS, DATA, CONFIG, "x = 1\n" + MADE, TRAIN, "est._train_model(data)")
    outcome = outcome_of(path)
    causes = {finding.cell: finding for finding in outcome.findings if finding.cause is not None}
    said = f"skipped with its program: _train_model ({path}:cell 6:1)"
    assert {cell: finding.message for cell, finding in causes.items()} == dict.fromkeys((3, 4), said)
    assert {(one.cause.cell, one.cause.span.line) for one in causes.values() if one.cause} == {(6, 1)}


def test_a_config_that_a_magic_names_keeps_its_settings(write):
    cells = migrated(write(*JOB, "x = 1\n!echo {config} {x}"))
    assert "config = RunConfig(save_checkpoints_steps=5)  # often" in cells
    assert not any("ModelCheckpoints(" in cell for cell in cells)


def test_a_comment_leaves_a_site_alone(write):
    left = (*JOB[:3], CONFIG + "  # migrate: ignore", *JOB[4:])
    assert migrated(write(*left)) == [*left]


def test_the_diff_applies_with_git_and_names_the_cells(write):
    path = write(*JOB)
    before = path.read_bytes()
    subprocess.run(["git", "init", "-q", "."], check=True)
    diff = forks.run(["job.ipynb"], path.parent, os.environ).stdout
    assert "@@ cell 1\n" in diff
    assert "@@ cell 4\n" in diff
    subprocess.run(["git", "apply"], input=diff, text=True, check=True)
    applied = path.read_bytes()
    path.write_bytes(before)
    migrated(path)
    assert path.read_bytes() == applied


class Terminal(io.TextIOWrapper):
    def isatty(self):
        return True


def test_on_a_terminal_the_diff_is_one_of_code_cell_by_cell(write, monkeypatch):
    write(*JOB)
    screen = Terminal(io.BytesIO(), encoding="utf-8")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stdout", screen)
    main(["job.ipynb"])
    shown = screen.buffer.getvalue().decode()
    assert "--- job.ipynb:cell 4\n+++ job.ipynb:cell 4\n" in shown
    assert "+++ tf2_recovery/: " in shown
    assert f"-{CONFIG}\n" in shown
    assert '"source"' not in shown


OLD = '{"worksheets": [], "nbformat": 3, "x": "tensorflow estimator"}'


@each("text", "code", "words", ids=["no JSON", "old", "its help", "new", "no cells", "a list", "deep", "metadata"])(
    ('{"cells": [tensorflow estimator', "FT003", "is not JSON, as a notebook must be"),
    (OLD, "FT007", "old format 3"),
    (OLD, "FT007", "jupyter nbconvert --to notebook --nbformat 4 --inplace job.ipynb"),
    ('{"cells": [], "nbformat": 5, "x": "tensorflow estimator"}', "FT007", "too new"),
    ('{"nbformat": 4, "x": "tensorflow estimator"}', "FT007", "no list of cells"),
    ('["tensorflow estimator"]', "FT007", "no notebook"),
    ("[" * 100_000 + '"tensorflow estimator"', "FT003", ""),
    (json.dumps(notebook(*JOB, metadata=[])), "FT007", "is no valid notebook: "),
)
def test_what_is_no_notebook_is_left_with_a_message_and_exit_code_2(text, code, words, write, capsys):
    path = write("")
    path.write_text(text)
    assert main([".", "--write"]) == 2
    shown = capsys.readouterr().err
    assert f" {code} " in shown
    assert words in shown
    assert "help:" in shown
    assert path.read_text() == text


@each("odd", ids=["a heading", "text with outputs", "an incomplete output"])(
    {"cell_type": "heading", "level": 1, "metadata": {}, "source": ["Title"]},
    {"cell_type": "markdown", "execution_count": None, "metadata": {}, "outputs": [], "source": ["Text"]},
    {"cell_type": "code", "metadata": {}, "outputs": [{"output_type": "execute_result"}], "source": ["x = 1"]},
)
def test_a_cell_of_another_format_that_jupyter_opens_stays_and_the_rest_changes(odd, write):
    path = write(*JOB)
    book = json.loads(path.read_text())
    book["cells"].append(odd)
    book["metadata"]["kernelspec"] = {"name": "python3"}
    path.write_text(json.dumps(book, indent=1))
    assert main(["job.ipynb", "--write"]) == 1
    after = json.loads(path.read_text())
    assert odd in after["cells"]
    assert "tf.estimator.RunConfig" not in json.dumps(after)


@each("line")("print tf.__version__", "import helpers\nprint 'x'", "est = tf.estimator.DNNClassifier(_")
def test_a_cell_that_is_no_python_and_names_tensorflow_leaves_the_notebook(line, write, capsys):
    path = write(*JOB, f"x = 1\n{line}\n")
    before = path.read_bytes()
    assert main(["job.ipynb", "--write"]) == 2
    assert "job.ipynb:cell 7:" in capsys.readouterr().err
    assert path.read_bytes() == before


@each("cell")("x = 1\nprint 'Loss:', est.evaluate(input_fn)\n", "x = 1\nest.train(_____ # your code\n")
def test_a_cell_that_is_no_python_stays_and_is_named_and_the_others_change(cell, write, capsys):
    path = write(*JOB[:4], cell, *JOB[4:])
    before = sources(path)
    assert main(["job.ipynb", "--write"]) == 2
    said = capsys.readouterr().err
    assert "job.ipynb:cell 5:2:" in said
    assert "the other cells are read without it" in said
    after = sources(path)
    assert after[4] == before[4] == cell
    assert "tf.estimator" not in "".join(after)
    assert main(["job.ipynb", "--write"]) in (0, 2)
    assert sources(path) == after


def test_a_cell_that_only_the_compiler_minds_is_the_cause_at_every_site(write, capsys):
    path = write(*JOB, "x = 1\nreturn x\n")
    before = path.read_bytes()
    findings = outcome_of(path).findings
    assert run([str(path)], Settings(), jobs=1, progress=None, rewrites=False).findings == findings
    assert [one.cell for one in findings if one.code == "FT003"] == [7]
    left = [one for one in findings if one.code != "FT003"]
    assert len(left) > 1
    why = f"skipped with its program: FT003 ({path}:cell 7:2)"
    assert {one.message for one in left} == {why}
    assert main(["job.ipynb", "--write"]) == 2
    said = capsys.readouterr()
    assert "job.ipynb:cell 7:2:" in said.err + said.out
    assert path.read_bytes() == before


def test_without_nbformat_the_message_says_what_to_install_and_other_files_are_done(write):
    path = write(*JOB)
    (path.parent / "plain.ipynb").write_text(json.dumps(notebook("import tensorflow as tf", "# estimator")))
    (path.parent / "job.py").write_text("\n\n".join([IMPORTS, DATA, CONFIG, MADE, TRAIN]))
    code = "import sys; sys.modules['nbformat'] = None; from migrate.cli.main import main; sys.exit(main(sys.argv[1:]))"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    before = path.read_bytes()

    def without_nbformat(*arguments):
        command = [sys.executable, "-c", code, *arguments]
        done = subprocess.run(command, cwd=path.parent, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr.splitlines()

    assert not any("FT007" in line for line in without_nbformat("--check", ".")[1])
    exit_code, told = without_nbformat("--write", ".")
    missing = "job.ipynb:1:1: FT007 notebook skipped: nbformat is not installed"
    assert (exit_code, told[:3]) == (2, [missing, "  = help: Run `pip install nbformat`.", ""])
    assert sum("nbformat is not installed" in line for line in told) == 1
    assert path.read_bytes() == before
    assert "ModelCheckpoints(" in (path.parent / "job.py").read_text()


def test_the_advice_for_python_2_in_a_notebook_is_one_that_works(write, capsys):
    write(*JOB, "print 'x'")
    assert main(["job.ipynb", "--check"]) == 2
    printed = capsys.readouterr()
    assert "convert the cell by hand" in printed.out + printed.err
    assert "2to3 -w" not in printed.out + printed.err


def test_notebooks_of_other_languages_and_jupyters_copies_are_passed_over(write):
    path = write(*JOB, metadata={"language_info": {"name": "R"}})
    copy = path.parent / ".ipynb_checkpoints" / "job-checkpoint.ipynb"
    copy.parent.mkdir()
    copy.write_text(json.dumps(notebook(*JOB)))
    outcome = outcome_of(path.parent)
    assert (outcome.files_read, outcome.findings, outcome.changes) == (1, [], [])


def test_a_second_program_in_a_migrated_notebook_imports_what_it_needs_too(write):
    path = write(*JOB)
    cells = migrated(path)
    made = MADE.replace("est =", "est2 =").replace(", config=config", "")
    made = made.replace("DNNClassifier", "DNNRegressor")
    again = migrated(write(*cells, IMPORTS, made, "est2.train(data, max_steps=3)"))
    assert len(again) == len(cells) + 3
    assert again[: len(cells)] == [again[0], *cells[1:]]
    assert any("import DNNRegressor" in cell for cell in again)


def test_an_import_stands_in_the_last_cell_that_imports_tensorflow_since_others_may_be_left_out(write):
    first, *others = JOB
    imports, optional, *_ = migrated(write(first, "import nasnet", *others))
    assert "import ModelCheckpoints" in imports
    assert optional == "import nasnet"


def test_each_cell_that_imports_tensorflow_again_keeps_the_meaning_of_its_names(write):
    job = "est = tf.estimator.Estimator(model_fn, 'm')\nest.train(data, max_steps=10)"
    cells = migrated(write("import tensorflow as tf", DATA, "import tensorflow as tf\nimport os", MODEL_FN, job))
    assert sum("import tensorflow.compat.v1 as tf\n" in f"{cell}\n" for cell in cells if "%%" not in cell) == 2
    assert not any("import tensorflow as tf\n" in f"{cell}\n" for cell in cells if "%%" not in cell)


def test_the_json_of_a_notebook_is_decoded_once(write, monkeypatch):
    decoded = []
    own = json.JSONDecoder.raw_decode

    def counting(self, text, idx=0):
        decoded.append(text)
        return own(self, text, idx)

    write(IMPORTS, DATA, CONFIG, MADE)
    monkeypatch.setattr(json.JSONDecoder, "raw_decode", counting)
    assert main(["--check", "-j1", "."]) == 1
    assert len(decoded) == 1
