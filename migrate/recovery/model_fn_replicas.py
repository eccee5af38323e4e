"""Trains an unchanged TF1 ``model_fn`` on several replicas of one machine."""

import math

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .model_fn_call import call_model_fn, features_and_labels
from .model_fn_graph import without_task
from .model_fn_training import ModelFnTraining


class ReplicatedTraining(ModelFnTraining):
    """A ``ModelFnTraining`` under a strategy, as an Estimator's ``train_distribute``.

    In each step every replica draws a batch of its own, and the step counts once. A
    checkpoint holds each variable once, by the name that it has without a strategy; of
    a moving average that each replica keeps for itself it holds the mean.

    Args:
      strategy: a ``tf.distribute.MirroredStrategy``. Its devices are used; gradients
        are added on one of them, whatever its ``cross_device_ops``.
      model_fn: as for a ``ModelFnTraining``.
      dataset: a ``tf.data.Dataset`` of one replica's batches.
      options: other arguments of a ``ModelFnTraining``.

    Raises:
      ValueError: strategy is another one, the model_fn gives a Scaffold, or the
        replicas keep a variable each of which the checkpoint would hold no mean.
    """

    def __init__(self, strategy, model_fn, dataset, **options):
        self._strategy = self._of_this_process(strategy)
        self._devices = self._strategy.extended.worker_devices
        self._model_fn, self._mirrored = model_fn, {}
        drawn = dict.fromkeys(range(len(self._devices)), dataset)
        with tf.device(without_task(self._devices[0])):
            super().__init__(self._on_replicas, tf.data.Dataset.zip(drawn), **options)
        self.dataset = dataset  # each replica draws a batch of its own
        self._copies, self._means = [], []
        self._hold_copies()
        # A while loop over several devices would not end.
        self._take_one = tf.function(
            lambda batches, first: self.take_step(batches, first)[0], autograph=False
        )

    def _of_this_process(self, strategy):
        """Returns the strategy under which the model_fn is called."""
        kinds = tf.distribute.MirroredStrategy, tf1.distribute.MirroredStrategy
        if not isinstance(strategy, kinds):
            raise ValueError(f"Only a MirroredStrategy trains here, not {strategy}.")
        # Collective operations wait for one another; tf.function puts them in a row.
        reduction = tf.distribute.ReductionToOneDevice()
        devices = strategy.extended.worker_devices
        return tf.distribute.MirroredStrategy(devices, reduction)

    def _sum_up(self, sums):
        """Returns what the sums over the replicas of this process come to over all."""
        return sums

    def restore(self, manager):
        """Restores as a ``ModelFnTraining`` does, on every replica."""
        step = super().restore(manager)
        for saved, copies in self._copies:
            for held in copies:
                held.assign(saved)
        return step

    def take_step(self, batches, first_step, more=()):
        """Adds one step of all replicas to the ``tf.function`` that is being traced."""
        batch = {replica: next(batches) for replica in range(len(self._devices))}
        # At the end of the data no replica may begin a step that another cannot take.
        with tf.control_dependencies(tf.nest.flatten(batch, expand_composites=True)):
            batch = tf.nest.map_structure(tf.identity, batch, expand_composites=True)
        results = super().take_step(iter([batch]), first_step, more)
        sums = [tf.add_n([c.read_value() for c in copies]) for _, copies in self._means]
        for (saved, _), total in zip(self._means, self._sum_up(sums)):
            saved.assign(total / self._strategy.num_replicas_in_sync)
        return results

    def __call__(self, batches, until, first_step):
        """Takes steps as a ``ModelFnTraining`` does, one call of a function for each."""
        loss, first_step = 0.0, tf.constant(first_step, tf.int64)
        while int(self.global_step) < until and not math.isnan(loss):
            loss = self._take_one(batches, first_step).numpy()
        return loss

    def _on_replicas(self, features, mode, params, config):
        """Calls the model_fn once a replica, each with its batch."""
        graph, specs = tf1.get_default_graph(), {}

        def call():
            context = tf.distribute.get_replica_context()
            replica = int(tf.get_static_value(context.replica_id_in_sync_group))
            batch = features_and_labels(features[replica])
            specs[replica] = call_model_fn(self._model_fn, *batch, mode, params, config)
            return tf.reshape(specs[replica].loss, []), specs[replica].train_op

        strategy = self._strategy
        # By the second, TF1's optimizers average the losses and do not add them up.
        with strategy.scope(), strategy._scale_loss_for_estimator_enabled():
            self._mirror_step(graph)
            losses, train_ops = strategy.extended.call_for_each_replica(call)
            if specs[0].scaffold:
                raise ValueError("A Scaffold is not carried over to several replicas.")
            added = tf.distribute.ReduceOp.SUM
            (loss,) = self._sum_up([strategy.reduce(added, losses, axis=None)])
            is_scaled = getattr(graph, "_is_loss_scaled_by_optimizer", False)
            if is_scaled and tf1.distribute.get_loss_reduction() != added:
                loss /= strategy.num_replicas_in_sync
            train_op = strategy.group(train_ops)
        for key in (tf1.GraphKeys.GLOBAL_VARIABLES, tf1.GraphKeys.LOCAL_VARIABLES):
            variables = graph.get_collection_ref(key)
            self._mirrored[key] = list(variables)
            variables[:] = [self._parts(variable)[0] for variable in variables]
        return specs[0]._replace(loss=loss, train_op=train_op)

    def _mirror_step(self, graph):
        """Makes the step that the replicas count, beside the one that is saved."""
        key = tf1.GraphKeys.GLOBAL_STEP
        graph.clear_collection(key)
        once = tf1.VariableAggregation.ONLY_FIRST_REPLICA
        self._step = tf1.Variable(
            tf.zeros([], tf.int64),
            trainable=False,
            name="global_step",
            collections=[key],
            aggregation=once,
        )

    def _parts(self, variable):
        return self._strategy.experimental_local_results(variable)

    def _hold_copies(self):
        """Holds a variable for each that a replica has beside the one in checkpoints."""
        for key, variables in self._mirrored.items():
            self.graph.get_collection_ref(key)[:] = variables
        saved, local = self._mirrored.values()
        for variable in saved:
            first, *others = self._parts(variable)
            name = first.op.name
            is_own = variable.synchronization == tf.VariableSynchronization.ON_READ
            if is_own and self._strategy.num_replicas_in_sync > 1:
                if variable.aggregation != tf.VariableAggregation.MEAN:
                    raise ValueError(f"{name} is no mean over the replicas.")
                self._means.append((self.variables[name], self._hold([first, *others])))
                self._copies.append(self._means[-1])
            else:
                self._copies.append((self.variables[name], self._hold(others)))
        first, *others = self._parts(self._step)
        self._by_handle[first.handle.name] = self.global_step
        self._copies.append((self.global_step, self._hold(others)))
        others = [other for variable in local for other in self._parts(variable)[1:]]
        self._hold(others)
        start = [other.initializer for other in others]
        tf.function(
            lambda: self.part(start).run(self._by_handle)[:0], autograph=False
        )()

    def _hold(self, parts):
        for part in parts:
            with tf.device(without_task(part.device)):
                zeros = tf.zeros(part.shape, part.dtype)
                held = tf.Variable(zeros, False, name=part.op.name)
            self._by_handle[part.handle.name] = held
        return [self._by_handle[part.handle.name] for part in parts]

    def _write_graph(self, path):
        with self.graph.as_default(), self._strategy.scope():
            super()._write_graph(path)

    def _initialize(self):
        soft = tf1.ConfigProto(allow_soft_placement=True)
        with self.graph.as_default(), self._strategy.scope():
            creator = tf1.train.ChiefSessionCreator(self._scaffold, config=soft)
            with creator.create_session() as session:
                values = session.run(self._saved)
        for name, value in values.items():
            self.variables[name].assign(value)
