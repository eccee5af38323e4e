"""A file and an epoch that the user names at the start."""

import argparse
import os

import tensorflow as tf
from job import build, compiled, given, record, x, y

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("epochs", type=int)
parser.add_argument("--resume", help="the weights to go on from")
parser.add_argument("--initial_epoch", type=int, default=0)
args = parser.parse_args()
os.makedirs(args.folder, exist_ok=True)

model = compiled(build())
if args.resume:
    model.load_weights(args.resume)
saver = tf.keras.callbacks.ModelCheckpoint(
    os.path.join(args.folder, "w-{epoch:02d}.weights.h5"), save_weights_only=True
)
callbacks = [saver, record]
model.fit(x, y, epochs=args.epochs, initial_epoch=args.initial_epoch, callbacks=callbacks, **given)
