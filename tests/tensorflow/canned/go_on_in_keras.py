"""Takes the jobs of canned estimators over in Keras, to step 60, and gives them back.

usage: go_on_in_keras.py PROGRAM OLD NEW NAME...; PROGRAM is the migrated one of OLD/NAME/model.ckpt-10. What it gives
is written to NEW/results.json, the loss of each step to NEW/losses.json, the checkpoint that it gives back to
NEW/NAME/back.
"""

import importlib
import json
import os
import sys

import tensorflow as tf

from migrate.checkpoints.convert import save, to_estimator, to_program
from migrate.checkpoints.described import of_program

losses = {}


class Losses(tf.keras.callbacks.Callback):
    """Reads the loss of each batch, not the mean since the epoch began."""

    def __init__(self, values):
        super().__init__()
        self._values = values

    def on_train_batch_begin(self, batch, logs=None):
        for metric in self.model.metrics:
            if metric.name == "loss":
                metric.reset_state()

    def on_train_batch_end(self, batch, logs=None):
        self._values.append(float(logs["loss"]))


def go_on(program, old, new, name):
    described = of_program(program, ["{model_dir}", "60", name])
    conversion = to_program(f"{old}/{name}/model.ckpt-10", described)
    assert conversion.fit, f"{name}:\n{conversion.fit.table}"
    save([conversion], f"{new}/{name}")
    values = losses[name] = []
    fit = tf.keras.Model.fit
    tf.keras.Model.fit = lambda *args, callbacks, **settings: fit(
        *args, callbacks=[*callbacks, Losses(values)], **settings
    )
    results = getattr(importlib.import_module(os.path.basename(program).removesuffix(".py")), name)(f"{new}/{name}", 60)
    tf.keras.Model.fit = fit
    conversion = to_estimator(f"{new}/{name}/ckpt-60", described, f"{old}/{name}/model.ckpt-60")
    assert conversion.fit, f"{name}:\n{conversion.fit.table}"
    save([conversion], f"{new}/{name}/back")
    return results


def main():
    program, old, new, *names = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(program))
    results = {name: go_on(program, old, new, name) for name in names}
    for name, values in (("results", results), ("losses", losses)):
        with open(os.path.join(new, f"{name}.json"), "w") as file:
            json.dump(values, file)


if __name__ == "__main__":
    main()
