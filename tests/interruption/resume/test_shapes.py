"""A job that was stopped under code that resumes by files goes on under the new code, and loses no kill."""

import random
import re
from importlib.util import find_spec

import pytest

from tests.interruption.resume.programs import BY_NAME, SHAPES
from tests.interruption.resume.stopped import Job, check

KERAS_2_ALONE = {"latest_checkpoint"}
"""Programs whose ModelCheckpoint Keras 3 refuses."""
OF_ONE_KERAS = {"checkpoint_of_its_own", "json_file", "listed_directory"}
"""Programs that load whole models in .keras or a ``tf.train.Checkpoint``: Keras 3 refuses those of Keras 2."""

ON_TWO_KERASES = pytest.mark.skipif(find_spec("tf_keras") is None, reason="Keras 2 is the only Keras here")


def kills(seed):
    """In the middle of an epoch, and at a random moment near a save."""
    return ["batch:3:1", f"save:4:{random.Random(seed).randrange(60)}", None]


def go_on(job, python, each, legacy_keras=False):
    """Start the new program again and again, each time to where it is killed or to its end, and to no other."""
    for kill in each:
        status, output = job.start(job.new, python, legacy_keras=legacy_keras, kill=kill)
        assert status in ((0,) if kill is None else (-9, 0)), output


@pytest.mark.parametrize("shape", SHAPES)
def test_an_old_job_goes_on_where_it_stopped_and_after_each_kill(shape, old_python, new_python, legacy_keras, tmp_path):
    job = Job(shape, tmp_path)
    needs_keras_2 = shape in KERAS_2_ALONE
    first_python = new_python if shape in OF_ONE_KERAS else old_python
    status, output = job.start(job.old, first_python, kill="batch:2:2")
    assert status == -9, output
    go_on(job, new_python, kills(shape), legacy_keras=needs_keras_2 and bool(legacy_keras))
    check(job)


@pytest.mark.parametrize("shape", ["json_file", "sorted_and_split", "latest_checkpoint"])
def test_tf_keras_goes_on_with_the_same_files(shape, old_python, new_python, legacy_keras, tmp_path):
    job = Job(shape, tmp_path)
    assert job.start(job.old, old_python, kill="batch:2:2")[0] == -9
    for kill in ("batch:4:0", None):
        status, output = job.start(job.new, new_python, legacy_keras=bool(legacy_keras), kill=kill)
        assert status == (-9 if kill else 0), output
    check(job)


@ON_TWO_KERASES
@pytest.mark.parametrize("shape", BY_NAME)
def test_a_model_goes_on_by_the_keras_that_its_program_names(shape, new_python, legacy_keras, tmp_path):
    """Of tf_keras beside Keras 3, or of Keras 3 where ``TF_USE_LEGACY_KERAS=1`` makes ``tf.keras`` Keras 2."""
    job, is_beside_keras_2 = Job(shape, tmp_path), shape == "fit_of_keras_3" and bool(legacy_keras)
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


def test_a_while_loop_goes_on(new_python, tmp_path):
    job = Job("while_loop", tmp_path)
    go_on(job, new_python, ["batch:2:2", "save:3:1", "batch:4:0", None])
    check(job, old_starts=0)


def test_a_loop_whose_test_assigns_goes_on_by_the_lines_that_are_told(new_python, tmp_path):
    job = Job("assigning_loop", tmp_path)
    (told,) = (one.help for one in job.findings if one.code == "FT201")
    built, *made, count, save, _, number = re.findall("`(.*?)`", told)
    built = built.replace("OPTIMIZER", "model.optimizer").replace("MODEL", "model")
    above = "\n".join([built, *made, f"epoch = {number} - 1"]).replace('"DIRECTORY"', "folder + '/state'")
    program = job.new.read_text().replace("while (epoch", f"{above}\nwhile (epoch")
    job.new.write_text(f"{program}    {count}\n    {save}\n")
    go_on(job, new_python, ["batch:2:2", "batch:4:0", None])
    check(job, old_starts=0)
