"""``python -m migrate checkpoint`` carries a whole job over, or writes nothing and says why."""

import re
import shutil

import pytest
import tensorflow as tf

from migrate.checkpoints.bundle import MOST_PARTS, PART_BYTES, Stored
from migrate.checkpoints.cli import main
from migrate.checkpoints.correspondence import parts
from migrate.recovery.keras_step_recovery import CheckpointRecovery
from tests.pairs import ROOT
from tests.tensorflow.checkpoints.job import batches, build
from tests.tensorflow.checkpoints.models import ADAM


@pytest.fixture(autouse=True)
def at_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def convert(source, destination, model="adam", *options):
    return main([str(source), str(destination), "--model", f"tests.tensorflow.checkpoints.models:{model}", *options])


def recover(model, model_dir, max_to_keep=None):
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(model=model, optimizer=model.optimizer),
        str(model_dir),
        max_to_keep=max_to_keep,
        step_counter=model.optimizer.iterations,
        checkpoint_interval=4,
    )
    return CheckpointRecovery(manager)


def steps(directory):
    return sorted(int(re.search(r"-(\d+)", path.stem)[1]) for path in directory.glob("*ckpt-*.index"))


def test_the_latest_checkpoint_of_a_directory_is_carried_with_its_step(estimators, tmp_path):
    assert convert(estimators / ADAM, tmp_path / "new") == 0
    assert recover(build(ADAM), tmp_path / "new").restore() == 30


def test_one_checkpoint_can_be_named(estimators, tmp_path):
    assert convert(estimators / ADAM / "model.ckpt-15", tmp_path / "new") == 0
    assert recover(build(ADAM), tmp_path / "new").restore() == 15


def test_all_checkpoints_of_a_directory_can_be_carried(estimators, tmp_path):
    assert convert(estimators / ADAM, tmp_path / "new", "adam", "--all") == 0
    assert steps(tmp_path / "new") == steps(estimators / ADAM) == [0, 15, 30]
    assert recover(build(ADAM), tmp_path / "new").restore() == 30


def test_the_job_goes_on_and_keeps_what_was_carried(estimators, tmp_path):
    convert(estimators / ADAM, tmp_path / "new", "adam", "--all")
    model = build(ADAM)
    recovery = recover(model, tmp_path / "new")
    recovery.restore()
    model.fit(batches(estimators, ADAM).take(2), verbose=0, callbacks=[recovery])
    assert steps(tmp_path / "new") == [0, 15, 30, 32]


def test_what_was_carried_counts_among_the_checkpoints_to_keep(estimators, tmp_path):
    convert(estimators / ADAM, tmp_path / "new", "adam", "--all")
    model = build(ADAM)
    recovery = recover(model, tmp_path / "new", max_to_keep=2)
    recovery.restore()
    model.fit(batches(estimators, ADAM).take(2), verbose=0, callbacks=[recovery])
    assert steps(tmp_path / "new") == [30, 32]


def test_a_dry_run_prints_what_becomes_of_each_variable_and_writes_nothing(estimators, tmp_path, capsys):
    assert convert(estimators / ADAM, tmp_path / "new", "adam", "--dry-run") == 0
    printed = capsys.readouterr().out
    assert "step 30" in printed
    for name in tf.train.load_checkpoint(str(estimators / ADAM)).get_variable_to_shape_map():
        assert (name in printed) != name.endswith("_power")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("source", [ADAM, "v2-three-Adam"])
def test_there_and_back_every_value_is_as_it_was(estimators, source, tmp_path):
    assert convert(estimators / source, tmp_path / "new") == 0
    back = ("--to-estimator", "--like", str(estimators / source))
    assert convert(tmp_path / "new", tmp_path / "old", "adam", *back) == 0
    before, after = (tf.train.load_checkpoint(str(path)) for path in (estimators / source, tmp_path / "old"))
    assert tf.train.latest_checkpoint(str(tmp_path / "old")).endswith("model.ckpt-30")
    assert after.get_variable_to_shape_map() == before.get_variable_to_shape_map()
    assert after.get_variable_to_dtype_map() == before.get_variable_to_dtype_map()
    for name in before.get_variable_to_shape_map():
        assert after.get_tensor(name).tolist() == before.get_tensor(name).tolist(), name


@pytest.mark.parametrize(
    ("model", "name", "message"),
    [
        ("one_layer_more", ADAM, r"missing +dnn/hiddenlayer_2/bias\n"),
        ("one_layer_less", ADAM, r"unexpected +dnn/hiddenlayer_1/bias\n"),
        ("wider", ADAM, r"misshapen +dnn/hiddenlayer_1/bias \[5\] for \[6\]"),
        ("without_slots", ADAM, r"unexpected +dnn/hiddenlayer_0/bias/t_0/Adam\n"),
        ("nadam", ADAM, "The slots of Nadam are not known"),
        ("momentum_of_a_schedule", "v1-three-MomentumOptimizer", "the algorithms differ"),
        ("other_momentum", "v2-three-SGD_momentum", r"momentum is 0.9 .* 0.5"),
        ("with_other_layers", ADAM, "The layer extra has weights"),
        ("nothing", ADAM, "returned NoneType"),
        ("missing", ADAM, "has no attribute 'missing'"),
    ],
)
def test_what_does_not_fit_is_told_and_nothing_is_written(estimators, tmp_path, capsys, model, name, message):
    assert convert(estimators / name, tmp_path / "new", model) == 2
    assert re.search(message, capsys.readouterr().err)
    assert list(tmp_path.iterdir()) == []


def test_a_learning_rate_that_the_old_job_saved_is_carried(estimators, tmp_path):
    convert(estimators / "v2-three-SGD", tmp_path / "new", "other_rate")
    model = build("v2-three-SGD", optimizer=tf.keras.optimizers.SGD(0.5))
    recover(model, tmp_path / "new").restore()
    assert float(model.optimizer.learning_rate.numpy()) == pytest.approx(0.01)


def test_what_is_there_already_is_not_overwritten(estimators, tmp_path, capsys):
    (tmp_path / "notes").write_text("mine")
    assert convert(estimators / ADAM, tmp_path) == 2
    assert "is there already" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_a_torn_checkpoint_is_told_and_nothing_is_written(estimators, tmp_path, capsys):
    torn = shutil.copytree(estimators / ADAM, tmp_path / "torn")
    data = torn / "model.ckpt-30.data-00000-of-00001"
    data.write_bytes(data.read_bytes()[:100])
    assert convert(torn, tmp_path / "new") == 2
    assert "cannot be read" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["torn"]


def test_the_way_back_of_a_keras_program_asks_for_the_old_names(estimators, tmp_path, capsys):
    convert(estimators / ADAM, tmp_path / "new")
    assert convert(tmp_path / "new", tmp_path / "old", "adam", "--to-estimator") == 2
    assert "--like" in capsys.readouterr().err


def test_a_directory_without_checkpoints_is_told(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert convert(tmp_path / "empty", tmp_path / "new") == 2
    assert "no directory with one" in capsys.readouterr().err


def test_partitioned_slots_are_joined(tmp_path):
    from migrate.checkpoints.bundle import Reader, write

    value = tf.reshape(tf.range(10.0), [5, 2])
    halves = parts(["w/t_0/Adam", "w/t_1/Adam"], [5, 2])
    write(str(tmp_path / "old"), [(halves[0], lambda: value[:3]), (halves[1], lambda: value[3:])])
    reader = Reader(str(tmp_path / "old"))
    assert tf.concat([reader.read(half) for half in halves], 0).numpy().tolist() == value.numpy().tolist()


def test_a_checkpoint_is_written_in_parts_of_bounded_size(tmp_path):
    from migrate.checkpoints.bundle import Reader, write

    size = PART_BYTES // 4
    tensors = [(Stored(f"t{number}"), lambda number=number: tf.fill([size], float(number))) for number in range(3)]
    write(str(tmp_path / "many"), tensors)
    assert len(list(tmp_path.glob("many.data-*"))) == 3
    write(str(tmp_path / "few"), tensors, MOST_PARTS * 2 * PART_BYTES)
    assert len(list(tmp_path.glob("few.data-*"))) == 2
    assert float(Reader(str(tmp_path / "many")).read(Stored("t2"))[-1]) == 2.0


@pytest.mark.parametrize("program", ["print('no manager')", "raise SystemExit(3)", "1 / 0"])
def test_a_program_that_makes_no_manager_is_told(estimators, tmp_path, capsys, program):
    (tmp_path / "program.py").write_text(program)
    assert main([str(estimators / ADAM), str(tmp_path / "new"), "--for", str(tmp_path / "program.py")]) == 2
    assert "CheckpointManager" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


TRAINS_A_MODEL_FN = """
import sys
from tests.tensorflow.model_fn.linear import Job
def job():
    return Job(sys.argv[-1]).train
if __name__ == "__main__":
    job()
"""


@pytest.mark.parametrize("way", [[], ["--to-estimator"]])
def test_for_a_model_fn_there_is_nothing_to_convert(estimators, tmp_path, capsys, way):
    (tmp_path / "program.py").write_text(TRAINS_A_MODEL_FN)
    command = [str(estimators / ADAM), str(tmp_path / "new"), "--for", str(tmp_path / "program.py"), *way]
    assert main(command) == 2
    assert "there is nothing to convert: its checkpoints are the Estimator's" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


TWO_MANAGERS = """
import sys, tensorflow as tf
from tests.tensorflow.checkpoints.models import adam, wider
for build in (wider, adam):
    model = build()
    checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
    tf.train.CheckpointManager(checkpoint, f"{sys.argv[2]}/{build.__name__}", 3)
    model.fit("this is no dataset: nothing is trained on the way")
"""


def test_a_later_manager_of_a_program_can_be_meant(estimators, tmp_path, capsys):
    (tmp_path / "program.py").write_text(TWO_MANAGERS)
    command = [str(estimators / ADAM), str(tmp_path / "new"), "--for", str(tmp_path / "program.py")]
    assert main([*command, "--manager", "3"]) == 2
    assert main(command) == 2
    assert "fewer than 3" in capsys.readouterr().err
    assert main([*command, "--manager", "2"]) == 0
    assert recover(build(ADAM), tmp_path / "new").restore() == 30
