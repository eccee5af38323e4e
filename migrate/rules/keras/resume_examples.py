"""The programs that show what FT201 finds."""

WEIGHTS = """\
import os
import tensorflow as tf

path = "./checkpoint/mnist.ckpt"
model = build()
if os.path.exists(path + ".index"):
    print("load the model")
    model.load_weights(path)
callback = tf.keras.callbacks.ModelCheckpoint(filepath=path, save_weights_only=True{})
model.fit(x, y, epochs=5, callbacks=[callback])
"""
EPOCH = """\
import glob
import os
import re
from keras.callbacks import CSVLogger, ModelCheckpoint


def newest(directory):
    files = glob.glob(os.path.join(directory, "*.h5"))
    return max(files, key=os.path.getctime) if files else None


def main(args, model):
    initial_epoch = 0
    latest = newest(args.dir)
    if args.resume and latest is not None:
        model.load_weights(latest)
        initial_epoch = int(re.findall("[0-9]+", latest)[-1])
    saver = ModelCheckpoint(os.path.join(args.dir, "w-{epoch:02d}.h5"), save_weights_only=True)
    model.fit_generator(batches, 10, 5, callbacks=[saver, CSVLogger("log.csv")], initial_epoch=initial_epoch)
"""
ITSELF = """\
import tensorflow as tf

model = build()
saver = tf.keras.callbacks.ModelCheckpoint("w/{epoch}", load_weights_on_restart=True)
model.fit(x, y, callbacks=[saver])
"""
BESIDE = """\
import os
import tensorflow as tf

model = build()
if os.path.exists("w.weights.h5"):
    model.load_weights("w.weights.h5")
    freeze(model)
    first = int(open("epoch.txt").read())
else:
    first = 0
model.fit(x, y, epochs=9, initial_epoch=first, callbacks=[tf.keras.callbacks.ModelCheckpoint("w.weights.h5"), note])
"""
LOOPED = """\
import os
import keras

model = build()
first = len(os.listdir("out"))
if first:
    model.load_weights(f"out/{first}.weights.h5")
for epoch in range(first, 9):
    model.train_on_batch(x, y)
    model.save_weights(f"out/{epoch + 1}.weights.h5")
"""
MADE = """\
import tensorflow as tf


def made(params):
    model = build()
    newest = tf.train.latest_checkpoint(params.dir)
    if newest is not None:
        model.load_weights(newest).expect_partial()
    return model


def callbacks(params):
    yield tf.keras.callbacks.ModelCheckpoint(filepath=params.dir + "/{epoch}", save_weights_only=True)


def train(params):
    model = made(params)
    model.fit(x, y, callbacks=list(callbacks(params)))
"""
RESTORED = """\
import os
import keras


def make_or_restore():
    files = ["ckpt/" + name for name in os.listdir("ckpt")]
    if files:
        return keras.models.load_model(max(files, key=os.path.getctime))
    return build()


model = make_or_restore()
model.fit(x, y, epochs=5, callbacks=[keras.callbacks.ModelCheckpoint("ckpt/{epoch}.keras")])
"""
ELSEWHERE = """\
from resuming import restore_ckpt

model = build()
first = restore_ckpt(model, directory) // steps
model.fit(x, initial_epoch=first)
"""
FURTHER_EACH = """\
import os
import keras

model = keras.models.load_model("m.h5") if os.path.isfile("m.h5") else build()
model.fit(x, y, epochs=10)
model.save("m.h5")
"""
