"""Trains an unchanged TF1 ``model_fn`` in several processes, which step together."""

import itertools

import tensorflow as tf

from .model_fn_graph import without_task
from .model_fn_input_context import input_context
from .model_fn_replicas import ReplicatedTraining


class WorkersTraining(ReplicatedTraining):
    """A ``ReplicatedTraining`` on the workers that ``TF_CONFIG`` names.

    Each worker makes one of the same model_fn, and draws from a dataset of its own. In
    each step the gradients of all replicas of all workers are added up. Where a worker
    is gone, the others fail, and all of them have to be started again.

    Args:
      strategy: the ``tf.distribute.MultiWorkerMirroredStrategy`` that connects them.
      model_fn, dataset, options: as for a ``ReplicatedTraining``.
      timeout_secs: how long a worker waits for the others in a step, an int.

    Attributes:
      is_chief: whether this worker saves, and writes the summaries.
      is_alone: whether ``TF_CONFIG`` names no cluster.

    Raises:
      ValueError: as a ``ReplicatedTraining``, or the task is no worker.
    """

    def __init__(self, strategy, model_fn, dataset, *, timeout_secs=1800, **options):
        self._timeout_secs = timeout_secs
        self._context = input_context(strategy)
        self.is_chief = self._context.input_pipeline_id == 0
        self.is_alone = not strategy.cluster_resolver.cluster_spec()
        if not self.is_chief:
            options["summary_dir"] = None
        super().__init__(strategy, model_fn, dataset, **options)
        if not self.is_chief:
            self.spec = self.spec._replace(training_chief_hooks=())

    def _of_this_process(self, strategy):
        task = strategy.cluster_resolver.task_type
        if task not in (None, "", "chief", "worker"):
            raise ValueError(f"A task {task!r} does not train.")
        self._reduction = _OverWorkers(self._context, self._timeout_secs)
        devices = [without_task(d) for d in strategy.extended.worker_devices]
        with tf.Graph().as_default():  # where a device is this process's, as in sessions
            return _Replicas(devices, self._reduction, self._context)

    def _sum_up(self, sums):
        return self._reduction.all_reduce(sums)

    def restore(self, manager):
        """Restores the chief's latest checkpoint, or takes the chief's first values.

        Raises:
          RuntimeError: the workers see different checkpoints, or one of them is gone.
        """
        if self._is_restored:
            raise RuntimeError(
                "A worker of this job is gone. Start all of them again: they go on from "
                "the latest checkpoint."
            )
        path = manager.latest_checkpoint
        steps = self._gathered(int(path.rpartition("-")[2]) if path else -1)
        if len(set(steps)) > 1:
            raise RuntimeError(
                f"The workers would resume at different steps, {steps}: "
                f"{manager.directory} has to be a directory that all of them see."
            )
        step = super().restore(manager)
        self._is_restored = True
        return step

    _is_restored = False

    def wait_for_all(self):
        """Waits until all workers have come here."""
        self._gathered(0)

    def _gathered(self, number):
        own = tf.constant([number], tf.int64)
        return tf.function(lambda: self._reduction.gather(own))().numpy().tolist()

    def _initialize(self):
        super()._initialize()
        if self._context.num_input_pipelines > 1:
            tf.function(self._take_the_chiefs, autograph=False)()

    def _take_the_chiefs(self):
        variables = list(self.variables.values())
        own = [_reducible(variable.read_value()) for variable in variables]
        added = own if self.is_chief else [tf.zeros_like(value) for value in own]
        for variable, value in zip(variables, self._sum_up(added)):
            variable.assign(tf.cast(value, variable.dtype))


class _Replicas(tf.distribute.MirroredStrategy):
    """This process's replicas, of which there are as many in the other ones."""

    def __init__(self, devices, reduction, context):
        super().__init__(devices, reduction)
        self._count = context.num_replicas_in_sync

    @property
    def num_replicas_in_sync(self):
        return self._count


class _OverWorkers(tf.distribute.ReductionToOneDevice):
    """Adds up over the replicas of this process, and then over the processes."""

    def __init__(self, context, timeout_secs):
        super().__init__()
        self._workers, self._replicas = (
            context.num_input_pipelines,
            context.num_replicas_in_sync,
        )
        self._timeout_secs, self._keys = timeout_secs, itertools.count(1)

    def batch_reduce(self, reduce_op, value_destination_pairs, options=None):
        pairs = list(value_destination_pairs)
        local = super().batch_reduce(tf.distribute.ReduceOp.SUM, pairs, options)
        results_of = tf.distribute.get_strategy().experimental_local_results
        totals = self.all_reduce([results_of(value)[0] for value in local])
        if reduce_op == tf.distribute.ReduceOp.MEAN:
            totals = [total / self._replicas for total in totals]
        return [self.broadcast(t, where) for t, (_, where) in zip(totals, pairs)]

    def all_reduce(self, values):
        """Adds up tensors or ``tf.IndexedSlices``, each as the same one elsewhere."""
        if self._workers == 1:
            return values
        totals = [v if isinstance(v, tf.Tensor) else self._joined(v) for v in values]
        dense = [i for i, total in enumerate(totals) if isinstance(total, tf.Tensor)]
        for dtype in sorted({totals[i].dtype for i in dense}, key=str):
            places = [i for i in dense if totals[i].dtype == dtype]
            for i, total in zip(places, self._added([totals[i] for i in places])):
                totals[i] = total
        return totals

    def _added(self, tensors):
        """Adds up tensors of one type in one operation."""
        flat = tf.concat([tf.reshape(tensor, [-1]) for tensor in tensors], 0)
        total = tf.raw_ops.CollectiveReduceV2(
            input=flat, merge_op="Add", final_op="Id", **self._group()
        )
        parts = tf.split(total, [tf.size(tensor) for tensor in tensors])
        return [
            tf.ensure_shape(tf.reshape(part, tf.shape(tensor)), tensor.shape)
            for part, tensor in zip(parts, tensors)
        ]

    def _joined(self, slices):
        """Puts the rows of all workers behind one another."""
        length = tf.shape(slices.indices)[0]
        lengths = tf.unstack(self.gather(length[None]), self._workers)
        longest = tf.reduce_max(lengths)

        def joined(rows):
            width = [[0, longest - length], *([[0, 0]] * (rows.shape.rank - 1))]
            filled = tf.split(self.gather(tf.pad(rows, width)), self._workers)
            return tf.concat([rows[:n] for rows, n in zip(filled, lengths)], 0)

        return tf.IndexedSlices(
            joined(slices.values), joined(slices.indices), slices.dense_shape
        )

    def gather(self, tensor):
        """Puts the rows of all workers, as many of each, behind one another."""
        if self._workers == 1:
            return tensor
        return tf.raw_ops.CollectiveGatherV2(input=tensor, **self._group())

    def _group(self):
        """Returns what tells an operation of all workers from the others."""
        return {
            "group_size": self._workers,
            "group_key": _GROUP_KEY,
            "instance_key": next(self._keys),
            "ordering_token": [],
            "timeout_seconds": self._timeout_secs,
        }


_GROUP_KEY = 1 << 20  # strategies count theirs from 1


def _reducible(value):
    """Returns a value in a type that workers can add up."""
    kinds = tf.float16, tf.float32, tf.float64, tf.int32, tf.int64
    if value.dtype in kinds:
        return value
    return tf.cast(value, tf.float32 if value.dtype.is_floating else tf.int32)
