"""Trains in the cluster of ``TF_CONFIG``, or under a ``tf.distribute.Strategy``."""

import contextlib
import copy
import os
import shutil
import tempfile

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from ..estimator.optional_files import load_optional_file
from ..estimator.steps import Steps
from ..estimator.training import InputHook, Training
from .peers import GONE, JointTraining, Watch


class ClusterTraining(Training):
    """A training with other processes, or on several devices.

    Without a strategy the variables are on the parameter servers, and each worker trains
    them at its own pace. Under a ``MirroredStrategy`` or ``MultiWorkerMirroredStrategy``
    all replicas take each step together.

    Args:
      settings: the arguments of ``Training``.

    Attributes:
      steps_jointly: whether several processes take each step together.
    """

    def __init__(self, *settings):
        super().__init__(*settings)
        self._strategy = self.config.train_distribute
        self.is_chief = self.config.is_chief
        self.is_alone = not self.config.num_other_tasks
        self.steps_jointly = self._strategy is not None and not self.is_alone
        self._is_in_cluster = not self.is_alone or _has_task_devices(self._strategy)

    def join(self):
        """Starts this process's server; does not return in a parameter server."""
        config = self.config
        if self.steps_jointly:  # a call to a lost worker must fail, not wait for it
            os.environ.setdefault("GRPC_FAIL_FAST", "true")
        # A strategy that was made eagerly has started the server.
        own = self._strategy and self._strategy.extended
        has_server = _servers or getattr(own, "_std_server_started", False)
        if self._is_in_cluster and not has_server:
            server = tf1.train.Server(
                config.cluster_spec,
                job_name=config.task_type,
                task_index=config.task_id,
                config=self._session_config(),
                protocol=config.protocol,
            )
            _servers.append(server)
        if config.task_type == "ps":
            _servers[0].join()

    def delay_secs(self):
        """Returns the seconds that a worker waits before its first step."""
        config = self.config
        if config.task_type != "worker" or self._strategy is not None:
            return 0
        limit = config.experimental_max_worker_delay_secs
        return min(60 if limit is None else int(limit), (config.task_id + 1) * 5)

    def _scope(self, graph):
        if self._strategy is None:
            return graph.device(self.config.device_fn or _device_setter(self.config))
        stack = contextlib.ExitStack()
        stack.enter_context(self._strategy.scope())
        # A TF1 optimizer divides by the number of replicas only in an Estimator.
        stack.enter_context(self._strategy._scale_loss_for_estimator_enabled())
        return stack

    def _spec(self, input_fn):
        if self._strategy is None:
            return super()._spec(input_fn)
        strategy, estimator = self._strategy, self.estimator

        def dataset(context):
            draws = context.num_replicas_in_sync // context.num_input_pipelines
            whole = estimator._call_input_fn(input_fn, "train", context)
            if estimator.input == "continue":
                return load_optional_file("estimator.continued_input").skip_batches(
                    estimator, whole, draws
                )
            return whole

        iterator = strategy.make_input_fn_iterator(dataset)
        step = strategy.extended.read_var(tf1.train.get_global_step())
        tf1.add_to_collection("global_step_read_op_cache", step)
        batch = iterator.get_next()
        features, labels = batch if isinstance(batch, (tuple, list)) else (batch, None)
        spec = strategy.extended.call_for_each_replica(
            estimator._call_model_fn, args=(features, labels, "train", estimator.config)
        )
        estimator._warm_start(self.path)
        return self._merge_specs(spec), [InputHook(iterator)]

    def _merge_specs(self, spec):
        """Returns the EstimatorSpec of all replicas; spec has their values."""
        strategy, reduce_op = self._strategy, tf.distribute.ReduceOp.SUM
        local = strategy.experimental_local_results
        if getattr(tf1.get_default_graph(), "_is_loss_scaled_by_optimizer", False):
            # The optimizer divides only the gradients, not the reported loss.
            reduce_op = tf1.distribute.get_loss_reduction()
        hooks = {
            name: [local(hook)[0] for hook in getattr(spec, name) or ()]
            for name in ("training_hooks", "training_chief_hooks")
        }
        return spec._replace(
            loss=strategy.reduce(reduce_op, spec.loss, axis=None),
            train_op=strategy.group(spec.train_op),
            scaffold=spec.scaffold and self._one_scaffold(local(spec.scaffold)),
            **hooks,
        )

    def _one_scaffold(self, scaffolds):
        """Returns one Scaffold that runs the operations of all replicas' Scaffolds."""
        settings = {"saver": scaffolds[0].saver, "init_fn": scaffolds[0].init_fn}
        for name in ("init_op", "local_init_op", "summary_op"):
            values = [getattr(one, name) for one in scaffolds]
            if values[0] is not None:
                settings[name] = tf.group(*values)
        return tf1.train.Scaffold(**settings)

    def _steps(self, spec, hooks, log):
        if not self.steps_jointly:
            return super()._steps(spec, hooks, log)
        is_first = bool(_servers)  # an eager strategy has waited for all workers
        self._joint = JointTraining(self.config, _master(self.config), is_first)
        return _JointSteps(spec, self, self._joint)

    def _run_session(self, steps, *settings):
        if not self.steps_jointly:
            with Watch(self.config):
                return super()._run_session(steps, *settings)
        secs = 6  # after an error, enough for one unanswered request
        try:
            self._joint.begin()
            super()._run_session(steps, *settings)
            if not steps.input_ends:
                self._joint.end()
            secs = 20
        finally:
            self._joint.close(secs)

    def _take_steps(self, session, steps):
        super()._take_steps(session, steps)
        if self.steps_jointly and not steps.input_ends:
            self._joint.stop(steps.taken)

    def _session_config(self):
        config = copy.deepcopy(super()._session_config())
        if self._strategy is not None:
            return self._strategy.update_config_proto(config)
        if self.config.session_config is None:
            config.device_filters.extend(_device_filters(self.config))
        return config

    def _session(self, hooks, chief_only_hooks, **settings):
        """Returns the session of the training; ``join`` has started the server."""
        config, master = settings["config"], ""
        if self._is_in_cluster:
            master = _master(self.config)
        if self.steps_jointly and not self.is_chief:
            # Each worker has its own variables and restores them itself.
            creator = tf1.train.ChiefSessionCreator(
                settings["scaffold"], master, config, settings["checkpoint_dir"]
            )
            kind = tf1.train.CheckpointSaverHook
            savers = [one for one in chief_only_hooks if isinstance(one, kind)]
            return tf1.train.MonitoredSession(creator, [*map(_SaveToo, savers), *hooks])
        return tf1.train.MonitoredTrainingSession(
            master=master,
            is_chief=self.is_chief,
            hooks=hooks,
            chief_only_hooks=chief_only_hooks,
            **settings,
        )


_servers = []  # the server of this process, if it has started


def _has_task_devices(strategy):
    """Returns whether a strategy's devices belong to a task: only its server has them."""
    devices = strategy.extended.worker_devices if strategy is not None else ()
    jobs = {tf.DeviceSpec.from_string(device).job for device in devices}
    return not jobs <= {None, "localhost"}


def _master(config):
    """Returns the address of this process's server, for sessions."""
    if _servers:
        return _servers[0].target
    own = config.cluster_spec.task_address(config.task_type, config.task_id)
    return config.master or f"{config.protocol or 'grpc'}://{own}"


def _device_setter(config):
    """Returns a device function that places variables on parameter servers, or None."""
    if not config.num_ps_replicas:
        return None
    return tf1.train.replica_device_setter(
        ps_tasks=config.num_ps_replicas,
        worker_device=f"/job:{config.task_type}/task:{config.task_id}",
        merge_devices=True,
        cluster=config.cluster_spec,
    )


def _device_filters(config):
    """Returns the tasks that this one connects to; a lost worker then stops no other."""
    return {
        "master": ["/job:ps", "/job:master"],
        "chief": ["/job:ps", "/job:chief"],
        "worker": ["/job:ps", f"/job:worker/task:{config.task_id}"],
        "ps": ["/job:ps", "/job:worker", "/job:chief", "/job:master"],
    }.get(config.task_type, [])


class _JointSteps(Steps):
    """Steps that several processes take together.

    Args:
      spec, training: as for ``Steps``.
      joint: the ``JointTraining``.
    """

    taken, input_ends = 0, False

    def __init__(self, spec, training, joint):
        super().__init__(spec, training)
        self._joint = joint

    def take(self, step_context):
        self._joint.begun += 1
        try:
            super().take(step_context)
            self.taken += 1
        except tf.errors.OutOfRangeError:
            # Others may reach the end of their data later, or never.
            self.input_ends, self._joint.needs_all = True, False
            raise
        except tf.errors.OpError as error:
            lost = tf.errors.AbortedError, tf.errors.UnavailableError
            is_told = "Collective ops is aborted by" in error.message
            if not (isinstance(error, lost) or is_told):  # Not of another task.
                raise
            # TensorFlow would make a new session, and wait for the lost task forever.
            raise RuntimeError(GONE) from error


class _SaveToo(tf1.train.CheckpointSaverHook):
    """Takes part in the chief's saves: they read the variables of each worker.

    Args:
      hook: the chief's ``CheckpointSaverHook``.
    """

    def __init__(self, hook):
        every, folder = hook._timer, tempfile.mkdtemp()
        super().__init__(
            folder,
            every._every_secs,
            every._every_steps,
            saver=hook._saver,
            scaffold=hook._scaffold,
        )
        self._path, self._folder = hook._save_path, folder

    def _save(self, session, step):
        self._get_saver().save(session, self._path, global_step=step)
        return False

    def end(self, session):
        super().end(session)
        shutil.rmtree(self._folder, ignore_errors=True)
