"""Trains an Estimator's model_fn under its ``train_distribute``."""

import tensorflow as tf

from .estimator import Estimator
from .model_fn_dataset import dataset_from_input_fn
from .model_fn_input_context import input_context
from .model_fn_replicas import ReplicatedTraining
from .model_fn_training import ModelFnTraining
from .model_fn_workers import WorkersTraining


def distributed_training(estimator, input_fn, options):
    """Returns the training of an ``Estimator`` under a strategy.

    Args:
      estimator: its config has a train_distribute.
      input_fn: as for its ``train``.
      options: of a ``ModelFnTraining``.
    """
    config, strategy = estimator.config, estimator.config.train_distribute
    model_fn = estimator.model_fn
    given = input_fn, options["params"], config
    if type(strategy).__name__.startswith("OneDevice"):
        with tf.device(strategy.extended.worker_devices[0]):
            dataset = dataset_from_input_fn(*given, seed=options["seed"])
            return ModelFnTraining(model_fn, dataset, **options)
    context = input_context(strategy)
    dataset = dataset_from_input_fn(*given, context, seed=options["seed"])
    in_cluster = hasattr(strategy, "cluster_resolver") and strategy.cluster_resolver
    kind = WorkersTraining if in_cluster else ReplicatedTraining
    return kind(strategy, model_fn, dataset, **options)


Estimator.train_under = distributed_training
