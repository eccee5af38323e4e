# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content c19696a5adc9aaed).
"""What is kept of a training until its program ends, and which start goes on with it."""

import hashlib
import io
import json
import multiprocessing.util
import os
import re
import sys
import threading
import time

import numpy as np
import tensorflow as tf

_trainings = []  # Of this process, in the order of their begin.
_NOTE = "note/.ATTRIBUTES/py_state"
_BLOCK = 2**16
_UNREADABLE = (tf.errors.OpError, OSError, LookupError, ValueError, RuntimeError)


class Training:
    """What is kept of one training of this process.

    Args:
      saved: what the program saves its model as, a path.
      models: those that are trained.
      optimizers: those that no model holds.
      name: tells this one from others of the program, a str.

    Attributes:
      note: what is known of the training beside its variables, a dict of plain data.
      is_resumed: whether this start goes on with an interrupted training.
      is_ended: whether the program has trained to the end.
      on_save: is called before a file of the program's own is put in its place.
    """

    def __init__(self, saved, models, optimizers=(), name="training"):
        self.parent, self._folder = _directory_for(os.fspath(saved))
        before = [one for one in _trainings if one.parent == self.parent]
        number = sum(one.name == name for one in before)
        self.name, self.directory = name, os.path.join(self.parent, f"{name}-{number}")
        self.models, self._optimizers = list(models), list(optimizers)
        self.manager, self.is_ended, self.on_save = None, False, lambda: None
        self._sync, self._number, self._seconds, self._unreadable = None, 0, 0.0, set()
        self._saved_at, self._is_failing = time.monotonic(), False
        self.note = {"command": _command(), "saved": {}, "file": None, "names": []}
        self._find(before)
        if (
            not _trainings
        ):  # Also of a process of multiprocessing, which runs no atexit.
            multiprocessing.util.Finalize(None, _leave, (os.getpid(),), exitpriority=0)
        _trainings.append(self)
        _watch_saves(self.models)

    def _find(self, before):
        """Finds the state that this start goes on with, if any."""
        states = self._states()
        if states:
            self._build(states[0][1]["built"])
        now = [_marks(model) for model in self.models]
        self.note["began"] = now
        self._state = self._choose(states, now, before)
        self.is_resumed = self._state is not None
        if states and not self.is_resumed:
            tf.get_logger().warning(
                "%s holds epoch %s of an interrupted training that other weights or another "
                "command began: this start is a new training.",
                *(self.directory, states[0][1].get("epoch")),
            )

    def _choose(self, states, now, before):
        states = [one for one in states if one[1]["shapes"] == self._shapes()]
        if not states:
            return None
        if before:  # As the first training of this process.
            return states[0] if before[0].is_resumed else None
        newest, is_torn = states[0][1], bool(_listed(self._parts))
        last = max(self._all_notes(), key=lambda one: one["time"], default=newest)
        if any(_is_in(one["saved"], now) for one in (newest, last)):
            return states[0]
        # It was killed before the file that it saved was in its place.
        earlier = states[1:2] if is_torn else []
        if earlier and _is_in(earlier[0][1]["saved"], now):
            return earlier[0]
        if newest["command"] is None or newest["command"] != self.note["command"]:
            return None
        file, names = newest["file"], newest["names"]
        if names and not set(names) & set(_listed(self._folder)):
            return None  # Its files are removed.
        if file is None or is_torn or (_exists(file) and now == newest["began"]):
            whole = [one for one in states if one[1]["turn"] is None]
            return whole[0] if whole else None
        return None

    def _all_notes(self):
        for name in _listed(self.parent):
            states = self._states(os.path.join(self.parent, name))
            if states:
                yield states[0][1]

    def _states(self, directory=None):
        """Returns the path and the note of each state that is kept, the newest first."""
        directory = directory or self.directory
        found = [re.fullmatch(r"ckpt-(\d+)\.index", one) for one in _listed(directory)]
        numbers = sorted((int(one[1]) for one in found if one), reverse=True)
        after, states = _read(os.path.join(directory, "after")), []
        for number in numbers:
            path = os.path.join(directory, f"ckpt-{number}")
            try:
                note = decode(tf.train.load_checkpoint(path).get_tensor(_NOTE))
            except _UNREADABLE:
                note = None
            if note is not None and path not in self._unreadable:
                is_amended = after is not None and after["number"] == number
                states.append((path, after if is_amended else note))
        return states

    def _shapes(self):
        return [[list(one.shape) for one in _weights(model)] for model in self.models]

    def _build(self, configs):
        """Builds the models that are not built, as they were when they were saved."""
        for model, config in zip(self.models, configs):
            if config is None or model.built:
                continue
            try:
                if hasattr(model, "build_from_config") and isinstance(config, dict):
                    model.build_from_config(config)
                else:
                    model(tf.nest.map_structure(lambda one: tf.zeros(*one), config))
            except Exception as error:  # Of any layer.
                tf.get_logger().warning("%s is not built: %s", model.name, error)

    def restore(self):
        """Restores what was kept, if this start goes on with it."""
        while self.is_resumed:
            path, note = self._state
            try:
                self._assign(path)
            except _UNREADABLE as error:
                tf.get_logger().warning("Cannot read %s: %s", path, error)
                self._unreadable.add(path)
                before = _trainings[: _trainings.index(self)]
                before = [one for one in before if one.parent == self.parent]
                self._state = self._choose(self._states(), self.note["began"], before)
                self.is_resumed = self._state is not None
            else:
                self.note = {**note, **{n: self.note[n] for n in ("command", "began")}}
                self._number = int(path.rpartition("-")[2])
                tf.get_logger().info("Goes on at epoch %s of %s", note["epoch"], path)
                break
        _remove(
            os.path.join(self.directory, "checkpoint")
        )  # The list may be cut short.
        self._make_manager()

    def _assign(self, path):
        self._build_optimizers()
        reader, variables = tf.train.load_checkpoint(path), self._variables()
        names = [
            f"variables/{n}/.ATTRIBUTES/VARIABLE_VALUE" for n in range(len(variables))
        ]
        shapes = reader.get_variable_to_shape_map()
        for name, one in zip(names, variables):
            if list(one.shape) != shapes.get(name):
                raise ValueError(f"{one.name} was not trained with this shape")
        values = [reader.get_tensor(name) for name in names]  # Reads all or raises.
        for one, value in zip(variables, values):
            one.assign(value)

    def _build_optimizers(self):
        for model in self.models:
            optimizer = getattr(model, "optimizer", None)
            if model.built and optimizer is not None:
                with model.distribute_strategy.scope():
                    if hasattr(optimizer, "build"):
                        optimizer.build(model.trainable_variables)
                    else:  # tf.keras.optimizers.legacy
                        optimizer._create_all_weights(model.trainable_variables)

    def _variables(self):
        holders, found = [*self.models, *self._optimizers], {}
        for model in self.models:
            optimizer = getattr(model, "optimizer", None)
            for one in [*_weights(model), *_variables_of(optimizer)]:
                found[id(one)] = one
            counter = getattr(model, "_train_counter", None)  # For TensorBoard.
            if counter is not None:
                found[id(counter)] = counter
        for one in self._optimizers:
            found.update({id(each): each for each in _variables_of(one)})
        metrics = {id(_variable(v)) for model in self.models for v in _metrics(model)}
        for holder in holders:
            for one in tf.train.TrackableView(holder).descendants():
                if isinstance(one, tf.Variable) and id(one) not in metrics:
                    found.setdefault(id(one), one)
        return list(found.values())

    def _make_manager(self):
        variables, note = self._variables(), _Note(self)
        checkpoint = tf.train.Checkpoint(variables=variables, note=note)
        self._kept = variables
        self.manager = tf.train.CheckpointManager(
            checkpoint, self.directory, max_to_keep=2
        )

    def is_due(self):
        """Returns whether a save takes less time than has passed since the last one."""
        return time.monotonic() - self._saved_at >= self._seconds

    def save(self, is_due=True):
        """Saves the variables and the note."""
        if not is_due:
            return
        began = time.monotonic()
        try:
            self._save()
        except (OSError, tf.errors.OpError) as error:
            if not self._is_failing:
                tf.get_logger().warning("Cannot save in %s: %s", self.directory, error)
            self._is_failing = True
        self._saved_at = time.monotonic()
        self._seconds = self._saved_at - began

    def _save(self):
        self._wait()
        if (
            self._number == 0
            and not self.is_resumed
            and tf.io.gfile.exists(self.directory)
        ):
            tf.io.gfile.rmtree(self.directory)  # Of a training that this one replaces.
        now = self._variables()
        if len(now) != len(self._kept) or any(
            a is not b for a, b in zip(now, self._kept)
        ):
            self._make_manager()  # The model was built since.
        built = [_built(model) for model in self.models]
        self._number += 1
        self.note.update(
            shapes=self._shapes(), built=built, names=_listed(self._folder)[:99]
        )
        self.note.update(time=time.time(), number=self._number)
        self.manager.save(checkpoint_number=self._number)
        for name in _listed(self.directory):
            found = re.match(r"ckpt-(\d+)\.", name)
            if found and int(found[1]) < self._number - 1:
                _remove(os.path.join(self.directory, name))
        self._sync = threading.Thread(target=_sync, args=(self.directory, self._number))
        self._sync.start()

    def _wait(self):
        if self._sync is not None:
            self._sync.join()
        self._sync = None

    def amend(self):
        """Notes what has changed since the save, but for the variables."""
        if self._number:
            self.note["time"] = time.time()
            _write(os.path.join(self.directory, "after"), self.note)

    def digests(self):
        """Returns a short name of each variable's value, a list."""
        return [_digest(one) for one in self._variables()]

    @property
    def _parts(self):
        return os.path.join(self.parent, "part")

    def note_saved(self, model):
        """Notes what a file of the program's own holds, if it is of what is trained here."""
        saved, is_of_it = self.note["saved"], False
        own = {id(one) for one in _weights(model)}
        for number, trained in enumerate(self.models):
            marks = {
                place: _digest(one)
                for place, one in enumerate(_weights(trained))
                if id(one) in own
            }
            if marks:
                is_of_it = True
                saved = {**saved, number: {**saved.get(number, {}), **marks}}
        self.note["saved"] = saved
        return is_of_it

    def save_whole(self, model, write, path, is_over, *args, **kwargs):
        """Writes a file of the program's own aside, and puts it in its place."""
        parts, folder = self._parts, os.path.dirname(path) or "."
        if tf.io.gfile.exists(parts):
            tf.io.gfile.rmtree(parts)
        tf.io.gfile.makedirs(parts)
        if not _is_replaceable(path, parts, folder):
            parts = None
        if parts is not None:
            write(model, os.path.join(parts, os.path.basename(path)), *args, **kwargs)
        if self.note_saved(model):
            self.note["file"] = os.path.abspath(path) if "://" not in path else path
            self.on_save()
        if parts is None:
            write(model, path, *args, **kwargs)
            return
        self._wait()
        names = _listed(parts)
        for name in names:
            _sync_file(os.path.join(parts, name))
        # Of several files the index comes last, then the list that names it.
        for name in sorted(
            names, key=lambda one: (one == "checkpoint", one.endswith(".index"))
        ):
            _replace(os.path.join(parts, name), os.path.join(folder, name), parts)


class _Note(tf.train.experimental.PythonState):
    def __init__(self, training):
        self._training = training

    def serialize(self):
        return encode(self._training.note)

    def deserialize(self, string_value):
        pass  # It is read before the variables are.


def _watch_saves(models):
    for model in models:
        keras = [
            one
            for one in type(model).__mro__
            if one.__module__.startswith(("keras", "tf_keras"))
        ]
        for name in ("save", "save_weights"):
            owner = next((one for one in keras if name in vars(one)), None)
            if owner is not None and not hasattr(vars(owner)[name], "_is_watched"):
                setattr(owner, name, _watched(vars(owner)[name]))


def _watched(write):
    def save(model, filepath, *args, **kwargs):
        trained = {id(one) for one in _weights(model)}
        kept = [
            one
            for one in _trainings
            if not trained.isdisjoint(id(v) for m in one.models for v in _weights(m))
        ]
        is_over = args[0] if args else kwargs.get("overwrite", True)
        if not kept or not isinstance(filepath, (str, os.PathLike)) or not is_over:
            return write(model, filepath, *args, **kwargs)
        return kept[-1].save_whole(
            model, write, os.fspath(filepath), is_over, *args, **kwargs
        )

    save.__doc__, save._is_watched = write.__doc__, True
    return save


def _is_replaceable(path, parts, folder):
    if "://" in path:
        return True
    os.makedirs(folder, exist_ok=True)
    is_special = os.path.islink(path) or (
        os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))
    )
    return not is_special and os.stat(parts).st_dev == os.stat(folder).st_dev


def _replace(part, path, parts):
    if tf.io.gfile.isdir(path):  # A SavedModel.
        tf.io.gfile.rename(path, os.path.join(parts, ".old"))
    tf.io.gfile.rename(part, path, overwrite=True)
    if tf.io.gfile.exists(os.path.join(parts, ".old")):
        tf.io.gfile.rmtree(os.path.join(parts, ".old"))


def _leave(process):
    """Removes what is kept, unless an exception ends the process."""
    is_failing = hasattr(sys, "last_type") or sys.exc_info()[0] not in (
        None,
        SystemExit,
    )
    if (
        os.getpid() != process
        or is_failing
        or not all(one.is_ended for one in _trainings)
    ):
        return
    for parent in {one.parent for one in _trainings}:
        for one in _trainings:
            one._wait()
        if tf.io.gfile.exists(parent):
            tf.io.gfile.rmtree(parent)
        above = os.path.dirname(parent)
        while above.partition(".recovery")[1] and not _listed(above):
            tf.io.gfile.rmtree(above)
            above = os.path.dirname(above)


def _directory_for(saved):
    """Returns where a training is kept, and the folder that the program saves in.

    It lies in no folder that the program lists to find its newest file.
    """
    folder, name = os.path.split(saved.partition("{")[0])
    for suffix in (".h5", ".hdf5", ".keras", ".ckpt", ".weights"):
        name = name[: -len(suffix)] if name.endswith(suffix) else name
    name = re.sub(r"[^\w.-]", "_", name).strip("._-") or "model"
    path = os.path.normpath(folder) if "://" not in folder else folder
    if os.path.isabs(path) or path.startswith("..") or "://" in path:
        above = os.path.dirname(path)
        if _is_root(above) or not _is_same_disk(above, path):
            return os.path.join(path, ".recovery", name), folder
        return os.path.join(above, ".recovery", os.path.basename(path), name), folder
    return os.path.abspath(os.path.join(".recovery", path, name)), folder or "."


def _is_root(path):
    return (
        path in ("", os.sep)
        or path.endswith(":/")
        or (path.count("/") < 3 and "://" in path)
    )


def _is_same_disk(above, path):
    if "://" in path:
        return True
    path = path if os.path.exists(path) else above
    return os.access(above, os.W_OK) and os.stat(above).st_dev == os.stat(path).st_dev


def _command():
    """Returns a short name of the program's arguments and source, a str, or None."""
    main = getattr(sys.modules["__main__"], "__file__", None)
    if main is None:
        return None
    above = os.path.dirname(os.path.abspath(main)) + os.sep
    modules = [getattr(one, "__file__", None) for one in list(sys.modules.values())]
    files = {os.path.abspath(one) for one in modules if one} | {os.path.abspath(main)}
    digest = hashlib.sha256(
        json.dumps([os.path.basename(main), *sys.argv[1:]]).encode()
    )
    for one in sorted(files):
        if one.startswith(above) and "site-packages" not in one and os.path.isfile(one):
            with open(one, "rb") as file:
                digest.update(file.read())
    return digest.hexdigest()


def _variable(one):
    return (
        one.value if hasattr(one, "path") and not isinstance(one, tf.Variable) else one
    )


def _weights(model):
    return [_variable(one) for one in model.weights] if model.built else []


def _metrics(model):
    try:
        return [v for one in model.metrics for v in one.variables]
    except ValueError:  # It is not built.
        return []


def _variables_of(optimizer):
    variables = getattr(optimizer, "variables", ())
    variables = variables() if callable(variables) else variables
    return [_variable(one) for one in variables]


def variables_of_callback(callback):
    """Returns the variables among the attributes of a callback, a dict."""
    found = {}
    for name, value in vars(callback).items():
        value = _variable(value) if hasattr(value, "assign") else value
        if isinstance(value, tf.Variable):
            found[name] = value
    return found


def _built(model):
    if not model.built:
        return None
    try:
        if hasattr(model, "save_spec"):  # Of Keras 2.
            spec = model.save_spec()
            if spec is None:
                return None
            return tf.nest.map_structure(
                lambda one: (tuple(n or 1 for n in one.shape), one.dtype.name),
                spec[0][0],
            )
        return model.get_build_config()
    except Exception as error:  # Of any layer.
        tf.get_logger().info("%s tells not how it is built: %s", model.name, error)
        return None


def _marks(model):
    return dict(enumerate(map(_digest, _weights(model))))


def _is_in(saved, now):
    """Returns whether all that was saved last is in the models now."""
    pairs = [(now[number], marks) for number, marks in saved.items()]
    return bool(pairs) and all(
        one.get(place) == mark for one, marks in pairs for place, mark in marks.items()
    )


def _digest(variable):
    """Returns a short name of a variable's value: sums of its blocks, hashed."""
    local = getattr(variable, "values", (variable,))[
        0
    ]  # Of several replicas the first.
    value = np.ascontiguousarray(local.read_value()).reshape(-1)
    if value.dtype == object:
        return repr(value.tolist())
    data = value.view(np.uint8)
    whole = data.size // _BLOCK * _BLOCK
    blocks = data[:whole].view(np.uint64).reshape(-1, _BLOCK // 8)
    digest = hashlib.sha256(data[whole:])
    digest.update(np.add.reduce(blocks, axis=1))
    digest.update(np.bitwise_xor.reduce(blocks, axis=1))
    return digest.hexdigest()[:20]


def encode(value):
    """Returns plain data and arrays as bytes; None where they are anything else."""
    arrays = []
    try:
        text = json.dumps(_plain(value, arrays)).encode()
    except TypeError:
        return None
    file = io.BytesIO()
    np.savez(file, np.frombuffer(text, np.uint8), *arrays)
    return file.getvalue()


def decode(content):
    """Returns what was encoded; None where it cannot be read."""
    if content is None:
        return None
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = [file[f"arr_{number}"] for number in range(len(file.files))]
        return _of_plain(json.loads(arrays[0].tobytes()), arrays[1:])
    except Exception:  # It was cut short, or is no such file at all.
        return None


def _plain(value, arrays):
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) in (list, tuple):
        return {type(value).__name__: [_plain(one, arrays) for one in value]}
    if type(value) is dict:
        return {
            "dict": [[_plain(k, arrays), _plain(v, arrays)] for k, v in value.items()]
        }
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufUS":
        arrays.append(value)
        return {"array": len(arrays) - 1}
    raise TypeError(type(value))


def _of_plain(value, arrays):
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "array":
        return arrays[content][()]
    values = (
        [[_of_plain(one, arrays) for one in pair] for pair in content]
        if kind == "dict"
        else None
    )
    if kind == "dict":
        return dict(map(tuple, values))
    values = [_of_plain(one, arrays) for one in content]
    return tuple(values) if kind == "tuple" else values


def _exists(file):
    return tf.io.gfile.exists(file) or tf.io.gfile.exists(file + ".index")


def _listed(directory):
    if not tf.io.gfile.isdir(directory):
        return []
    names = [one.rstrip("/") for one in tf.io.gfile.listdir(directory)]
    return sorted(one for one in names if not one.startswith("."))


def _remove(path):
    if tf.io.gfile.exists(path):
        tf.io.gfile.remove(path)


def _read(path):
    if not tf.io.gfile.exists(path):
        return None
    with tf.io.gfile.GFile(path, "rb") as file:
        return decode(file.read())


def _write(path, value):
    with tf.io.gfile.GFile(path + ".part", "wb") as file:
        file.write(encode(value))
    _sync_file(path + ".part")
    tf.io.gfile.rename(path + ".part", path, overwrite=True)


def _sync(directory, number):
    for name in _listed(directory):
        if name.startswith(f"ckpt-{number}."):
            _sync_file(os.path.join(directory, name))
    _sync_file(directory)


def _sync_file(path):
    if os.path.exists(path):
        file = os.open(path, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
