"""The settings of a training job, as ``tf.estimator.RunConfig`` had them."""

import copy
import json
import os
from typing import Any, NamedTuple

import tensorflow as tf
import tensorflow.compat.v1 as tf1

_UNSET = object()


class RunConfig:
    """The settings of a training job, and its task in the cluster of ``TF_CONFIG``.

    Args:
      model_dir: the directory of the checkpoints; None for that of ``TF_CONFIG``, if any.
      tf_random_seed: the graph's seed, an int; None for a random one.
      save_summary_steps: steps between two summaries; None or 0 for no summaries.
      save_checkpoints_steps: steps between two checkpoints; None or 0 for no saves. Or
      save_checkpoints_secs: seconds between two checkpoints; 600 if neither is given.
      session_config: a ``tf.compat.v1.ConfigProto``.
      keep_checkpoint_max: how many checkpoints to keep; 0 or None for all.
      keep_checkpoint_every_n_hours: hours between checkpoints that are never deleted.
      log_step_count_steps: steps between two lines of the log; None for no lines.
      train_distribute: a ``tf.distribute.Strategy``: of one device, a
        ``MirroredStrategy``, or a ``MultiWorkerMirroredStrategy``.
      eval_distribute: a strategy; one device evaluates the batches of all its replicas.
      device_fn: places operations, as an argument of ``tf.compat.v1.device``.
      protocol: of the servers of a cluster; None for "grpc".
      experimental_distribute: must be None.
      experimental_max_worker_delay_secs: the longest delay before a worker's first step.
      session_creation_timeout_secs: how long a worker waits for the chief's session.
      checkpoint_save_graph_def: whether a save writes graph.pbtxt and .meta, too.

    Attributes:
      cluster_spec, task_type, task_id, is_chief, master, evaluation_master, service,
        num_ps_replicas, num_worker_replicas, global_id_in_cluster: the cluster and this
        process's task, from ``TF_CONFIG``.

    Raises:
      ValueError: steps and seconds are both given, a value is invalid, or the strategy
        is not supported.
    """

    def __init__(
        self,
        model_dir=None,
        tf_random_seed=None,
        save_summary_steps=100,
        save_checkpoints_steps=_UNSET,
        save_checkpoints_secs=_UNSET,
        session_config=None,
        keep_checkpoint_max=5,
        keep_checkpoint_every_n_hours=10000,
        log_step_count_steps=100,
        train_distribute=None,
        device_fn=None,
        protocol=None,
        eval_distribute=None,
        experimental_distribute=None,
        experimental_max_worker_delay_secs=None,
        session_creation_timeout_secs=7200,
        checkpoint_save_graph_def=True,
    ):
        if save_checkpoints_secs is _UNSET:
            save_checkpoints_secs = 600 if save_checkpoints_steps is _UNSET else None
        if save_checkpoints_steps is _UNSET:
            save_checkpoints_steps = None
        settings = dict(locals())
        del settings["self"]
        tf_config = read_tf_config()
        settings["model_dir"] = _model_dir(model_dir, tf_config)
        self._set(**settings)
        self._read_cluster(tf_config)

    @property
    def num_other_tasks(self):
        """How many other processes train with this one, parameter servers included."""
        return max(0, sum(map(len, self.cluster_spec.as_dict().values())) - 1)

    def replace(self, **changes):
        """Returns a copy with changed settings; one save interval clears the other."""
        code = RunConfig.__init__.__code__
        for name in changes:
            if name not in code.co_varnames[1 : code.co_argcount]:
                raise ValueError(f"Replacing {name} is not supported.")
        config = copy.copy(self)
        given = {name for name, value in changes.items() if value is not None}
        if "save_checkpoints_steps" in given and "save_checkpoints_secs" not in changes:
            config.save_checkpoints_secs = None
        if "save_checkpoints_secs" in given and "save_checkpoints_steps" not in changes:
            config.save_checkpoints_steps = None
        config._set(**changes)
        return config

    def _set(self, **settings):
        vars(self).update(settings)
        if None not in (self.save_checkpoints_steps, self.save_checkpoints_secs):
            raise ValueError(
                "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both "
                "set."
            )
        for name in ("summary_steps", "checkpoints_steps", "checkpoints_secs"):
            if (getattr(self, f"save_{name}") or 0) < 0:
                raise ValueError(f"save_{name} should be >= 0")
        if (self.keep_checkpoint_max or 0) < 0:
            raise ValueError("keep_checkpoint_max should be >= 0")
        for name in ("keep_checkpoint_every_n_hours", "log_step_count_steps"):
            if getattr(self, name) is not None and getattr(self, name) <= 0:
                raise ValueError(f"{name} should be > 0")
        if self.model_dir == "":
            raise ValueError("model_dir should be non-empty")
        if not isinstance(self.tf_random_seed, (int, type(None))):
            raise ValueError("tf_random_seed must be integer.")
        if not isinstance(self.session_config, (tf1.ConfigProto, type(None))):
            raise ValueError("session_config must be instance of ConfigProto")
        _check_strategies(self)

    def _read_cluster(self, tf_config):
        """Sets the attributes of the cluster; tf_config is ``TF_CONFIG`` as a dict."""
        jobs = tf_config.get("cluster") or {}
        task = tf_config.get("task") or {}
        chief = "master" if "master" in jobs else "chief"
        if self.train_distribute is not None and chief not in jobs:
            chief = "worker"  # worker 0
        self.service = tf_config.get("service")
        self.task_type = task.get("type", None if jobs else "worker")
        self.task_id = task.get("index", None if jobs else 0)
        _check_task(jobs, self.task_type, self.task_id, chief)
        self.task_id = int(self.task_id)
        self.is_chief = not jobs or (self.task_type, self.task_id) == (chief, 0)
        if self.task_type == "evaluator":  # it is outside the cluster that trains
            jobs = {}
        self.cluster_spec = tf.train.ClusterSpec(jobs)
        self.num_ps_replicas = len(jobs.get("ps", ()))
        workers = {"worker", chief}
        self.num_worker_replicas = sum(len(jobs.get(name, ())) for name in workers)
        self.global_id_in_cluster = None
        self.master, self.evaluation_master = "", ""
        if self.task_type == "evaluator":
            self.evaluation_master = tf_config.get("eval_session_master", "")
            return
        order = [chief, *sorted(jobs.keys() - {chief, "ps"}), "ps"]
        before = order[: order.index(self.task_type)] if jobs else []
        ahead = sum(len(jobs.get(name, ())) for name in before)
        self.global_id_in_cluster = ahead + self.task_id
        if not jobs:
            self.num_worker_replicas = 1
            self.evaluation_master = tf_config.get("eval_session_master", "")
        elif sum(map(len, jobs.values())) > 1:
            self.master = f"grpc://{jobs[self.task_type][self.task_id]}"
        self.master = tf_config.get("session_master", self.master)


def is_chief_task():
    """Returns whether this process saves: the chief of ``TF_CONFIG``, or the only one."""
    tf_config = read_tf_config()
    jobs, task = tf_config.get("cluster") or {}, tf_config.get("task") or {}
    chief = next((job for job in ("master", "chief") if job in jobs), "worker")
    return not jobs or (task.get("type"), int(task.get("index", 0))) == (chief, 0)


def read_tf_config():
    """Returns ``TF_CONFIG`` as a dict; an empty one if it is not set."""
    return json.loads(os.environ.get("TF_CONFIG") or "{}")


def _model_dir(given, tf_config):
    given = os.fspath(given) if given is not None else None
    other = tf_config.get("model_dir")
    if given and other and given != other:
        raise ValueError(
            f"model_dir is {given}, and in TF_CONFIG it is {other}: they must be equal."
        )
    return other if given is None else given


def _check_task(jobs, task_type, task_id, chief):
    """Raises a ValueError if the task of ``TF_CONFIG`` is not in its cluster."""
    if not jobs:
        if task_type != "worker" or int(task_id) != 0:
            raise ValueError(
                'If "cluster" is not set in TF_CONFIG, task type must be WORKER and '
                "task index must be 0."
            )
        return
    if len(jobs.get(chief, ())) != 1 and chief != "worker":
        raise ValueError(
            f'If "cluster" is set in TF_CONFIG, it must have one "{chief}" node.'
        )
    if not task_type or task_id is None:
        raise ValueError(
            'If "cluster" is set in TF_CONFIG, task type and index must be set.'
        )
    known = range(len(jobs.get(task_type, ())))
    if task_type != "evaluator" and int(task_id) not in known:
        raise ValueError(
            f"{task_type} {task_id} is not a valid task in the cluster {jobs}, which "
            "may come from the TF_CONFIG environment variable."
        )


def _check_strategies(config):
    # CollectiveAllReduceStrategy is the class of a MultiWorkerMirroredStrategy.
    kinds = "OneDeviceStrategy", "MirroredStrategy", "CollectiveAllReduceStrategy"
    for strategy in (config.train_distribute, config.eval_distribute):
        kind = type(strategy).__name__
        if strategy is not None and not kind.startswith(kinds):
            raise ValueError(
                f"A strategy {kind} is not supported. Give a OneDeviceStrategy, a "
                "MirroredStrategy, a MultiWorkerMirroredStrategy, or none."
            )
    if config.experimental_distribute is not None:
        raise ValueError("Give train_distribute in place of experimental_distribute.")


class WarmStartSettings(NamedTuple):
    """Which variables start from which checkpoint: ``tf.estimator.WarmStartSettings``.

    Attributes:
      ckpt_to_initialize_from: the path of a checkpoint, or of its directory.
      vars_to_warm_start: a regular expression, or a list of them or of variables.
      var_name_to_vocab_info: a dict from name to ``tf.compat.v1.train.VocabInfo``.
      var_name_to_prev_var_name: a dict from a variable's name to that in the checkpoint.
    """

    ckpt_to_initialize_from: str
    vars_to_warm_start: Any = ".*"
    var_name_to_vocab_info: Any = None
    var_name_to_prev_var_name: Any = None
