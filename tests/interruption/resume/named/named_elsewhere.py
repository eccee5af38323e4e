"""A file that the user names, which another file of the program loads under a flag that the training does not know."""

import argparse
import os

import tensorflow as tf
from job import given, record, x, y
from network import network


def train(model, folder, first, epochs):
    path = os.path.join(folder, "w-{epoch:02d}.weights.h5")
    saver = tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True)
    model.fit(x, y, epochs=epochs, initial_epoch=first, callbacks=[saver, record], **given)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("epochs", type=int)
    parser.add_argument("--resume", help="the weights to go on from")
    parser.add_argument("--initial_epoch", type=int, default=0)
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    train(network(args), args.folder, args.initial_epoch, args.epochs)


main()
