"""A loop that trains by itself goes on with the weights and the optimizers that an uninterrupted one has."""

import numpy as np
import pytest
import tensorflow as tf

from migrate.recovery.keras_loop_recovery import LoopRecovery

X = np.random.RandomState(0).rand(8, 4).astype("float32")
Y = X.sum(1, keepdims=True)
KERAS_3 = hasattr(tf.keras, "ops")


class Subclassed(tf.keras.Model):
    def __init__(self, *more):
        super().__init__()
        self.more, self.last = more, tf.keras.layers.Dense(1)

    def call(self, inputs):
        for layer in self.more:
            inputs = layer(inputs)
        return self.last(inputs)


class Pairs(tf.keras.Model):
    """``model.build`` cannot build it: ``call`` has two arguments."""

    def __init__(self, *more):
        super().__init__()
        self.more, self.last = more, tf.keras.layers.Dense(1)

    def call(self, inputs, others):
        for layer in self.more:
            inputs = layer(inputs)
        return self.last(inputs + others)


class InList(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.parts = [tf.keras.layers.Dense(3), tf.keras.layers.BatchNormalization()]

    def call(self, inputs, training=True):
        return self.parts[1](self.parts[0](inputs), training=training)


def dense(*layers):
    return tf.keras.Sequential([tf.keras.Input((4,)), *layers, tf.keras.layers.Dense(1)])


def loop(directory, epochs, named=None, model_of=dense):
    """Trains one model by batches and another by a tape; gives the first epoch and the last weights."""
    tf.keras.utils.set_random_seed(1)
    first, second, optimizer = dense(), model_of(), tf.keras.optimizers.Adam(0.1)
    first.compile("adam", "mse")
    checkpoint = tf.train.Checkpoint(
        first=first, second=second, first_optimizer=first.optimizer, optimizer=optimizer, epoch=tf.Variable(0)
    )
    recovery = LoopRecovery(tf.train.CheckpointManager(checkpoint, str(directory / "recovery"), max_to_keep=2))
    begun = recovery.restore(named=named)
    for epoch in range(begun, epochs):
        first.train_on_batch(X, Y)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((second(X) - Y) ** 2)
        optimizer.apply_gradients(
            zip(tape.gradient(loss, second.trainable_variables), second.trainable_variables, strict=True)
        )
        first.save_weights(str(directory / "first.weights.h5"))
        recovery.save(epoch + 1)
    return begun, [weight.tolist() for model in (first, second) for weight in model.get_weights()]


def test_several_models_and_optimizers_go_on_as_without_an_interruption(tmp_path):
    _, whole = loop(tmp_path / "whole", 5)
    assert loop(tmp_path, 3)[0] == 0
    assert loop(tmp_path, 5) == (3, whole)
    assert loop(tmp_path, 5)[0] == 5


def test_layers_in_a_list_go_on_as_without_an_interruption(tmp_path):
    _, whole = loop(tmp_path / "whole", 5, model_of=lambda: dense(InList()))
    loop(tmp_path, 3, model_of=lambda: dense(InList()))
    assert loop(tmp_path, 5, model_of=lambda: dense(InList())) == (3, whole)


def test_a_checkpoint_that_a_kill_cut_short_is_passed_over_for_the_one_before(tmp_path):
    loop(tmp_path, 3)
    newest = tf.train.latest_checkpoint(str(tmp_path / "recovery"))
    open(newest + ".index", "wb").close()
    assert loop(tmp_path, 5) == (2, loop(tmp_path / "whole", 5)[1])


def test_nothing_is_restored_over_another_file_that_the_user_names_but_over_the_same_again(tmp_path):
    loop(tmp_path, 3)
    assert loop(tmp_path, 2, named="w-7.h5")[0] == 0
    assert loop(tmp_path, 4, named="w-7.h5")[0] == 2
    assert loop(tmp_path, 4)[0] == 4
    assert loop(tmp_path, 4, named=0)[0] == 4


def test_a_named_file_that_another_program_has_saved_anew_is_another_one_and_one_that_the_loop_saves_is_not(tmp_path):
    file = tmp_path / "first.weights.h5"
    dense().save_weights(file)
    assert [loop(tmp_path, epochs, named=file)[0] for epochs in (2, 3)] == [0, 2]
    dense().save_weights(file)
    assert [loop(tmp_path, epochs, named=file)[0] for epochs in (1, 3)] == [0, 1]


def test_of_several_files_a_start_may_name_those_alone_that_an_earlier_one_named_too(tmp_path):
    assert loop(tmp_path, 2, named="base.h5\nw-7.h5")[0] == 0
    assert loop(tmp_path, 3, named="base.h5")[0] == 2
    assert loop(tmp_path, 4, named="base.h5\nw-7.h5")[0] == 3
    assert loop(tmp_path, 2, named="base.h5\nw-8.h5")[0] == 0


def test_the_weights_that_the_program_saves_are_put_in_place_whole(tmp_path):
    loop(tmp_path, 1)
    assert (tmp_path / "first.weights.h5").exists()
    assert not (tmp_path / "recovery" / "first.weights.h5").exists()


def test_models_that_have_changed_raise_before_anything_is_trained(tmp_path):
    loop(tmp_path, 1)
    with pytest.raises(ValueError, match=rf"(?s)not fit this model: .*\n{tmp_path}/recovery holds .*move that"):
        loop(tmp_path, 2, model_of=lambda: dense(tf.keras.layers.Dense(3)))


def test_a_model_that_is_not_built_goes_on_as_without_an_interruption_or_raises_at_the_start(tmp_path):
    loop(tmp_path, 3, model_of=Subclassed)
    assert loop(tmp_path, 5, model_of=Subclassed) == (3, loop(tmp_path / "whole", 5, model_of=Subclassed)[1])
    if KERAS_3:
        (tmp_path / "recovery" / "shapes.json").unlink()
        with pytest.raises(ValueError, match="Build the models before the loop"):
            loop(tmp_path, 6, model_of=Subclassed)


def test_a_changed_model_that_is_not_built_raises_before_anything_is_trained(tmp_path):
    loop(tmp_path, 1, model_of=Subclassed)
    with pytest.raises(ValueError, match="not fit this model"):
        loop(tmp_path, 2, model_of=lambda: Subclassed(tf.keras.layers.Dense(4)))


def pairs(directory, epochs, called, *more):
    """Trains one model in each turn, and another in some; gives what both lost, with the turn."""
    tf.keras.utils.set_random_seed(1)
    models, losses = (Subclassed(), Pairs(*more)), []
    optimizers = [tf.keras.optimizers.SGD(0.1) for _ in models]
    checkpoint = tf.train.Checkpoint(
        first=models[0], second=models[1], one=optimizers[0], other=optimizers[1], epoch=tf.Variable(0)
    )
    recovery = LoopRecovery(tf.train.CheckpointManager(checkpoint, str(directory), max_to_keep=2))
    for epoch in range(recovery.restore(), epochs):
        for model, given, optimizer in zip(models, [(X,), (X, X)], optimizers, strict=True):
            if model is models[0] or epoch in called:
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((model(*given) - Y) ** 2)
                trained = model.trainable_variables
                optimizer.apply_gradients(zip(tape.gradient(loss, trained), trained, strict=True))
                losses.append((epoch, float(loss)))
        recovery.save(epoch + 1)
    return losses


def test_a_model_that_only_its_first_call_builds_is_saved_when_it_has_what_it_had_or_raises_at_the_start(tmp_path):
    called = {0, 1, 4, 5}
    begun = pairs(tmp_path / "a", 2, called)
    if KERAS_3:
        with pytest.raises(ValueError, match="Build the models before the loop"):
            pairs(tmp_path / "a", 6, called)
        return
    assert [epoch for epoch, _ in pairs(tmp_path / "a", 4, called)] == [2, 3]  # and saves nothing
    assert begun + pairs(tmp_path / "a", 6, called) == pairs(tmp_path / "whole", 6, called)
    with pytest.raises(ValueError, match="not fit this model"):
        pairs(tmp_path / "a", 7, {6}, tf.keras.layers.Dense(4))


def test_under_a_strategy_of_several_workers_the_program_goes_on_by_its_own_code_alone(tmp_path, caplog):
    with tf.distribute.MultiWorkerMirroredStrategy().scope():
        model = dense()
        checkpoint = tf.train.Checkpoint(model=model, epoch=tf.Variable(0))
    manager = tf.train.CheckpointManager(checkpoint, str(tmp_path / "recovery"), max_to_keep=2)
    recovery = LoopRecovery(manager)
    recovery.save(1)  # where a flag keeps a start from restoring
    assert recovery.restore(4, named="base.h5") == 4
    assert "nothing is saved" in caplog.text
    recovery.save(5)
    assert not (tmp_path / "recovery").exists()
    loop(tmp_path, 2)  # under the default one
    with pytest.raises(ValueError, match="move it away"):
        recovery.restore(4)


def test_what_a_start_restores_is_saved_again_after_its_first_step_alone(tmp_path):
    """It has no slots before: checkpoints of turns that only fill a memory would replace the one with them."""

    def start(turns_without, turns):
        tf.keras.utils.set_random_seed(1)
        model = dense()
        model.compile("adam", "mse")
        checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer, epoch=tf.Variable(0))
        recovery = LoopRecovery(tf.train.CheckpointManager(checkpoint, str(tmp_path / "recovery"), max_to_keep=2))
        recovery.restore()
        for turn in range(turns_without + turns):
            if turn >= turns_without:
                model.train_on_batch(X, Y)
            recovery.save()
        return [weight.tolist() for weight in model.get_weights()]

    whole = start(0, 5)
    (tmp_path / "recovery").rename(tmp_path / "whole")
    start(3, 2)
    start(3, 0)
    assert start(3, 3) == whole
