"""What is kept of a training until its program ends, and which start goes on with it.

A directory has checkpoints of the variables, each with a note of the rest, and
``after``, the newest note as it has changed since. Beside it is ``part-…``, where a
start writes the program's own files before they are put in their place.
"""

import collections
import contextlib
import functools
import hashlib
import io
import multiprocessing.util
import os
import pickle
import re
import sys
import threading
import time
import zlib

import numpy as np
import tensorflow as tf

from ..synced_files import sync_files, sync_folder

_UNREADABLE = (tf.errors.OpError, OSError, LookupError, ValueError, RuntimeError)
_PLAIN = {"_reconstruct", "_frombuffer", "scalar", "ndarray", "dtype", "deque"}
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
        _watch_saves(models)

    def _find(self, before):
        """Reads the state that this start goes on with, if any."""
        states = _states(self.directory)
        epoch, state = states[0][1]["epoch"] if states else None, None
        if states:
            self._build(states[0][1])
        began = dict(enumerate(map(_digest, self._weights())))
        while states:
            state = self._choose(states, began, before)
            try:
                self._values = self._read_values(state[0]) if state else None
                break
            except _UNREADABLE as error:
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
        newest, is_torn = states[0][1], any(map(_listed, self._inside("part-")))
        notes = [found[0][1] for found in map(_states, self._inside("")) if found]
        last = max(notes, key=lambda note: note["time"])
        if any(_is_in(note["saved"], now) for note in (newest, last)):
            return states[0]
        is_same = newest["command"] == self.note["command"] is not None
        if is_torn or is_same:  # Of the files that were saved last, one is not there.
            earlier = [one for one in states[1:] if _is_in(one[1]["saved"], now)]
            if earlier:
                return earlier[0]
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
        weights = _weights_of(self.models)
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
        names = [name for name in _listed(self.parent) if name.startswith(start)]
        return [os.path.join(self.parent, name) for name in names]

    def _weights(self):
        return [variable_of(one) for one in _weights_of(self.models)]

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
        found = [one for each in found for one in _replicas(each)]
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
        weights = _weights_of(self.models)
        note.update(number=note["number"] + 1, time=time.time())
        note["built"] = [_build_config(model) for model in self.models]
        note["optimized"] = [_trained_by(one, weights) for one in self._optimizers()]
        self.manager.save(checkpoint_number=note["number"])
        self._remove(lambda number: number < note["number"] - 1)
        self._sync = threading.Thread(target=sync_folder, args=(self.directory,))
        self._sync.start()  # The state before this one stays until the next save.

    def _remove(self, is_obsolete):
        for name in reversed(_listed(self.directory)):  # The index before its data.
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
        return [_digest(one) for one in self._variables()]

    def has_weights_of(self, model):
        """Returns whether a model shares weights with those that are trained."""
        return bool(self._places_of(model))

    def _places_of(self, model):
        own = {id(variable_of(one)) for one in _weights_of([model])}
        return {n: one for n, one in enumerate(self._weights()) if id(one) in own}

    def write_whole(self, model, write, path, *args, **kwargs):
        """Writes a file of the program's own aside, and puts it in its place."""
        is_aside = False
        with contextlib.suppress(Exception):  # Such as a full disk: it writes as ever.
            if _is_replaceable(path, self._parts):
                aside = os.path.join(self._parts, os.path.basename(path))
                write(model, aside, *args, **kwargs)
                sync_folder(self._parts)
                is_aside = True
        marks = {n: _digest(one) for n, one in self._places_of(model).items()}
        self.note["saved"] = {**self.note["saved"], **marks}
        self.note["file"] = path if "://" in path else os.path.abspath(path)
        self.on_save()
        self.wait()
        if not is_aside or not _put_in_place(self._parts, os.path.dirname(path)):
            write(model, path, *args, **kwargs)


def _put_in_place(parts, folder):
    """Returns whether the files were there: a start beside this one may clear up."""
    names = sorted(_listed(parts), key=lambda n: (n == "checkpoint", ".index" in n))
    try:
        for name in names:  # The index comes last, then the list that names it.
            place = os.path.join(folder, name)
            if tf.io.gfile.isdir(place):  # A SavedModel.
                tf.io.gfile.rename(place, os.path.join(parts, ".old"))
            tf.io.gfile.rename(os.path.join(parts, name), place, overwrite=True)
    except tf.errors.NotFoundError:
        return False
    with contextlib.suppress(tf.errors.NotFoundError):
        tf.io.gfile.rmtree(parts)
    sync_files(folder or ".")
    return names != []


class _Note(tf.train.experimental.PythonState):
    def __init__(self, training):
        self._training = training

    def serialize(self):
        return pickle.dumps(self._training.note)

    def deserialize(self, string_value):
        pass  # It is read before the variables are.


class _Reader(pickle.Unpickler):
    def find_class(self, module, name):
        if name in _PLAIN and module.split(".")[0] in ("numpy", "collections"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no plain data")


def is_plain(value):
    """Returns whether a value consists of numbers, texts, arrays and lists of them."""
    if isinstance(value, dict):
        return type(value) is dict and is_plain([*value.keys(), *value.values()])
    if type(value) in (list, tuple, set, collections.deque):
        return all(map(is_plain, value))
    array = isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc"
    return array or value is None or type(value) in (bool, int, float, str, bytes)


def read(content):
    """Returns what was pickled, or None if it is torn or no plain data."""
    try:
        return _Reader(io.BytesIO(content)).load()
    except Exception:  # A torn pickle raises what its bytes happen to mean.
        return None


def _states(directory):
    """Returns the path and the note of each state in a directory, the newest first."""
    found = [re.fullmatch(r"ckpt-(\d+)\.index", name) for name in _listed(directory)]
    after, states = None, []
    path = os.path.join(directory, "after")
    with contextlib.suppress(*_UNREADABLE), tf.io.gfile.GFile(path, "rb") as file:
        after = read(file.read())
    after = after if isinstance(after, dict) else None
    for number in sorted((int(one[1]) for one in found if one), reverse=True):
        path = os.path.join(directory, f"ckpt-{number}")
        with contextlib.suppress(*_UNREADABLE):
            reader = tf.train.load_checkpoint(path)
            note = read(reader.get_tensor("note/.ATTRIBUTES/py_state"))
            notes = [after] if after and after["number"] == number else []
            states += [(path, one) for one in [*notes, note] if isinstance(one, dict)]
    return states


def directory_for(saved):
    """Returns where the trainings of a program are kept.

    It is in no folder that a program lists to find its newest file.

    Args:
      saved: what the program saves its model as, a path.
    """
    folder, name = os.path.split(os.fspath(saved).partition("{")[0])
    name = re.sub(r"\.(h5|hdf5|keras|ckpt|weights)\b", "", name)
    name = re.sub(r"[^\w.-]+", "_", name).strip("._-") or "model"
    if "://" not in folder and not os.path.isabs(folder) and folder[:2] != "..":
        return os.path.abspath(os.path.join(".recovery", folder, name))
    above, own = os.path.split(folder)
    is_root = os.path.dirname(above) == above
    if "://" in above or (not is_root and _is_one_disk(above, folder)):
        return os.path.join(above, ".recovery", own, name)
    return os.path.join(folder, ".recovery", name)


def _is_one_disk(above, folder):
    if os.path.exists(folder) and os.stat(above).st_dev != os.stat(folder).st_dev:
        return False
    while not os.path.exists(above):  # The program makes it later.
        above = os.path.dirname(above)
    return os.access(above, os.W_OK)


def _watch_saves(models):
    """Has Keras' own ``save`` and ``save_weights`` write through ``write_whole``."""
    for kind in {kind for model in models for kind in type(model).__mro__}:
        for name in {"save", "save_weights"} & {*vars(kind)}:
            write = vars(kind)[name]
            is_keras = kind.__module__.startswith(("keras.", "tf_keras."))
            if is_keras and not hasattr(write, "_watched"):
                setattr(kind, name, _watched(write))


def _watched(write):
    @functools.wraps(write)
    def save(model, filepath, *args, **kwargs):
        is_over = args[0] if args else kwargs.get("overwrite", True)
        own = [one for one in _trainings if one.has_weights_of(model)]
        if own and is_over and isinstance(filepath, (str, os.PathLike)):
            path = os.fspath(filepath)
            return own[-1].write_whole(model, write, path, *args, **kwargs)
        return write(model, filepath, *args, **kwargs)

    save._watched = True
    return save


def _is_replaceable(path, parts):
    """Returns whether a file can be put in its place by a rename; makes ``parts``."""
    if tf.io.gfile.exists(parts):
        tf.io.gfile.rmtree(parts)
    tf.io.gfile.makedirs(parts)
    if "://" in path:
        return True
    is_usual = os.path.isfile(path) or os.path.isdir(path) or not os.path.exists(path)
    is_here = os.stat(os.path.dirname(path) or ".").st_dev == os.stat(parts).st_dev
    return is_usual and is_here and not os.path.islink(path)


def _forget(saved):
    directory = directory_for(saved)
    for training in [one for one in _trainings if one.parent == directory]:
        training.wait()
        _trainings.remove(training)
    _remove_all(directory)


def _remove_all(path):
    with contextlib.suppress(OSError, tf.errors.OpError):  # It may be used by another.
        if tf.io.gfile.exists(path):
            tf.io.gfile.rmtree(path)
        while os.path.basename(path) != ".recovery":
            path = os.path.dirname(path)
            os.rmdir(path)


def _leave(process):
    """Removes what is kept when the process ends, but for an exception."""
    error = sys.exc_info()[0]
    is_failing = hasattr(sys, "last_type") or error not in (None, SystemExit)
    is_ended = all(one.is_ended for one in _trainings) and os.getpid() == process
    for training in _trainings if is_ended and not is_failing else ():
        training.wait()
        _remove_all(training.parent)


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


def variable_of(one):
    """Returns the TensorFlow variable of a variable of Keras 3, or what is given."""
    value = getattr(one, "value", None)  # Of Keras 3 a variable holds TensorFlow's.
    return value if isinstance(value, tf.Variable) else one


def _weights_of(models):
    found = []
    for model in models:
        with contextlib.suppress(ValueError):  # Keras 2 has none before it builds it.
            found += model.weights
    return found


def _trained_by(optimizer, weights):
    """Returns which of the weights an optimizer trains, a list of ints."""
    inner = getattr(optimizer, "inner_optimizer", optimizer)
    own = getattr(inner, "_trainable_variables", None)
    if own is not None:  # Of Keras 3.
        return [n for n, one in enumerate(weights) if any(one is each for each in own)]
    own = getattr(inner, "_index_dict", None) or getattr(inner, "_slots", ())
    return [n for n, one in enumerate(weights) if one._unique_id in own]


def _build_config(model):
    try:
        config = model.get_build_config() if model.built else None
    except Exception as error:  # Of any layer.
        tf.get_logger().info("%s does not say how it was built: %s", model.name, error)
        return None
    return config if is_plain(config) else None


def _is_in(saved, now):
    """Returns whether the models have now all that was saved last."""
    return bool(saved) and saved.items() <= now.items()


def _replicas(variable):
    is_one = not isinstance(variable, tf.Variable)
    return [variable] if is_one else getattr(variable, "values", [variable])


def _digest(variable):
    one = _replicas(variable)[0]
    on_read = tf.VariableSynchronization.ON_READ  # Each replica has another value.
    if one is not variable and one.synchronization == on_read:
        return 0
    value = np.ascontiguousarray(one.read_value())
    return zlib.crc32(value.reshape(-1).view(np.uint8))


def _listed(directory):
    if not tf.io.gfile.isdir(directory):
        return []
    names = [name.rstrip("/") for name in tf.io.gfile.listdir(directory)]
    return sorted(name for name in names if name[0] != ".")
