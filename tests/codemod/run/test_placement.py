"""The emitted code stands once, where the files that need it find it, and never over anything else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.pipeline.run import run, write
from migrate.runtime_files import package
from migrate.runtime_files.package import content
from migrate.settings import Settings
from tests.cases import cases, each
from tests.codemod.bodies import body
from tests.codemod.trees import outcome_of, put
from tests.runtime_package import files_beside

JOB = body("est = DNN()\nest.train(data, max_steps=3)\n")
PREDICTING = f"{JOB}print(list(est.predict(data)))\n"
STARTED = JOB + 'if __name__ == "__main__":\n    pass\n'
NAMES = ("DNNClassifier",)
IMPORT = ".premade.dnn import DNNClassifier\n"
EITHER_WAY = "if __package__:\n    from .tf2_recovery.premade.dnn import DNNClassifier\n"
SERVING = """
def serving():
    x = tf1.placeholder(tf.float32, [None])
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


"""


def tree(root, **files):
    """Writes modules; ``_in_`` in a keyword stands for a folder, and ``init`` for the module of a package."""
    for name, text in files.items():
        *folders, module = name.split("_in_")[::-1]
        path = root.joinpath(*folders, f"{module.replace('init', '__init__')}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def migrated(root, *, path=None, **settings):
    """Runs and writes; returns the outcome and the codes of what could not be written."""
    outcome = run([path or str(root)], Settings(**settings), jobs=1, progress=None)
    return outcome, [problem.code for problem in write(outcome)]


def errors(outcome):
    return [finding.code for finding in outcome.findings if finding.error]


def test_a_file_that_is_rewritten_without_a_piece_imports_none(tmp_path):
    renamed = "import tensorflow as tf\n\ns = tf.distribute.experimental.MultiWorkerMirroredStrategy()\n"
    tree(tmp_path, a=JOB, b=PREDICTING, c=renamed)
    outcome, problems = migrated(tmp_path)
    assert errors(outcome) == problems == []
    assert (tmp_path / "c.py").read_text() == renamed.replace("experimental.", "")
    assert [change.needs for change in outcome.changes if change.path.endswith("c.py")] == [()]


def test_scripts_of_a_directory_share_one_folder_that_holds_what_all_need(tmp_path):
    tree(tmp_path, a=JOB, b=PREDICTING, c="x = 3\n")
    migrated(tmp_path)
    assert f"from tf2_recovery{IMPORT}" in (tmp_path / "a.py").read_text()
    assert files_beside(tmp_path) == {file: package.text_of(file) for file in package.files_of_names(NAMES)}
    assert sorted(os.listdir(tmp_path)) == ["a.py", "b.py", "c.py", "tf2_recovery"]


CORE = [
    *("__init__", "synced_files", "estimator/__init__", "estimator/checkpoint_list", "estimator/estimator"),
    *("estimator/evaluation", "estimator/model_checkpoints", "estimator/model_fn_call"),
    *("estimator/optional_files", "estimator/run_config", "estimator/steps", "estimator/training"),
]
CLUSTER = ["cluster/__init__", "cluster/cluster", "cluster/peers"]
OF_MODELS = ["estimator/estimator", "estimator/evaluation", "estimator/model_fn_call"]
OF_PREMADE = ("__init__", "base", "dnn", "heads", "networks")
PREMADE = ["estimator/export_outputs", *(f"premade/{name}" for name in OF_PREMADE)]
OF_2 = ["premade/v2_base", "premade/v2_dnn", "premade/v2_heads", "premade/v2_optimizers"]

test_no_file_comes_for_what_a_program_does_not_name = cases(lambda names: set(package.files_of_names(names)))(
    (["Estimator", "EstimatorSpec", "ModelCheckpoints", "ModeKeys", "RunConfig"], {*CORE}),
    (["ClusterTraining"], {*CORE, *CLUSTER} - {*OF_MODELS}),
    (["Estimator", "continued_input"], {*CORE, "estimator/continued_input"}),
    (["Estimator", "PredictOutput"], {*CORE, "estimator/export_outputs"}),
    (["DNNClassifier"], {*CORE, *PREMADE}),
    (["DNNClassifierV2"], {*CORE, *PREMADE, *OF_2}),
)


def test_a_second_program_adds_only_the_files_that_are_not_there(tmp_path):
    tree(tmp_path, a=JOB)
    migrated(tmp_path)
    before = files_beside(tmp_path)
    tree(tmp_path, b=f"{JOB}est.export_saved_model('e', serving)\n".replace("est =", SERVING + "est ="))
    outcome, _ = migrated(tmp_path)
    added = [Path(change.path) for change in outcome.changes if change.path.startswith(str(tmp_path / "tf2_"))]
    new = {path.relative_to(tmp_path / "tf2_recovery").with_suffix("").as_posix() for path in added}
    assert new
    assert new.isdisjoint(before)
    assert files_beside(tmp_path) == before | {file: package.text_of(file) for file in new}


def test_what_its_owner_changed_in_a_file_stays(tmp_path):
    tree(tmp_path, a=JOB)
    migrated(tmp_path)
    file = tmp_path / "tf2_recovery/estimator/estimator.py"
    changed = file.read_text().replace("class Estimator:", "class Estimator:  # ours")
    file.write_text(changed)
    tree(tmp_path, b=PREDICTING)
    outcome, problems = migrated(tmp_path)
    assert errors(outcome) == problems == []
    assert file.read_text() == changed
    assert "from tf2_recovery" in (tmp_path / "b.py").read_text()


@each("name")("tf2_recovery.py", "tf2_recovery/__init__.py", "tf2_recovery/premade/dnn.py", "tf2_recovery/own.py")
@pytest.mark.parametrize("text", ["x = 3\n", "written by estimator-migrate (\n", "\0", "# é".encode("latin-1")])
def test_a_file_that_is_not_the_tools_stays_and_blocks_only_those_that_need_it(tmp_path, text, name):
    tree(tmp_path, a_in_one=JOB, b_in_two=JOB)
    data = text if isinstance(text, bytes) else text.encode()
    (tmp_path / "one" / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "one" / name).write_bytes(data)
    outcome, _ = migrated(tmp_path)
    assert errors(outcome) == ["FT006"]
    assert (tmp_path / "one/a.py").read_text() == JOB
    assert (tmp_path / "one" / name).read_bytes() == data
    assert {path.name for path in (tmp_path / "one").rglob("*.py")} == {"a.py", Path(name).name}
    assert f"from tf2_recovery{IMPORT}" in (tmp_path / "two/b.py").read_text()


def test_a_folder_with_other_things_than_python_is_somebodys_own_too(tmp_path):
    tree(tmp_path, a=JOB)
    put(tmp_path, {"tf2_recovery/data.csv": "1"})
    outcome, _ = migrated(tmp_path)
    assert errors(outcome) == ["FT006"]
    assert (tmp_path / "a.py").read_text() == JOB


def test_a_blocked_module_blocks_all_files_of_its_package_and_no_other(tmp_path):
    tree(tmp_path, init_in_p="", a_in_p=JOB, init_in_sub_in_p="", b_in_sub_in_p=JOB, tf2_recovery_in_p="", other=JOB)
    tree(tmp_path, start="import p\n")
    outcome, _ = migrated(tmp_path)
    assert errors(outcome) == ["FT006"]
    left = [name for name in ("p/a.py", "p/sub/b.py", "other.py") if (tmp_path / name).read_text() == JOB]
    assert left == ["p/a.py", "p/sub/b.py"]


def test_modules_of_a_package_import_by_its_full_name_and_packages_share_nothing(tmp_path):
    tree(tmp_path, init_in_p="", a_in_p=JOB, init_in_sub_in_p="", b_in_sub_in_p=JOB, init_in_q="", c_in_q=JOB, d=JOB)
    tree(tmp_path, start="import p, q\n")
    migrated(tmp_path)
    found = {path.stem: path.read_text() for path in tmp_path.rglob("[abcd].py")}
    assert all(f"from p.tf2_recovery{IMPORT}" in found[name] for name in "ab")
    assert f"from q.tf2_recovery{IMPORT}" in found["c"]
    assert f"from tf2_recovery{IMPORT}" in found["d"]
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("tf2_*")) == [
        "p/tf2_recovery",
        "q/tf2_recovery",
        "tf2_recovery",
    ]


@each("neighbour", "line", "expected")(
    ("x = 3\n", "import neighbour\n", f"from tf2_recovery{IMPORT}"),
    ("x = 3\n", "from sub.net import x\n", f"from tf2_recovery{IMPORT}"),
    ("x = 3\n", "from . import neighbour\n", f"from .tf2_recovery{IMPORT}"),
    ("x = 3\n", "from .sub.net import x\nfrom neighbour import x\n", f"from .tf2_recovery{IMPORT}"),
    ("x = 3\n", "from p import neighbour\nfrom . import neighbour\n", f"from p.tf2_recovery{IMPORT}"),
    ("x = 3\n", "from p import neighbour\n", f"from p.tf2_recovery{IMPORT}"),
    ("from p.a import est\n", "", EITHER_WAY),
    ("from a import est\n", "", f"from tf2_recovery{IMPORT}"),
    ("x = 3\n", "", EITHER_WAY),
    ("from p.a import est\nfrom a import est\n", "", EITHER_WAY),
)
def test_a_program_in_a_package_finds_the_emitted_code_however_it_is_started(tmp_path, neighbour, line, expected):
    tree(tmp_path, init_in_p="", a_in_p=line + STARTED, neighbour_in_p=neighbour, net_in_sub_in_p="x = 3\n")
    migrated(tmp_path)
    assert expected in (tmp_path / "p/a.py").read_text()


@each("init", "expected")(("from .a import est\n", EITHER_WAY), ("", f"from tf2_recovery{IMPORT}"))
def test_a_file_that_a_script_beside_it_imports_by_its_name_finds_the_emitted_code(tmp_path, init, expected):
    tree(tmp_path, init_in_p=init, a_in_p=JOB, train_in_p="from a import est\n" + STARTED)
    migrated(tmp_path)
    assert expected in (tmp_path / "p/a.py").read_text()


def test_an_installed_package_of_an_empty_folders_name_is_not_that_folder(tmp_path):
    job = "import horovod.tensorflow as hvd\nhvd.init()\n" + STARTED
    tree(tmp_path, init_in_horovod="", init_in_tensorflow_in_horovod="", a_in_tensorflow_in_horovod=job)
    migrated(tmp_path)
    assert EITHER_WAY in (tmp_path / "horovod/tensorflow/a.py").read_text()


def test_modules_with_relative_imports_alone_import_the_emitted_code_so_too_whatever_they_are_imported_as(tmp_path):
    relative = {f"{name}_in_p_in_src": "from . import sizes\n" + JOB for name in ("a", "b")}
    below = {"c_in_sub_in_p_in_src": "from .. import sizes\n" + JOB}
    inits = {"init_in_src": "", "init_in_p_in_src": "", "init_in_sub_in_p_in_src": ""}
    tree(tmp_path, sizes_in_p_in_src="", **inits, **relative, **below)
    migrated(tmp_path)
    found = {path.stem: path.read_text() for path in tmp_path.rglob("[abc].py")}
    assert all(f"from .tf2_recovery{IMPORT}" in found[name] for name in "ab")
    assert f"from ..tf2_recovery{IMPORT}" in found["c"]
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("tf2_*")] == ["src/p/tf2_recovery"]


def test_a_folder_that_no_import_can_name_is_no_package(tmp_path):
    tree(tmp_path, **{"init_in_apps": "", "init_in_01-intro_in_apps": "", "a_in_01-intro_in_apps": JOB})
    outcome, problems = migrated(tmp_path)
    assert errors(outcome) == problems == []
    assert f"from tf2_recovery{IMPORT}" in (tmp_path / "apps" / "01-intro" / "a.py").read_text()


def test_a_package_of_tensorflows_name_gets_its_pieces_by_relative_imports(tmp_path):
    names = {f"{name}_in_job_in_tensorflow": "from . import neighbour\n" + STARTED for name in ("a", "b")}
    tree(tmp_path, init_in_tensorflow="", init_in_job_in_tensorflow="", neighbour_in_job_in_tensorflow="", **names)
    outcome, problems = migrated(tmp_path)
    assert errors(outcome) == problems == []
    for name in ("a", "b"):
        assert f"from .tf2_recovery{IMPORT}" in (tmp_path / f"tensorflow/job/{name}.py").read_text()


def test_a_program_below_a_package_imports_from_the_folder_that_an_earlier_run_wrote_above_it(tmp_path):
    tree(tmp_path, init_in_p="", a_in_p=JOB, init_in_sub_in_p="", start="import p\n")
    migrated(tmp_path)
    tree(tmp_path, b_in_sub_in_p=JOB)
    outcome, problems = migrated(tmp_path, path=str(tmp_path / "p/sub/b.py"))
    assert [change.path for change in outcome.changes] == [str(tmp_path / "p/sub/b.py")]
    assert problems == []
    assert f"from p.tf2_recovery{IMPORT}" in (tmp_path / "p/sub/b.py").read_text()


def test_a_file_that_is_run_as_a_script_and_in_its_package_imports_its_runtime_files_in_both(tmp_path):
    tree(tmp_path, init_in_p="", a_in_p=STARTED)
    migrated(tmp_path)
    (tmp_path / "tensorflow.py").write_text("raise SystemExit('as far as TensorFlow')\n")
    text = (tmp_path / "p/a.py").read_text()
    (tmp_path / "p/a.py").write_text(text[text.index("if __package__:") :])
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    for command in (["p/a.py"], ["-m", "p.a"]):
        ended = subprocess.run(
            [sys.executable, *command], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert ended.stderr == "as far as TensorFlow\n"


@pytest.mark.parametrize("edit", ["", "x = 3\n"])
def test_a_module_of_the_folders_name_is_not_hidden_by_the_folder(tmp_path, edit):
    head = f'"""Checkpoint recovery, written by estimator-migrate 0.0.9 (content {content("")[:12]})."""\n'
    tree(tmp_path, a=JOB, tf2_recovery=head + edit)
    outcome, _ = migrated(tmp_path)
    assert errors(outcome) == ["FT006"]
    assert ["module_name" in finding.help for finding in outcome.findings if finding.error] == [True]
    assert (tmp_path / "a.py").read_text() == JOB


def test_paths_relative_to_the_working_directory_give_the_same(here):
    tree(here, init_in_p="", a_in_p=JOB, b=JOB, start="import p\n")
    migrated(here, path=".")
    assert f"from p.tf2_recovery{IMPORT}" in (here / "p/a.py").read_text()
    assert f"from tf2_recovery{IMPORT}" in (here / "b.py").read_text()


@each("starter", "expected")(
    ("from . import model\n", f"from .tf2_recovery{IMPORT}"),
    ("from . import (\n    data,\n    model,\n)\n", f"from .tf2_recovery{IMPORT}"),
    ("from .model import est\n", f"from .tf2_recovery{IMPORT}"),
    ("from p import model\n", f"from p.tf2_recovery{IMPORT}"),
    ("from . import models\n", EITHER_WAY),
)
@pytest.mark.parametrize("path", [".", None])
def test_a_module_is_found_as_its_package_imports_it_also_where_that_is_the_working_directory(
    starter, expected, path, tmp_path, monkeypatch
):
    tree(tmp_path, init_in_p="", model_in_p=JOB, task_in_p=f"{starter}if __name__ == '__main__':\n    pass\n")
    monkeypatch.chdir(tmp_path / "p")
    migrated(tmp_path / "p", path=path)
    assert expected in (tmp_path / "p/model.py").read_text()


def test_helpers_are_written_before_their_importers_and_these_stay_where_they_cannot_be(tmp_path):
    tree(tmp_path, a=JOB)
    outcome = outcome_of(tmp_path)
    put(tmp_path, {"tf2_recovery/premade/dnn.py": "x = 3\n"})  # made by somebody else in the meantime
    assert [problem.code for problem in write(outcome)] == ["FT004", "FT005"]
    assert (tmp_path / "a.py").read_text() == JOB


RESUMING = """\
import os
import tensorflow as tf


def train():
    model = build()
    if os.path.exists("w.weights.h5"):
        model.load_weights("w.weights.h5")
    model.fit(x, y, callbacks=[tf.keras.callbacks.ModelCheckpoint("w.weights.h5", save_weights_only=True)])
"""


@each("end", "written")(
    ("", "\nfrom pack.tf2_recovery.keras.backup_and_restore import BackupAndRestore\n"),
    (
        '\n\nif __name__ == "__main__":\n    train()\n',
        "\nif __package__:\n    from .tf2_recovery.keras.backup_and_restore import",
    ),
)
def test_a_file_that_is_rewritten_alone_finds_the_runtime_below_a_directory_without_an_init(end, written, tmp_path):
    (tmp_path / ".git").mkdir()
    tree(tmp_path, main="from pack.trainer import train\n\ntrain()\n", trainer_in_pack=RESUMING + end)
    _, problems = migrated(tmp_path)
    assert not problems
    assert written in (tmp_path / "pack" / "trainer.py").read_text()
    assert (tmp_path / "pack" / "tf2_recovery" / "keras" / "backup_and_restore.py").exists()


def test_a_distribution_has_one_copy_at_the_top_of_its_package_however_its_files_import(tmp_path):
    (tmp_path / "setup.py").write_text("from setuptools import setup\n\nsetup(packages=['lib', 'lib.a', 'lib.b'])\n")
    tree(tmp_path, init_in_lib="", init_in_a_in_lib="", init_in_b_in_lib="", x_in_lib="")
    tree(tmp_path, y_in_a_in_lib="", y_in_b_in_lib="")
    tree(tmp_path, job_in_a_in_lib=f"from . import y\n{JOB}", job_in_b_in_lib=f"from lib import x\n{JOB}")
    tree(tmp_path, other_in_b_in_lib=f"from . import y\n{JOB}")
    outcome, problems = migrated(tmp_path)
    assert not problems
    folders = {package.folder_of(path) for change in outcome.changes for path in change.needs}
    assert folders == {str(tmp_path / "lib" / "tf2_recovery")}
    assert "from ..tf2_recovery.premade.dnn import DNNClassifier\n" in (tmp_path / "lib/a/job.py").read_text()
    assert "from lib.tf2_recovery.premade.dnn import DNNClassifier\n" in (tmp_path / "lib/b/job.py").read_text()


@pytest.mark.parametrize("given", ["", "lib/jobs", "lib/jobs/start.py"])
def test_folders_without_an_init_in_a_distribution_share_its_copy(tmp_path, given):
    (tmp_path / "setup.py").write_text(
        "from setuptools import find_packages, setup\n\nsetup(packages=find_packages())\n"
    )
    tree(tmp_path, init_in_lib="", x_in_lib="", named_in_jobs_in_lib=f"from lib import x\n{JOB}")
    tree(tmp_path, start_in_jobs_in_lib=STARTED, init_in_b_in_a_in_lib="", start_in_b_in_a_in_lib=STARTED)
    outcome, problems = migrated(tmp_path, path=str(tmp_path / given))
    assert not problems
    folders = {package.folder_of(path) for change in outcome.changes for path in change.needs}
    assert folders == {str(tmp_path / "lib" / "tf2_recovery")}
    for change in outcome.changes:
        assert not change.needs or f"\nfrom lib.tf2_recovery{IMPORT}" in change.after


def test_a_folder_without_an_init_below_a_package_that_nothing_imports_has_its_own_copy(tmp_path):
    (tmp_path / "setup.cfg").write_text("[flake8]\n")
    tree(tmp_path, init_in_lib="", x_in_lib="", start_in_jobs_in_lib=STARTED)
    migrated(tmp_path)
    assert f"\nfrom tf2_recovery{IMPORT}" in (tmp_path / "lib/jobs/start.py").read_text()
    assert (tmp_path / "lib/jobs/tf2_recovery/premade/dnn.py").exists()


def test_a_file_of_a_distribution_that_imports_its_neighbours_as_a_script_has_its_copy_beside_it(tmp_path):
    (tmp_path / "setup.py").write_text("from setuptools import setup\n\nsetup(packages=['lib'])\n")
    tree(tmp_path, init_in_lib="", x_in_lib="", job_in_lib=f"import x\n{STARTED}")
    migrated(tmp_path)
    assert f"from tf2_recovery{IMPORT}" in (tmp_path / "lib/job.py").read_text()
    assert (tmp_path / "lib/tf2_recovery/premade/dnn.py").exists()
    (tmp_path / "lib/c").mkdir()
    tree(tmp_path, init_in_c_in_lib="", x_in_c_in_lib="", other_in_c_in_lib=f"import x\n{STARTED}")
    migrated(tmp_path)
    assert f"from tf2_recovery{IMPORT}" in (tmp_path / "lib/c/other.py").read_text()
    assert (tmp_path / "lib/c/tf2_recovery/premade/dnn.py").exists()


def test_a_script_beside_a_distributions_package_imports_the_packages_copy(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "lib"\n')
    tree(tmp_path, init_in_lib="", net_in_lib=JOB.replace("est.train(data, max_steps=3)\n", ""))
    tree(tmp_path, train=f"from lib import net\n\n{JOB}net.est.train(data, max_steps=3)\n")
    outcome, problems = migrated(tmp_path)
    assert not problems
    folders = {package.folder_of(path) for change in outcome.changes for path in change.needs}
    assert folders <= {str(tmp_path / "lib" / "tf2_recovery")}
    assert "from lib.tf2_recovery." in (tmp_path / "train.py").read_text()


def test_a_file_that_nothing_imports_beside_an_init_may_be_a_script(tmp_path):
    tree(tmp_path, init_in_scene="", train_in_scene=JOB, other_in_scene="import os\n")
    migrated(tmp_path / "scene")
    assert EITHER_WAY in (tmp_path / "scene/train.py").read_text()


def test_a_file_whose_imports_are_found_from_a_folder_that_looks_like_a_package_imports_from_there(tmp_path):
    tree(tmp_path, init_in_src="", net_in_src="x = 1\n", init_in_scene_in_src="")
    tree(tmp_path, train_in_scene_in_src=f"import net\n{JOB}")
    migrated(tmp_path)
    assert "from scene.tf2_recovery." in (tmp_path / "src/scene/train.py").read_text()


def test_folders_of_keras_recovery_have_the_same_files_since_one_may_hide_another(tmp_path):
    keras = "import tensorflow as tf\nm = tf.keras.Model()\nm.load_weights('w.h5')\n"
    fit = f"{keras}m.fit(x, callbacks=[tf.keras.callbacks.ModelCheckpoint('w.h5')])\n"
    loop = f"{keras}for epoch in range(9):\n    m.train_on_batch(x)\n    m.save_weights('w.h5')\n"
    tree(tmp_path, job_in_fit=fit, job_in_loop=loop, job_in_other=JOB)
    migrated(tmp_path)
    assert (tmp_path / "fit/tf2_recovery/keras/recovered_loop.py").exists()
    assert (tmp_path / "loop/tf2_recovery/keras/backup_and_restore.py").exists()
    assert not (tmp_path / "other/tf2_recovery/keras/recovered_loop.py").exists()


def test_a_file_imports_from_where_others_import_it_not_from_above_an_init_file_that_no_import_needs(tmp_path):
    tree(tmp_path, init="", init_in_src="", a_in_src=JOB, start="from src import a\n")
    migrated(tmp_path)
    assert f"from src.tf2_recovery{IMPORT}" in (tmp_path / "src/a.py").read_text()


def test_a_script_that_imports_from_above_may_be_started_as_a_module_too(tmp_path):
    tree(tmp_path, a_in_scripts="from utils.data import read\n" + STARTED, data_in_utils="def read(): pass\n")
    migrated(tmp_path)
    assert EITHER_WAY in (tmp_path / "scripts/a.py").read_text()
