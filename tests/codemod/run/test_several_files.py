"""A program over several files is migrated in all of them, or left in all of them with what to do."""

import os
import re
from pathlib import Path

import nbformat
import pytest

from migrate.analysis.source.imports import importing_root
from migrate.pipeline.run import run, write
from migrate.runtime_files.package import folder_of
from migrate.settings import Settings
from tests.cases import each
from tests.codemod.changed import is_runtime_file
from tests.codemod.changed import names as changed_names
from tests.codemod.trees import outcome_of, put, whole

MODELING = """\
import tensorflow as tf


def model_fn(features, labels, mode):
    loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features["x"], 1))
    train_op = tf.train.AdamOptimizer().minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def model_fn_builder(size):
    def built(features, labels, mode):
        return model_fn(features, labels, mode)

    return built
"""
MAIN = """\
import tensorflow as tf

{imported}


def input_fn():
    return tf.data.Dataset.from_tensors(({{"x": [[1.0]]}}, [[1.0]])).repeat()


def main():
    config = tf.estimator.RunConfig(model_dir="/tmp/m", save_checkpoints_steps=5)
    estimator = tf.estimator.Estimator({model_fn}, config=config)
    estimator.train(input_fn, max_steps=10)


if __name__ == "__main__":
    main()
"""
LAYERS = "import tensorflow as tf\n\n\ndef dense(x):\n    return tf.layers.dense(x, 1)\n"
WITH_LAYERS = MODELING.replace("tf.layers.dense", "layers.dense").replace("as tf\n", "as tf\n\nimport layers\n", 1)
ALL_GONE = "tf.estimator."
NOWHERE = "model_fn, warm_start_from=tf.estimator.NoSuchName"
"""What leaves a program: a name that nothing stands for."""


def main(imported="from modeling import model_fn", model_fn="model_fn"):
    return MAIN.format(imported=imported, model_fn=model_fn)


def put_notebook(path, text):
    cells = [nbformat.v4.new_code_cell(part) for part in text.split("\n\n\n")]
    path.parent.mkdir(exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)


def reasons(outcome):
    return [finding.message for finding in outcome.findings if finding.is_own_reason]


def migrated(*paths):
    """The outcome for programs of which nothing is left."""
    outcome = outcome_of(*paths)
    assert reasons(outcome) == []
    return outcome


def new_text(outcome, path):
    return next(change.after for change in outcome.changes if change.path == str(path))


@each("imported", "model_fn", "place", "line")(
    ("from modeling import model_fn", "model_fn", "modeling.py", " import EstimatorSpec"),
    ("import modeling", "modeling.model_fn", "modeling.py", " import EstimatorSpec"),
    ("import modeling as m", "m.model_fn_builder(3)", "modeling.py", " import EstimatorSpec"),
    ("from pkg.modeling import model_fn_builder", "model_fn_builder(3)", "pkg/modeling.py", "from tf2_recovery."),
    ("from pkg import modeling", "modeling.model_fn", "pkg/modeling.py", " import EstimatorSpec"),
    ("import pkg.modeling", "pkg.modeling.model_fn", "pkg/modeling.py", " import EstimatorSpec"),
)
def test_a_model_fn_of_another_file_is_migrated_with_the_estimator(tmp_path, imported, model_fn, place, line):
    outcome = outcome_of(put(tmp_path, {"main.py": main(imported, model_fn), place: MODELING}))
    called = rf"estimator = Estimator\(\s*{re.escape(model_fn)},\s*checkpoints=ModelCheckpoints\("
    assert re.search(called, new_text(outcome, tmp_path / "main.py"))
    text = new_text(outcome, tmp_path / place)
    assert "import tensorflow.compat.v1 as tf\n" in text
    assert line in text
    assert not any(ALL_GONE in change.after for change in outcome.changes if "recovery" not in change.path)


@each("spelled", "inside", "below")(
    (".models", ".tf2_recovery", "..tf2_recovery"),  # whether it is started as pkg or as top.pkg
    ("pkg.models", "pkg.tf2_recovery", "pkg.tf2_recovery"),
    ("top.pkg.models", "top.pkg.tf2_recovery", "top.pkg.tf2_recovery"),
)
def test_a_package_gets_its_pieces_inside_by_the_name_that_its_imports_know(tmp_path, spelled, inside, below):
    files = {"main.py": main(f"from {spelled}.modeling import model_fn"), "models/modeling.py": MODELING}
    put(tmp_path / "top" / "pkg", {**files, "__init__.py": "", "models/__init__.py": "", "../__init__.py": ""})
    outcome = outcome_of(tmp_path)
    assert f"from {inside}." in new_text(outcome, tmp_path / "top/pkg/main.py")
    assert f"from {below}.estimator.estimator import EstimatorSpec\n" in new_text(
        outcome, tmp_path / "top/pkg/models/modeling.py"
    )
    assert "class EstimatorSpec" in new_text(outcome, tmp_path / "top/pkg/tf2_recovery/estimator/estimator.py")


@pytest.mark.parametrize(("place", "dots"), [("", "."), ("sub/", "..")])
def test_a_package_that_no_import_can_name_gets_its_pieces_by_relative_imports(tmp_path, place, dots):
    root = tmp_path / "my-project"
    imported = f"from .{place.replace('/', '.')}modeling import model_fn"
    put(root, {"__init__.py": "", f"{place}__init__.py": "", f"{place}modeling.py": MODELING})
    put(root, {"train.py": main(imported)})
    outcome = whole(root)
    assert "from .tf2_recovery." in new_text(outcome, root / "train.py")
    assert f"from {dots}tf2_recovery." in new_text(outcome, root / f"{place}modeling.py")


def test_a_repository_whose_root_is_a_package_is_imported_by_its_own_name(tmp_path):
    package = tmp_path / "albert"
    put(package, {"main.py": main("from albert.modeling import model_fn"), "modeling.py": MODELING, "__init__.py": ""})
    (package / ".git").mkdir()
    outcome = outcome_of(package)
    assert "from albert.tf2_recovery." in new_text(outcome, package / "main.py")
    assert "from albert.tf2_recovery." in new_text(outcome, package / "modeling.py")
    assert "class EstimatorSpec" in new_text(outcome, package / "tf2_recovery/estimator/estimator.py")


def test_a_model_fn_that_a_package_hands_on_is_found_where_it_stands(tmp_path):
    put(tmp_path, {"pkg/__init__.py": "from .modeling import model_fn\n", "pkg/modeling.py": MODELING})
    put(tmp_path, {"main.py": main("import pkg", "pkg.model_fn")})
    assert changed_names(outcome_of(tmp_path)) == ["main.py", "modeling.py", "tf2_recovery"]


def test_helpers_of_the_model_fn_get_the_import_that_keeps_their_meaning(tmp_path):
    put(tmp_path, {"main.py": main(), "modeling.py": WITH_LAYERS, "layers.py": LAYERS})
    text = new_text(outcome_of(tmp_path), tmp_path / "layers.py")
    assert text == LAYERS.replace("import tensorflow as tf", "import tensorflow.compat.v1 as tf")


def test_the_order_of_the_paths_and_the_number_of_processes_change_nothing(tmp_path):
    for number in range(20):
        put(tmp_path, {f"job{number}/main.py": main(), f"job{number}/modeling.py": MODELING})
    forwards = [tmp_path / f"job{number}" for number in range(20)]
    first = outcome_of(*forwards)
    assert changed_names(first) == ["main.py", "modeling.py", "tf2_recovery"]
    assert len([change for change in first.changes if not is_runtime_file(change)]) == 40
    assert first == outcome_of(*forwards[::-1], jobs=2)


def test_one_file_alone_is_left_with_both_named(here):
    put(here, {"main.py": main(), "modeling.py": MODELING})
    outcome = outcome_of(Path("main.py"))
    assert reasons(outcome) == ["its program needs modeling.py, which is not among the given files"]
    assert {finding.help for finding in outcome.findings if finding.is_own_reason} == {
        "Migrate them together: estimator-migrate main.py modeling.py"
    }
    assert outcome.changes == []


@pytest.mark.parametrize("start", [".", "job"])
def test_without_git_a_module_above_the_given_and_the_current_directory_is_no_part(start, tmp_path, monkeypatch):
    put(tmp_path, {"job/main.py": main(), "modeling.py": MODELING})
    monkeypatch.chdir(tmp_path / start)
    needs = [one for one in reasons(outcome_of(tmp_path / "job")) if "needs modeling.py" in one]
    assert bool(needs) == (start == ".")


def test_a_notebook_is_rewritten_with_the_files_that_its_program_reaches_into(tmp_path):
    put(tmp_path, {"modeling.py": MODELING})
    put_notebook(tmp_path / "job.ipynb", main())
    outcome = migrated(tmp_path)
    assert changed_names(outcome) == ["job.ipynb", "modeling.py", "tf2_recovery"]
    assert {finding.cell for finding in outcome.findings if finding.path.endswith(".ipynb")} == {1, 3}
    assert "from tf2_recovery." in new_text(outcome, tmp_path / "job.ipynb")


def test_two_notebooks_and_a_program_share_a_model_fn_and_one_module_of_pieces(tmp_path):
    put(tmp_path, {"main.py": main(), "modeling.py": WITH_LAYERS, "layers.py": LAYERS})
    put_notebook(tmp_path / "job.ipynb", WITH_LAYERS + main("pass").replace("import tensorflow as tf\n", ""))
    put_notebook(tmp_path / "sub" / "other.ipynb", "import sys\n\nsys.path.append('..')\n\n\n" + main())
    outcome = whole(tmp_path)
    changed = [change for change in outcome.changes if not is_runtime_file(change)]
    assert len(changed) == 5
    assert {change.together for change in changed} == {tuple(sorted(change.path for change in changed))}
    spec = [finding for finding in outcome.findings if finding.path.endswith("modeling.py")]
    assert len(spec) == len({finding.span for finding in spec})  # each is told once
    folders = {folder_of(path) for change in changed for path in change.needs}
    assert folders == {str(tmp_path / "tf2_recovery")}
    assert write(outcome) == []
    again = outcome_of(tmp_path)
    assert (again.findings, again.changes) == ([], [])


def test_a_notebook_beside_the_given_files_leaves_what_it_shares_with_them(here):
    put(here, {"main.py": main(), "modeling.py": MODELING})
    put_notebook(here / "job.ipynb", main())
    outcome = outcome_of(Path("main.py"), Path("modeling.py"))
    reason = "job.ipynb, which is not among the given files, works with modeling.py too"
    assert (reasons(outcome), outcome.changes) == ([reason], [])


def test_a_module_that_a_cell_writes_is_left_for_the_files_that_it_needs(tmp_path):
    put(tmp_path, {"modeling.py": MODELING})
    cells = [nbformat.v4.new_code_cell("%%writefile task.py\n" + main())]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "job.ipynb")
    outcome = outcome_of(tmp_path)
    modeling = os.path.relpath(tmp_path / "modeling.py")
    name = str(tmp_path / "modeling.py") if modeling.startswith("..") else modeling
    written = "but a module that a notebook's cell writes is rewritten without other files"
    assert f"its program needs {name}, {written}" in reasons(outcome)
    assert outcome.changes == []


PACKAGE = {
    "pkg/__init__.py": "",
    "pkg/main.py": main("from pkg.modeling import model_fn"),
    "pkg/modeling.py": MODELING,
    "other/main.py": main("from pkg.modeling import model_fn"),
}


def test_a_package_outside_a_repository_is_searched_for_below_the_directory_that_holds_it(here):
    put(here, PACKAGE)
    outcome = outcome_of(Path("pkg"))
    user = f"other{os.sep}main.py"
    assert reasons(outcome) == [f"{user}, which is not among the given files, works with pkg/modeling.py too"]


def test_no_file_above_the_current_directory_is_looked_at_outside_a_repository(tmp_path, monkeypatch):
    put(tmp_path, PACKAGE)
    monkeypatch.chdir(tmp_path / "pkg")
    outcome = migrated(Path())
    assert {os.path.normpath(change.path) for change in outcome.changes} >= {"main.py", "modeling.py"}


def test_what_imports_a_package_that_no_import_can_name_is_looked_for_below_it_alone(tmp_path):
    put(tmp_path, {"pkg-main/__init__.py": "", "pkg/__init__.py": ""})
    found = [importing_root(str(tmp_path / name)) for name in ("pkg-main", "pkg")]
    assert found == [str(tmp_path / "pkg-main"), str(tmp_path)]


@each("name", "place")(("b.py", "b.py:12"), ("job.ipynb", "job.ipynb:cell 3:3"))
def test_a_program_that_cannot_be_migrated_leaves_those_that_share_its_model_fn(here, name, place):
    put(here, {"a.py": main(), "modeling.py": MODELING})
    (put_notebook if name.endswith(".ipynb") else Path.write_text)(here / name, main(model_fn=NOWHERE))
    outcome = outcome_of(Path("."))
    assert outcome.changes == []
    said = next(f.message for f in outcome.findings if f.path.endswith("a.py") and f.code == "FT151")
    assert said == f"skipped with its program: NoSuchName ({place})"


def test_a_notebook_has_a_package_that_it_installs_from_there_and_ties_no_program(tmp_path):
    put(tmp_path, {"main.py": main(), "modeling.py": MODELING})
    put_notebook(tmp_path / "job.ipynb", "%pip install -q modeling-tensorflow==1.0\n\n\n" + main())
    outcome = outcome_of(tmp_path)
    [program] = [change for change in outcome.changes if change.path.endswith("main.py")]
    assert [os.path.basename(path) for path in program.together] == ["main.py", "modeling.py"]


def test_a_function_that_imports_tensorflow_itself_gets_the_import_that_keeps_its_meaning(tmp_path):
    inside = MODELING.split("def model_fn_builder")[0].replace("import tensorflow as tf\n\n\n", "")
    inside = inside.replace("mode):\n", "mode):\n    import tensorflow as tf\n\n")
    outcome = migrated(put(tmp_path, {"main.py": main(), "modeling.py": inside}))
    assert "\n    import tensorflow.compat.v1 as tf\n" in new_text(outcome, tmp_path / "modeling.py")


def test_a_program_that_cannot_be_migrated_leaves_no_other_that_shares_only_tensorflow_1(tmp_path):
    put(tmp_path, {"a.py": main(), "b.py": main("import layers", NOWHERE)})
    put(tmp_path, {"modeling.py": WITH_LAYERS, "layers.py": LAYERS})
    assert changed_names(outcome_of(tmp_path)) == ["a.py", "layers.py", "modeling.py", "tf2_recovery"]


def test_a_left_program_keeps_no_file_whose_names_have_other_names_in_every_tensorflow(tmp_path):
    optimizing = "import tensorflow as tf\n\noptimizer = tf.contrib.tpu.CrossShardOptimizer(tf.train.AdamOptimizer())\n"
    imported = "import optimizing\nfrom modeling import model_fn"
    left = main("import optimizing\nfrom other import model_fn", NOWHERE)
    files = {"a.py": main(imported), "modeling.py": MODELING, "b.py": left, "other.py": MODELING}
    outcome = outcome_of(put(tmp_path, {**files, "optimizing.py": optimizing}))
    assert changed_names(outcome) == ["a.py", "modeling.py", "optimizing.py", "tf2_recovery"]
    assert "tf.tpu.CrossShardOptimizer" in new_text(outcome, tmp_path / "optimizing.py")


def test_what_cannot_be_rewritten_in_one_file_leaves_the_program_in_all(tmp_path):
    modeling = MODELING.replace("labels, mode):\n", "labels, mode):\n    tf.contrib.layers.x()\n", 1)
    outcome = outcome_of(put(tmp_path, {"main.py": main(), "modeling.py": modeling}))
    assert any("`tensorflow.contrib.layers.x` exists in no TensorFlow 2" in one for one in reasons(outcome))
    assert outcome.changes == []


def test_branches_may_take_the_model_fn_from_one_file_or_another(tmp_path):
    branches = "import sys\n\nif sys.argv[1:]:\n    from modeling import model_fn\nelse:\n    from b import model_fn"
    outcome = migrated(put(tmp_path, {"main.py": main(branches), "modeling.py": MODELING, "b.py": MODELING}))
    assert changed_names(outcome) == ["b.py", "main.py", "modeling.py", "tf2_recovery"]
    assert not any(ALL_GONE in change.after for change in outcome.changes if "recovery" not in change.path)


def test_a_name_that_may_mean_two_files_leaves_the_program(tmp_path):
    put(tmp_path, {"pkg/__init__.py": "", "pkg/main.py": main("from pkg.modeling import model_fn")})
    put(tmp_path, {"pkg/modeling.py": WITH_LAYERS, "pkg/layers.py": LAYERS, "layers.py": LAYERS})
    outcome = outcome_of(tmp_path)
    assert "according to how the program is started" in reasons(outcome)[0]
    assert outcome.changes == []


def test_a_script_of_a_package_means_the_files_beside_it(tmp_path):
    put(tmp_path, {"pkg/__init__.py": "", "pkg/main.py": main("from modeling import model_fn; import layers")})
    put(tmp_path, {"pkg/modeling.py": MODELING, "pkg/layers.py": LAYERS, "layers.py": LAYERS})
    outcome = migrated(tmp_path)
    assert {"main.py", "modeling.py"} <= {*changed_names(outcome)}


def test_a_file_imported_by_two_names_imports_its_runtime_files_in_both_ways(tmp_path):
    put(tmp_path, {"main.py": main("from pkg.modeling import model_fn"), "pkg/modeling.py": MODELING})
    outcome = migrated(put(tmp_path, {"pkg/main.py": main()}))
    assert write(outcome) == []
    modeling = (tmp_path / "pkg" / "modeling.py").read_text()
    for package in (".tf2_recovery", "tf2_recovery"):
        assert f"    from {package}.estimator.estimator import EstimatorSpec\n" in modeling
    for folder in (tmp_path, tmp_path / "pkg"):  # each script finds the module beside it
        assert "from tf2_recovery." in (folder / "main.py").read_text()
        assert (folder / "tf2_recovery").exists()
    assert outcome_of(tmp_path).changes == []


def test_a_file_that_a_script_beside_it_imports_too_imports_the_runtime_in_both_ways_and_the_others_share(tmp_path):
    spec = "def spec_of(logits):\n    return tf.estimator.EstimatorSpec('infer', predictions=logits)\n"
    modeling = "from pkg import other\n" + MODELING
    put(tmp_path, {"main.py": main("from pkg.modeling import model_fn"), "pkg/modeling.py": modeling})
    put(tmp_path, {"pkg/other.py": f"import tensorflow as tf\n{spec}", "pkg/script.py": "import other\n"})
    outcome = outcome_of(tmp_path)
    other = new_text(outcome, tmp_path / "pkg/other.py")
    for package in (".tf2_recovery", "tf2_recovery"):
        assert f"    from {package}.estimator.estimator import EstimatorSpec\n" in other
    for name in ("main.py", "pkg/modeling.py"):
        assert "from tf2_recovery." in new_text(outcome, tmp_path / name)


OWN_NORM = """\
import tensorflow as tf


def layer_norm(x, name=None):
    return tf.contrib.layers.layer_norm(inputs=x, scope=name)


"""


def test_what_is_emitted_has_another_name_where_the_file_has_a_function_of_that_name(tmp_path):
    modeling = OWN_NORM + MODELING.replace("import tensorflow as tf\n\n\n", "")
    outcome = migrated(put(tmp_path, {"main.py": main(), "modeling.py": modeling}))
    after = new_text(outcome, tmp_path / "modeling.py")
    assert "layer_norm as layer_norm_2" in after
    assert "return layer_norm_2(inputs=x, scope=name)" in after
    put(tmp_path, {"main.py": main("from pkg.modeling import model_fn"), "pkg/main.py": main()})
    put(tmp_path, {"pkg/modeling.py": modeling})
    after = new_text(outcome_of(tmp_path), tmp_path / "pkg" / "modeling.py")
    assert after.count("import layer_norm as layer_norm_2\n") == 2  # beside it, and in its package
    assert "return layer_norm_2(inputs=x, scope=name)" in after


def test_a_function_with_the_name_of_what_is_generated_keeps_it(tmp_path):
    own = main("from modeling import model_fn\n\ndef ModelCheckpoints():\n    return 3")
    put(tmp_path, {"main.py": own, "modeling.py": MODELING})
    after = new_text(outcome_of(tmp_path), tmp_path / "main.py")
    assert "ModelCheckpoints as ModelCheckpoints_2" in after
    assert "checkpoints=ModelCheckpoints_2(" in after
    assert "def ModelCheckpoints():\n    return 3" in after
    put(tmp_path, {"main.py": main() + "\n\ndef other(ModelCheckpoints):\n    return ModelCheckpoints\n"})
    assert reasons(outcome_of(tmp_path)) == []


def test_a_file_that_cannot_be_written_puts_the_others_of_its_program_back(tmp_path):
    outcome = outcome_of(put(tmp_path, {"main.py": main(), "modeling.py": MODELING}))
    (tmp_path / "modeling.py").write_text("# changed since\n")
    problems = write(outcome)
    assert (tmp_path / "main.py").read_text() == main()
    assert sorted(problem.code for problem in problems) == ["FT004", "FT005"]


def test_a_name_of_contrib_that_is_carried_over_otherwise_is_not_said_to_be_nowhere(tmp_path):
    layers = LAYERS.replace("tf.layers.dense(x, 1)", "tf.contrib.lookup.index_table_from_file(x, key_dtype=tf.int64)")
    put(tmp_path, {"main.py": main(), "modeling.py": WITH_LAYERS, "layers.py": layers})
    reason = "`tensorflow.contrib.lookup.index_table_from_file` cannot be replaced automatically in this form"
    assert reasons(outcome_of(tmp_path)) == [reason]


ARRAYS = """\
import numpy as np
import tensorflow as tf


def make(shuffle=False):
    return tf.estimator.inputs.numpy_input_fn({"x": np.ones([8, 1])}, np.ones([8, 1]), shuffle=shuffle)
"""


def test_an_input_function_over_arrays_that_another_file_makes_is_carried_over(tmp_path):
    trained = main("from arrays import make\nfrom modeling import model_fn").replace("train(input_fn", "train(make()")
    outcome = migrated(put(tmp_path, {"main.py": trained, "modeling.py": MODELING, "arrays.py": ARRAYS}))
    arrays = new_text(outcome, tmp_path / "arrays.py")
    assert " import numpy_input_fn" in arrays
    assert "return numpy_input_fn(" in arrays
    assert "tensorflow" not in arrays


def test_one_that_a_caller_chooses_is_carried_over_in_its_own_file(tmp_path):
    helper = 'tf.estimator.inputs.numpy_input_fn({"x": [[1.0]]}, [[1.0]], shuffle=False)'
    trained = main().replace("def main():\n", f'def main():\n    made = {{"train": {helper}}}\n')
    put(tmp_path, {"main.py": trained.replace("train(input_fn", 'train(made["train"]'), "modeling.py": MODELING})
    outcome = migrated(tmp_path)
    assert '{"train": numpy_input_fn({"x": [[1.0]]}' in new_text(outcome, tmp_path / "main.py")


def test_a_file_that_only_the_compiler_minds_is_the_cause_in_every_file_of_its_program(tmp_path):
    late = MODELING.replace("as tf\n", "as tf\nfrom __future__ import annotations\n", 1)
    outcome = outcome_of(put(tmp_path, {"main.py": main(), "modeling.py": late}))
    assert outcome.changes == []
    assert run([str(tmp_path)], Settings(), jobs=1, progress=None, rewrites=False).findings == outcome.findings
    assert [one.path for one in outcome.findings if one.code == "FT003"] == [str(tmp_path / "modeling.py")]
    why = f"skipped with its program: FT003 ({tmp_path / 'modeling.py'}:2)"
    left = [one for one in outcome.findings if one.code != "FT003"]
    assert {one.path for one in left} == {str(tmp_path / "main.py"), str(tmp_path / "modeling.py")}
    assert {one.message for one in left} == {why}


@pytest.mark.parametrize("is_named", [True, False])
def test_a_notebook_without_a_site_changes_with_the_program_whose_files_it_imports(tmp_path, is_named):
    put(tmp_path, {"main.py": main(), "modeling.py": MODELING})
    put_notebook(
        tmp_path / "look.ipynb", "import modeling\nimport tensorflow as tf\n\n\nprint(tf.estimator.ModeKeys.TRAIN)"
    )
    (tmp_path / ".git").mkdir()
    outcome = outcome_of(*(sorted(tmp_path.glob("*.*")) if is_named else [tmp_path]))
    assert [one.message for one in outcome.findings if one.error] == []
    assert reasons(outcome) == []
    assert " import ModeKeys" in new_text(outcome, tmp_path / "look.ipynb")


def test_a_file_of_the_program_in_python_2_is_told_with_the_command_that_converts_it_as_the_report_names_it(here):
    task = "import model\nimport tensorflow as tf\n\ntf.estimator.Estimator(model.model_fn).train(f, max_steps=3)\n"
    put(here, {"model.py": "import tensorflow as tf\nprint tf.estimator.ModeKeys.TRAIN\n", "task.py": task})
    outcome = outcome_of(".")
    assert outcome.changes == []
    (finding,) = [finding for finding in outcome.findings if finding.code == "FT194"]
    assert "model.py, which has a syntax error: " in finding.message
    assert "run `2to3 -w model.py` first" in (finding.help or "")


def test_a_file_in_python_2_is_told_with_what_it_holds(tmp_path):
    made = "e = tf.estimator.Estimator(f, config=tf.estimator.RunConfig())"
    (finding,) = outcome_of(put(tmp_path, {"task.py": f"import tensorflow as tf\nprint 'x'\n{made}\n"})).findings
    assert (finding.help or "").startswith("This looks like Python 2, and calls Estimator, RunConfig: run `2to3 -w ")


def test_an_imported_file_that_git_ignores_is_part_of_the_program(repository):
    put(repository, {".gitignore": "modeling.py\nunused.py\n", "modeling.py": MODELING, "job.py": main()})
    put(repository, {"unused.py": MODELING})
    outcome = outcome_of(Path("."))
    assert {change.path for change in outcome.changes if change.before} == {"job.py", "modeling.py"}


def test_an_imported_file_that_the_settings_exclude_is_not_given(repository):
    put(repository, {"modeling.py": MODELING, "job.py": main()})
    outcome = outcome_of(".", exclude=("modeling.py",))
    assert outcome.changes == []
    assert "its program needs modeling.py, which is not among the given files" in reasons(outcome)


@each("link", "target", "name")(("linked", "shared", "linked.modeling"), ("linked.py", "shared/modeling.py", "linked"))
def test_a_file_that_is_imported_by_a_symbolic_link_is_read_at_its_own_place(repository, link, target, name):
    put(repository, {"shared/modeling.py": MODELING, "jobs/job.py": main().replace("modeling", name)})
    (repository / "jobs" / link).symlink_to(os.path.join("..", target))
    outcome = outcome_of(Path("."))
    assert {change.path for change in outcome.changes if change.before} == {"jobs/job.py", "shared/modeling.py"}
    folders = {folder_of(change.path) for change in outcome.changes if not change.before}
    assert folders == {"jobs/tf2_recovery", "shared/tf2_recovery"}
