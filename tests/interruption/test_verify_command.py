"""The command on real programs: its exit status, what it writes, and that it leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from migrate.cli.main import main as migrate
from migrate.verify import Program
from migrate.verify.cli import main
from tests.cases import each

from .conftest import PROGRAMS

BEFORE_A_SAVE = "Note: no interruption came after a save of the training"
WAITING = """\
import argparse, time
parser = argparse.ArgumentParser()
parser.add_argument("--model_dir")
open(parser.parse_args().model_dir + "/1.index", "w").close()
time.sleep(300)
"""
"""A program that never ends, without TensorFlow."""


@pytest.fixture
def verify(old_python, new_python, forks):
    """Call the command on two of ``programs/``."""

    def call(old, new, *arguments):
        pythons = ("--old-python", old_python if old == "estimator" else new_python, "--new-python", new_python)
        return main([str(PROGRAMS / f"{old}.py"), str(PROGRAMS / f"{new}.py"), *pythons, *arguments])

    return call


def test_a_sound_pair_gives_0_and_writes_both_reports(verify, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("migrate.verify.cli.Program", Program)  # as a user starts it
    assert verify("estimator", "fit", "--fault", "sigkill", "--output", str(tmp_path)) == 0
    said = capsys.readouterr()
    assert "2 of 2 comparisons match." in said.out
    assert "2 of 2 · sigkill at step " in said.err  # a line for each fault, where no terminal shows the progress
    found = json.loads((tmp_path / "verify.json").read_text())
    assert found["matches"] is True
    rows = {row["name"] for row in found["comparisons"][-1]["rows"]}
    assert {"resumed at step", "final step", "steps repeated", "saved at steps", "batches"} <= rows
    assert "Resumption matches" in (tmp_path / "verify.html").read_text()


@pytest.fixture
def alone(new_python, forks):
    """Call the command on one of ``programs/``, without an old one or an interpreter for it."""
    return lambda new, *more: main([str(PROGRAMS / f"{new}.py"), "--new-python", new_python, *more])


def test_a_program_alone_is_killed_and_ends_as_its_own_undisturbed_run_to_the_last_bit(alone, tmp_path, capsys):
    assert alone("momentum", "--fault", "sigkill", "sigkill-in-save", "--output", str(tmp_path)) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Resumption matches: 3 of 3 comparisons match." in told
    assert BEFORE_A_SAVE not in told
    found = json.loads((tmp_path / "verify.json").read_text())["comparisons"]
    rows = [{row["name"]: row for row in one["rows"]} for one in found]
    assert [one["losses"]["note"] for one in rows] == ["all 23 bit-equal"] * 3
    assert all(one["final variables"]["verdict"] == "same" for one in rows)


def test_a_migrated_loop_that_saves_into_the_directory_that_it_is_given_is_killed_and_goes_on(
    new_python, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "epochs.py").write_text((PROGRAMS / "epochs.py").read_text())
    assert migrate(["write", "epochs.py"]) == 1
    assert "recovered(range(first, 4)" in (tmp_path / "epochs.py").read_text()
    given = ("--new-python", new_python, "--model-dir-flag", "--save_dir", "--fault", "sigkill")
    assert main(["epochs.py", *given]) == 0
    assert "1 of 1 comparisons match." in capsys.readouterr().out


def test_a_program_alone_that_loses_a_part_of_its_state_differs_from_itself(alone, capsys):
    assert alone("momentum", "--args", "--slip", "--fault", "sigkill", "--at", "13", "--format", "json") == 1
    found = json.loads(capsys.readouterr().out)
    assert found["headline"] == "Resumption differs"
    assert found["first"].startswith("sigkill at step 13: losses: undisturbed 23 steps, interrupted 23 steps")
    assert "the first difference at step 12" in found["first"]


def test_a_program_alone_whose_input_starts_again_says_that_its_losses_are_not_compared(alone, capsys):
    assert alone("loop", "--fault", "sigkill") == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "because its input starts from the first batch again after a restart, as an Estimator's does: losses" in told


def test_that_no_interruption_came_behind_a_save_is_told_for_then_nothing_was_resumed(alone, capsys):
    assert alone("momentum", "--fault", "sigkill", "--at", "3") == 0
    assert BEFORE_A_SAVE in " ".join(capsys.readouterr().out.split())


def test_a_difference_gives_1_and_is_named(verify, capsys):
    slip = ("--new-args", "--slip load_checkpoint", "--model-dir-flag", "--model_dir")
    assert verify("loop", "loop", "--fault", "sigkill", "--at", "13", *slip, "--format", "json") == 1
    assert json.loads(capsys.readouterr().out)["first"] == "sigkill at step 13: resumed at step: OLD 10, NEW 0"


def test_a_program_that_ends_before_the_step_gives_2(verify, capsys):
    assert verify("loop", "loop", "--at", "23") == 2
    assert "OLD ends at step 23: choose a step before that, not 23" in capsys.readouterr().err


def test_where_no_fault_could_be_tried_nothing_is_proved(verify, capsys):
    assert verify("loop", "loop", "--fault", "worker-killed") == 2
    assert "nothing interrupted the programs: worker-killed: one process trains" in capsys.readouterr().err


def test_where_old_itself_draws_other_batches_each_time_recovery_is_compared_and_that_is_said(verify, capsys):
    """Also where its batches are equal at first, by chance."""
    arguments = ("--old-args", "--seed -1 --alike 5", "--new-args", "--seed -1", "--fault", "sigkill", "--at", "13")
    assert verify("loop", "loop", *arguments) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "2 of 2 comparisons match." in told
    assert "OLD itself draws other batches each time that it is started: batches, losses, final variables." in told
    assert "give each shuffle of the input a seed of its own" in told


def test_from_a_shared_checkpoint_losses_and_variables_are_compared_to_the_last_bit(verify, capsys):
    arguments = ("--share-initial", "--new-args", "--steps_per_call 5", "--fault", "sigkill", "--at", "13")
    assert verify("loop", "loop", *arguments, "--format", "json") == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["comparisons"][-1]["rows"]}
    assert rows["losses"]["note"] == "all 23 bit-equal"
    assert rows["final variables"]["verdict"] == "same"
    assert rows["final variables"]["note"].endswith("bit-equal")


def test_new_goes_on_for_old_as_old_itself_does(verify, capsys):
    assert verify("loop", "loop", "--continue-old", "--at", "13", "--format", "json") == 0
    comparison = json.loads(capsys.readouterr().out)["comparisons"][-1]
    assert comparison["title"] == "NEW resumes for OLD at step 13"
    assert comparison["new"]["resumed_at"] == [10]


@each("ending", "text")(
    (signal.SIGINT, (PROGRAMS / "loop.py").read_text().replace("default=23", "default=100000")),
    (signal.SIGTERM, WAITING),
    (signal.SIGHUP, WAITING),
)
def test_an_interrupted_command_leaves_no_process_and_no_directory(ending, text, new_python, tmp_path):
    (tmp_path / "job.py").write_text(text)
    script = str(tmp_path / "job.py")
    arguments = [script, script, "--new-python", new_python, "--output", str(tmp_path)]
    place = tmp_path / "temporary"
    place.mkdir()
    command = [sys.executable, "-c", "import sys; from migrate.verify.cli import main; sys.exit(main(sys.argv[1:]))"]
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "TMPDIR": str(place), "PYTHONPATH": root}
    process = subprocess.Popen(
        [*command, *arguments],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=partial(signal.signal, ending, signal.SIG_DFL),  # nohup ignores one, and the tests may run under it
    )
    while not list(place.rglob("*.index")):
        assert process.poll() is None
        time.sleep(0.05)
    running = descendants(process.pid)
    assert running
    for _ in range(2):  # a second Ctrl-C does not end the cleaning
        process.send_signal(ending)
        time.sleep(0.05)
    said = process.communicate()[1]
    assert process.returncode == 130, said
    assert "every program has been ended" in said
    assert not [pid for pid in running if Path(f"/proc/{pid}").exists()]
    assert list(place.iterdir()) == []


def descendants(pid):
    children = [child for path in Path(f"/proc/{pid}/task").glob("*/children") for child in path.read_text().split()]
    return [each for child in children for each in (child, *descendants(child))]
