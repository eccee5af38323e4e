"""Data in MNIST's layout, and the pair's programs as they are and without chance."""

import pickle
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from migrate.pipeline.run import run as codemod
from migrate.settings import Settings
from migrate.verify import FAULTS, Program, run, run_interrupted
from tests import nursery
from tests.kept_runs import IS_NEWEST, kept_run
from tests.pairs import LEGACY, ROOT, TF2

collect_ignore = [] if IS_NEWEST else ["test_fault_tolerance_run_config.py"]
"""On 2.15 ``test_three_systems`` kills and stops the same program."""

NAME = "fault_tolerance_run_config.py"
MAX_STEPS = 10
RECORDER = sorted((ROOT / "migrate" / "verify").rglob("*.py"))


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """The path of 600 small images, of which 10 batches of 50 are all different."""
    random = np.random.RandomState(0)
    path = tmp_path_factory.mktemp("data") / "mnist.npz"
    images = random.randint(0, 256, (660, 28, 28), dtype=np.uint8)
    labels = random.randint(0, 10, 660, dtype=np.uint8)
    np.savez(path, x_train=images[:600], y_train=labels[:600], x_test=images[600:], y_test=labels[600:])
    return path


@pytest.fixture(scope="session")
def same_batches(tmp_path_factory):
    """The path of 50 images: every batch of 50 is the same, so that an interruption changes no batch."""
    random = np.random.RandomState(1)
    path = tmp_path_factory.mktemp("data") / "one_batch.npz"
    images = random.randint(0, 256, (50, 28, 28), dtype=np.uint8)
    labels = random.randint(0, 10, 50, dtype=np.uint8)
    np.savez(path, x_train=images, y_train=labels, x_test=images, y_test=labels)
    return path


@pytest.fixture(scope="session")
def without_chance(tmp_path_factory):
    """A folder with the legacy example from given weights, without dropout and shuffling, and with its migrations.

    Those are in folders by where their runtime files are.

    Adam makes much of rounding where a gradient is nearly zero, which some chance weights bring about.
    """
    folder = tmp_path_factory.mktemp("without_chance")
    text = (LEGACY / NAME).read_text()
    for old, new in (
        ("save_checkpoints_steps=1)", "save_checkpoints_steps=4, tf_random_seed=1)"),
        ("        dropout=0.2,\n", ""),
        ("shuffle=True", "shuffle=False"),
    ):
        assert old in text
        text = text.replace(old, new)
    (folder / NAME).write_text(text)
    for helpers in ("copy", "package"):
        place = folder / helpers
        place.mkdir()
        outcome = codemod([str(folder / NAME)], Settings(helpers=helpers), jobs=1, progress=None)
        for change in outcome.changes:
            written = place / Path(change.path).relative_to(folder)
            written.parent.mkdir(exist_ok=True)
            written.write_text(change.after)
    return folder


@pytest.fixture(scope="session")
def record(data, without_chance, installed):
    """Run a script under an interpreter, interrupted by a fault at a step; the same run is made once.

    An Estimator's is made once for both lines of TensorFlow.
    """

    @cache
    def make(script, python, fault=None, at=0, initial=None, examples=data, variables=False):
        arguments = ("--model_dir", "{model_dir}", "--data", str(examples), "--max_steps", str(MAX_STEPS))
        environment = {} if (script.parent / "tf2_recovery").exists() else {"PYTHONPATH": str(installed)}
        program = Program(script, python, (*arguments, "--interrupt_at", "0"), environment, launch=nursery.launch)
        made = FAULTS[fault](at=at) if fault else None

        def keep(directory):
            found = run_interrupted(program, made, initial=initial, variables=variables)
            (directory / "record").write_bytes(pickle.dumps(found))

        if script.parent not in (LEGACY, without_chance):
            return run_interrupted(program, made, initial=initial, variables=variables)
        begun = [path for path in sorted(initial.rglob("*")) if path.is_file()] if initial else []
        what = f"{script.stem}-{fault}-{at}-{examples.stem}-{variables}"
        kept = kept_run(what, [script, __file__, *RECORDER, *begun], keep)
        return pickle.loads((kept / "record").read_bytes())

    return make


@pytest.fixture(scope="session")
def initial(without_chance, data, old_python):
    """A directory that the Estimator began: its weights at step 0."""
    arguments = ("--model_dir", "{model_dir}", "--data", str(data), "--interrupt_at", "0")
    program = Program(without_chance / NAME, old_python, arguments, launch=nursery.launch)

    def begin(directory):
        attempt = run(program, directory / "model", FAULTS["sigkill"](at=1))
        assert attempt.events_of("save"), attempt.output

    return kept_run("initial", [program.script, __file__, *RECORDER], begin) / "model"


@pytest.fixture(scope="session")
def legacy():
    return LEGACY / NAME


@pytest.fixture(scope="session")
def migrated():
    return TF2 / NAME
