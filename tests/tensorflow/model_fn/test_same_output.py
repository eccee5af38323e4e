"""Small programs, of the kinds that real ones broke by, print after their migration what they printed under TF 1."""

import os
import shutil
from pathlib import Path

import pytest

from migrate.pipeline.run import run, write
from migrate.settings import Settings
from tests import nursery
from tests.kept_runs import kept_run, old_python

PROGRAMS = Path(__file__).parent / "printing"
AS_TENSORFLOW_1 = """\
import os, runpy, sys
import tensorflow.compat.v1 as tensorflow
tensorflow.disable_v2_behavior()
sys.modules["tensorflow"] = tensorflow
del sys.argv[0]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def printed(python, *arguments):
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": ""}
    environment.pop("TF_USE_LEGACY_KERAS", None)
    if python != old_python():
        environment["TF_USE_LEGACY_KERAS"] = "1"
    done = nursery.run([python, *map(str, arguments)], environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def expected(program, needs_1=False):
    """What the program prints under TensorFlow 2.15, if it must under the names of TensorFlow 1."""

    def old(directory):
        runner = directory / "runner.py"
        runner.write_text(AS_TENSORFLOW_1)
        text = printed(old_python(), *([runner] if needs_1 else []), program, directory / "model")
        (directory / "printed").write_text(text)

    return str((kept_run(program.stem, sorted(program.parent.glob("*.py")), old) / "printed").read_text())


def migrated(path):
    outcome = run([str(path)], Settings(), jobs=1, progress=None)
    assert [finding.message for finding in outcome.findings if not finding.rewritten] == []
    assert write(outcome) == []


READERS_OF_NAMES = "checkpoints_read", "init_from_checkpoint"
"""Programs that look at the names of checkpoints, or of what is in them."""


@pytest.mark.parametrize("name", ["private_names", "held_by_objects", *READERS_OF_NAMES])
def test_a_program_prints_what_its_estimator_printed(name, tmp_path):
    program = Path(shutil.copy(PROGRAMS / f"{name}.py", tmp_path))
    migrated(program)
    assert "# Variables are true" not in program.read_text()  # the comment of a line that is deleted
    text = printed(os.environ["MIGRATE_NEW_PYTHON"], program, tmp_path / "model")
    assert text == expected(PROGRAMS / f"{name}.py")


def test_a_helper_serves_the_migrated_program_and_the_one_for_tensorflow_2(tmp_path):
    folder = Path(shutil.copytree(PROGRAMS / "shared_helper", tmp_path / "shared_helper"))
    migrated(folder)
    program = folder / "estimator_program.py"
    old = PROGRAMS / "shared_helper" / "estimator_program.py"
    assert printed(os.environ["MIGRATE_NEW_PYTHON"], program, tmp_path / "model") == expected(old, needs_1=True)
    assert printed(os.environ["MIGRATE_NEW_PYTHON"], folder / "tf2_program.py") == "['v:0']\n"
