"""Prints how fast a migrated model_fn trains, as ratios to its Estimator in the same run.

usage: MIGRATE_OLD_PYTHON=… MIGRATE_NEW_PYTHON=… python tests/benchmarks/model_fn_speed.py

Each row trains one dense network with Adam, once under an Estimator (MIGRATE_OLD_PYTHON) and once as it is migrated
(both interpreters), with summaries and log lines every 100 steps; of several stretches the fastest counts, for the
machine may be busy. A save is timed apart. Memory is the peak of the whole process.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = {  # name: batch size, width, layers, steps in a stretch
    "under 1 ms": (16, 32, 3, 1000),
    "about 8 ms": (128, 512, 4, 100),
    "about 50 ms": (384, 1024, 3, 20),
}
WARM_UP, STRETCHES = 201, 6


def train(side, size):
    """Trains one size on one side; returns milliseconds a step, milliseconds a save, and mebibytes."""
    import numpy as np
    import tensorflow as tf
    import tensorflow.compat.v1 as tf1

    batch, width, depth, steps = SIZES[size]
    x, y = np.random.rand(batch * 4, width).astype("f"), np.random.randint(0, 10, batch * 4)

    def input_fn():
        return tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(batch, drop_remainder=True).prefetch(2)

    def model_fn(features, labels, mode):
        net = features
        for i in range(depth):
            net = tf.nn.relu(tf.matmul(net, tf1.get_variable(f"w{i}", [width, width])))
        logits = tf.matmul(net, tf1.get_variable("w", [width, 10]))
        loss = tf1.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
        train_op = tf1.train.AdamOptimizer(1e-4).minimize(loss, global_step=tf1.train.get_global_step())
        return Spec(mode=mode, loss=loss, train_op=train_op)

    model_dir, times, saves = tempfile.mkdtemp(), {}, []
    if side == "estimator":
        Spec = tf1.estimator.EstimatorSpec

        class Times(tf1.train.SessionRunHook):
            def after_run(self, run_context, run_values):
                times[len(times)] = time.perf_counter()

        class Saves(tf1.train.CheckpointSaverListener):
            def before_save(self, session, step):
                self.began = time.perf_counter()

            def after_save(self, session, step):
                saves.append(time.perf_counter() - self.began)

        config = tf1.estimator.RunConfig(save_checkpoints_steps=100000)
        estimator = tf1.estimator.Estimator(model_fn, model_dir, config)
        last = WARM_UP + STRETCHES * steps
        estimator.train(input_fn, hooks=[Times()], max_steps=last, saving_listeners=[Saves()])
        seconds = min(times[i + steps - 1] - times[i - 1] for i in range(WARM_UP, last, steps))
    else:
        from migrate.recovery.model_fn_spec import EstimatorSpec as Spec
        from migrate.recovery.model_fn_steps import training_steps
        from migrate.recovery.model_fn_training import ModelFnTraining

        dataset = input_fn()
        job = ModelFnTraining(model_fn, dataset, summary_dir=model_dir)
        manager = tf.train.CheckpointManager(job.checkpoint, model_dir, max_to_keep=5)
        job.restore(manager)

        def save(step):
            began = time.perf_counter()
            manager.save(checkpoint_number=step)
            saves.append(time.perf_counter() - began)

        save(0)
        stretches = []
        for i in range(STRETCHES + 1):
            began = time.perf_counter()
            list(training_steps(job, dataset, manager, max_steps=WARM_UP + i * steps))
            stretches.append(time.perf_counter() - began)
        save(int(job.global_step))
        seconds = min(stretches[1:])
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"step": seconds / steps * 1e3, "save": min(saves) * 1e3, "memory": memory}


def measured(python, side, size):
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root), "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [python, __file__, side, size]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)


def main():
    old, new = os.environ["MIGRATE_OLD_PYTHON"], os.environ["MIGRATE_NEW_PYTHON"]
    print("steps         Estimator        on its TensorFlow: speed, save, memory     on the newest: the same")
    for size in SIZES:
        estimator = measured(old, "estimator", size)
        line = f"{size:12}  {estimator['step']:6.2f} ms a step"
        for python in (old, new):
            ours = measured(python, "migrated", size)
            speed, save, memory = (
                estimator["step"] / ours["step"],
                ours["save"] / estimator["save"],
                ours["memory"] / estimator["memory"],
            )
            line += f"   {speed:5.2f} times as fast, save {save:4.2f}, memory {memory:4.2f}"
        print(line, flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(train(*sys.argv[1:])))
    else:
        main()
