# Part of tf2_recovery, written by estimator-migrate 1.0.0 (content d2d97cd22a4761cd).
"""Saves the state of a training until its program ends; decides which run resumes it.

A directory has two checkpoints of the variables, ``ckpt-N``, and ``note-N`` for the rest.
Next to it, ``part-…`` has a file of the program until it is moved to its own path.
"""

import contextlib
import functools
import multiprocessing.util
import os
import pickle
import sys
import threading
import time
import weakref

import numpy as np
import tensorflow as tf

from ..synced_files import begin, sync_files, sync_folder_after
from .commands import (
    command_of_process,
    difference_of,
    is_interactive,
    note_written,
    process_of,
    values_of_callers,
)
from .saved_states import (
    check_place,
    directory_for,
    files_in,
    has_space,
    local,
    mark_of,
    names_in,
    newest_state,
    places_in,
    put_in_place,
    remove_older,
    remove_tree,
    remove_with_folders,
)
from .trained_variables import (
    all_variables,
    build_config_of,
    build_optimizers,
    class_of,
    config_of,
    digest_of,
    has_saved,
    has_value,
    is_finite,
    optimizers_of,
    places_trained_by,
    replicas_of,
    schedule_of,
    variables_of,
)
from .watched_saves import watch_saves

_MOST_OF_A_NAME, _MOST_FILES = 10, 100
_trainings, _begun = [], []  # Of this process, and the key of each call, in order.


def kept_training(saved, models, optimizers=(), name="fit", settings=(), first=0):
    """Returns the ``SavedTraining`` of these arguments, or logs why not: None."""
    try:
        parent = directory_for(saved)
        _begun.append(parent if name.startswith("loop") else name)
        times = _begun.count(_begun[-1])
        if times > _MOST_OF_A_NAME + 1:
            return None
        if times > _MOST_OF_A_NAME:  # From now on only the program's code resumes.
            for training in [one for one in _trainings if one.parent == parent]:
                training.remove()
            raise ValueError(f"it begins more than {_MOST_OF_A_NAME} times")
        return SavedTraining(saved, models, optimizers, name, settings, first)
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

    def __init__(self, saved, models, optimizers=(), name="fit", settings=(), first=0):
        self.parent, self.name, self.models = directory_for(saved), name, models
        self._path = os.fspath(saved)
        check_place(self.parent, models[0])
        self._before = [one for one in _trainings if one.parent == self.parent]
        same_name = [one for one in self._before if one.name == name]
        self.directory = os.path.join(self.parent, f"{name}-{len(same_name)}")
        self._roots = [*models, *optimizers]
        self.is_resumed = self.is_ended = self.was_over = self._has_failed = False
        self.is_dropped = False
        self.on_save, self.manager, self._sync = lambda: None, None, None
        self.held, self._seconds, self._saved_at = (), 0.0, time.monotonic()
        earlier = _trainings[-1].note if _trainings else {}
        if earlier.pop("is_in_file", False) | earlier.pop("is_passed", False):
            _trainings[-1].save(False)  # It was not the last one of the job.
        nothing = {"number": 0, "saved": {}, "file": "", "part": "", "files": {}}
        self._find({**nothing, "settings": settings}, first)
        if self._earlier and "next_call" not in self._earlier[-1].note:
            self._earlier[-1].note["next_call"] = self.note["call"]
            self._earlier[-1].save(False)
        if not _trainings:  # A child of multiprocessing does not run atexit.
            multiprocessing.util.Finalize(None, _leave, (os.getpid(),), exitpriority=0)
        _trainings.append(self)
        watch_saves(models, _trainings)

    def _find(self, nothing, first):
        """Reads the newest readable state, and decides whether this run resumes it."""
        note, self._values = newest_state(self.directory, first)
        command = command_of_process()
        if command is None:
            tf.get_logger().warning("No start resumes it: its program asks its user.")
        reason = difference_of(note.get("command"), command)
        for model, config in zip(self.models, () if reason else note["built"]):
            if config and not model.built:
                with contextlib.suppress(Exception):  # It may have several inputs.
                    model.build_from_config(config)
        process, own = note.get("process"), process_of(os.getpid())
        if process not in (None, own) and process_of(process[1]) == process:
            raise ValueError(f"process {process[1]} trains it")
        own = {
            "process": own,
            "call": values_of_callers(),
            "command": command,
            "began": self.digests(),
            "trained": self.trained(),
            "optimizers": [*map(class_of, optimizers_of(self._roots))],
            "schedules": [*map(schedule_of, optimizers_of(self._roots))],
            "config": config_of(self.models, self._roots),
        }
        self.note = self._new_note = {**nothing, **own}
        self._earlier = [one for one in _trainings if self._is_same_call(one)]
        others = [] if reason else {*self._inside("")} - {self.directory}
        found = [note, *(newest_state(path)[0] for path in others)]
        found = [one for one in found if not difference_of(one.get("command"), command)]
        self._notes = sorted(found, key=lambda one: one.get("time", 0))
        self.is_newest = any(one is note for one in self._notes[-1:])
        reason = reason or self._reason_against(note)
        if not reason and self._has_variables(note):
            # The files of its first start: a training may change what arguments name.
            own["command"] = note["command"]
            self.is_resumed, self.note = True, {**note, **own}
        elif note:
            tf.get_logger().warning(
                "%s has epoch %s of an interrupted training. This start is a new one: %s.",
                *(self.directory, note["epoch"], reason or "its model is another one"),
            )

    def _is_same_call(self, other):
        functions = [{key[0] for key in one.note["call"]} for one in (self, other)]
        return other.name == self.name and functions[0] == functions[1]

    def _reason_against(self, note):
        """Returns why this run does not resume a state of its command, "" if it does."""
        own, last = self.note, self._notes[-1]
        keys = "trained", "optimizers", "settings", "schedules"  # Of slots and steps.
        is_other = any(note.get(key) != own[key] for key in keys)
        is_one_job = all(one.is_resumed and one.was_over for one in self._before)
        call, after = note["call"], note.get("next_call")
        is_main = threading.current_thread() is threading.main_thread()
        is_only = after is None and is_main and not self._earlier
        others = () if is_only else call.keys() & own["call"].keys()
        is_other_call = any(call[name] != own["call"][name] for name in others)
        torn = [places_in(x["part"], os.path.dirname(x["file"])) for x in (note, last)]
        torn = {os.path.abspath(place) for one in torn for place in one.values()}
        marks = dict(pair for one in self._notes for pair in one["files"].items())
        files = {path: mark_of(path) == mark for path, mark in marks.items()}
        is_there = torn or not note["is_there"] or mark_of(self._path)
        files.setdefault(local(self._path), is_there)
        saved = {os.path.abspath(one.note["file"]) for one in self._before}
        lost = {os.path.abspath(path) for path, is_same in files.items() if not is_same}
        is_over = last.get("is_in_file") or last.get("is_passed")
        is_over = is_over and not files_in(last["part"])
        for is_so, reason in (
            (is_other, "its layers, optimizer, loss or steps differ"),
            (not is_one_job, "a training before it in this process is a new one"),
            (is_other_call, "the functions around it have other values"),
            (call == after, "nothing tells it from a later call"),
            (is_over, "that job had finished"),
            (last is not note and not note.get("is_ended"), "a later one had followed"),
            (lost - torn - saved, "a saved file was removed or replaced"),
        ):
            if is_so:
                return reason
        if self._begins_with(note):  # It reads all weights.
            return ""
        return "it began with other weights or settings"

    def _begins_with(self, note):
        """Returns whether the weights are those of the state, or of a file it saved."""
        # A later stage may have saved the file, but a later call of this fit is another.
        now, last = self.note["began"], note if "next_call" in note else self._notes[-1]
        if now == note["began"] and self.note["config"] == note["config"]:
            return True
        if now != note["began"] and self._has_weights():
            return True  # They were loaded from a file that Keras did not write.
        is_late = any(files_in(one["part"]) for one in (note, last))
        is_late |= any(one["file"] and not one["part"] for one in (note, last))
        return any(has_saved(one["saved"], now, 1 + is_late) for one in (note, last))

    def _has_weights(self):
        """Returns whether the models have the weights of the state that was read."""
        own = {id(one) for weight in self._weights() for one in replicas_of(weight)}
        pairs = zip(self.variables(), self._values)
        return all(np.array_equal(a.read_value(), b) for a, b in pairs if id(a) in own)

    def _has_variables(self, note):
        """Builds the optimizers; returns whether all variables have the state's shapes."""
        build_optimizers(self.models, self._roots, note["optimized"])
        own, read = self.variables(), self._values
        return [tuple(one.shape) for one in own] == [value.shape for value in read]

    def begin_anew(self, reason):
        """Leaves the state that this run would resume."""
        self.is_resumed, self.note = False, self._new_note
        tf.get_logger().warning("%s is left: %s.", self.directory, reason)

    def drop(self, reason):
        """Removes its state: from now on the program's own code alone resumes."""
        tf.get_logger().warning("This training is no longer kept: %s.", reason)
        self.wait()
        self.is_dropped = self.is_ended = True  # The job's end waits for it no longer.
        self.note["number"], self.on_save = 0, lambda: None
        remove_tree(self.directory)

    def restore(self):
        """Restores the state that this run resumes, if any."""
        values = self._values if self.is_resumed else ()
        for one, value in zip(self.variables(), values):
            one.assign(value)
        self._values = ()
        remove_tree(os.path.join(self.directory, "checkpoint"))  # May be truncated.
        if not self._before:
            for note in self._notes if self.is_resumed else ():
                put_in_place(note["part"], os.path.dirname(note["file"]))
            for path in self._inside("part-"):
                remove_tree(path)

    def pass_over(self, is_over):
        """Notes whether this training had ended: a start passes over a job once."""
        self.was_over = is_over
        if is_over and self.is_newest:
            self.note["is_passed"] = True
            self.save(False)

    def _inside(self, start):
        names = [name for name in names_in(self.parent) if name.startswith(start)]
        return [os.path.join(self.parent, name) for name in names]

    def _weights(self, which="weights"):
        with contextlib.suppress(ReferenceError):  # The program has freed a model.
            return variables_of(self.models, which)
        return []

    def trained(self):
        """Returns the indices of trainable weights, a list; None before all are built."""
        if not all(model.built for model in self.models):
            return None
        own = set(map(id, self._weights("trainable_variables")))
        return [n for n, one in enumerate(self._weights()) if id(one) in own]

    def variables(self):
        """Returns all variables that are saved, a list."""
        return all_variables(self.models, self._roots)

    def is_due(self):
        """Returns whether nine times the time that the last save took has passed since."""
        return time.monotonic() - self._saved_at >= 9 * self._seconds

    def save(self, is_changed=None, began=None):
        """Saves the note; the variables if is_changed, or with None if one changed."""
        began = began or time.monotonic()
        try:
            if is_changed is None:
                own, old = self.variables(), self.held  # What was saved last.
                is_changed = len(own) != len(old) or not all(map(has_value, own, old))
            if is_changed:
                self._has_failed = True
                self.wait()  # The state before this one stays until this one is whole.
                self._save_variables()
                self._has_failed = False
            if self.note["number"] and not self._has_failed:
                self._write_note()
        except Exception as error:  # Such as a full disk: the training continues.
            tf.get_logger().warning("Cannot save in %s: %s", self.directory, error)
            self.held = ()
        if is_changed:
            self._saved_at = time.monotonic()
            self._seconds = self._saved_at - began
        self._sync = begin(sync_folder_after, self._sync, self.directory)

    def _save_variables(self):
        note, weights, variables = self.note, self._weights(), self.variables()
        if not has_space(self.parent, variables):
            raise OSError("the disk has no room for it")
        if not all(map(is_finite, weights)):  # The state before it is the better one.
            raise ValueError("it has weights that are no finite numbers")
        if note["number"] == 0:
            remove_tree(self.directory)  # The state of a training that this replaces.
            note["number"] = time.time_ns() // 10**6  # No other process has the same.
        note["number"] += 1
        built = [*map(build_config_of, self.models)]
        optimized = [places_trained_by(x, weights) for x in optimizers_of(self._roots)]
        note.update(built=built, optimized=optimized, variables=len(variables))
        note["trained"] = note["trained"] or self.trained()
        checkpoint = tf.train.Checkpoint(variables=variables)
        self.manager = tf.train.CheckpointManager(checkpoint, self.directory, 2)
        self.manager.save(checkpoint_number=note["number"])
        self.held = [one.read_value() for one in variables]
        remove_older(self.directory, note["number"] - 1)

    def _write_note(self):
        self.note["is_there"] = mark_of(self._path) is not None
        note_written(self.note["command"])
        files = dict([*self.note["files"].items()][-_MOST_FILES:])
        if not files_in(self.note["part"]):  # The program may have changed its files.
            now = {name: mark_of(name) for name in files}
            files = {name: mark for name, mark in now.items() if mark}
        self.note["files"] = files
        self.note["time"] = self.note["time"] if self.was_over else time.time()
        path = os.path.join(self.directory, f"note-{self.note['number']}")
        with tf.io.gfile.GFile(path + ".new", "wb") as file:
            file.write(pickle.dumps(self.note))
        sync_files(path + ".new")
        tf.io.gfile.rename(path + ".new", path, overwrite=True)

    def end(self):
        """Notes that it has ended; removes its state in a process that is killed as a rule."""
        self.is_ended = True
        if not self.was_over:
            is_in_file = has_saved(self.note["saved"], self.digests(), 1)
            self.note.update(is_ended=True, is_in_file=is_in_file)
            self.save(False)
        if is_interactive() or multiprocessing.parent_process():
            self.wait()
            self.note["number"] = 0
            remove_tree(self.directory)
        # The program may free its models and data; if not, it may save a model.
        self.on_save, self.held = functools.partial(self.save, False), ()
        with contextlib.suppress(TypeError):
            self.models, self._roots = [*map(weakref.proxy, self.models)], []

    def digests(self):
        """Returns the digests of the weights, a dict by index."""
        return dict(enumerate(map(digest_of, self._weights())))

    def wait(self):
        """Waits until the last save is on the disk."""
        if self._sync is not None:
            self._sync.join()

    def remove(self):
        """Removes all saved states of the program, and empty folders above them."""
        self.wait()
        _trainings[:] = [one for one in _trainings if one is not self]
        remove_with_folders(self.parent)

    def places_of(self, model):
        """Returns the trained weights that are a model's, a dict by index."""
        own = set(map(id, variables_of([model])))
        return {n: one for n, one in enumerate(self._weights()) if id(one) in own}

    def write_whole(self, write, model, path, *args, **kwargs):
        """Writes a file of the program to a part, saves, and moves it to its path."""
        if not has_space(self.parent, self.variables()):
            self.note["number"] = 0
            remove_tree(self.parent)  # The program may need the room.
            write(model, path, *args, **kwargs)
            return
        part = os.path.join(self.parent, f"part-{os.getpid()}-{time.time_ns()}")
        aside, is_aside = os.path.join(part, os.path.basename(path)), False
        with contextlib.suppress(Exception):  # Such as a full disk: writes in place.
            if not os.path.islink(path):
                tf.io.gfile.makedirs(part)
                write(model, aside, *args, **kwargs)
                self._sync = begin(sync_folder_after, self._sync, part)
                is_aside = True
        saved = self.note["saved"]
        for number, one in self.places_of(model).items():
            marks = digest_of(one), *saved.get(number, ())
            saved[number] = tuple(dict.fromkeys(marks))[:2]  # The last one and another.
        self.note["file"] = local(path)
        self.note["part"] = local(part) if is_aside else ""
        places = places_in(part, os.path.dirname(path)) if is_aside else {}
        for name, place in places.items():
            if os.path.basename(name) != "checkpoint":  # Each save writes it.
                self.note["files"].pop(local(place), None)
                self.note["files"][local(place)] = mark_of(name)
        self.note["is_in_file"] = self.is_ended and has_saved(saved, self.digests(), 1)
        self.wait()  # It is on the disk before a note names it.
        self.on_save()
        is_there = is_aside and put_in_place(part, os.path.dirname(path))
        remove_tree(part)
        if not is_there:
            self.note["files"].clear()
            write(model, path, *args, **kwargs)


def _leave(process):
    """Removes the saved states when the process ends, unless it is to be continued."""
    if os.getpid() != process:
        return
    is_exit = sys.exc_info()[0] in (None, SystemExit) and not hasattr(sys, "last_type")
    last = {one.parent: one for one in _trainings}.values()
    is_ended, most = all(one.is_ended for one in last), len(_trainings)
    is_error = getattr(sys, "last_type", KeyboardInterrupt) is not KeyboardInterrupt
    if not is_exit:  # A start repeats what failed, at most once.
        is_ended &= all(one.note.get("is_in_file") for one in last)
        is_ended &= not any(one._notes[most:] for one in _trainings)  # Later stages.
    for training in [*_trainings]:
        is_no_use = is_error and training.is_resumed and training.manager is None
        if is_ended or (is_no_use and not training.is_ended):
            training.remove()
        elif is_exit and not training.is_ended and training.note.get("logs"):
            training.note["logs"] = {}  # The program may have kept its history.
            training.save(False)
