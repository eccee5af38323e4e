"""Memory of ``python -m migrate checkpoint``, there and back: ``python -m tests.benchmarks.checkpoint_memory [GIB]``.

Makes a checkpoint of a DNNRegressor with Adam, of 2 GiB by default, and prints the most that the command had resident,
beside what a process has that does nothing but import TensorFlow and its Keras.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WIDTH = 2048
LAYER_BYTES = 3 * 4 * WIDTH * WIDTH  # a kernel and its two slots
LAYERS = "MIGRATE_BENCHMARK_LAYERS"


def model():
    """The Keras model, for ``--model``."""
    import tensorflow as tf

    inputs = {"x": tf.keras.Input((WIDTH,), name="x")}
    net = inputs["x"]
    for _ in range(int(os.environ[LAYERS])):
        net = tf.keras.layers.Dense(WIDTH)(net)
    made = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(net))
    made.compile(optimizer=tf.keras.optimizers.Adam(0.01, epsilon=1e-08), loss="mse")
    return made


def make(prefix, layers):
    """Writes what a ``DNNRegressor`` with so many hidden layers would have saved."""
    import tensorflow as tf

    from migrate.checkpoints.bundle import Stored, write

    def tensors():
        shapes = {f"dnn/hiddenlayer_{number}": (WIDTH, WIDTH) for number in range(layers)} | {"dnn/logits": (WIDTH, 1)}
        for scope, shape in shapes.items():
            for part, size in (("kernel", shape), ("bias", shape[1:])):
                for slot in ("", "/t_0/Adam", "/t_0/Adam_1"):
                    yield Stored(f"{scope}/{part}{slot}"), lambda size=size: tf.random.uniform(size)
        for power in (1, 2):
            yield Stored(f"dnn/head/beta{power}_power"), lambda: tf.constant(0.5)
        yield Stored("global_step"), lambda: tf.constant(10, tf.int64)

    write(prefix, tensors())


def measured(*command):
    """The peak of resident memory of a Python process in MiB, and its seconds."""
    code = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:]); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024); sys.exit(done.returncode)"
    )
    start = time.monotonic()
    watched = [sys.executable, "-c", code, sys.executable, *map(str, command)]
    done = subprocess.run(watched, stdout=subprocess.PIPE, text=True, check=True)
    return int(done.stdout.split()[-1]), time.monotonic() - start


def main():
    layers = round(float(sys.argv[1] if len(sys.argv) > 1 else 2) * 2**30 / LAYER_BYTES)
    os.environ[LAYERS] = str(layers)
    with tempfile.TemporaryDirectory() as folder:
        old, new, back = (Path(folder) / name for name in ("old", "new", "back"))
        old.mkdir()
        subprocess.run([sys.executable, "-m", __spec__.name, "--make", str(old / "model.ckpt-10")], check=True)
        size = sum(path.stat().st_size for path in old.iterdir()) / 2**20
        imported, _ = measured("-c", "import tensorflow as tf; tf.keras.Model")
        for name, arguments in (
            ("to the Keras program", (old, new)),
            ("back to the Estimator", (new, back, "--to-estimator", "--like", old)),
        ):
            command = ("-m", "migrate", "checkpoint", *arguments, "--model", f"{__spec__.name}:model")
            peak, seconds = measured(*command)
            more = f"{peak - imported} more than the import ({imported})"
            print(f"{name:22} {size:.0f} MiB of checkpoint: {peak} MiB resident at most, {more}, {seconds:.0f} s")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--make"]:
        make(sys.argv[2], int(os.environ[LAYERS]))
    else:
        main()
