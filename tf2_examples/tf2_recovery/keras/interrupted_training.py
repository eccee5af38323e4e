# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content df858c286a20320e).
"""What is kept of a training until its program ends, and which start goes on with it.

A directory has checkpoints of the variables, each with a note of the rest, and
``after``, the newest note as it has changed since. Beside it is ``part-…``, where a
start writes the program's own files before they are put in their place.
"""

import contextlib
import hashlib
import multiprocessing.util
import os
import pickle
import re
import sys
import threading
import time

import tensorflow as tf

from ..synced_files import sync_files, sync_folder
from .model_variables import (
    build_config_of,
    digest_of,
    places_trained_by,
    replicas_of,
    variable_of,
    weights_of,
)
from .saved_states import UNREADABLE, directory_for, names_in, remove_all, states_in
from .whole_files import is_replaceable, put_in_place, watch_saves

_MOST_OF_A_NAME = 10
_trainings = []  # Of this process, in the order of their begin.
_begun = []  # The names of those that were asked for.


def is_kept(saved, name):
    """Returns whether a training can be kept; a line in the log says why it is not.

    Args:
      saved: what the program saves its model as, a path.
      name: tells this training from others of the program, a str.
    """
    _begun.append(name)
    times, problem = _begun.count(name), None
    if not tf.executing_eagerly():
        problem = "it runs without eager execution"
    elif "horovod" in sys.modules:
        problem = "Horovod trains it"
    elif re.search(r"[][*?\\]", directory_for(saved)):
        problem = f"TensorFlow finds no file by a name such as {saved}"
    elif times > _MOST_OF_A_NAME:  # Its own code alone resumes.
        _forget(saved)
        problem = f"it begins more than {_MOST_OF_A_NAME} times"
    if problem and times <= _MOST_OF_A_NAME + 1:
        tf.get_logger().warning("This training is not kept: %s.", problem)
    return problem is None


def kept_training(saved, models, optimizers=(), name="fit"):
    """Returns the ``SavedTraining`` of such arguments; None where it cannot be kept."""
    try:
        return SavedTraining(saved, models, optimizers, name)
    except Exception as error:  # Of several workers, or a model of another sort.
        tf.get_logger().warning("This training is not kept: %s", error)
        return None


class SavedTraining:
    """What is kept of one training of this process.

    Args:
      saved: what the program saves its model as, a path.
      models: those that are trained.
      optimizers: those that no model holds.
      name: tells this training from others of the program, a str.

    Attributes:
      note: what is known of the training beside its variables, a dict of plain data.
      is_resumed: whether this start goes on with an interrupted training.
      is_ended: whether the program has trained to the end.
      manager: the ``tf.train.CheckpointManager`` that saves.
      on_save: is called before a file of the program's own is put in its place.
    """

    def __init__(self, saved, models, optimizers=(), name="fit"):
        resolver = models[0].distribute_strategy.cluster_resolver
        jobs = resolver.cluster_spec().as_dict() if resolver else {}
        if sum(len(tasks) for job, tasks in jobs.items() if job != "evaluator") > 1:
            raise ValueError("several workers train it")
        self.parent = directory_for(saved)
        before = [one for one in _trainings if one.parent == self.parent]
        number = sum(one.name == name for one in before)
        self.name, self.directory = name, os.path.join(self.parent, f"{name}-{number}")
        own = f"part-{os.getpid()}-{time.time_ns()}"  # Another start may run beside it.
        self._parts = os.path.join(self.parent, own)
        self.models, self._more = models, list(optimizers)
        self.is_ended, self.on_save = False, lambda: None
        self._sync, self._seconds, self._saved_at = None, 0.0, time.monotonic()
        self._values = None
        self.note = {"number": 0, "command": _command(), "saved": {}, "file": None}
        self._find(before)
        if not _trainings:  # Also for a child of multiprocessing, which runs no atexit.
            multiprocessing.util.Finalize(None, _leave, (os.getpid(),), exitpriority=0)
        _trainings.append(self)
        watch_saves(models, _trainings)

    def _find(self, before):
        """Reads the state that this start goes on with, if any."""
        states = states_in(self.directory)
        epoch, state = states[0][1]["epoch"] if states else None, None
        if states:
            self._build(states[0][1])
        began = dict(enumerate(map(digest_of, self._weights())))
        while states:
            state = self._choose(states, began, before)
            try:
                self._values = self._read_values(state[0]) if state else None
                break
            except UNREADABLE as error:
                tf.get_logger().warning("Cannot read %s: %s", state[0], error)
                states.remove(state)
                state = None
        self.is_resumed = state is not None
        if state is not None:
            self.note = {**state[1], "command": self.note["command"]}
        elif epoch is not None:
            tf.get_logger().warning(
                "%s has epoch %s of an interrupted training. It began with other weights "
                "or another command: this start is a new training.",
                *(self.directory, epoch),
            )
        self.note["began"] = began

    def _choose(self, states, now, before):
        """Returns the state that a start with such weights goes on with, or None."""
        if before:  # A later training of a process goes on if its first one does.
            return states[0] if before[0].is_resumed else None
        newest, is_torn = states[0][1], any(map(names_in, self._inside("part-")))
        found = [one for one in map(states_in, self._inside("")) if one]
        last = [note for _, note in max(found, key=lambda one: one[0][1]["time"])]
        if any(_is_in(note["saved"], now) for note in (newest, last[0])):
            return states[0]
        is_same = newest["command"] == self.note["command"] is not None
        if is_torn or is_same:  # Of the files that were saved last, one is not there.
            earlier = [one for one in states[1:] if _is_in(one[1]["saved"], now)]
            if earlier:
                return earlier[0]
            if any(_is_in(note["saved"], now) for note in last[1:]):
                return states[0]  # A later training of the program was killed.
        if not is_same or now != newest["began"]:
            return None
        if is_torn:
            return next((one for one in states if one[1].get("turn") is None), None)
        file = newest["file"]
        is_there = not file or any(map(tf.io.gfile.exists, (file, file + ".index")))
        return states[0] if is_there else None  # Else its files were removed.

    def _build(self, note):
        """Builds models and optimizers as they were when they were saved."""
        for model, config in zip(self.models, note["built"]):
            if not model.built and config is not None:
                try:
                    model.build_from_config(config)
                except Exception as error:  # Of any layer.
                    tf.get_logger().warning("%s is not built: %s", model.name, error)
        weights = weights_of(self.models)
        for one, places in zip(self._optimizers(), note["optimized"]):
            with self.models[0].distribute_strategy.scope():
                build = getattr(one, "build", None) or one._create_all_weights
                if places and max(places) < len(weights):
                    build([weights[place] for place in places])

    def _read_values(self, path):
        reader, values = tf.train.load_checkpoint(path), []
        shapes = reader.get_variable_to_shape_map()
        for number, one in enumerate(self._variables()):
            name = f"variables/{number}/.ATTRIBUTES/VARIABLE_VALUE"
            if list(one.shape) != shapes.pop(name, None):
                raise ValueError(f"{one.name} had another shape")
            values.append(reader.get_tensor(name))
        if any(name.startswith("variables/") for name in shapes):
            raise ValueError("it has more variables")
        return values

    def restore(self):
        """Restores the state that this start goes on with, if any."""
        for one, value in zip(self._variables(), self._values or ()):
            one.assign(value)
        self._values = None
        with contextlib.suppress(tf.errors.NotFoundError):  # The list may be torn.
            tf.io.gfile.remove(os.path.join(self.directory, "checkpoint"))
        if self.is_resumed:  # A newer state is of a file that is not in its place.
            self._remove(lambda number: number > self.note["number"])
        for path in self._inside("part-"):
            tf.io.gfile.rmtree(path)
        self._make_manager()

    def _inside(self, start):
        names = [name for name in names_in(self.parent) if name.startswith(start)]
        return [os.path.join(self.parent, name) for name in names]

    def _weights(self):
        return [variable_of(one) for one in weights_of(self.models)]

    def _optimizers(self):
        found = [getattr(model, "optimizer", None) for model in self.models]
        tracked = (one for one in self._tracked() if hasattr(one, "apply_gradients"))
        found = {id(one): one for one in [*found, *self._more, *tracked]}
        inner = [getattr(one, "inner_optimizer", None) for one in found.values()]
        left_out = {id(None), *map(id, inner)}
        return [one for key, one in found.items() if key not in left_out]

    def _tracked(self):  # Also by a train_step of the program's own.
        views = [tf.train.TrackableView(one).descendants() for one in self.models]
        return [one for view in views for one in view]

    def _variables(self):
        found = self._weights()
        found += [getattr(model, "_train_counter", None) for model in self.models]
        for one in self._optimizers():
            found += one.variables() if callable(one.variables) else one.variables
        metrics = [v for m in self.models for one in m.metrics for v in one.variables]
        skipped = {id(variable_of(one)) for one in metrics}
        found = map(variable_of, [*found, *self._tracked()])
        found = [one for each in found for one in replicas_of(each)]
        unique = {id(one): one for one in found if isinstance(one, tf.Variable)}
        return [one for key, one in unique.items() if key not in skipped]

    def _make_manager(self):
        self._kept = self._variables()
        checkpoint = tf.train.Checkpoint(variables=self._kept, note=_Note(self))
        self.manager = tf.train.CheckpointManager(checkpoint, self.directory, 2)

    def is_due(self):
        """Returns whether more time has passed since the last save than it took."""
        return time.monotonic() - self._saved_at >= self._seconds

    def save(self):
        """Saves the variables and the note."""
        began = time.monotonic()
        self._try(self._save)
        self._saved_at = time.monotonic()
        self._seconds = self._saved_at - began

    def amend(self):
        """Notes what has changed since the save, but for the variables."""
        if self.note["number"]:
            self._try(self._amend)

    def _try(self, write):
        try:
            write()
        except Exception as error:  # Such as a full disk: the program trains on.
            tf.get_logger().warning("Cannot save in %s: %s", self.directory, error)

    def _save(self):
        self.wait()
        note = self.note
        if note["number"] == 0 and tf.io.gfile.exists(self.directory):
            tf.io.gfile.rmtree(self.directory)  # Of a training that this one replaces.
        if [*map(id, self._kept)] != [*map(id, self._variables())]:
            self._make_manager()  # The model was built since.
        weights = weights_of(self.models)
        note.update(number=note["number"] + 1, time=time.time())
        note["built"] = [build_config_of(model) for model in self.models]
        note["optimized"] = [
            places_trained_by(one, weights) for one in self._optimizers()
        ]
        self.manager.save(checkpoint_number=note["number"])
        self._remove(lambda number: number < note["number"] - 1)
        self._sync = threading.Thread(target=sync_folder, args=(self.directory,))
        self._sync.start()  # The state before this one stays until the next save.

    def _remove(self, is_obsolete):
        for name in reversed(names_in(self.directory)):  # The index before its data.
            number = re.match(r"ckpt-(\d+)\.", name)
            if number and is_obsolete(int(number[1])):
                with contextlib.suppress(tf.errors.NotFoundError):
                    tf.io.gfile.remove(os.path.join(self.directory, name))

    def wait(self):
        """Waits until what was saved is on the disk."""
        if self._sync is not None:
            self._sync.join()
        self._sync = None

    def _amend(self):
        self.note["time"] = time.time()
        path = os.path.join(self.directory, "after")
        with tf.io.gfile.GFile(path + ".new", "wb") as file:
            file.write(pickle.dumps(self.note))
        sync_files(path + ".new")
        tf.io.gfile.rename(path + ".new", path, overwrite=True)

    def digests(self):
        """Returns a short name of each variable's value, a list."""
        return [digest_of(one) for one in self._variables()]

    def has_weights_of(self, model):
        """Returns whether a model shares weights with those that are trained."""
        return bool(self._places_of(model))

    def _places_of(self, model):
        own = {id(variable_of(one)) for one in weights_of([model])}
        return {n: one for n, one in enumerate(self._weights()) if id(one) in own}

    def write_whole(self, model, write, path, *args, **kwargs):
        """Writes a file of the program's own aside, and puts it in its place."""
        is_aside = False
        with contextlib.suppress(Exception):  # Such as a full disk: it writes as ever.
            if is_replaceable(path, self._parts):
                aside = os.path.join(self._parts, os.path.basename(path))
                write(model, aside, *args, **kwargs)
                sync_folder(self._parts)
                is_aside = True
        marks = {n: digest_of(one) for n, one in self._places_of(model).items()}
        self.note["saved"] = {**self.note["saved"], **marks}
        self.note["file"] = path if "://" in path else os.path.abspath(path)
        self.on_save()
        self.wait()
        if not is_aside or not put_in_place(self._parts, os.path.dirname(path)):
            write(model, path, *args, **kwargs)


class _Note(tf.train.experimental.PythonState):
    def __init__(self, training):
        self._training = training

    def serialize(self):
        return pickle.dumps(self._training.note)

    def deserialize(self, string_value):
        pass  # It is read before the variables are.


def _forget(saved):
    directory = directory_for(saved)
    for training in [one for one in _trainings if one.parent == directory]:
        training.wait()
        _trainings.remove(training)
    remove_all(directory)


def _leave(process):
    """Removes what is kept when the process ends, but for an exception."""
    error = sys.exc_info()[0]
    is_failing = hasattr(sys, "last_type") or error not in (None, SystemExit)
    is_ended = all(one.is_ended for one in _trainings) and os.getpid() == process
    for training in _trainings if is_ended and not is_failing else ():
        training.wait()
        remove_all(training.parent)


def _command():
    """Returns a short name of the program's arguments and source, a str, or None."""
    main = getattr(sys.modules["__main__"], "__file__", None)
    if main is None:
        return None
    folder = os.path.dirname(os.path.abspath(main)) + os.sep
    modules = [getattr(one, "__file__", None) for one in [*sys.modules.values()]]
    digest = hashlib.sha256(repr([os.path.basename(main), *sys.argv[1:]]).encode())
    for one in sorted({os.path.abspath(one) for one in [main, *modules] if one}):
        is_own = one.startswith(folder) and "site-packages" not in one
        if is_own and os.path.isfile(one):
            with open(one, "rb") as file:
                digest.update(file.read())
    return digest.hexdigest()


def _is_in(saved, now):
    """Returns whether the models have now all that was saved last."""
    return bool(saved) and saved.items() <= now.items()
