"""The guide's program three times: as an Estimator and its migration, with ``Model.fit``, and as a loop of its own.

Each saves every 4 of 12 steps and is stopped after 6: by its own hook or callback, or by SIGKILL.
"""

import pytest

from migrate.pipeline.run import run as codemod
from migrate.settings import Settings
from migrate.verify import FAULTS, Program, run, run_interrupted
from tests import nursery
from tests.kept_runs import IS_NEWEST
from tests.pairs import LEGACY, TF2, put

NAME = "fault_tolerance_run_config.py"
SYSTEMS = [*([] if IS_NEWEST else ["estimator"]), "migrated", "fit", "loop"]
"""An Estimator is the same beside any new TensorFlow."""


@pytest.fixture(scope="module")
def system(data, old_python, new_python, tmp_path_factory):
    """A function that gives one of the programs, stopped by itself after some steps."""
    folder = tmp_path_factory.mktemp("systems")
    text = (LEGACY / NAME).read_text()
    assert "save_checkpoints_steps=1)" in text
    (folder / NAME).write_text(text.replace("save_checkpoints_steps=1)", "save_checkpoints_steps=4)"))
    put(codemod([str(folder / NAME)], Settings(), jobs=1, progress=None).changes, folder, folder / "migrated")
    scripts = {
        "estimator": (folder / NAME, old_python, ()),
        "migrated": (folder / "migrated" / NAME, new_python, ()),
        "fit": (TF2 / "fault_tolerance_fit.py", new_python, ("--save_steps", "4")),
        "loop": (TF2 / "fault_tolerance_loop.py", new_python, ("--save_steps", "4")),
    }

    def make(name, interrupt_at):
        script, python, more = scripts[name]
        arguments = ("--model_dir", "{model_dir}", "--data", str(data), "--max_steps", "12")
        arguments = (*arguments, "--interrupt_at", str(interrupt_at), *more)
        return Program(script, python, arguments, launch=nursery.launch)

    return make


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name != "fit"])
def test_a_stop_that_the_program_asks_for_loses_no_step(name, system):
    record = run_interrupted(system(name, 6), None)
    assert record.attempts[0].steps == list(range(1, 13))
    assert record.saved_steps == record.kept == [0, 4, 6, 10, 12]


def test_an_exception_of_a_callback_loses_the_steps_since_the_last_epoch_under_backup_and_restore(system, tmp_path):
    """By design: it backs up at the end of an epoch alone, and keeps one backup."""
    record = run_interrupted(system("fit", 6), None, tmp_path)
    assert record.attempts[0].steps == [*range(1, 7), *range(5, 13)]
    assert record.saved_steps == [4, 8, 12]
    backups = [path.name for path in tmp_path.rglob("*") if path.name.endswith((".index", ".weights.h5"))]
    assert len(backups) == 1, backups


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_kill_loses_the_steps_since_the_last_save_and_they_are_repeated(name, system):
    record = run_interrupted(system(name, 99), FAULTS["sigkill"](at=6))
    assert not record.needs_person
    assert (record.resumed_at, record.steps_lost, record.steps_repeated) == ([4], [2], 2)
    assert record.final_step == 12
    # BackupAndRestore saves nothing before the first epoch has ended.
    assert record.saved_steps == ([4, 8, 12] if name == "fit" else [0, 4, 8, 12])


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_finished_job_that_is_started_again_trains_nothing(name, system, tmp_path):
    assert run(system(name, 99), tmp_path).steps == list(range(1, 13))
    again = run(system(name, 99), tmp_path)
    assert again.finished
    assert again.steps == []


def without_chance(text):
    """The text of a system without dropout and shuffling."""
    for old, new in (
        ("        dropout=0.2,\n", ""),
        ("shuffle=True", "shuffle=False"),
        ("build_model()\n", "build_model(dropout=0.0)\n"),
        (".shuffle(1000)", ""),
        ("save_checkpoints_steps=1)", "save_checkpoints_steps=4)"),
    ):
        text = text.replace(old, new)
    return text


def test_a_keras_model_takes_a_migrated_job_over_by_the_names_in_its_checkpoint(data, new_python, tmp_path):
    (tmp_path / "tf2_recovery").symlink_to(TF2 / "tf2_recovery")
    for name in (NAME, "fault_tolerance_fit.py"):
        (tmp_path / name).write_text(without_chance((TF2 / name).read_text()))
    arguments = ("--model_dir", "{model_dir}", "--data", str(data), "--interrupt_at", "99", "--max_steps")
    job = Program(tmp_path / NAME, new_python, (*arguments, "4"), launch=nursery.launch)
    assert run(job, tmp_path / "job").steps == [1, 2, 3, 4]
    more = ("12", "--save_steps", "4", "--continue_from", str(tmp_path / "job"))
    fit = Program(tmp_path / "fault_tolerance_fit.py", new_python, (*arguments, *more), launch=nursery.launch)
    taken_over = run_interrupted(fit, FAULTS["sigkill"](at=10))
    assert (taken_over.resumed_at, taken_over.final_step) == ([8], 12)
    job = Program(tmp_path / NAME, new_python, (*arguments, "12"), launch=nursery.launch)
    stayed = run_interrupted(job, None, initial=tmp_path / "job").by_step("loss")
    assert list(stayed) == list(range(5, 13))
    losses = taken_over.by_step("loss")
    assert [losses[step] for step in (5, 6, 7, 8)] == pytest.approx([stayed[step] for step in (5, 6, 7, 8)], rel=1e-5)
