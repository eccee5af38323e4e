"""Runs the program blocks of TensorFlow's tutorial on workers and of its guide on fault tolerance, migrated.

``python -m tests.benchmarks.tutorials NOTEBOOK_2020_03 NOTEBOOK_2026 GUIDE PYTHON…``: two editions of the tutorial
"Multi-worker training with Keras", from the history of the repository ``tensorflow/docs``, its guide "Migrate the fault
tolerance mechanism", and the interpreters. Each block, as a script and as a notebook, is put together from the cells of
one notebook, with small data, and migrated; of the tutorial both workers are started with ``TF_CONFIG``, of the guide
its one process; a process is killed right after the first checkpoint behind step 0, all are started again, and a row
is printed of what became of them.
"""

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from migrate.pipeline.run import run
from migrate.settings import Settings
from tests.interruption.workers.cluster import task_variables

_STRATEGY, _MODEL = "strategy = tf.distribute.", "build_and_compile_cnn_model():"
_HEAD_2026 = ["import json\nimport os", "import tensorflow as tf", "%%writefile mnist_setup.py"]
_TRAIN_2026 = [_STRATEGY, "with strategy.scope():", "options = tf.data.Options()"]
_PATHS = "def write_filepath"
_GUIDE = ["import tensorflow.compat.v1 as tf1", "mnist = tf.keras.datasets"]
_SINGLE = "single_worker_dataset ="
_CREATED, _CONTINUED = "def create_model", "steps_per_execution=10"
_CLEAN_UP = "tf.io.gfile.rmtree(os.path.dirname"
BLOCKS: dict[str, tuple[int, list[str]]] = {
    "ModelCheckpoint (2020-03)": (0, ["tfds.disable", _STRATEGY, "def make_data", _MODEL, "NUM_WORKERS", "keras-ckpt"]),
    "write_filepath, model.save": (
        1,
        [*_HEAD_2026, *_TRAIN_2026, "save_freq` is\n# set", _PATHS, "model.save(", _CLEAN_UP, _SINGLE, "loaded_model"],
    ),
    "CheckpointManager": (1, [*_HEAD_2026, *_TRAIN_2026, _PATHS, "checkpoint_dir =", "manager.save()", "latest_"]),
    "BackupAndRestore": (1, [*_HEAD_2026, *_TRAIN_2026, "save_freq` is\n# set"]),
    "BackupAndRestore, save_freq=30": (1, [*_HEAD_2026, *_TRAIN_2026, "save_freq=30"]),
    "fit alone": (1, ["%%writefile mnist_setup.py", "%%writefile main.py"]),
    "guide: Estimator": (2, [*_GUIDE, "class InterruptHook", "RunConfig", "[InterruptHook()]", "max_steps = 10"]),
    "guide: BackupAndRestore": (2, [*_GUIDE, "class InterruptAtEpoch", _CREATED, "InterruptAtEpoch()]", _CONTINUED]),
    "guide: save_freq=30": (2, [*_GUIDE, "class InterruptAtStep", _CREATED, "save_freq=30", _CONTINUED]),
    "guide: CheckpointManager": (2, [*_GUIDE, _CREATED, "checkpoint_manager =", "load_checkpoint"]),
}
"""By its name, the edition that a block is of, and words that its cells hold."""
_DATA = """
import sys, time, types
import numpy as np
import tensorflow as tf
random = np.random.RandomState(0)
x, y = random.randint(0, 255, (3200, 28, 28)).astype("uint8"), random.randint(0, 10, 3200).astype("int64")
tf.keras.datasets.mnist.load_data = lambda: ((x, y), (x, y))
tfds = types.ModuleType("tensorflow_datasets")
tfds.disable_progress_bar = lambda: None
tfds.load = lambda **_: ({"train": tf.data.Dataset.from_tensor_slices((x[..., None], y))}, None)
sys.modules["tensorflow_datasets"] = tfds
for name in ("restore", "read"):
    def told(self, path, *rest, _old=getattr(tf.train.Checkpoint, name), **more):
        print("RESTORED", path, flush=True) if path else None
        return _old(self, path, *rest, **more)
    setattr(tf.train.Checkpoint, name, told)
def begun(self, logs=None, _old=tf.keras.callbacks.BackupAndRestore.on_train_begin):
    _old(self, logs)
    epoch = getattr(self.model, "_initial_epoch", None)  # Of Keras 3, which has no checkpoint.
    print(f"RESTORED epoch-{epoch}", flush=True) if epoch else None
tf.keras.callbacks.BackupAndRestore.on_train_begin = begun
load_model = tf.keras.models.load_model
def loaded(path):  # The worker that does not save it waits for the one that does.
    time.sleep(3)
    return load_model(path)
tf.keras.models.load_model = loaded
program = sys.argv[1]
left = {"__name__": "__main__", "__file__": program}
exec(compile(open(program).read(), program, "exec"), left)
model = left.get("multi_worker_model", left.get("classifier", left.get("model")))
optimizer = left["optimizer"] if "optimizer" in left else model.optimizer
print("ITERATIONS", int(optimizer.iterations.numpy()), flush=True)
"""


def cells_of(notebook: str, words: list[str]) -> list[str]:
    """The code of the first cell behind the last one that holds each of some words; from the first where none does."""
    found = json.loads(Path(notebook).read_text())["cells"]
    code = ["".join(cell["source"]) for cell in found if cell["cell_type"] == "code"]
    return [
        min((one for one in code if word in one and "#@title" not in one), key=lambda one: one != word)
        for word in words
    ]


def written(cells: list[str], folder: Path, as_notebook: bool) -> Path:
    """A block as a program in a folder, each of whose paths is below it."""
    plain = []
    for cell in cells:
        text = re.sub(r"^[!%](?!%).*$", "", cell, flags=re.M).replace("/tmp/", f"{folder}/")
        head, _, rest = text.partition("\n")
        name = head.removeprefix("%%writefile ")
        if head.startswith("%%writefile") and name != "main.py":
            (folder / name).write_text(rest)
        else:
            plain.append(rest if head.startswith("%%writefile") else text)
    if (folder / "mnist_setup.py").exists():
        plain.insert(0, "import mnist_setup")
    if not as_notebook:
        (folder / "program.py").write_text("\n\n".join(plain))
        return folder / "program.py"
    listed = [
        {"cell_type": "code", "source": one, "metadata": {}, "outputs": [], "execution_count": None} for one in plain
    ]
    book = {"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "program.ipynb").write_text(json.dumps(book))
    return folder / "program.ipynb"


def starts(python: str, folder: Path, number: int, workers: int, kills: bool) -> list[str]:
    """Starts all workers, and gives what they print.

    Args:
      python: the interpreter.
      folder: where the program stands.
      number: of the start.
      workers: how many there are; 0 for one process without ``TF_CONFIG``.
      kills: whether the last is killed after the first checkpoint, and another when it has not ended 30 s later.
    """
    jobs = []
    plain = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    settings = [{"TF_CONFIG": one} for one in task_variables(workers)] if workers else [{}]
    for index, tf_config in enumerate(settings):
        env = {**plain, **tf_config}
        command = [python, "-u", str(folder / "driver.py"), str(folder / "tutorial.py")]
        with open(folder / f"log_{number}_{index}.txt", "w") as output:
            jobs.append(subprocess.Popen(command, env=env, cwd=folder, stdout=output, stderr=subprocess.STDOUT))
    end = time.time() + 240
    while kills and time.time() < end and all(job.poll() is None for job in jobs):
        if has_saved(folder):
            jobs[-1].send_signal(signal.SIGKILL)
            end = time.time() + 30
            break
        time.sleep(0.05)
    for job in jobs:
        try:
            job.wait(max(1.0, end - time.time()))
        except subprocess.TimeoutExpired:
            job.kill()
            job.wait()
    return [(folder / f"log_{number}_{index}.txt").read_text(errors="replace") for index in range(len(jobs))]


def has_saved(folder: Path) -> bool:
    """Whether a checkpoint behind step 0 is below a folder, or what Keras 3's BackupAndRestore saves."""
    for directory, _, files in os.walk(folder):  # Directories of workers go while it looks.
        if "training_metadata.json" in files:
            return True
        with suppress(FileNotFoundError):
            if "checkpoint" in files and "ckpt-" in Path(directory, "checkpoint").read_text().replace("ckpt-0", ""):
                return True
    return False


def row(name: str, notebooks: list[str], python: str, as_notebook: bool) -> Iterator[str]:
    """Migrates and runs one block, and tells what became of it."""
    edition, words = BLOCKS[name]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        program = written(cells_of(notebooks[edition], words), folder, as_notebook)
        outcome = run([str(folder)], Settings(), jobs=1, progress=None)
        done = sorted({one.code for one in outcome.findings if one.rewritten})
        told = sorted({one.code for one in outcome.findings if not one.rewritten})
        command = [sys.executable, "-m", "migrate", "--write", str(folder)]
        subprocess.run(command, capture_output=True, check=False)
        if as_notebook:
            cells = json.loads(program.read_text())["cells"]
            text = "\n\n".join("".join(cell["source"]) for cell in cells)
        else:
            text = program.read_text()
        numbers = itertools.count()
        text = re.sub(r"tempfile\.mkdtemp\(\)", lambda _: f'"{folder}/directory_{next(numbers)}"', text)
        (folder / "tutorial.py").write_text(text)
        (folder / "driver.py").write_text(_DATA)
        workers = 0 if name.startswith("guide") else 2
        first = starts(python, folder, 1, workers, kills=name != "fit alone")
        second = starts(python, folder, 2, workers, kills=False)
        yield "notebook" if as_notebook else "script"
        yield " ".join(done) or "-"
        yield " ".join(told) or "-"
        yield "yes" if not any("ITERATIONS" in one for one in first) else "no"
        restored = [re.search(r"RESTORED (.*)", one) for one in second]
        yield " ".join(Path(one[1]).name if one else "-" for one in restored)
        ended = [re.search(r"ITERATIONS (\d+)", one) for one in second]
        yield " ".join(
            one[1] if one else f"failed: {text.strip().splitlines()[-1][:90]}"
            for one, text in zip(ended, second, strict=True)
        )


def main(first: str, second: str, guide: str, *pythons: str) -> None:
    for python in pythons:
        for as_notebook, name in itertools.product((False, True), BLOCKS):
            told = " | ".join(row(name, [first, second, guide], python, as_notebook))
            print(f"| {name} | {Path(python).parts[-3]} | {told} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
