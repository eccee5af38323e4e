"""What recording adds to a step of about 5 ms.

usage: python tests/benchmarks/recording_cost.py PYTHON [PYTHON...]

Each way of training runs several times with and without the recorder, in turn, in processes of their own; each process
prints the time that a quarter of its steps stay below. Of each side the fastest process counts, for the machine may be
busy; the spread is that of single pairs.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

BOOTSTRAP = Path(__file__).parents[2] / "migrate" / "verify" / "recording" / "bootstrap.py"
PAIRS = 8

JOB = """
import statistics, sys, time
import numpy as np
import tensorflow as tf

way, width = sys.argv[1], int(sys.argv[2])
times, STEPS = [], 400
x = np.random.RandomState(0).rand(256, 64).astype("float32")
y = np.random.RandomState(0).randint(0, 10, 256).astype("int32")


def data():
    return tf.data.Dataset.from_tensors((x, y)).repeat()


def new_model():
    layers = [tf.keras.layers.Dense(width, activation="relu"), tf.keras.layers.Dense(width), tf.keras.layers.Dense(10)]
    model = tf.keras.Sequential(layers)
    model.build((None, 64))
    return model


if way == "fit":
    class Clock(tf.keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            times.append(time.perf_counter())

        def on_train_batch_end(self, batch, logs=None):
            pass  # as a recovery callback has one: without any, Keras 3 would not wait for a step's metrics

    model = new_model()
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(data(), steps_per_epoch=STEPS, verbose=0, callbacks=[Clock()])
elif way == "loop":
    model, optimizer = new_model(), tf.keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=model, optimizer=optimizer), "unused", 1)

    @tf.function
    def train(x, y):
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    for batch in data().take(STEPS):
        times.append(time.perf_counter())
        train(*batch)
else:
    import tensorflow.compat.v1 as tf1

    class Clock(tf1.train.SessionRunHook):
        def before_run(self, context):
            times.append(time.perf_counter())

    def model_fn(features, labels, mode):
        net = tf1.layers.dense(tf1.layers.dense(features, width, tf.nn.relu), width)
        loss = tf1.losses.sparse_softmax_cross_entropy(labels=labels, logits=tf1.layers.dense(net, 10))
        train_op = tf1.train.AdamOptimizer().minimize(loss, tf1.train.get_global_step())
        return tf1.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    config = tf1.estimator.RunConfig(save_checkpoints_steps=10**6, log_step_count_steps=None, save_summary_steps=None)
    tf1.logging.set_verbosity("ERROR")
    tf1.estimator.Estimator(model_fn, config=config).train(data, hooks=[Clock()], max_steps=STEPS)

gaps = [after - before for before, after in zip(times[50:], times[51:])]
print("quartile", statistics.quantiles(gaps, n=4)[0])
"""


def step_time(python, way, width, recorded, place):
    """Seconds a step takes, as one process measures it."""
    script = place / "job.py"
    script.write_text(JOB)
    events = place / "events.jsonl"
    events.unlink(missing_ok=True)
    variables = {"TF_CPP_MIN_LOG_LEVEL": "3", "MIGRATE_VERIFY_EVENTS": str(events)}
    command = [python, *([BOOTSTRAP] if recorded else []), script, way, str(width)]
    env = {**os.environ, **variables}
    done = subprocess.run(command, env=env, cwd=place, check=True, capture_output=True, text=True)
    return float(done.stdout.rpartition("quartile")[2])


def measure(python, way):
    """Print the cost of recording for one way of training."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        width = 256
        while step_time(python, way, width, False, place) < 0.0045:
            width = int(width * 1.3)
        pairs = [[step_time(python, way, width, recorded, place) for recorded in (False, True)] for _ in range(PAIRS)]
    plain, recorded = (min(side) for side in zip(*pairs, strict=True))
    single = sorted(with_it / without - 1 for without, with_it in pairs)
    print(
        f"{way:10} {plain * 1e3:5.2f} ms a step, recorded {recorded * 1e3:5.2f} ms: {recorded / plain - 1:+.1%} "
        f"({(recorded - plain) * 1e6:+.0f} us; single pairs {single[0]:+.1%} to {single[-1]:+.1%})",
        flush=True,
    )


def main():
    for python in sys.argv[1:]:
        look = "import tensorflow as tf; print(tf.__version__, hasattr(tf.compat.v1, 'estimator'))"
        told = subprocess.run([python, "-c", look], check=True, capture_output=True, text=True).stdout.split()
        print("TensorFlow", told[-2])
        for way in ("fit", "loop", *(["estimator"] if told[-1] == "True" else [])):
            measure(python, way)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main()
