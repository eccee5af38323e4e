"""Records the saves and restores of ``tf.train.Checkpoint`` and ``tf.train.CheckpointManager``."""

from . import functions, saving, steps, training
from .wrapping import wrap_method

_watched = set()


def watch_checkpoint(module):
    """Watches ``tf.train.Checkpoint``."""
    for name in ("Checkpoint", "CheckpointV1"):  # TensorFlow 1 defines tf.train.Checkpoint as CheckpointV1
        if hasattr(module, name):
            _watch(getattr(module, name))


def _watch(kind):
    """Watches a checkpoint class, which may override how it saves and restores."""
    if kind in _watched:
        return
    _watched.add(kind)
    for name in ("write", "_write", "save"):
        wrap_method(kind, name, _write)
    for name in ("read", "restore"):
        wrap_method(kind, name, _record_read)


def watch_manager(module):
    """Watches ``tf.train.CheckpointManager``."""
    wrap_method(module.CheckpointManager, "__init__", _make_manager)
    wrap_method(module.CheckpointManager, "save", _manager_save)


def _make_manager(original, self, *args, **kwargs):
    result = original(self, *args, **kwargs)
    _watch(type(self._checkpoint))
    if training.driver is None:
        steps.consider_checkpoint(self._checkpoint, again=True)
        steps.consider_counter(getattr(self, "_step_counter", None))
        training.set_step(steps.read_step())
    return result


def _manager_save(original, self, *args, **kwargs):
    # A counter that the program increments after its training call has moved only now.
    functions.report()
    return original(self, *args, **kwargs)


def _step_now(checkpoint, path):
    """Returns the step of ``checkpoint``'s own counter, else the last recorded step."""
    if hasattr(checkpoint, "write_session"):  # a migrated model_fn's checkpoint has its step in its name
        return steps.step_in_path(path)
    own = steps.step_in_checkpoint(checkpoint)
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
        steps.consider_checkpoint(self)
        training.set_step(steps.read_step())
        training.unsettled = True
        training.expected = steps.step_in_path(path)
    step = steps.step_in_checkpoint(self)
    saving.record_restore("checkpoint", path, steps.step_in_path(path) if step is None else step)
    return result
