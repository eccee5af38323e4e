"""A whole model in HDF5, of Keras 2 or Keras 3, is trained further by Keras 3 as by the Keras that saved it."""

import json
import os
import subprocess

import numpy as np
import pytest
import tensorflow as tf

from migrate.recovery.keras.whole_models import load_compiled_model

SAVE = """
import json, sys
import numpy as np, tensorflow as tf

keras, layers = tf.keras, tf.keras.layers
folder = sys.argv[1]
rows = np.random.RandomState(0)
ids = rows.randint(0, 5, (32, 6))
x, y = rows.rand(32, 6).astype("f"), rows.rand(32, 2).astype("f")


def own(y_true, y_pred):
    return tf.reduce_mean(tf.square(y_true - y_pred), -1)


def network(sequence=False, outputs=None, transposed=False, moving=False, recurrent="sigmoid"):
    keras.utils.set_random_seed(1)
    inputs = layers.Input((6,))
    if transposed:
        images = layers.Reshape((2, 3, 1))(inputs)
        wide = layers.Conv2DTranspose(1, 2)(images)
        long = layers.Conv1DTranspose(1, 2)(layers.Reshape((12, 1))(wide))
        deep = layers.Conv3DTranspose(1, 1)(layers.Reshape((13, 1, 1, 1))(long))
        return keras.Model(inputs, layers.Dense(2)(layers.Flatten()(deep)))
    if moving:
        seen = layers.ConvLSTM2D(1, 2, recurrent_activation=recurrent)(layers.Reshape((1, 2, 3, 1))(inputs))
        seen = layers.DepthwiseConv1D(2)(layers.Reshape((2, 1))(seen))
        return keras.Model(inputs, layers.Dense(2)(layers.Flatten()(layers.SpatialDropout1D(0.0)(seen))))
    frozen = layers.Dense(6, trainable=False)
    hidden = layers.BatchNormalization()(frozen(inputs))
    if sequence:
        cells = layers.Bidirectional(layers.LSTM(3, return_sequences=True))(layers.Embedding(5, 4)(inputs))
        hidden = layers.GRU(3)(cells)
    if outputs:
        return keras.Model(inputs, [layers.Dense(2, name=name)(hidden) for name in outputs])
    return keras.Model(inputs, layers.Dense(2, activation="softmax")(hidden))


optimizers = {
    "adam": "adam",
    "amsgrad": keras.optimizers.Adam(0.01, amsgrad=True, clipnorm=1.0),
    "momentum": keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "centered": keras.optimizers.RMSprop(0.01, centered=True, momentum=0.5),
    "adadelta": keras.optimizers.Adadelta(0.5),
    "adamax": keras.optimizers.Adamax(0.01),
    "ftrl": keras.optimizers.Ftrl(0.1),
    "schedule": keras.optimizers.Adam(keras.optimizers.schedules.ExponentialDecay(0.1, 3, 0.5)),
}
if not hasattr(keras, "ops"):
    old = keras.optimizers.legacy
    optimizers |= {
        "old adam": old.Adam(0.05, decay=0.1),
        "old adamax": old.Adamax(0.01),
        "old adadelta": old.Adadelta(0.5),
        "old momentum": old.SGD(0.1, momentum=0.9),
    }
jobs = {name: (network(), one, "mse", ["mae"], x, y) for name, one in optimizers.items()}
for name, loss, metrics in [
    ("accuracy", "binary_crossentropy", ["accuracy", keras.metrics.AUC(name="area")]),
    ("object", keras.losses.BinaryCrossentropy(label_smoothing=0.1), [keras.metrics.MeanSquaredError(name="m")]),
    ("own", own, [own, "mse"]),
]:
    jobs[name] = (network(), "adam", loss, metrics, x, (y > 0.5).astype("f"))
untrained = network()
untrained.compile(keras.optimizers.Adam(0.01), "mse")
untrained.save(f"{folder}/untrained.h5")
jobs["transposed"] = (network(transposed=True), "adam", "mse", None, x, y)
jobs["moving"] = (network(moving=True), "adam", "mse", None, x, y)
jobs["sequence"] = (network(sequence=True), "adam", "mae", None, ids, y)
two = network(outputs=("a", "b"))
jobs["two"] = (two, "adam", {"a": "mse", "b": "mae"}, {"a": ["mae"], "b": ["mse"]}, x, {"a": y, "b": y})
other = network(moving=True, recurrent="hard_sigmoid")
other.compile("adam", "mse")
other.save(f"{folder}/other.h5")
went = {}
for name, (model, optimizer, loss, metrics, inputs, labels) in jobs.items():
    model.compile(optimizer, loss, metrics=metrics)
    given = {"epochs": 2, "batch_size": 8, "shuffle": False, "verbose": 0}
    model.fit(inputs, labels, **given)
    model.save(f"{folder}/{name}.h5")
    went[name] = model.fit(inputs, labels, **given).history
    if not hasattr(keras, "ops"):  # once it was loaded, its slots have other names
        keras.models.load_model(f"{folder}/{name}.h5", {"own": own}).save(f"{folder}/{name} again.h5")
        went[f"{name} again"] = went[name]
with open(f"{folder}/went.json", "w") as file:
    json.dump({name: {k: [float(v) for v in vs] for k, vs in one.items()} for name, one in went.items()}, file)
"""


def own(y_true, y_pred):
    return tf.reduce_mean(tf.square(y_true - y_pred), -1)


def saved(python, folder):
    command = [python, "-c", SAVE, str(folder)]
    subprocess.run(command, check=True, env={**os.environ, "TF_USE_LEGACY_KERAS": "0"})
    return json.loads((folder / "went.json").read_text())


@pytest.mark.parametrize("line", ["old", "new"])
def test_training_goes_on_as_if_it_had_not_been_saved(line, old_python, new_python, tmp_path):
    rows = np.random.RandomState(0)
    ids = rows.randint(0, 5, (32, 6))
    x, y = rows.rand(32, 6).astype("f"), rows.rand(32, 2).astype("f")
    for name, went in saved(old_python if line == "old" else new_python, tmp_path).items():
        model = load_compiled_model(tmp_path / f"{name}.h5", {"own": own})
        job = name.removesuffix(" again")
        inputs = ids if job == "sequence" else x
        labels = (y > 0.5).astype("f") if job in ("accuracy", "object", "own") else y
        labels = {"a": y, "b": y} if job == "two" else labels
        history = model.fit(inputs, labels, epochs=2, batch_size=8, shuffle=False, verbose=0).history
        assert sorted(history) == sorted(went), name
        for key, values in went.items():
            np.testing.assert_allclose(history[key], values, rtol=2e-5, err_msg=f"{name} {key}")
        assert int(model.optimizer.iterations.numpy()) == 16, name
    if line == "old" and hasattr(tf.keras, "ops"):
        with pytest.raises(ValueError, match="hard_sigmoid"):
            load_compiled_model(tmp_path / "other.h5")
    untrained = load_compiled_model(tmp_path / "untrained.h5")
    untrained.fit(x, y, batch_size=8, verbose=0)
    assert int(untrained.optimizer.iterations.numpy()) == 4


@pytest.mark.skipif(not hasattr(tf.keras, "ops"), reason="Keras 2 trains such a model further by itself")
def test_keras_3_alone_does_not_train_it_further(tmp_path):
    model = tf.keras.Sequential([tf.keras.layers.Input((6,)), tf.keras.layers.Dense(2)])
    rows = np.ones((8, 6)), np.ones((8, 2))
    for loss, said in (("mse", "Could not deserialize"), (tf.keras.losses.MeanSquaredError(), "Unknown variable")):
        model.compile("adam", loss)
        model.fit(*rows, verbose=0)
        model.save(tmp_path / "m.h5")
        with pytest.raises(ValueError, match=said):
            tf.keras.models.load_model(tmp_path / "m.h5").fit(*rows, verbose=0)


@pytest.mark.skipif(not hasattr(tf.keras, "ops"), reason="Keras 2 saves what Keras 3 leaves out")
def test_what_the_file_does_not_hold_is_no_guess(tmp_path, caplog):
    model = tf.keras.Sequential([tf.keras.layers.Input((6,)), tf.keras.layers.Dense(2)])
    model.compile("adam", tf.keras.losses.Huber(0.5))
    model.save(tmp_path / "m.h5")
    rows, model = (np.ones((8, 6)), np.ones((8, 2))), load_compiled_model(tmp_path / "m.h5")
    assert "has to be compiled: the file does not hold the delta" in caplog.text
    with pytest.raises(ValueError, match="compile"):
        model.fit(*rows, verbose=0)
    model.compile("adam", tf.keras.losses.Huber(0.5))  # As the program does.
    model.fit(*rows, verbose=0)
    assert load_compiled_model(tmp_path / "m.h5", compile=False).count_params() == 14


@pytest.mark.skipif(not hasattr(tf.keras, "ops"), reason="Keras 2 reads its own files")
def test_a_metric_that_nobody_knows_is_named(tmp_path, caplog):
    class Own(tf.keras.metrics.MeanSquaredError):
        pass

    model = tf.keras.Sequential([tf.keras.layers.Input((6,)), tf.keras.layers.Dense(2)])
    model.compile("adam", "mse", metrics=[Own(name="_own")])
    model.save(tmp_path / "m.h5")
    load_compiled_model(tmp_path / "m.h5")
    assert "has to be compiled: " in caplog.text and "Own" in caplog.text
    rows = np.ones((8, 6)), np.ones((8, 2))
    model = load_compiled_model(tmp_path / "m.h5", {"Own": Own})  # which has not trained yet
    assert sorted(model.fit(*rows, verbose=0).history) == ["_own", "loss"]
    assert int(model.optimizer.iterations.numpy()) == 1
