"""Training programs of many shapes that resume by themselves: ``python job.py SHAPE [--epochs N] [--OPTION]``.

``KILL-AT`` in the environment says when it is killed: ``batch:E:B`` at the end of batch B of epoch E, ``end:E``
when all batches of epoch E and their saves are done,
``state:N:MS`` and ``file:N:MS`` so many milliseconds after the Nth save of the recovery, or of the program, begins, and
``after`` when it has trained. ``EPOCHS`` names a file that gets the number of each epoch that begins.
"""

import argparse
import glob
import os
import re
import signal
import threading
import time

import numpy as np
import tensorflow as tf
from tf2_recovery.keras.backup_and_restore import BackupAndRestore
from tf2_recovery.keras.interrupted_training import SavedTraining
from tf2_recovery.keras.recovered_loop import recovered

keras = tf.keras
parser = argparse.ArgumentParser()
parser.add_argument("shape")
parser.add_argument("--epochs", type=int, default=6)
parser.add_argument("--units", type=int, default=8)
parser.add_argument("--eager", action="store_true")
args = parser.parse_args()
tf.config.run_functions_eagerly(args.eager)

settings = {**os.environ}  # A name with a dash is no part of the command.
kill, *rest = settings.get("KILL-AT", "none").split(":")
saves = {"state": 0, "file": 0}


def die(seconds=0.0):
    time.sleep(seconds)
    os.kill(os.getpid(), signal.SIGKILL)


def killing(kind, write):
    def save(self, *given, **named):
        saves[kind] += 1
        if kill == kind and saves[kind] == int(rest[0]):
            threading.Thread(target=die, args=(float(rest[1]) / 1000,), daemon=True).start()
        return write(self, *given, **named)

    return save


tf.train.CheckpointManager.save = killing("state", tf.train.CheckpointManager.save)
for owner in keras.Model.__mro__:
    for name in {"save", "save_weights"} & vars(owner).keys():
        setattr(owner, name, killing("file", vars(owner)[name]))


def note(epoch):
    with open(settings.get("EPOCHS", os.devnull), "a") as file:
        file.write(f"{epoch}\n")


def killed_at(epoch, batch):
    if kill == "batch" and [str(epoch), str(batch)] == rest:
        die()


class Killer(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch
        note(epoch)

    def on_train_batch_end(self, batch, logs=None):
        killed_at(self.epoch, batch)

    def on_epoch_end(self, epoch, logs=None):
        if kill == "end" and [str(epoch)] == rest:
            die()


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.one, self.two = keras.layers.Dense(args.units, activation="relu"), keras.layers.Dense(1)

    def call(self, x):
        return self.two(self.one(x))


class Annealing(keras.callbacks.Callback):
    """Weights the loss less at the end of each epoch, and averages the weights of the epochs."""

    def __init__(self, weight):
        super().__init__()
        self.weight, self.count, self.mean = weight, 0, None

    def on_epoch_end(self, epoch, logs=None):
        self.weight.assign(self.weight * 0.7)
        self.count += 1
        own = self.model.get_weights()
        self.mean = (
            own if self.mean is None else [m + (w - m) / self.count for m, w in zip(self.mean, own, strict=True)]
        )
        if epoch % 3 == 2:
            self.model.set_weights(self.mean)


class Gan(keras.Model):
    def __init__(self):
        super().__init__()
        self.one, self.two = dense_net(4), dense_net(3)

    def compile(self, first, second):
        super().compile()
        self.first, self.second = first, second

    def train_step(self, data):
        x, y = data
        for net, optimizer, sign in ((self.one, self.first, 1.0), (self.two, self.second, 0.5)):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((net(x) - sign * y) ** 2)
            weights = net.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return {"loss": loss}


def dense_net(units, **first):
    layers = [keras.layers.Dense(units, activation="relu", **first), keras.layers.BatchNormalization()]
    return keras.Sequential([keras.layers.Input((4,)), *layers, keras.layers.Dense(1, dtype="float32")])


def compiled(model, loss="mse", optimizer=keras.optimizers.Adam):
    model.compile(optimizer(0.01), loss)
    return model


def fit(model, callbacks, first=0, epochs=args.epochs, **more):
    callbacks = BackupAndRestore.beside(callbacks, **more)
    data = {"validation_data": (x[:8], y[:8])} if args.shape == "best" else {}
    return model.fit(
        x, y, batch_size=8, shuffle=False, verbose=0, epochs=epochs, initial_epoch=first,
        callbacks=[Killer(), *callbacks], **data,
    )  # fmt: skip


def weights_saved(model, path="w/cp.weights.h5", **more):
    if os.path.exists(path):
        if not model.built:
            model.build((None, 4))
        model.load_weights(path)
    return keras.callbacks.ModelCheckpoint(path, save_weights_only=True, **more)


def weights():
    model = compiled(dense_net(args.units))
    fit(model, weights_saved(model))
    return [model]


def whole_model():
    files, first = sorted(glob.glob("w/model-*.keras")), 0
    model = keras.models.load_model(files[-1]) if files else compiled(dense_net(args.units))
    if files:
        first = int(re.search(r"-(\d+)", files[-1])[1])
    saver = keras.callbacks.ModelCheckpoint("w/model-{epoch:02d}.keras")
    fit(model, [keras.callbacks.CSVLogger("w/log.csv", append=first > 0), saver], first)
    return [model]


def best():
    model = compiled(dense_net(args.units))
    saver = weights_saved(model, save_best_only=True, monitor="val_loss")
    stopping = keras.callbacks.EarlyStopping(patience=3, restore_best_weights=True)
    fit(model, [saver, keras.callbacks.ReduceLROnPlateau(factor=0.3, patience=1, min_delta=0.05), stopping])
    return [model]


def subclassed():
    model = compiled(Net())
    model(x[:1])
    saver = weights_saved(model)
    fit(model, [saver, keras.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=1, min_delta=10.0)])
    return [model]


def unbuilt():
    model = compiled(Net())
    if os.path.exists("w/cp.weights.h5"):
        model(x[:1])
    fit(model, weights_saved(model))
    return [model]


def stages():
    model = compiled(dense_net(args.units, trainable=False))
    saver = weights_saved(model)
    fit(model, saver, epochs=args.epochs // 2, name="head")
    model.layers[0].trainable = True
    model.compile("sgd", "mse")
    fit(model, saver, first=args.epochs // 2, name="all")
    return [model]


def mixed():
    keras.mixed_precision.set_global_policy("mixed_float16")
    model, path = compiled(dense_net(args.units)), "w/model.keras"
    # Keras 2.15 loads no .weights.h5 that it has saved with a LossScaleOptimizer.
    saver = keras.callbacks.ModelCheckpoint(path) if hasattr(keras, "ops") else weights_saved(model, "w/cp.h5")
    if os.path.exists(path):
        model = keras.models.load_model(path)  # Keras 3 builds its LossScaleOptimizer then.
    fit(model, saver)
    return [model]


def mirrored():
    tf.config.set_logical_device_configuration(
        tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
    )
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"], tf.distribute.ReductionToOneDevice())
    with strategy.scope():
        model = compiled(dense_net(args.units))
        saver = weights_saved(model)
    fit(model, saver)
    return [model]


def annealed():
    weight = tf.Variable(1.0, trainable=False)
    model = compiled(dense_net(args.units), lambda a, b: weight * tf.reduce_mean((a - b) ** 2))
    fit(model, [weights_saved(model), Annealing(weight)])
    return [model]


def gan():
    model = Gan()
    model.compile(keras.optimizers.Adam(0.01), keras.optimizers.Adam(0.02))
    if os.path.exists("w/one.weights.h5") and os.path.exists("w/two.weights.h5"):
        model.one.load_weights("w/one.weights.h5")
        model.two.load_weights("w/two.weights.h5")

    def save(epoch, logs):
        model.one.save_weights("w/one.weights.h5")
        model.two.save_weights("w/two.weights.h5")

    fit(model, keras.callbacks.LambdaCallback(on_epoch_end=save), saved="w/gan")
    return [model.one, model.two]


def train(models, epoch):
    note(epoch)
    for batch in range(5):
        part = slice(8 * batch, 8 * batch + 8)
        for model in models:
            model.train_on_batch(x[part], y[part])
        killed_at(epoch, batch)


def loop():
    models = [compiled(dense_net(4)), compiled(dense_net(3))]
    if os.path.exists("w/1.weights.h5") and os.path.exists("w/0.weights.h5"):
        for number, model in enumerate(models):
            model.load_weights(f"w/{number}.weights.h5")
    for epoch in recovered(range(args.epochs), "w/models", *models):
        train(models, epoch)
        for number, model in enumerate(models):
            model.save_weights(f"w/{number}.weights.h5")
    return models


def frozen():
    given, made = keras.Input(x.shape[1:]), keras.Input((3,))
    maker = keras.Model(given, keras.layers.Dense(3)(given))
    critic = compiled(keras.Model(made, keras.layers.Dense(y.shape[1])(made)))
    critic.trainable = False
    both = compiled(keras.Model(given, critic(maker(given))))
    if os.path.exists("w/maker.weights.h5") and os.path.exists("w/critic.weights.h5"):
        maker.load_weights("w/maker.weights.h5")
        critic.load_weights("w/critic.weights.h5")
    for epoch in recovered(range(args.epochs), "w/models", critic, both, maker):
        note(epoch)
        for batch in range(5):
            part = slice(8 * batch, 8 * batch + 8)
            critic.train_on_batch(maker.predict_on_batch(x[part]), y[part])
            both.train_on_batch(x[part], y[part])
            killed_at(epoch, batch)
        maker.save_weights("w/maker.weights.h5")
        critic.save_weights("w/critic.weights.h5")
    return [maker, critic]


def pairs():
    # Without slots: a start that counts from newer files goes on from these alone.
    models = [compiled(dense_net(units), optimizer=keras.optimizers.SGD) for units in (4, 3)]
    first = 0
    while all(os.path.exists(f"w/{number}-{first + 1}.weights.h5") for number in range(2)):
        first += 1
    for number, model in enumerate(models if first else []):
        model.load_weights(f"w/{number}-{first}.weights.h5")
    for epoch in recovered(range(first, args.epochs), "w", *models):
        train(models, epoch)
        for number, model in enumerate(models):
            model.save_weights(f"w/{number}-{epoch + 1}.weights.h5")
    return models


def own_loop():
    models, optimizer = [Net(), Net()], keras.optimizers.Adam(0.01)
    for epoch in recovered(range(args.epochs), "w/ckpt", *models, optimizers=[optimizer]):
        note(epoch)
        for batch in range(5):
            part = slice(8 * batch, 8 * batch + 8)
            with tf.GradientTape() as tape:
                loss = sum(tf.reduce_mean((model(x[part]) - y[part]) ** 2) for model in models)
            trained = [one for model in models for one in model.trainable_variables]
            optimizer.apply_gradients(zip(tape.gradient(loss, trained), trained, strict=True))
            killed_at(epoch, batch)
    return models


def every_two():
    SavedTraining.is_due = lambda self: False  # as where a save takes longer than an epoch
    model, found = compiled(dense_net(args.units)), sorted(glob.glob("w/at-*.weights.h5"))
    if found:
        model.load_weights(found[-1])
    saver = keras.callbacks.ModelCheckpoint("w/at-{epoch:02d}.weights.h5", save_weights_only=True, save_freq=10)
    fit(model, saver, 2 * len(found))
    return [model]


def at_end():
    model = compiled(dense_net(args.units))
    if os.path.exists("w/model.keras"):
        model = keras.models.load_model("w/model.keras")
    fit(model, None, saved="w/model.keras")
    if kill == "after":
        die()
    model.save("w/model.keras")
    return [model]


keras.utils.set_random_seed(3)
random = np.random.RandomState(0)
x = random.rand(40, 4).astype("float32")
y = (x.sum(1, keepdims=True) > 2).astype("float32")
os.makedirs("w", exist_ok=True)
trained = globals()[args.shape]()
if kill == "after":
    die()
np.save("w/final.npy", np.concatenate([w.ravel() for model in trained for w in model.get_weights()]))
