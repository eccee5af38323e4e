# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content 79f6ee26c767deb2).
"""Saves the state of a training until its program ends; decides which run resumes it.

A directory has two checkpoints of the variables, ``ckpt-N``, and ``note-N`` for the rest.
Next to it, ``part-…`` has a file of the program until it is moved to its own path.
"""

import contextlib
import functools
import hashlib
import multiprocessing.util
import os
import pickle
import re
import sys
import time
import zlib

import numpy as np
import tensorflow as tf

from ..synced_files import begin, sync_files, sync_folder
from .saved_states import (
    build_config_of,
    directory_for,
    has_saved,
    names_in,
    newest_state,
    places_trained_by,
    put_in_place,
    remove_tree,
    replicas_of,
    variable_of,
)

_MOST_OF_A_NAME = 10
_trainings = []  # The trainings of this process, in the order of their begin.
_begun = []  # The key of each call of kept_training.


def kept_training(saved, models, optimizers=(), name="fit"):
    """Returns the ``SavedTraining`` of these arguments, or logs why not: None."""
    parent = directory_for(saved)
    _begun.append(parent if name == "loop" else name)
    times = _begun.count(_begun[-1])
    if times > _MOST_OF_A_NAME + 1:
        return None
    try:
        if times > _MOST_OF_A_NAME:  # From now on only the program's code resumes.
            for training in [one for one in _trainings if one.parent == parent]:
                training.remove()
            raise ValueError(f"it begins more than {_MOST_OF_A_NAME} times")
        return SavedTraining(saved, models, optimizers, name)
    except Exception as error:  # Such as a model of another kind.
        tf.get_logger().warning("This training is not kept: %s.", error)
        return None


class SavedTraining:
    """The saved state of one training of this process.

    Attributes:
      note: the state without the variables, a dict of plain data.
      manager: the ``tf.train.CheckpointManager`` of the last save; None before.
      on_save: is called before a file of the program is moved to its path.
      was_over: whether it had ended before this process, a bool.
    """

    def __init__(self, saved, models, optimizers=(), name="fit"):
        self.parent, self.name, self.models = directory_for(saved), name, models
        self._check_place()
        self._before = [one for one in _trainings if one.parent == self.parent]
        number = sum(one.name == name for one in self._before)
        self.directory = os.path.join(self.parent, f"{name}-{number}")
        self._roots = [*models, *optimizers]
        self.is_resumed = self.is_ended = self.was_over = False
        self.on_save, self.manager, self._sync = lambda: None, None, None
        self.held, self._seconds, self._saved_at = (), 0.0, time.monotonic()
        self._replaced = []  # Variables, each with its value before and after.
        self._find({"number": 0, "saved": {}, "file": "", "part": ""})
        if not _trainings:  # A child of multiprocessing does not run atexit.
            multiprocessing.util.Finalize(None, _leave, (os.getpid(),), exitpriority=0)
        _trainings.append(self)
        _watch_saves(models)

    def _check_place(self):
        resolver = self.models[0].distribute_strategy.cluster_resolver
        jobs = resolver.cluster_spec().as_dict() if resolver else {}
        workers = sum(len(jobs[job]) for job in jobs if job != "evaluator")
        for is_so, problem in (
            (not tf.executing_eagerly(), "it runs without eager execution"),
            ("horovod" in sys.modules, "Horovod trains it"),
            (workers > 1, "several workers train it"),
            (re.search(r"[][*?\\]", self.parent), "TensorFlow finds no such name"),
        ):
            if is_so:
                raise ValueError(problem)

    def _find(self, nothing):
        """Reads the newest readable state, and decides whether this run resumes it."""
        (note, self._values), command = newest_state(self.directory), _command()
        for model, config in zip(self.models, note.get("built", ())):
            if config and not model.built and note["command"] == command:
                model.build_from_config(config)
        own = {
            "command": command,
            "began": dict(enumerate(map(digest_of, self._weights()))),
            "trained": self._trained(),
        }
        self.note = {**nothing, **own}
        others = [one for one in self._inside("") if note and one != self.directory]
        found = [note, *(newest_state(path)[0] for path in others)]
        self._notes = sorted(filter(None, found), key=lambda one: one["time"])
        if note and self._goes_on(note) and self._has_variables(note):
            self.is_resumed, self.note = True, {**note, **own}
        elif note:
            for training in self._before[::-1]:
                for one, loaded, restored in training._replaced:
                    if np.array_equal(one.read_value(), restored):
                        one.assign(loaded)  # It trains what the program loaded.
            tf.get_logger().warning(
                "%s has epoch %s of an interrupted training. It began with other "
                "weights or another command: this start is a new training.",
                *(self.directory, note["epoch"]),
            )

    def _goes_on(self, note):
        """Returns whether this run resumes a state, by its weights and its command."""
        if note["trained"] != self.note["trained"]:
            return False  # An optimizer rejects weights that it was not built for.
        if self._before:  # A later training of a process resumes if its first one does.
            return self._before[0].is_resumed
        now = self.note["began"]
        if now != note["began"] and self._has_weights():
            return True  # The program loaded them from a file that Keras did not write.
        notes = [note, self._notes[-1]]
        if any(has_saved(one["saved"], now, 1) for one in notes):
            return True
        is_same = note["command"] == self.note["command"] is not None
        is_torn = any(names_in(one["part"]) for one in notes)
        files = note["file"], note["file"] + ".index"
        if note["file"] and not is_torn and not any(map(tf.io.gfile.exists, files)):
            return False  # The program's own files were removed.
        is_written_there = any(one["file"] and not one["part"] for one in notes)
        is_late = is_torn or (is_same and is_written_there)
        if is_late and any(has_saved(one["saved"], now, 2) for one in notes):
            return True  # The last file was not yet in its place.
        return is_same and now == note["began"]

    def _has_weights(self):
        """Returns whether the models have the weights of the state that was read."""
        own = {id(one) for weight in self._weights() for one in replicas_of(weight)}
        pairs = zip(self._variables(), self._values)
        return all(np.array_equal(a.read_value(), b) for a, b in pairs if id(a) in own)

    def _has_variables(self, note):
        """Builds the optimizers; returns whether all variables have the state's shapes."""
        weights = self._weights()
        for one, places in zip(self._optimizers(), note["optimized"]):
            build = getattr(one, "build", None) or one._create_all_weights
            with self.models[0].distribute_strategy.scope():
                # Keras 3 builds a LossScaleOptimizer that is built a second time.
                is_built = getattr(one, "built", False)
                if places and max(places) < len(weights) and not is_built:
                    build([weights[place] for place in places])
        own, read = self._variables(), self._values
        return [tuple(one.shape) for one in own] == [value.shape for value in read]

    def restore(self):
        """Restores the state that this run resumes, if any."""
        values, notes = self._values if self.is_resumed else (), self._notes[1:]
        # The program may have loaded what a later training saved last.
        is_later = notes and has_saved(notes[-1]["saved"], self.note["began"], 1)
        for one, value in zip(self._variables(), values):
            self._replaced += [(one, one.read_value(), value)] if is_later else []
            one.assign(value)
        self._values = ()
        remove_tree(os.path.join(self.directory, "checkpoint"))  # May be truncated.
        if not self._before:
            for note in self._notes if self.is_resumed else ():
                put_in_place(note["part"], os.path.dirname(note["file"]))
            for path in self._inside("part-"):
                remove_tree(path)

    def _inside(self, start):
        names = [name for name in names_in(self.parent) if name.startswith(start)]
        return [os.path.join(self.parent, name) for name in names]

    def _weights(self, which="weights"):
        return variables_of(self.models, which)

    def _trained(self):
        """Returns the indices of trainable weights, a list; None before all are built."""
        if not all(model.built for model in self.models):
            return None
        own = set(map(id, self._weights("trainable_variables")))
        return [n for n, one in enumerate(self._weights()) if id(one) in own]

    def _tracked(self):  # Finds the variables of a user's train_step, too.
        views = [tf.train.TrackableView(one).descendants() for one in self._roots]
        return [one for view in views for one in view]

    def _optimizers(self):
        found = [one for one in self._tracked() if hasattr(one, "apply_gradients")]
        inner = [id(getattr(one, "inner_optimizer", None)) for one in found]
        return [*{id(one): one for one in found if id(one) not in inner}.values()]

    def _variables(self):
        """Returns all variables except those of metrics, the weights first."""
        found = self._weights() + self._weights("variables")
        found += [getattr(model, "_train_counter", None) for model in self.models]
        for one in self._optimizers():
            found += one.variables() if callable(one.variables) else one.variables
        metrics = [v for m in self.models for one in m.metrics for v in one.variables]
        skipped = {id(variable_of(one)) for one in metrics}
        found = map(variable_of, [*found, *self._tracked()])
        found = [one for each in found for one in replicas_of(each)]
        unique = {id(one): one for one in found if isinstance(one, tf.Variable)}
        return [one for key, one in unique.items() if key not in skipped]

    def is_due(self):
        """Returns whether nine times the time that the last save took has passed since."""
        return time.monotonic() - self._saved_at >= 9 * self._seconds

    def save(self, is_changed=None):
        """Saves the note; the variables if is_changed, or with None if one changed."""
        began = time.monotonic()
        try:
            if is_changed is None:
                own, old = self._variables(), self.held  # What was saved last.
                is_changed = len(own) != len(old) or not all(map(_has_value, own, old))
            if is_changed:
                self.wait()  # The state before this one stays until this one is whole.
                self._save_variables()
            if self.note["number"]:
                self._write_note()
        except Exception as error:  # Such as a full disk: the training continues.
            tf.get_logger().warning("Cannot save in %s: %s", self.directory, error)
            self.held = ()
        if is_changed:
            self._saved_at = time.monotonic()
            self._seconds = self._saved_at - began
        self._sync = begin(_sync_after, self._sync, self.directory)

    def _save_variables(self):
        note, weights, variables = self.note, self._weights(), self._variables()
        if note["number"] == 0:
            remove_tree(self.directory)  # The state of a training that this replaces.
        note["number"] += 1
        built = [*map(build_config_of, self.models)]
        optimized = [places_trained_by(one, weights) for one in self._optimizers()]
        note.update(built=built, optimized=optimized, variables=len(variables))
        note["trained"] = note["trained"] or self._trained()
        checkpoint = tf.train.Checkpoint(variables=variables)
        self.manager = tf.train.CheckpointManager(checkpoint, self.directory, 2)
        self.manager.save(checkpoint_number=note["number"])
        self.held = [one.read_value() for one in variables]
        for name in names_in(self.directory):
            number = re.match(r"(?:ckpt|note)-(\d+)", name)
            if number and int(number[1]) < note["number"] - 1:
                # Also directories ckpt-N_temp of killed saves.
                remove_tree(os.path.join(self.directory, name))

    def _write_note(self):
        self.note["time"] = time.time()
        path = os.path.join(self.directory, f"note-{self.note['number']}")
        with tf.io.gfile.GFile(path + ".new", "wb") as file:
            file.write(pickle.dumps(self.note))
        sync_files(path + ".new")
        tf.io.gfile.rename(path + ".new", path, overwrite=True)

    def wait(self):
        """Waits until the last save is on the disk."""
        if self._sync is not None:
            self._sync.join()

    def remove(self):
        """Removes all saved states of the program, and empty folders above them."""
        self.wait()
        _trainings.remove(self)
        remove_tree(self.parent)
        path = self.parent
        with contextlib.suppress(OSError):  # Another program may use them.
            while os.path.basename(path) != ".recovery":
                path = os.path.dirname(path)
                os.rmdir(path)

    def places_of(self, model):
        """Returns the trained weights that are a model's, a dict by index."""
        own = set(map(id, variables_of([model])))
        return {n: one for n, one in enumerate(self._weights()) if id(one) in own}

    def write_whole(self, write, model, path, *args, **kwargs):
        """Writes a file of the program to a part, saves, and moves it to its path."""
        part = os.path.join(self.parent, f"part-{os.getpid()}-{time.time_ns()}")
        aside, is_aside = os.path.join(part, os.path.basename(path)), False
        with contextlib.suppress(Exception):  # Such as a full disk: writes in place.
            if not os.path.islink(path):
                tf.io.gfile.makedirs(part)
                write(model, aside, *args, **kwargs)
                self._sync = begin(_sync_after, self._sync, part)
                is_aside = True
        saved = self.note["saved"]
        for number, one in self.places_of(model).items():
            marks = digest_of(one), *saved.get(number, ())
            saved[number] = tuple(dict.fromkeys(marks))[:2]  # The last one and another.
        self.note["file"] = path if "://" in path else os.path.abspath(path)
        self.note["part"] = part if is_aside else ""
        self.wait()  # It is on the disk before a note names it.
        self.on_save()
        is_there = is_aside and put_in_place(part, os.path.dirname(path))
        remove_tree(part)
        if not is_there:
            write(model, path, *args, **kwargs)


def variables_of(models, which="weights"):
    """Returns the variables of built models without duplicates, a list."""
    found = []
    for model in models:
        with contextlib.suppress(ValueError):  # Keras 2 raises before a model is built.
            found += map(variable_of, getattr(model, which))
    return list({id(one): one for one in found}.values())


def digest_of(variable):
    """Returns the CRC-32 of a variable's value, an int."""
    one = replicas_of(variable)[0]
    on_read = tf.VariableSynchronization.ON_READ  # Each replica has another value.
    if one is not variable and one.synchronization == on_read:
        return 0
    value = np.ascontiguousarray(one.read_value())
    return zlib.crc32(value.reshape(-1).view(np.uint8))


def _sync_after(earlier, folder):
    if earlier is not None:
        earlier.join()
    sync_folder(folder)


def _has_value(variable, value):
    now, value = np.asarray(variable.read_value()), np.asarray(value)
    return np.may_share_memory(now, value) or np.array_equal(now, value)


def _watch_saves(models):
    """Makes Keras' ``save`` and ``save_weights`` write by ``write_whole``."""
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
    """Removes the saved states when the process ends, after an exception if none trained."""
    is_exit = sys.exc_info()[0] in (None, SystemExit) and not hasattr(sys, "last_type")
    is_ended = all(one.is_ended for one in _trainings) and os.getpid() == process
    most = len(_trainings)  # Another state is of a stage that was not reached.
    was_over = all(one.was_over and not one._notes[most:] for one in _trainings)
    if is_ended and (is_exit or was_over):
        for training in [*_trainings]:
            training.remove()


def _command():
    """Returns a digest of the program's arguments and source, None in a notebook."""
    main = getattr(sys.modules["__main__"], "__file__", None)
    if main is None:
        return None
    folder = os.path.dirname(os.path.abspath(main)) + os.sep
    digest = hashlib.sha256(repr([os.path.basename(main), *sys.argv[1:]]).encode())
    files = [getattr(one, "__file__", None) or "" for one in [*sys.modules.values()]]
    for one in sorted(set(map(os.path.abspath, files))):
        is_own = one.startswith(folder) and "site-packages" not in one
        if is_own and os.path.isfile(one):
            with open(one, "rb") as file:
                digest.update(file.read())
    return digest.hexdigest()
