"""A Keras model with the methods of an Estimator trains, resumes, evaluates, predicts and exports as the Estimator."""

import json
import os
import sys

import pytest

from migrate.pipeline.run import run, write
from migrate.settings import Settings
from tests import nursery

PROGRAM = """\
import json
import sys

import numpy as np
import tensorflow as tf


def build_model():
    start = tf.keras.initializers.Constant(0.3)
    inputs = tf.keras.Input((3,), name="x")
    net = tf.keras.layers.Dense(4, activation="relu", name="hidden", kernel_initializer=start)(inputs)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, name="sum", kernel_initializer=start)(net))
    model.compile(optimizer=tf.keras.optimizers.SGD(0.05), loss="mse", metrics=["mae"])
    return model


def input_fn():
    x = np.random.RandomState(0).rand(64, 3).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices(({"x": x}, x.sum(axis=1, keepdims=True))).repeat().batch(8)


def receiver_fn():
    x = tf.compat.v1.placeholder(tf.float32, [None, 3])
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


def estimators(folder):
    config = tf.estimator.RunConfig(folder, save_checkpoints_steps=4, keep_checkpoint_max=5)
    return {"one": tf.keras.estimator.model_to_estimator(keras_model=build_model(), config=config)}


def main(folder):
    estimators(folder)["one"].train(input_fn, steps=5)
    made = estimators(folder)["one"]
    exporter = tf.estimator.LatestExporter("last", receiver_fn)
    spec = tf.estimator.EvalSpec(input_fn, steps=4, exporters=exporter, throttle_secs=0, name="own")
    metrics, exports = tf.estimator.train_and_evaluate(made, tf.estimator.TrainSpec(input_fn, max_steps=15), spec)
    made = estimators(folder)["one"]
    again = made.evaluate(input_fn, steps=4)
    predicted = next(made.predict(input_fn))
    served = tf.saved_model.load(exports[-1].decode()).signatures["serving_default"](x=tf.ones([1, 3]))
    told = [{name: float(value) for name, value in one.items()} for one in (metrics, again)]
    told += [{name: float(np.ravel(value)[0]) for name, value in one.items()} for one in (predicted, served)]
    print(json.dumps([made.latest_checkpoint().rpartition("-")[2], *told]))


main(sys.argv[1])
"""


def come_to(text, folder):
    """What the Estimator's program prints last, and the migrated one."""
    new, old = folder / "program.py", folder / "old.py"
    for program in (new, old):
        program.write_text(text)
    outcome = run([str(new)], Settings(), jobs=1, progress=None)
    assert all(finding.rewritten for finding in outcome.findings), outcome.findings
    assert write(outcome) == []
    found = []
    for python, program in ((os.environ["MIGRATE_OLD_PYTHON"], old), (sys.executable, new)):
        hidden = "TF_USE_LEGACY_KERAS" if program == old else ""  # TensorFlow 2.15 has no tf_keras.
        environment = {name: value for name, value in os.environ.items() if name != hidden}
        done = nursery.run([python, str(program), str(folder / program.stem)], environment)
        assert done.returncode == 0, done.stderr[-3000:]
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return found


def test_a_keras_model_as_an_object_comes_to_what_its_estimator_came_to(tmp_path):
    expected, found = come_to(PROGRAM, tmp_path)
    assert found[0] == expected[0] == "15"
    for one, other in zip(found[1:], expected[1:], strict=True):
        assert one == pytest.approx(other, rel=1e-5)


def test_a_model_that_is_saved_in_hdf5_trains_and_goes_on(tmp_path):
    import numpy as np
    import tensorflow as tf

    from migrate.recovery.keras.model_to_estimator import model_to_estimator

    model = tf.keras.Sequential([tf.keras.layers.Input((4,), name="x"), tf.keras.layers.Dense(2)])
    model.compile("adam", "mse", metrics=["mae"])
    model.save(tmp_path / "m.h5")

    def input_fn():
        return tf.data.Dataset.from_tensor_slices((np.ones((8, 4)), np.ones((8, 2)))).repeat().batch(4)

    for steps in (6, 10):
        estimator = model_to_estimator(keras_model_path=str(tmp_path / "m.h5"), model_dir=str(tmp_path / "out"))
        estimator.train(input_fn, max_steps=steps)
        assert estimator.evaluate(input_fn, steps=2).keys() == {"loss", "mae", "global_step"}
        assert estimator.latest_checkpoint().endswith(f"-{steps}")


HOOKED = (
    PROGRAM.partition("def main")[0]
    + """\
class Calls(tf.compat.v1.train.SessionRunHook):
    def begin(self):
        self.step, self.calls = tf.compat.v1.train.get_global_step(), 0

    def after_run(self, run_context, run_values):
        self.calls += 1

    def end(self, session):
        self.last = int(session.run(self.step))


def main(folder):
    hook, made = Calls(), estimators(folder)["one"]
    made.train(input_fn, hooks=[hook, tf.compat.v1.train.StopAtStepHook(num_steps=6)])
    told = [hook.calls, hook.last]
    made.train(input_fn, steps=20, hooks=[hook, tf.compat.v1.train.StopAtStepHook(last_step=13)])
    told += [hook.calls, hook.last]
    made, when = estimators(folder + "/2")["one"], {"run_every_secs": None, "run_every_steps": 1}
    stop = tf.estimator.experimental.stop_if_higher_hook(made, "mae", 0.0, min_steps=8, **when)
    train = tf.estimator.TrainSpec(input_fn, max_steps=90, hooks=[hook, stop])
    tf.estimator.train_and_evaluate(made, train, tf.estimator.EvalSpec(input_fn, steps=4, throttle_secs=0))
    print(json.dumps([*told, hook.calls, hook.last, made.latest_checkpoint().rpartition("-")[2]]))


main(sys.argv[1])
"""
)


def test_hooks_of_a_keras_models_training_are_called_at_each_step_and_end_it(tmp_path):
    expected, found = come_to(HOOKED, tmp_path)
    assert found == [6, 6, 7, 13, 8, 8, "8"]
    # The Estimator's session reads the step while it adds 1: its hook may find the metrics of step 8 a step later.
    assert expected in (found, [6, 6, 7, 13, 9, 9, "9"])


def test_a_hook_that_would_save_a_session_is_rejected_before_a_keras_model_is_trained(tmp_path):
    import tensorflow as tf

    from migrate.recovery.keras.model_to_estimator import model_to_estimator

    model = tf.keras.Sequential([tf.keras.layers.Input((4,)), tf.keras.layers.Dense(2)])
    model.compile("adam", "mse")
    saver = tf.compat.v1.train.CheckpointSaverHook(str(tmp_path), save_steps=1)
    with pytest.raises(ValueError, match="cannot save a Keras model"):
        model_to_estimator(model, model_dir=str(tmp_path)).train(lambda: None, hooks=[saver])


FITTED = """\
import json
import os
import sys

import tensorflow as tf

OPTIMIZERS = getattr(tf.keras.optimizers, "legacy", tf.keras.optimizers)
if not hasattr(OPTIMIZERS.Adagrad, "get_config"):  # Keras 3 has its names alone
    OPTIMIZERS = tf.keras.optimizers


def input_fn():
    return tf.data.Dataset.from_tensors(([[1.0], [2.0]], [[2.0], [4.0]])).repeat(20)


def main(folder):
    inputs = tf.keras.Input((1,), name="x")
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, kernel_initializer="ones", name="sum")(inputs))
    model.compile(OPTIMIZERS.Adagrad(0.1), "mse")
    model.fit(input_fn(), verbose=0)
    config = tf.estimator.RunConfig(folder, save_checkpoints_steps=4, keep_checkpoint_max=2)
    estimator = tf.keras.estimator.model_to_estimator(keras_model=model, config=config)
    metrics, _ = tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(input_fn, max_steps=20),
        tf.estimator.EvalSpec(input_fn, steps=1, throttle_secs=0),
    )
    steps = {int(name.split("-")[1].split(".")[0]) for name in os.listdir(folder) if name.endswith(".index")}
    print(json.dumps([sorted(steps), int(metrics["global_step"]), float(metrics["loss"])]))


main(sys.argv[1])
"""


def test_a_model_that_was_fitted_begins_at_step_0_with_its_weights_and_keeps_five_checkpoints(tmp_path):
    expected, found = come_to(FITTED, tmp_path)
    assert expected[:2] == found[:2] == [[4, 8, 12, 16, 20], 20]
    assert found[2] == pytest.approx(expected[2], rel=1e-5)
