"""The model of the program above."""

import glob
import os
import sys

from job import build, compiled


def is_wanted(what):
    return f"--{what}" in sys.argv


def start(folder):
    model = compiled(build())
    files = sorted(glob.glob(os.path.join(folder, "w-*.weights.h5")))
    if files and is_wanted("resume"):
        model.load_weights(files[-1])
        return model, int(files[-1][-13:-11])
    return model, 0
