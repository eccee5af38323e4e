"""The model of the program above."""

import os

from job import build, compiled


def network(options):
    model = compiled(build())
    if options.resume:
        print("Resuming training from", options.resume)
        model.load_weights(os.path.join(options.folder, options.resume))
    return model
