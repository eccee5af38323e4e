"""A job that was stopped under code that resumes by files goes on under the new code, and loses no kill."""

import random
from importlib.util import find_spec

import pytest

from tests.interruption.resume.stopped import (
    APART,
    BEGUN_ANEW,
    BY_NAME,
    EPOCHS,
    FURTHER,
    NAMED,
    UNCOUNTED,
    WITHIN,
    Job,
    check,
    shapes,
)

KERAS_2_ALONE = {"latest_checkpoint", "stacked_gan"}
"""Programs whose ModelCheckpoint Keras 3 refuses, or whose frozen critic it does not train."""
OF_ONE_KERAS = {
    *("checkpoint_of_its_own", "json_file", "listed_directory", "model_and_epoch", "newest_by_time"),
}
"""Programs that load whole models in .keras or a ``tf.train.Checkpoint``: Keras 3 refuses those of Keras 2."""

ON_TWO_KERASES = pytest.mark.skipif(find_spec("tf_keras") is None, reason="Keras 2 is the only Keras here")


def kills(seed):
    """In the middle of an epoch, and at a random moment near a save."""
    return ["batch:3:1", f"save:4:{random.Random(seed).randrange(60)}", None]


def go_on(job, python, each, legacy_keras=False, flags=()):
    """Start the new program again and again, each time to where it is killed or to its end, and to no other."""
    for kill in each:
        status, output = job.start(job.new, python, legacy_keras=legacy_keras, kill=kill, flags=flags)
        assert status in ((0,) if kill is None else (-9, 0)), output


@pytest.mark.parametrize("shape", shapes())
def test_a_job_of_the_old_code_goes_on_where_it_stopped_and_after_each_kill(
    shape, old_python, new_python, legacy_keras, tmp_path
):
    job = Job(shape, tmp_path)
    needs_keras_2 = shape in KERAS_2_ALONE
    first_python = new_python if shape in OF_ONE_KERAS else old_python
    status, output = job.start(job.old, first_python, kill="batch:2:2")
    assert status == -9, output
    go_on(job, new_python, kills(shape), legacy_keras=needs_keras_2 and bool(legacy_keras))
    check(job)


@pytest.mark.parametrize("shape", sorted(path.stem for path in APART.glob("*.py")))
def test_a_loop_for_which_another_file_saves_goes_on_after_each_kill(shape, old_python, new_python, tmp_path):
    job = Job(shape, tmp_path, APART)
    assert job.start(job.old, old_python, kill="batch:2:2")[0] == -9
    go_on(job, new_python, kills(shape))
    check(job)


@pytest.mark.parametrize("shape", sorted(path.stem for path in UNCOUNTED.glob("*.py")))
def test_a_job_that_counts_no_epochs_goes_on_from_its_file_and_after_each_kill(shape, old_python, new_python, tmp_path):
    job = Job(shape, tmp_path, UNCOUNTED)
    assert job.start(job.old, old_python, kill="batch:2:2")[0] == -9
    go_on(job, new_python, kills(shape))
    check(job, is_counted=False)


def test_a_loop_that_began_anew_at_each_start_goes_on_where_its_own_checkpoint_tells(new_python, tmp_path):
    job = Job("counted_by_its_saves", tmp_path, BEGUN_ANEW)
    assert job.start(job.old, new_python, kill="batch:2:2")[0] == -9  # a checkpoint is for one Keras
    go_on(job, new_python, kills("counted_by_its_saves"))
    check(job)


def test_a_start_after_the_last_batch_of_a_loop_that_ends_at_one_number_ends_too(new_python, tmp_path):
    job = Job("enumerated", tmp_path, UNCOUNTED)
    for _ in range(2):
        status, output = job.start(job.new, new_python)
        assert status == 0 and "ended" in output, output
    assert job.starts()[0][1][-1]["end"] == EPOCHS - 1 and len(job.starts()) == 1


@pytest.mark.parametrize("shape", ["further", "saved_in_training"])
def test_each_start_of_a_job_that_trains_a_file_further_goes_on_after_its_own_kills(shape, new_python, tmp_path):
    job = Job(shape, tmp_path, FURTHER)
    # After 20 ms the last epoch may have ended, too.
    go_on(job, new_python, ("batch:3:1", "save:4:1", None, "batch:2:2", None))
    starts = job.starts()
    begun = [event["start"] for event, _ in starts]
    assert begun[:2] == [0, 3] and begun[2] in (4, 5) and begun[3:] == [0, 2], begun
    ended = [{end["end"]: end["weights"] for end in ends} for _, ends in starts]
    assert [max(one) for one in ended] == [2, 4, 5, 1, 5]
    assert starts[1][0]["weights"] == ended[0][2]
    assert starts[3][0]["weights"] == ended[2][5]  # of the file that the start before it saved at its end
    assert starts[4][0]["weights"] == ended[3][1]


def test_a_loop_that_compiles_its_model_in_each_turn_goes_on_with_its_weights(new_python, tmp_path):
    job = Job("compiled_each_turn", tmp_path, FURTHER)
    go_on(job, new_python, ("batch:2:1", "save:4:20", None))
    (_, first), (second, ends), (third, last) = job.starts()
    assert (second["start"], second["weights"]) == (2, first[-1]["weights"])
    done = {end["end"] + 1: end["weights"] for end in ends}
    assert third["weights"] == done[third["start"]]
    assert last[-1]["end"] == 5


@pytest.mark.parametrize("shape", ["json_file", "trainer_class", "latest_checkpoint"])
def test_tf_keras_goes_on_with_the_same_files(shape, old_python, new_python, legacy_keras, tmp_path):
    job = Job(shape, tmp_path)
    assert job.start(job.old, old_python, kill="batch:2:2")[0] == -9
    for kill in ("batch:4:0", None):
        status, output = job.start(job.new, new_python, legacy_keras=bool(legacy_keras), kill=kill)
        assert status == (-9 if kill else 0), output
    check(job)


@ON_TWO_KERASES
def test_a_loop_refuses_the_optimizer_of_another_keras(old_python, new_python, tmp_path):
    job = Job("a_loop_of_batches", tmp_path)
    assert job.start(job.new, old_python, kill="batch:2:2")[0] == -9
    status, output = job.start(job.new, new_python)
    assert status == 1 and "was saved by Keras 2: its optimizer's state is another one" in output, output
    status, output = job.start(job.new, old_python)
    assert status == 0, output


@ON_TWO_KERASES
@pytest.mark.parametrize("shape", sorted(path.stem for path in BY_NAME.glob("*.py")))
def test_a_model_goes_on_by_the_keras_that_its_program_names(shape, new_python, legacy_keras, tmp_path):
    """Of tf_keras beside Keras 3, or of Keras 3 where ``TF_USE_LEGACY_KERAS=1`` makes ``tf.keras`` Keras 2."""
    job, is_beside_keras_2 = Job(shape, tmp_path, BY_NAME), shape == "fit_of_keras_3" and bool(legacy_keras)
    assert job.start(job.old, new_python, is_beside_keras_2, kill="batch:2:2")[0] == -9
    go_on(job, new_python, kills(shape), legacy_keras=is_beside_keras_2)
    check(job, is_counted=False)


@pytest.mark.parametrize("shape", ["one_file", "sorted_and_split"])
def test_with_keras_3_as_the_target_a_job_goes_on_from_the_file_that_the_old_code_saved(shape, new_python, tmp_path):
    job = Job(shape, tmp_path, target="keras3")
    assert job.start(job.old, new_python, kill="batch:2:2")[0] == -9
    saved = sorted(path.name for path in job.files.iterdir())
    for kill in ("batch:4:0", None):
        status, output = job.start(job.new, new_python, kill=kill)
        assert status == (-9 if kill else 0), output
    check(job)
    assert set(saved) <= {path.name for path in job.files.iterdir()}


def test_the_new_checkpoints_are_kept_with_the_old_files_where_a_first_save_that_was_killed_is_nothing(
    new_python, tmp_path
):
    job = Job("listed_directory", tmp_path)
    (job.files / "checkpoint_recovery").mkdir(parents=True)  # as a kill before the first save is whole leaves it
    for kill in ("batch:4:0", None):
        status, output = job.start(job.new, new_python, kill=kill)
        assert status == (-9 if kill else 0), output
    check(job, old_starts=1)
    kept = {path.name for path in job.files.iterdir()}
    assert kept == {"checkpoint_recovery", *(f"checkpoint-{epoch}.keras" for epoch in range(1, 7))}
    assert [path.name for path in tmp_path.iterdir() if "recovery" in path.name] == []


def test_a_file_that_a_kill_cut_short_is_not_read_again(old_python, new_python, tmp_path):
    job = Job("csv_rows", tmp_path)
    assert job.start(job.old, old_python, kill="batch:2:2")[0] == -9
    assert job.start(job.new, new_python, kill="batch:4:2")[0] == -9
    (job.files / "last.weights.h5").write_bytes(b"cut short")
    status, output = job.start(job.new, new_python)
    assert status == 0, output
    check(job)


def test_a_job_that_saved_within_its_epochs_loses_no_more_batches_than_are_between_two_saves(
    old_python, new_python, tmp_path
):
    job = Job("save_freq", tmp_path, WITHIN)
    assert job.start(job.old, old_python, kill="batch:2:2")[0] == -9
    for kill in ("batch:3:3", "batch:4:2", "batch:4:1", None):
        status, output = job.start(job.new, new_python, kill=kill)
        assert status == (-9 if kill else 0), output
    begun = [(event["start"], event["steps"]) for event, _ in job.starts()[1:]]
    first = begun[0][0]  # by the old code, from the name of its last file
    assert begun == [(first, 0), (3, 4 * (3 - first) + 2), (4, 4 * (4 - first) + 2), (4, 4 * (4 - first) + 2)]
    assert job.events()[-1]["steps"] == 4 * (6 - first)


@pytest.mark.parametrize("is_named_again", [False, True], ids=["alone", "named again"])
@pytest.mark.parametrize("program", ["named_file", "named_elsewhere"])
def test_a_job_goes_on_from_a_file_that_the_user_names_and_from_there_after_each_kill(
    program, is_named_again, old_python, new_python, tmp_path
):
    job = Job(program, tmp_path, NAMED)
    assert job.start(job.old, old_python, kill="batch:2:2")[0] == -9
    flags = ["--resume", str(job.files / "w-02.weights.h5"), "--initial_epoch", "2"]
    for number, kill in enumerate(("batch:3:1", "save:4:20", None)):
        given = flags if is_named_again or number == 0 else []
        status, output = job.start(job.new, new_python, kill=kill, flags=given)
        assert status in ((0,) if kill is None else (-9, 0)), output
    check(job)


@pytest.mark.parametrize("program", ["named_file", "named_elsewhere"])
def test_a_start_that_names_another_file_goes_there_and_those_after_it_go_on(program, new_python, tmp_path):
    job = Job(program, tmp_path, NAMED)
    assert job.start(job.new, new_python, kill="batch:4:1")[0] == -9
    back = ["--resume", str(job.files / "w-02.weights.h5"), "--initial_epoch", "2"]
    assert job.start(job.new, new_python, kill="batch:3:1", flags=back)[0] == -9
    status, output = job.start(job.new, new_python)
    assert status == 0, output
    begun = [event for event, _ in job.starts()]
    assert [event["start"] for event in begun] == [0, 2, 3]
    ended = {event["end"]: event["weights"] for event in job.starts()[0][1]}
    assert begun[1]["weights"] == ended[1]


def test_a_job_goes_on_where_its_own_file_was_loaded_and_begins_anew_where_it_was_not(old_python, new_python, tmp_path):
    job = Job("asked_elsewhere", tmp_path, NAMED)
    assert "if begun_from()" in job.new.read_text()
    assert job.start(job.old, old_python, kill="batch:2:2")[0] == -9
    go_on(job, new_python, ("batch:3:1", "save:4:20", None), flags=["--resume"])
    check(job)
    status, output = job.start(job.new, new_python, kill="batch:1:1")
    assert status == -9, output
    assert job.starts()[-1][0]["start"] == 0
