"""A clean tree costs little more than Python's start: what its files do not need is not imported."""

import subprocess
import sys
from pathlib import Path

import pytest

from migrate.rules import CODES, ESTIMATOR_WORDS

ROOT = Path(__file__).parents[3]
HEAVY = {"asyncio", "black", "concurrent", "libcst", "multiprocessing", "nbformat", "numpy", "pathspec", "rich"}
HEAVY |= {"tensorflow", "dataclasses", "pathlib", "secrets"}  # of the standard library, with all that they import
KERAS = "import tensorflow as tf\n\nmodel = tf.keras.Model()\ntf.train.Checkpoint(model=model)\n"


def imported(tree, *arguments):
    """The packages that a process has imported after a run that finds nothing in ``tree``."""
    code = (
        "import sys, migrate.cli.main; assert migrate.cli.main.main(sys.argv[1:]) == 0; "
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    command = [sys.executable, "-c", code, *arguments, str(tree)]
    return set(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split())


@pytest.fixture
def tree(tmp_path):
    for number in range(10):
        (tmp_path / f"module{number}.py").write_text("x = 1\n" if number % 2 else KERAS)
    return tmp_path


def test_ten_clean_files_need_no_library_and_one_process_however_many_are_allowed(tree):
    assert not HEAVY & imported(tree, "-j", "8")


def test_a_program_that_is_found_but_not_selected_needs_no_library(tree):
    (tree / "train.py").write_text("import tensorflow as tf\ntf.estimator.DNNClassifier([8], [])\n")
    assert not HEAVY & imported(tree, "--ignore", "FT")


PREMADE = """\
import tensorflow as tf

estimator = tf.estimator.DNNClassifier([8], [tf.feature_column.numeric_column("x")], model_dir="/tmp/m")
estimator.train(lambda: tf.data.Dataset.from_tensors(({"x": [1.0]}, [1])).repeat(), steps=1000)
"""


def test_a_small_program_that_is_found_imports_no_rule_without_a_word_in_it(tmp_path):
    (tmp_path / "train.py").write_text(PREMADE)
    code = (
        "import sys, migrate.cli.main; migrate.cli.main.main(['check', '-j1', sys.argv[1]]); "
        "print(*(name for name in sys.modules if name.startswith('migrate.') or name in sys.argv[2:]), file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, str(tmp_path), *HEAVY]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    names = ran.stderr.splitlines()[-1].split()
    assert not HEAVY.intersection(names)
    rules = {name.rpartition(".")[2] for name in names if name.startswith("migrate.rules.")} & CODES.keys()
    assert rules == {*(one for one, words in ESTIMATOR_WORDS.items() if not words), "names_without_an_estimator"}
    assert len(names) == 128
