"""A program of an older Keras, which starts on neither line, starts on both as it is written, and resumes."""

import os
import re
import subprocess
import sys
from pathlib import Path

PROGRAM = """\
import os
import numpy as np
from keras import backend as K
from keras.callbacks import ModelCheckpoint, TensorBoard
from keras.layers import Input
from keras.layers.core import Dense, Dropout
from keras.layers.merge import concatenate
from keras.metrics import Mean
from keras.models import Model
from keras.optimizers import Adam
from keras.utils import np_utils

x = np.random.RandomState(0).rand(32, 4).astype("float32")
y = np_utils.to_categorical(np.arange(32) % 2, 2)
a = Input((4,))
model = Model(a, Dense(2, activation="softmax")(concatenate([Dense(3)(a), Dropout(0.1)(a)])))
model.compile(
    Adam(lr=0.05, decay=0.0), lambda t, p: K.mean(K.square(t - p)), metrics=["accuracy"], sample_weight_mode=None
)
print("RATE", float(K.get_value(model.optimizer.lr)))
if os.path.exists("w.weights.h5"):
    model.load_weights("w.weights.h5")
TensorBoard("logs", write_grads=False, batch_size=8)
model.fit(x, y, epochs=3, verbose=0, callbacks=[ModelCheckpoint("w.weights.h5", save_weights_only=True)])
mean = Mean()
mean.reset_states()
K.set_value(model.optimizer.lr, 0.5)
print("STEPS", int(K.get_value(model.optimizer.iterations)), "RATE", float(K.get_value(model.optimizer.lr)))
print("END", model.evaluate_generator(((x, y) for _ in range(9)), 2, workers=1)[0] < 1)
"""


def started(directory):
    command = [sys.executable, "program.py"]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)


def test_it_starts_and_resumes_as_it_is_written_and_did_not_start_before(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    assert "ModuleNotFoundError" in started(tmp_path).stderr
    root = str(Path(__file__).parents[3])
    command = [sys.executable, "-m", "migrate", "--write", "program.py"]
    subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": root}, check=False, capture_output=True)
    for _ in range(2):  # the second start finds a finished job
        rate, steps, set_rate, end = re.findall(r"(?:RATE|STEPS|END) (\S+)", started(tmp_path).stdout)
        assert (round(float(rate), 6), steps, set_rate, end) == (0.05, "3", "0.5", "True")
