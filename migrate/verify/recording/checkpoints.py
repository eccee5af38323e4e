"""``tf.train.Checkpoint`` and ``tf.train.CheckpointManager``."""

from . import functions, saving, steps, training
from .wrapping import wrap_method

_watched = set()


def watch_checkpoint(module):
    """Watch the class whose objects are saved and restored."""
    for name in ("Checkpoint", "CheckpointV1"):  # the second is what TensorFlow 1 calls tf.train.Checkpoint
        if hasattr(module, name):
            _watch(getattr(module, name))


def _watch(kind):
    """Watch a class, which may save and restore in a way of its own."""
    if kind in _watched:
        return
    _watched.add(kind)
    for name in ("write", "_write", "save"):
        wrap_method(kind, name, _write)
    for name in ("read", "restore"):
        wrap_method(kind, name, _record_read)


def watch_manager(module):
    """Watch the class that numbers and deletes checkpoints."""
    wrap_method(module.CheckpointManager, "__init__", _make_manager)
    wrap_method(module.CheckpointManager, "save", _manager_save)


def _make_manager(original, self, *args, **kwargs):
    result = original(self, *args, **kwargs)
    _watch(type(self._checkpoint))
    if training.driver is None:
        steps.consider(self._checkpoint, again=True)
        steps.consider_counter(getattr(self, "_step_counter", None))
        training.set_step(steps.read_step())
    return result


def _manager_save(original, self, *args, **kwargs):
    # A step counted by hand after the training call is seen here at the latest.
    functions.report()
    return original(self, *args, **kwargs)


def _step_now(checkpoint, path):
    """The step of ``checkpoint``'s own counter, else where training stands, which a session's hooks save before."""
    if hasattr(checkpoint, "write_session"):  # a migrated model_fn's, named for its step
        return steps.in_path(path)
    own = steps.step_below(checkpoint)
    return training.step if own is None else own


def _write(original, self, prefix, *args, **kwargs):
    with saving.record_save("checkpoint", prefix, lambda: _step_now(self, prefix)):
        return original(self, prefix, *args, **kwargs)


_reading = False


def _record_read(original, self, path, *args, **kwargs):
    global _reading
    if _reading or not path:
        return original(self, path, *args, **kwargs)
    _reading = True
    try:
        with saving.watch_restore("checkpoint", path):
            result = original(self, path, *args, **kwargs)
    finally:
        _reading = False
    if training.driver is None and training.phase == "train":
        steps.consider(self)
        training.set_step(steps.read_step())
        training.unsettled = True
        training.expected = steps.in_path(path)
    step = steps.step_below(self)
    saving.record_restore("checkpoint", path, steps.in_path(path) if step is None else step)
    return result
