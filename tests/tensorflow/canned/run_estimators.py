"""Trains canned estimators to step 70, as it were in three parts: each keeps its checkpoints of steps 10 and 60.

usage: run_estimators.py PROGRAM DIRECTORY [further]
The program's results are those of step 60; DIRECTORY/losses.json gets each step's loss. With ``further`` the estimators
train to step 70 from the checkpoints that are there, and nothing else.
"""

import json
import os
import runpy
import sys

import tensorflow.compat.v1 as tf1

SAVED, STEPS = (10, 60), 70

losses = {}


class Losses(tf1.train.SessionRunHook):
    """Reads each step's loss, and saves twice more than the Estimator does.

    The input begins anew at those steps, so nothing tells this job from one that was stopped there and started again.
    """

    def __init__(self, loss, values, path):
        self._loss, self._values, self._path = loss, values, path

    def before_run(self, run_context):
        return tf1.train.SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        self._values.append(float(run_values.results))
        if len(self._values) in SAVED:
            (saver,) = tf1.get_collection(tf1.GraphKeys.SAVERS)
            saver.save(run_context.session, self._path, len(self._values), write_meta_graph=False)


def record(estimator):
    train, take_steps = estimator.train, estimator._train_with_estimator_spec

    def train_from_a_seed(self, *args, **settings):
        self._config = self._config.replace(tf_random_seed=1, keep_checkpoint_max=len(SAVED) + 2)
        return train(self, *args, **settings)

    def train_and_record(self, spec, worker_hooks, *rest):
        values = losses[os.path.basename(self.model_dir)] = []
        hook = Losses(spec.loss, values, os.path.join(self.model_dir, "model.ckpt"))
        return take_steps(self, spec, [*worker_hooks, hook], *rest)

    def at_60(report):
        return lambda self, *given: report(self, *given, checkpoint_path=f"{self.model_dir}/model.ckpt-60")

    estimator.train = train_from_a_seed
    estimator._train_with_estimator_spec = train_and_record
    for name in ("evaluate", "predict", "export_saved_model"):
        setattr(estimator, name, at_60(getattr(estimator, name)))


def leave_out_reports(estimator):
    estimator.evaluate = lambda self, *given: {}
    estimator.predict = lambda self, *given: iter([{}])
    estimator.export_saved_model = lambda self, *given: None


def main():
    program, directory, *further = sys.argv[1:]
    (leave_out_reports if further else record)(tf1.estimator.Estimator)
    sys.argv = [program, directory, str(STEPS)]
    runpy.run_path(program, run_name="__main__")
    with open(os.path.join(directory, "losses.json"), "w") as file:
        json.dump(losses, file)


if __name__ == "__main__":
    main()
