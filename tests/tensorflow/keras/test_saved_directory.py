"""What a program saved in a directory, which Keras 3 refuses, is saved and read again on both lines."""

import os
import re
import subprocess
import sys
from pathlib import Path

import tensorflow as tf

KERAS_3 = hasattr(tf.keras, "ops")
PROGRAM = """\
import numpy as np
import tensorflow as tf

x, y = np.ones((32, 3), "float32"), np.ones((32, 2), "float32")
model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
model.compile("adam", "mse")
model.fit(x, y, epochs=2, verbose=0, callbacks=[tf.keras.callbacks.ModelCheckpoint("{epoch}.keras")])
model.save("last")
loaded = tf.keras.models.load_model("last")
assert all((a == b).all() for a, b in zip(model.get_weights(), loaded.get_weights()))
loaded.fit(x, y, verbose=0)
print("STEPS", int(loaded.optimizer.iterations.numpy()))
"""


def started(directory):
    return subprocess.run([sys.executable, "program.py"], cwd=directory, capture_output=True, text=True, check=False)


def migrated(directory, program):
    (directory / "program.py").write_text(program)
    root = str(Path(__file__).parents[3])
    command = [sys.executable, "-m", "migrate", "--write", "--select", "FT203", "program.py"]
    subprocess.run(command, cwd=directory, env={**os.environ, "PYTHONPATH": root}, check=False, capture_output=True)


def test_a_model_that_a_program_saves_and_loads_trains_further_on_both_lines(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    assert ("Invalid filepath extension" in started(tmp_path).stderr) == KERAS_3
    migrated(tmp_path, PROGRAM)
    for _ in range(2):  # over the file of the start before
        done = started(tmp_path)
        assert re.findall(r"STEPS (\d+)", done.stdout) == ["3"], done.stderr
    assert (tmp_path / "last.keras").is_file()
