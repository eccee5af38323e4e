"""State that a restart loses, and the code that keeps it."""

import os
import re
import sys

import numpy as np
import pytest
import tensorflow as tf

from migrate.cli.main import main
from tests import nursery
from tests.cases import each


@pytest.mark.parametrize(("way", "kept"), [("number", 1.0), ("tensor", 1.0), ("assign", 0.25)])
def test_a_number_in_place_of_a_tracked_variable_is_saved_in_no_checkpoint(tmp_path, way, kept):
    checkpoint = tf.train.Checkpoint(best=tf.Variable(1.0))
    for _ in range(2):
        if way == "assign":
            checkpoint.best.assign(checkpoint.best * 0.5)
        else:
            checkpoint.best = float(checkpoint.best) * 0.5 if way == "number" else checkpoint.best * 0.5
        path = checkpoint.save(str(tmp_path / "c"))
    again = tf.Variable(9.0)
    tf.train.Checkpoint(best=again).restore(path).assert_existing_objects_matched()
    assert float(again) == kept


@pytest.mark.parametrize(("is_of_best", "trained"), [(True, [0, 2, 3]), (False, [0, 1, 2, 3])])
def test_the_epoch_of_the_newest_with_the_weights_of_the_best_trains_fewer_epochs(tmp_path, is_of_best, trained):
    def start(epochs):
        done = tf.Variable([-1], shape=[None])
        checkpoint = tf.train.Checkpoint(done=done)
        newest = tf.train.CheckpointManager(checkpoint, str(tmp_path / "newest"), max_to_keep=2)
        best = tf.train.CheckpointManager(checkpoint, str(tmp_path / "best"), max_to_keep=1)
        first = int(newest.latest_checkpoint.split("-")[-1]) if newest.latest_checkpoint else 0
        checkpoint.restore((best if is_of_best else newest).latest_checkpoint)
        for epoch in range(first, epochs):
            done.assign(tf.concat([done, [epoch]], 0))
            newest.save(checkpoint_number=epoch + 1)
            if epoch == 0:
                best.save()
        return done.numpy().tolist()[1:]

    start(2)
    assert start(4) == trained


def stepped(optimizer, weight, steps=3):
    for _ in range(steps):
        optimizer.apply_gradients([(weight * 2, weight)])


@pytest.mark.parametrize(("is_replaced", "iterations"), [(True, 0), (False, 3)])
def test_an_optimizer_that_is_made_anew_behind_the_checkpoint_is_not_in_it(tmp_path, is_replaced, iterations):
    weight, optimizer = tf.Variable([1.0, 2.0]), tf.keras.optimizers.Adam()
    checkpoint = tf.train.Checkpoint(weight=weight, optimizer=optimizer)
    if is_replaced:
        optimizer = tf.keras.optimizers.Adam(0.1)
    stepped(optimizer, weight)
    again = tf.keras.optimizers.Adam()
    again.build([weight])
    path = checkpoint.save(str(tmp_path / "c"))
    tf.train.Checkpoint(optimizer=again).restore(path).expect_partial()
    assert int(again.iterations) == iterations


@pytest.mark.parametrize("is_tracked", [False, True])
def test_a_resumed_training_ends_elsewhere_unless_its_optimizer_is_in_the_checkpoint(tmp_path, is_tracked):
    def made():
        weight, optimizer = tf.Variable([1.0, 2.0]), tf.keras.optimizers.Adam(0.1)
        optimizer.build([weight])
        tracked = {"optimizer": optimizer} if is_tracked else {}
        return weight, optimizer, tf.train.Checkpoint(weight=weight, **tracked)

    weight, optimizer, checkpoint = made()
    stepped(optimizer, weight, 5)
    path = checkpoint.save(str(tmp_path / "c"))
    stepped(optimizer, weight, 5)
    again, optimizer, checkpoint = made()
    checkpoint.restore(path).assert_existing_objects_matched()
    stepped(optimizer, again, 5)
    assert np.array_equal(again.numpy(), weight.numpy()) is is_tracked


@pytest.mark.parametrize("is_tensorflows", [False, True])
def test_the_newest_checkpoint_is_one_of_tensorflows_own_format(tmp_path, is_tensorflows):
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    if is_tensorflows:
        tf.train.Checkpoint(model=model).save(str(tmp_path / "c"))
    else:
        model.save_weights(str(tmp_path / "01.weights.h5"))
    assert (tf.train.latest_checkpoint(str(tmp_path)) is not None) is is_tensorflows


@pytest.mark.parametrize(("is_tracked", "kept"), [(False, 0.4), (True, 0.1)])
def test_a_worse_state_replaces_the_best_after_a_restart_unless_the_best_value_is_tracked(tmp_path, is_tracked, kept):
    def start(losses):
        best, value = tf.Variable(np.inf), tf.Variable(0.0)
        checkpoint = tf.train.Checkpoint(value=value, **({"best": best} if is_tracked else {}))
        manager = tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=1)
        manager.restore_or_initialize()
        for loss in losses:
            if loss < best:
                best.assign(loss)
                value.assign(loss)
                manager.save()
        return manager.latest_checkpoint

    start([0.5, 0.1])
    value = tf.Variable(0.0)
    tf.train.Checkpoint(value=value).restore(start([0.4])).expect_partial()
    assert float(value) == pytest.approx(kept)


@pytest.mark.parametrize(("saves", "begun"), [(False, [7, 7]), (True, [7, 10])])
def test_a_training_that_saves_no_checkpoint_begins_at_the_same_file_again(tmp_path, saves, begun):
    tf.train.Checkpoint(step=tf.Variable(7)).save(str(tmp_path / "c"))

    def start():
        step = tf.Variable(0)
        checkpoint = tf.train.Checkpoint(step=step)
        checkpoint.restore(tf.train.latest_checkpoint(str(tmp_path))).expect_partial()
        first = int(step)
        step.assign_add(3)
        if saves:
            checkpoint.save(str(tmp_path / "c"))
        return first

    assert [start(), start()] == begun


@pytest.mark.parametrize(("is_tracked", "turns"), [(False, 3), (True, 1)])
def test_the_patience_of_a_loop_begins_anew_unless_it_is_tracked(tmp_path, is_tracked, turns):
    def start(limit):
        waited, turn = tf.Variable(0), 0
        checkpoint = tf.train.Checkpoint(step=tf.Variable(0), **({"waited": waited} if is_tracked else {}))
        manager = tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=1)
        manager.restore_or_initialize()
        while waited < 3 and turn < limit:
            waited.assign_add(1)
            manager.save()
            turn += 1
        return turn

    assert [start(2), start(9)] == [2, turns]


@pytest.mark.parametrize("is_passed_over", [True, False])
def test_weights_that_cannot_be_read_are_replaced_where_the_failure_is_passed_over(tmp_path, is_passed_over):
    path = tmp_path / "c.weights.h5"

    def start():
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
        try:
            if path.exists():
                model.load_weights(str(path))
        except OSError:
            if not is_passed_over:
                raise
        model.save_weights(str(path))

    start()
    path.write_bytes(torn := path.read_bytes()[:900])
    if is_passed_over:
        start()
    else:
        with pytest.raises(OSError, match="open"):
            start()
    assert (path.read_bytes() == torn) is not is_passed_over


@pytest.mark.parametrize("is_saved", [False, True])
def test_a_resumed_training_sees_other_samples_unless_its_memory_is_saved_too(tmp_path, is_saved):
    def start(first, last):
        weight, memory = tf.Variable(0.0), []
        checkpoint = tf.train.Checkpoint(weight=weight)
        manager = tf.train.CheckpointManager(checkpoint, str(tmp_path / "c"), max_to_keep=1)
        if manager.restore_or_initialize() and is_saved:
            memory = np.load(tmp_path / "memory.npy").tolist()
        for sample in range(first, last):
            memory.append(float(sample))
            weight.assign_add(np.mean(memory))
            np.save(tmp_path / "memory.npy", memory)
            manager.save()
        return float(weight)

    start(0, 4)
    whole = sum(np.mean(range(turn + 1)) for turn in range(8))
    assert bool(start(4, 8) == pytest.approx(whole)) is is_saved


@pytest.mark.parametrize(("is_restored", "begun"), [(False, [0, 0]), (True, [0, 3])])
def test_a_class_derived_from_a_checkpoint_restores_itself_where_it_is_made(tmp_path, is_restored, begun):
    class Kept(tf.train.Checkpoint):
        def __init__(self, step):
            super().__init__(step=step)
            if is_restored:
                self.restore(tf.train.latest_checkpoint(str(tmp_path)))

    def start():
        kept = Kept(tf.Variable(0))
        first = int(kept.step)
        kept.step.assign_add(3)
        kept.save(str(tmp_path / "c"))
        return first

    assert [start(), start()] == begun


STATE = """\
import tensorflow as tf

step, trained = tf.Variable(0), tf.Variable(0)
checkpoint = tf.train.Checkpoint(step=step, trained=trained)
manager = tf.train.CheckpointManager(checkpoint, "c", max_to_keep=1)
"""
LOOP = """\
from state import manager, step, trained

for turn in range(3):
    trained.assign_add(1)
    step.assign_add(1)
    manager.save()
print(int(trained))
"""
RESTORED = LOOP.replace("for turn", "manager.restore_or_initialize()\nfor turn")
BEGUN = RESTORED.replace("range(3)", "range(int(step), 3)")


@each("loop", "state", "codes", "trained")(
    (LOOP, STATE, ["FT503"], [3, 3]),
    (RESTORED, STATE.replace("step=step, trained=trained", "model=trained"), ["FT509"], [3, 6]),
    (BEGUN, STATE, [], [3, 3]),
)
def test_a_loop_that_saves_what_another_file_makes_begins_anew_unless_it_restores_it_and_reads_its_step(
    tmp_path, capfd, loop, state, codes, trained
):
    (tmp_path / "state.py").write_text(state)
    (tmp_path / "train.py").write_text(loop)
    main(["--check", "--exit-zero", "-j1", "--select", "FT503,FT509", str(tmp_path)])
    assert re.findall(r"/state\.py:\S+ (FT\d+)", capfd.readouterr().out) == codes
    assert [_printed(tmp_path), _printed(tmp_path)] == trained


def _printed(directory):
    ran = nursery.run([sys.executable, "train.py"], os.environ.copy(), cwd=directory)
    assert ran.returncode == 0, ran.stderr
    return int(ran.stdout.split()[-1])
