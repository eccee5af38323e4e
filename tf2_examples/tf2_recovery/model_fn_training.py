# Part of tf2_recovery, written by estimator-migrate 0.1.0 (content 2ad5f3254831972d).
"""Trains an unchanged TF1 ``model_fn`` on TF2 variables."""

import uuid

import tensorflow as tf
import tensorflow.compat.v1 as tf1

from .model_fn_call import call_model_fn, features_and_labels
from .model_fn_graph import GraphPart
from .model_fn_named_checkpoint import NamedCheckpoint
from .model_fn_saved_keys import saved_keys
from .model_fn_session import warm_start


class ModelFnTraining:
    """An unchanged ``model_fn`` in training: its variables, and the steps it takes.

    The model_fn builds its TF1 graph once, as under an Estimator. ``tf.function`` runs
    that graph on ``tf.Variable`` objects, which have the names that the graph gave.

    Args:
      model_fn: takes features and any of labels, mode, params and config.
      dataset: a ``tf.data.Dataset`` of features, or of (features, labels).
      params: a dict for the model_fn.
      config: what the model_fn reads from its ``RunConfig``, if anything.
      seed: the graph's random seed, ``RunConfig.tf_random_seed``.
      warm_start_from: a checkpoint's path or a ``WarmStartSettings``, to take values
        from where there is no checkpoint to restore.
      summary_dir: where ``tf.compat.v1.summary`` goes; None for nowhere.
      save_summary_steps: steps from one summary to the next; None or 0 for none.
      sync_saves: whether a save waits until it is on the disk, if that is a local one.

    Attributes:
      graph: the TF1 graph.
      spec: the EstimatorSpec that the model_fn returned.
      variables: a dict from name to ``tf.Variable``: all that a checkpoint holds.
      checkpoint: a ``NamedCheckpoint`` of them.
      global_step: one of them, int64.
      last_loss: a ``tf.Variable``, the loss of the last step.
      dataset: as given.
      is_chief: whether this process saves.
      writer: a ``tf.summary.SummaryWriter`` into summary_dir, or None.
    """

    is_chief = True

    def __init__(
        self,
        model_fn,
        dataset,
        *,
        params=None,
        config=None,
        seed=None,
        warm_start_from=None,
        summary_dir=None,
        save_summary_steps=100,
        sync_saves=True,
    ):
        self.graph, self.dataset = tf.Graph(), dataset
        with self.graph.as_default():
            tf1.set_random_seed(seed)
            tf1.train.create_global_step()
            self._placeholders, batch = _placeholders(dataset.element_spec)
            features, labels = features_and_labels(batch)
            spec = call_model_fn(model_fn, features, labels, "train", params, config)
            warm_start(warm_start_from, None)
            self._loss = tf.reshape(spec.loss, [])
            if "loss" not in [s.op.name for s in tf1.get_collection("summaries")]:
                tf1.summary.scalar("loss", self._loss)
            self._summary = tf1.summary.merge_all()
            self._saved = {v.op.name: v for v in tf1.global_variables()}
            _check_carried(self._saved)
            local = {v.op.name: v for v in tf1.local_variables()}
            scaffold = self._scaffold = spec.scaffold or tf1.train.Scaffold()
            start = scaffold.local_init_op or scaffold.default_local_init_op()
            savers = [scaffold.saver, *tf1.get_collection(tf1.GraphKeys.SAVERS)]
            self._saver = next(filter(None, savers), None)
            keys = saved_keys(self._saved, self._saver)
        self.spec = spec
        in_graph = {**local, **self._saved}
        held = {
            name: tf.Variable(tf.zeros(v.shape, v.dtype), False, name=name)
            for name, v in in_graph.items()
        }
        self._by_handle = {v.handle.name: held[name] for name, v in in_graph.items()}
        self.variables = {name: held[name] for name in self._saved}
        self.checkpoint = NamedCheckpoint(
            self.variables, keys, self._write_graph, sync_saves
        )
        self.global_step = self.variables["global_step"]
        self.last_loss = tf.Variable(tf.zeros([], self._loss.dtype), False)
        self.writer = summary_dir and tf.summary.create_file_writer(summary_dir)
        self._save_summary_steps = summary_dir and save_summary_steps
        self._prefix = f"{uuid.uuid4()}/"  # the tables of two trainings must not meet
        self._take_steps = tf.function(self._take_steps, autograph=False)
        tf.function(
            lambda: self.part([start]).run(self._by_handle)[:0], autograph=False
        )()

    def managed_by(self, manager):
        """Returns the manager that saves, a ``tf.train.CheckpointManager``.

        That is another than the given one where the model_fn has a Saver of its own,
        which says how many checkpoints to keep.
        """
        if self._saver is None:
            return manager
        asked = self._saver.as_saver_def()
        return tf.train.CheckpointManager(
            self.checkpoint,
            manager.directory,
            max_to_keep=asked.max_to_keep or None,
            keep_checkpoint_every_n_hours=asked.keep_checkpoint_every_n_hours,
            checkpoint_name="model.ckpt",
            step_counter=self.global_step,
            checkpoint_interval=manager.checkpoint_interval,
        )

    def restore(self, manager):
        """Restores the latest checkpoint; where there is none, initializes.

        Args:
          manager: a ``tf.train.CheckpointManager`` that saves ``checkpoint``; the
            latest may be one that an Estimator wrote.

        Returns:
          The global step, an int.

        Raises:
          ValueError: the checkpoint lacks variables, or has them in another shape.
        """
        if manager.latest_checkpoint is None:
            self._initialize()
        else:
            manager.restore_or_initialize()
            tf1.logging.info("Restored %s", manager.latest_checkpoint)
        return int(self.global_step)

    def _initialize(self):
        """Takes the values that an Estimator's session begins with.

        Those are the initializers', ``init_from_checkpoint``'s, the Scaffold's and the
        warm start's.
        """
        with self.graph.as_default():
            creator = tf1.train.ChiefSessionCreator(self._scaffold)
            with creator.create_session() as session:
                values = session.run(self._saved)
        for name, value in values.items():
            self.variables[name].assign(value)

    def _write_graph(self, path):
        with self.graph.as_default():
            self._scaffold.finalize()
            self._scaffold.saver.export_meta_graph(path)

    def __call__(self, batches, until, first_step):
        """Takes several steps without coming back to Python between them.

        Args:
          batches: an iterator of the dataset.
          until: the global step to stop at, an int; a loss that is NaN stops before.
          first_step: the step at which the training began; summaries count from it.

        Returns:
          The last step's loss, a number.

        Raises:
          tf.errors.OutOfRangeError: the dataset ended; the steps before that are taken.
        """
        bounds = tf.constant(until, tf.int64), tf.constant(first_step, tf.int64)
        return self._take_steps(batches, *bounds).numpy()

    def wait_for_all(self):
        """Waits for the job's other processes, of which there are none."""

    def part(self, results, given=frozenset()):
        """Returns the ``GraphPart`` of some results; see ``given`` for its inputs."""
        inputs = {p.name for p in self._placeholders} | self._by_handle.keys()
        return GraphPart(self.graph, results, inputs | given, self._prefix)

    def given(self, batch):
        """Returns what a part is given: a batch, and the variables."""
        tensors = tf.nest.flatten(batch, expand_composites=True)
        names = [placeholder.name for placeholder in self._placeholders]
        return {**self._by_handle, **dict(zip(names, tensors))}

    def take_step(self, batches, first_step, more=()):
        """Adds one step to the ``tf.function`` that is being traced.

        Args:
          batches: an iterator of the dataset.
          first_step: as for a call.
          more: tensors and operations of the graph that the step computes as well.

        Returns:
          The loss, and a list of what was asked for.
        """
        given = self.given(next(batches))
        step = self.global_step.read_value()
        results = [self._loss, self.spec.train_op, *more]
        shared = self._shared_with_summary(results)
        values = self.part(results + list(shared.values())).run(given)
        self.last_loss.assign(values[0])
        if self._save_summary_steps:
            given.update(zip(shared, values[len(results) :]))
            due = (step - first_step) % self._save_summary_steps == 0
            tf.cond(due, lambda: self._write(given, step + 1), lambda: False)
        return values[0], values[2 : len(results)]

    def _take_steps(self, batches, until, first_step):
        def take_step(_, __):
            loss, _ = self.take_step(batches, first_step)
            return self.global_step.read_value(), loss

        return tf.while_loop(
            lambda step, loss: (step < until) & ~tf.math.is_nan(loss),
            take_step,
            (self.global_step.read_value(), tf.zeros([], self._loss.dtype)),
        )[1]

    def _shared_with_summary(self, results):
        """Returns, by name, the tensors of a step that a summary takes from it."""
        if not self._save_summary_steps:
            return {}
        operations = self.part(results).operations
        outputs = {
            tensor.name: tensor
            for operation in self.graph.get_operations()
            if operation.name in operations
            for tensor in operation.outputs
        }
        self._summary_part = self.part([self._summary], operations | outputs.keys())
        return {
            name: outputs[name] for name in self._summary_part.needs & outputs.keys()
        }

    def _write(self, given, step):
        (summary,) = self._summary_part.run(given)
        with self.writer.as_default(step):
            return tf.summary.experimental.write_raw_pb(summary)


def _placeholders(structure):
    parts = tf.nest.flatten(structure, expand_composites=True)
    flat = [tf1.placeholder(part.dtype, part.shape) for part in parts]
    return flat, tf.nest.pack_sequence_as(structure, flat, expand_composites=True)


def _check_carried(variables):
    """Raises a ValueError for what an Estimator saves and a checkpoint would lack."""
    other = [saved.name for saved in tf1.get_collection(tf1.GraphKeys.SAVEABLE_OBJECTS)]
    other += [name for name, v in variables.items() if not hasattr(v, "handle")]
    if other:
        raise ValueError(f"Not resource variables, so they would be lost: {other}.")
