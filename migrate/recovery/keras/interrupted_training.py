"""What is kept of a training until its program ends, and which start goes on with it.

A directory has two checkpoints of the variables, ``ckpt-N``, and ``note-N`` of the rest.
Beside it is ``part-…``, where a file of the program's own is until it is put in its place.
"""

import contextlib
import functools
import hashlib
import multiprocessing.util
import os
import pickle
import re
import sys
import threading
import time

import numpy as np
import tensorflow as tf

from ..synced_files import sync_files, sync_folder
from .saved_states import (
    UNREADABLE,
    build_config_of,
    digest_of,
    directory_for,
    has_saved,
    is_replaceable,
    names_in,
    places_trained_by,
    put_in_place,
    remove_all,
    remove_tree,
    replicas_of,
    states_in,
    variable_of,
    weights_of,
)

_MOST_OF_A_NAME = 10
_trainings = []  # Of this process, in the order of their begin.
_begun = []  # The names of those that were asked for.


def kept_training(saved, models, optimizers=(), name="fit"):
    """Returns the ``SavedTraining`` of such arguments, or None.

    A line in the log says why a training cannot be kept.
    """
    directory = directory_for(saved)
    _begun.append(directory if name == "loop" else name)
    times, problem = _begun.count(_begun[-1]), None
    if times > _MOST_OF_A_NAME + 1:
        return None
    if not tf.executing_eagerly():
        problem = "it runs without eager execution"
    elif "horovod" in sys.modules:
        problem = "Horovod trains it"
    elif re.search(r"[][*?\\]", directory):
        problem = f"TensorFlow finds no file by a name such as {saved}"
    elif times > _MOST_OF_A_NAME:  # Its own code alone resumes.
        problem = f"it begins more than {_MOST_OF_A_NAME} times"
        for training in [one for one in _trainings if one.parent == directory]:
            training.wait()
            _trainings.remove(training)
        remove_all(directory)
    else:
        try:
            return SavedTraining(saved, models, optimizers, name)
        except Exception as error:  # Of several workers, or a model of another sort.
            problem = error
    tf.get_logger().warning("This training is not kept: %s.", problem)
    return None


class SavedTraining:
    """What is kept of one training of this process.

    Attributes:
      note: what is known of it beside its variables, a dict of plain data.
      manager: the ``tf.train.CheckpointManager`` that saves.
      on_save: is called before a file of the program's own is put in its place.
    """

    def __init__(self, saved, models, optimizers=(), name="fit"):
        resolver = models[0].distribute_strategy.cluster_resolver
        jobs = resolver.cluster_spec().as_dict() if resolver else {}
        if sum(len(tasks) for job, tasks in jobs.items() if job != "evaluator") > 1:
            raise ValueError("several workers train it")
        self.parent = directory_for(saved)
        self._before = [one for one in _trainings if one.parent == self.parent]
        number = sum(one.name == name for one in self._before)
        self.name, self.directory = name, os.path.join(self.parent, f"{name}-{number}")
        self.models, self._more = models, list(optimizers)
        self.is_resumed = self.is_ended = False
        self.on_save, self._sync, self._values = lambda: None, None, ()
        self._digests, self._seconds, self._saved_at = None, 0.0, time.monotonic()
        self._file_digests = {}  # Of a file of the program while it is put in place.
        self.note = {"number": 0, "command": _command(), "saved": {}}
        self.note.update(file=None, part="", trainable=None)
        self._find()
        if not _trainings:  # Also for a child of multiprocessing, which runs no atexit.
            multiprocessing.util.Finalize(None, _leave, (os.getpid(),), exitpriority=0)
        _trainings.append(self)
        _watch_saves(models)

    def _find(self):
        """Reads the newest state that is whole, if this start goes on with it."""
        states = states_in(self.directory)
        is_alike = bool(states) and self._build(states[0][1])
        began = dict(enumerate(map(digest_of, self._weights())))
        for path, note in states:
            try:
                values = self._read_values(path) if is_alike else ()
            except UNREADABLE as error:
                tf.get_logger().warning("Cannot read %s: %s", path, error)
                continue
            self.is_resumed = is_alike and self._goes_on(note, began, values)
            if self.is_resumed:
                self._values = values
                self.note = {**note, "command": self.note["command"]}
            else:
                tf.get_logger().warning(
                    "%s has epoch %s of an interrupted training. It began with other "
                    "weights, layers or another command: this start is a new training.",
                    *(self.directory, note["epoch"]),
                )
            break
        self.note["began"] = began
        self.note["trainable"] = self.note["trainable"] or self._trainable()

    def _goes_on(self, note, now, values):
        """Returns whether a start with such weights goes on with a state."""
        if self._before:  # A later training of a process goes on if its first one does.
            return self._before[0].is_resumed
        if now != note["began"] and self._has_weights(values):
            return True  # Of a file that Keras has not written.
        notes = [note, max(self._notes(), key=lambda one: one["time"])]
        if any(has_saved(one["saved"], now, 1) for one in notes):
            return True
        is_same = note["command"] == self.note["command"] is not None
        is_torn = any(names_in(one["part"]) for one in notes)
        files = note["file"] and (note["file"], note["file"] + ".index")
        if files and not is_torn and not any(map(tf.io.gfile.exists, files)):
            return False  # The program's own files were removed.
        if (is_torn or is_same) and any(
            has_saved(one["saved"], now, 2) for one in notes
        ):
            return True  # Of the files that were saved last, one is not there.
        return is_same and now == note["began"]

    def _has_weights(self, values):
        """Returns whether the models have the weights of a state."""
        own = {id(one) for weight in self._weights() for one in replicas_of(weight)}
        pairs = zip(self._variables(), values)
        return all(np.array_equal(a.read_value(), b) for a, b in pairs if id(a) in own)

    def _notes(self):
        """Returns the newest note of each training of the program."""
        found = map(states_in, self._inside(""))
        return [states[0][1] for states in found if states]

    def _build(self, note):
        """Builds models and optimizers as saved, and returns True, or False for others."""
        is_same = note["command"] == self.note["command"] is not None
        for model, config in zip(self.models, note["built"]):
            if not model.built and not is_same:
                return False  # Its data may have another shape.
            if not model.built and config is not None:
                try:
                    model.build_from_config(config)
                except Exception as error:  # Of any layer.
                    tf.get_logger().warning("%s is not built: %s", model.name, error)
        weights = weights_of(self.models)
        if self._trainable() != note["trainable"]:
            return False
        for one, places in zip(self._optimizers(), note["optimized"]):
            with self.models[0].distribute_strategy.scope():
                build = getattr(one, "build", None) or one._create_all_weights
                if places and max(places) < len(weights):
                    build([weights[place] for place in places])
        return True

    def _trainable(self):
        """Returns which weights the models train, a list; None before all are built."""
        if not all(model.built for model in self.models):
            return None
        own = {id(one) for model in self.models for one in model.trainable_variables}
        return [n for n, one in enumerate(weights_of(self.models)) if id(one) in own]

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
        for one, value in zip(self._variables(), self._values):
            one.assign(value)
        self._values = ()
        with contextlib.suppress(tf.errors.NotFoundError):  # The list may be torn.
            tf.io.gfile.remove(os.path.join(self.directory, "checkpoint"))
        if not self._before:
            for note in self._notes() if self.is_resumed else []:
                put_in_place(note["part"], os.path.dirname(note["file"] or ""))
            for path in self._inside("part-"):
                remove_tree(path)
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
        built = [
            one for one in self.models if one.built
        ]  # Keras 3: Dropout's seed, too.
        found += [one for model in built for one in model.non_trainable_variables]
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
        checkpoint = tf.train.Checkpoint(variables=self._kept)
        self.manager = tf.train.CheckpointManager(checkpoint, self.directory, 2)

    def is_due(self):
        """Returns whether more time has passed since the last save than it took."""
        return time.monotonic() - self._saved_at >= self._seconds

    def update(self, is_changed=False):
        """Saves the note, and the variables if one has changed since the last save."""
        digests = None
        if not is_changed:
            digest = self._file_digests.get
            digests = [digest(id(one)) or digest_of(one) for one in self._variables()]
        is_changed |= digests != self._digests
        self._digests = digests
        self.save(is_changed)

    def save(self, is_changed=True):
        """Saves the variables and the note, or the note alone."""
        self.wait()
        began = time.monotonic()
        try:
            if is_changed:
                self._save_variables()
            if self.note["number"]:
                self._write_note()
        except Exception as error:  # Such as a full disk: the program trains on.
            tf.get_logger().warning("Cannot save in %s: %s", self.directory, error)
            self._digests = None
        if is_changed:
            self._saved_at = time.monotonic()
            self._seconds = self._saved_at - began
        self._sync = threading.Thread(target=sync_folder, args=(self.directory,))
        self._sync.start()  # The state before this one stays until the next save.

    def _save_variables(self):
        note = self.note
        if note["number"] == 0:
            remove_tree(self.directory)  # Of a training that this one replaces.
        if [*map(id, self._kept)] != [*map(id, self._variables())]:
            self._make_manager()  # The model was built since.
        note["number"] += 1
        note["built"] = [build_config_of(model) for model in self.models]
        note["trainable"] = note["trainable"] or self._trainable()
        weights, optimizers = weights_of(self.models), self._optimizers()
        note["optimized"] = [places_trained_by(one, weights) for one in optimizers]
        self.manager.save(checkpoint_number=note["number"])
        for name in reversed(names_in(self.directory)):  # A note before what it names.
            number = re.match(r"(?:ckpt|note)-(\d+)", name)
            if number and int(number[1]) < note["number"] - 1:
                # A kill in a save has left a directory, ckpt-N_temp.
                remove_tree(os.path.join(self.directory, name))

    def _write_note(self):
        self.note["time"] = time.time()
        path = os.path.join(self.directory, f"note-{self.note['number']}")
        with tf.io.gfile.GFile(path + ".new", "wb") as file:
            file.write(pickle.dumps(self.note))
        sync_files(path + ".new")
        tf.io.gfile.rename(path + ".new", path, overwrite=True)

    def wait(self):
        """Waits until what was saved is on the disk."""
        if self._sync is not None:
            self._sync.join()
        self._sync = None

    def places_of(self, model):
        """Returns the weights that a model shares with those that are trained."""
        own = {id(variable_of(one)) for one in weights_of([model])}
        return {n: one for n, one in enumerate(self._weights()) if id(one) in own}

    def write_whole(self, write, model, path, *args, **kwargs):
        """Writes a file of the program's own aside, and puts it in its place."""
        part = os.path.join(self.parent, f"part-{os.getpid()}-{time.time_ns()}")
        aside, is_aside = os.path.join(part, os.path.basename(path)), False
        with contextlib.suppress(Exception):  # Such as a full disk: it writes as ever.
            tf.io.gfile.makedirs(part)
            if is_replaceable(path, part):
                write(model, aside, *args, **kwargs)
                sync_folder(part)
                is_aside = True
        saved = self.note["saved"]
        for number, one in self.places_of(model).items():
            self._file_digests[id(one)] = digest_of(one)
            marks = self._file_digests[id(one)], *saved.get(number, ())
            saved[number] = tuple(dict.fromkeys(marks))[:2]  # The last one and another.
        self.note["file"] = path if "://" in path else os.path.abspath(path)
        self.note["part"] = part if is_aside else ""
        self.on_save()
        self._file_digests.clear()
        self.wait()
        if not is_aside or not put_in_place(part, os.path.dirname(path)):
            remove_tree(part)
            write(model, path, *args, **kwargs)


def _watch_saves(models):
    """Has Keras' own ``save`` and ``save_weights`` write through ``write_whole``."""
    for kind in {kind for model in models for kind in type(model).__mro__}:
        for name in {"save", "save_weights"} & {*vars(kind)}:
            write = vars(kind)[name]
            is_keras = kind.__module__.startswith(("keras.", "tf_keras."))
            if is_keras and not hasattr(write, "_is_watched"):
                setattr(kind, name, _watched(write))


def _watched(write):
    @functools.wraps(write)
    def save(model, filepath, *args, **kwargs):
        own = [one for one in _trainings if one.places_of(model)]
        is_over = args[0] if args else kwargs.get("overwrite", True)
        if own and is_over and isinstance(filepath, (str, os.PathLike)):
            write_whole, filepath = own[-1].write_whole, os.fspath(filepath)
            return write_whole(write, model, filepath, *args, **kwargs)
        return write(model, filepath, *args, **kwargs)

    save._is_watched = True
    return save


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
