"""Prints how fast a migrated model_fn trains, as ratios to its Estimator in the same run.

usage: MIGRATE_OLD_PYTHON=… MIGRATE_NEW_PYTHON=… python tests/benchmarks/model_fn_speed.py

Each row trains one dense network with Adam, once under an Estimator (MIGRATE_OLD_PYTHON) and once as it is migrated
(both interpreters), with summaries and log lines every 100 steps; of several stretches the fastest counts, for the
machine may be busy. So it is with saves, which are timed apart. "CPU" compares the processor time of a step, which a
busy machine changes little. Memory is the peak of the whole process, TensorFlow itself included; "imported" is that
ratio when TensorFlow is imported and nothing else has happened. "In turn" are the CPU times of a step, the Estimator's,
the migrated training's as a loop and as an object with an Estimator's methods, and that of the same graph in a bare
``tf.compat.v1.Session``, in one process and in turn: one line of TensorFlow has other kernels than another, and one
process another layout than the next (a step under 1 ms differs by a third), and this leaves both out.
"Tensors" is the part of a save's time that writing its tensors takes, by the operations alone.
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
STRETCHES, SAVES = 6, 3


def train(side, size):
    """Trains one size on one side; returns milliseconds and CPU milliseconds a step, milliseconds a save, mebibytes."""
    import numpy as np
    import tensorflow as tf
    import tensorflow.compat.v1 as tf1

    batch, width, depth, steps = SIZES[size]
    warm_up = max(200, steps)
    last = warm_up + STRETCHES * steps
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

    imported = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    model_dir, times, cpu_times, saves = tempfile.mkdtemp(), {}, {}, []

    class Times(tf1.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            times[len(times)], cpu_times[len(times)] = time.perf_counter(), time.process_time()

    class Pauses:
        """A training, and when each call of it ended."""

        def __init__(self, training):
            self._training = training

        def __getattr__(self, name):
            return getattr(self._training, name)

        def __call__(self, batches, until, first):
            loss = self._training(batches, min(until, (int(self.global_step) // steps + 1) * steps), first)
            step = int(self.global_step)
            times[step], cpu_times[step] = time.perf_counter(), time.process_time()
            return loss

    if side == "estimator":
        Spec = tf1.estimator.EstimatorSpec

        class Saves(tf1.train.CheckpointSaverListener):
            def before_save(self, session, step):
                self.began = time.perf_counter()

            def after_save(self, session, step):
                saves.append(time.perf_counter() - self.began)

        config = tf1.estimator.RunConfig(save_checkpoints_steps=100000)
        estimator = tf1.estimator.Estimator(model_fn, model_dir, config)
        estimator.train(input_fn, hooks=[Times()], max_steps=last, saving_listeners=[Saves()])
        begins = range(warm_up, last, steps)
        seconds = min(times[i + steps - 1] - times[i - 1] for i in begins)
        cpu = min(cpu_times[i + steps - 1] - cpu_times[i - 1] for i in begins)
        for _ in range(SAVES):
            estimator.train(input_fn, steps=1, saving_listeners=[Saves()])
    else:
        from migrate.recovery.model_fn_spec import EstimatorSpec as Spec
        from migrate.recovery.model_fn_training import ModelFnTraining
        from migrate.recovery.run_training import run_training

        from migrate.recovery.estimator import Estimator
        from migrate.recovery.run_config import RunConfig

        dataset = input_fn()
        job = ModelFnTraining(model_fn, dataset, summary_dir=model_dir)
        manager = tf.train.CheckpointManager(job.checkpoint, model_dir, max_to_keep=5)
        job.restore(manager)

        def save(step):
            began = time.perf_counter()
            manager.save(checkpoint_number=step)
            saves.append(time.perf_counter() - began)

        save(0)

        never = tf.train.CheckpointManager(job.checkpoint, model_dir, max_to_keep=None)
        times[0], cpu_times[0] = time.perf_counter(), time.process_time()
        run_training(Pauses(job), never, max_steps=last)
        begins = range(warm_up, last, steps)
        seconds = min(times[i + steps] - times[i] for i in begins)
        cpu = min(cpu_times[i + steps] - cpu_times[i] for i in begins)
        for i in range(2 * SAVES):
            save(int(job.global_step) + i)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures = {"step": seconds / steps * 1e3, "cpu": cpu / steps * 1e3, "save": min(saves) * 1e3, "memory": memory}
    figures["imported"] = imported
    if side == "migrated":
        with tf.Graph().as_default():
            tf1.train.create_global_step()
            spec = model_fn(*tf1.data.make_one_shot_iterator(input_fn()).get_next(), "train")
            session = tf1.Session()
            session.run(tf1.global_variables_initializer())

        def of_session(count):
            began = time.process_time()
            for _ in range(count):
                session.run([spec.loss, spec.train_op])
            return time.process_time() - began

        def last_stretch():
            ends = [step for step in cpu_times if step % steps == 0]
            return cpu_times[ends[-1]] - cpu_times[ends[-2]]

        def of_loop(count):
            cpu_times.clear()
            empty = tf.train.CheckpointManager(job.checkpoint, tempfile.mkdtemp(), max_to_keep=None)
            run_training(Pauses(job), empty, steps=3 * count)  # the first stretch may hold the tracing
            return last_stretch()

        class Timed(Estimator):
            def _training(self, input_fn, config):
                return Pauses(super()._training(input_fn, config))

        as_object = Timed(model_fn, tempfile.mkdtemp(), RunConfig(save_checkpoints_steps=100000))

        def of_object(count):
            cpu_times.clear()
            as_object.train(input_fn, steps=3 * count)
            return last_stretch()

        def of_estimator(count):
            times.clear()
            cpu_times.clear()
            estimator.train(input_fn, hooks=[Times()], steps=count + 3)
            after = list(cpu_times.values())
            return after[-1] - after[2]

        def for_estimator(features, labels, mode):
            spec = model_fn(features, labels, mode)
            return tf1.estimator.EstimatorSpec(mode, loss=spec.loss, train_op=spec.train_op)

        turns = {"loop": of_loop, "object": of_object, "session": of_session}
        if hasattr(tf1, "estimator"):
            config = tf1.estimator.RunConfig(save_checkpoints_steps=100000)
            estimator = tf1.estimator.Estimator(for_estimator, tempfile.mkdtemp(), config)
            turns["estimator"] = of_estimator
        rounds = [{name: turn(steps) for name, turn in turns.items()} for _ in range(STRETCHES + 1)][1:]
        figures["turns"] = {name: min(each[name] for each in rounds) / steps * 1e3 for name in turns}
        tensors = [seconds_of_tensors(job.variables, f"{model_dir}/tensors") for _ in range(2 * SAVES)]
        figures["tensors"] = min(tensors) * 1e3
    return figures


def seconds_of_tensors(variables, prefix):
    """The seconds that writing variables takes by the operations alone, in the two files of a checkpoint."""
    import tensorflow as tf

    began = time.perf_counter()
    values = [variable.read_value() for variable in variables.values()]
    part, nothing = f"{prefix}_temp/part", [""] * len(values)
    tf.raw_ops.SaveV2(prefix=part, tensor_names=list(variables), shape_and_slices=nothing, tensors=values)
    tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=[part], destination_prefix=prefix)
    return time.perf_counter() - began


def measured(python, side, size):
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root), "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [python, __file__, side, size]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)


def main():
    old, new = os.environ["MIGRATE_OLD_PYTHON"], os.environ["MIGRATE_NEW_PYTHON"]
    print("steps        Estimator, ms  TensorFlow   times as fast   CPU  save  tensors  memory  in turn, CPU ms")
    for size in SIZES:
        estimator = measured(old, "estimator", size)
        for name, python in (("its own", old), ("the newest", new)):
            ours = measured(python, "migrated", size)
            turns = ", ".join(f"{each} {value:.2f}" for each, value in ours["turns"].items())
            print(
                f"{size:12} {estimator['step']:13.2f}  {name:10} {estimator['step'] / ours['step']:15.2f}"
                f" {ours['cpu'] / estimator['cpu']:5.2f} {ours['save'] / estimator['save']:5.2f}"
                f" {ours['tensors'] / ours['save']:8.2f} {ours['memory'] / estimator['memory']:7.2f}"
                f" {ours['imported'] / estimator['imported']:9.2f}  {turns}",
                flush=True,
            )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(train(*sys.argv[1:])))
    else:
        main()
