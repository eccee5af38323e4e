"""State that a restart loses, and the code that keeps it."""

import numpy as np
import pytest
import tensorflow as tf


@pytest.mark.parametrize(("is_own_first", "first"), [(False, 100), (True, 105)])
def test_a_file_to_begin_with_beats_the_newest_checkpoint_unless_that_comes_first(tmp_path, is_own_first, first):
    init_from = tf.train.Checkpoint(step=tf.Variable(100)).save(str(tmp_path / "base"))

    def start():
        step = tf.Variable(0)
        checkpoint = tf.train.Checkpoint(step=step)
        manager = tf.train.CheckpointManager(checkpoint, str(tmp_path / "own"), max_to_keep=1)
        if is_own_first and manager.latest_checkpoint:
            checkpoint.restore(manager.latest_checkpoint)
        elif init_from:
            checkpoint.restore(init_from).expect_partial()
        begun = int(step)
        step.assign_add(5)
        manager.save()
        return begun

    assert [start(), start()] == [100, first]


@pytest.mark.parametrize("is_assigned", [False, True])
def test_a_number_in_place_of_a_tracked_variable_is_saved_in_no_checkpoint(tmp_path, is_assigned):
    checkpoint = tf.train.Checkpoint(best=tf.Variable(1.0))
    for value in (0.5, 0.25):
        if is_assigned:
            checkpoint.best.assign(value)
        else:
            checkpoint.best = value
        path = checkpoint.save(str(tmp_path / "c"))
    again = tf.Variable(9.0)
    tf.train.Checkpoint(best=again).restore(path).assert_existing_objects_matched()
    assert float(again) == (0.25 if is_assigned else 1.0)


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
