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
from ..estimator.training import Training
from .peers import GONE, Together, Watch


class ClusterTraining(Training):
    """A training with other processes, or on several devices.

    Without a strategy the variables are on the parameter servers, and each worker trains
    them in its own time. Under a ``MirroredStrategy`` or a ``MultiWorkerMirroredStrategy``
    all replicas step together.

    Args:
      estimator, path, ends: as for ``Training``.

    Attributes:
      is_bound: whether several processes step together.
    """

    def __init__(self, *settings):
        super().__init__(*settings)
        self._strategy = self.config.train_distribute
        self.is_chief = self.config.is_chief
        self.is_alone = not self.config.num_other_tasks
        self.is_bound = self._strategy is not None and not self.is_alone
        self._is_in_cluster = not self.is_alone or _names_task(self._strategy)

    def join(self):
        """Joins the cluster; for a parameter server, that does not end."""
        config = self.config
        if self.is_bound:  # else a call to a worker that is gone waits for its return
            os.environ.setdefault("GRPC_FAIL_FAST", "true")
        # A strategy that was made eagerly has started a server.
        own = self._strategy and self._strategy.extended
        is_there = _servers or getattr(own, "_std_server_started", False)
        if self._is_in_cluster and not is_there:
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
        """Returns how long it waits before it joins those that train already."""
        config = self.config
        if config.task_type != "worker" or self._strategy is not None:
            return 0
        most = config.experimental_max_worker_delay_secs
        return min(60 if most is None else int(most), (config.task_id + 1) * 5)

    def _scope(self, graph):
        if self._strategy is None:
            return graph.device(self.config.device_fn or _device_setter(self.config))
        stack = contextlib.ExitStack()
        stack.enter_context(self._strategy.scope())
        # A TF1 optimizer divides by the replicas under an Estimator, and only there.
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
                return load_optional_file("estimator.continued_input").skipped(
                    estimator, whole, draws
                )
            return whole

        iterator = strategy.make_input_fn_iterator(dataset)
        step = strategy.extended.read_var(tf1.train.get_global_step())
        tf1.add_to_collection("global_step_read_op_cache", step)
        batch = iterator.get_next()
        features, labels = batch if isinstance(batch, (tuple, list)) else (batch, None)
        each = strategy.extended.call_for_each_replica(
            estimator._call_model_fn,
            args=(features, labels, "train", estimator.config),
        )
        estimator._warm_start(self.path)
        return self._spec_of(each), [_StartReplicas(iterator.initialize())]

    def _spec_of(self, each):
        """Returns one EstimatorSpec of those of the replicas."""
        strategy, reduce_op = self._strategy, tf.distribute.ReduceOp.SUM
        if getattr(tf1.get_default_graph(), "_is_loss_scaled_by_optimizer", False):
            # In its gradients, and not in what is reported.
            reduce_op = tf1.distribute.get_loss_reduction()
        firsts = {
            name: [self._all_of(hook)[0] for hook in getattr(each, name) or ()]
            for name in ("training_hooks", "training_chief_hooks")
        }
        return each._replace(
            loss=strategy.reduce(reduce_op, each.loss, axis=None),
            train_op=strategy.group(each.train_op),
            scaffold=each.scaffold and self._scaffold(self._all_of(each.scaffold)),
            **firsts,
        )

    def _all_of(self, each):
        return self._strategy.experimental_local_results(each)

    def _scaffold(self, found):
        """Returns one Scaffold of those of the replicas."""
        settings = {"saver": found[0].saver, "init_fn": found[0].init_fn}
        for name in ("init_op", "local_init_op", "summary_op"):
            values = [getattr(one, name) for one in found]
            if values[0] is not None:
                settings[name] = tf.group(*values)
        return tf1.train.Scaffold(**settings)

    def _steps(self, spec, hooks, log):
        if not self.is_bound:
            return super()._steps(spec, hooks, log)
        is_first = bool(_servers)  # else the strategy has waited for all as it was made
        self._together = Together(self.config, _master(self.config), is_first)
        return _BoundSteps(spec, self, self._together)

    def _run_session(self, steps, *settings):
        if not self.is_bound:
            with Watch(self.config):
                return super()._run_session(steps, *settings)
        secs = 6  # for a question that is not answered; else a failure is told at once
        try:
            self._together.begin()
            super()._run_session(steps, *settings)
            if not steps.input_ends:
                self._together.end()
            secs = 20
        finally:
            self._together.close(secs)

    def _take_steps(self, session, steps):
        super()._take_steps(session, steps)
        if self.is_bound and not steps.input_ends:
            self._together.stop(steps.taken)

    def _session_config(self):
        config = copy.deepcopy(super()._session_config())
        if self._strategy is not None:
            return self._strategy.update_config_proto(config)
        if self.config.session_config is None:
            config.device_filters.extend(_device_filters(self.config))
        return config

    def _session(self, hooks, chief_only_hooks, **settings):
        """Returns the session of the training, of which the server is there by now."""
        config, master = settings["config"], ""
        if self._is_in_cluster:
            master = _master(self.config)
        if self.is_bound and not self.is_chief:
            # Each worker has variables of its own, and restores them.
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


_servers = []  # of this process, at most one


def _names_task(strategy):
    """Returns whether a strategy's devices are a task's, which its server alone has."""
    devices = strategy.extended.worker_devices if strategy is not None else ()
    jobs = {tf.DeviceSpec.from_string(device).job for device in devices}
    return not jobs <= {None, "localhost"}


def _master(config):
    """Returns the address of this process's server, for its sessions."""
    if _servers:
        return _servers[0].target
    own = config.cluster_spec.task_address(config.task_type, config.task_id)
    return config.master or f"{config.protocol or 'grpc'}://{own}"


def _device_setter(config):
    """Returns what places variables on the parameter servers, as an Estimator does."""
    if not config.num_ps_replicas:
        return None
    return tf1.train.replica_device_setter(
        ps_tasks=config.num_ps_replicas,
        worker_device=f"/job:{config.task_type}/task:{config.task_id}",
        merge_devices=True,
        cluster=config.cluster_spec,
    )


def _device_filters(config):
    """Returns whom this process talks to: a worker that is gone stops no other."""
    return {
        "master": ["/job:ps", "/job:master"],
        "chief": ["/job:ps", "/job:chief"],
        "worker": ["/job:ps", f"/job:worker/task:{config.task_id}"],
        "ps": ["/job:ps", "/job:worker", "/job:chief", "/job:master"],
    }.get(config.task_type, [])


class _BoundSteps(Steps):
    """Steps that several processes take together.

    Args:
      spec, training: as for ``Steps``.
      together: the others.
    """

    taken, input_ends = 0, False

    def __init__(self, spec, training, together):
        super().__init__(spec, training)
        self._together = together

    def take(self, step_context):
        self._together.begun += 1
        try:
            super().take(step_context)
            self.taken += 1
        except tf.errors.OutOfRangeError:
            # Others may read the end of theirs later, and are left alone if they do not.
            self.input_ends, self._together.needs_all = True, False
            raise
        except tf.errors.OpError as error:
            if not _is_of_another_task(error):
                raise
            # TensorFlow would make a new session, and wait for the other for ever.
            raise RuntimeError(GONE) from error


def _is_of_another_task(error):
    """Returns whether a step failed because another task is gone or has started again."""
    lost = tf.errors.AbortedError, tf.errors.UnavailableError
    return isinstance(error, lost) or "Collective ops is aborted by" in error.message


class _SaveToo(tf1.train.CheckpointSaverHook):
    """Takes part in the chief's saves, which ask each worker for what it holds apart.

    Args:
      hook: the chief's.
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


class _StartReplicas(tf1.train.SessionRunHook):
    def __init__(self, initializer):
        self._initializer = initializer

    def after_create_session(self, session, coord):
        session.run(self._initializer)
