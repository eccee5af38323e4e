"""Custom training loops: the loss where its gradient is taken, and a step where a call has moved the step counter."""

import threading

from . import event_log, fault, ring, steps, training
from .wrapping import wrap_method

_depth = threading.local()


def watch_tape(module):
    """Watch ``tf.GradientTape.gradient``: its target is the step's own loss, in Keras' ``train_step`` too."""
    wrap_method(module.GradientTape, "gradient", _gradient)


def watch_v1_optimizer(module):
    """Watch the TF1 optimizers, whose ``minimize`` a wrapped ``model_fn`` calls."""
    wrap_method(module.Optimizer, "compute_gradients", _compute_gradients)


def watch_function(module):
    wrap_method(module.Function, "__call__", _record_call)


def watch_wrap_function(module):
    cls = module.WrappedFunction
    if "__call__" not in cls.__dict__:
        cls.__call__ = lambda self, *args, **kwargs: super(cls, self).__call__(*args, **kwargs)
    wrap_method(cls, "__call__", _record_call)


def watch_keras_optimizer(module):
    """Watch eager loops, which call no function: the update itself is the step."""
    for name in ("_BaseOptimizer", "BaseOptimizer", "Optimizer"):
        if hasattr(module, name):
            wrap_method(getattr(module, name), "apply_gradients", _record_call)


def _gradient(original, self, target, *args, **kwargs):
    with event_log.contain_errors("loss"):
        _push_loss(target)
    return original(self, target, *args, **kwargs)


def _compute_gradients(original, self, loss, *args, **kwargs):
    with event_log.contain_errors("loss"):
        loss = _pushed_with(loss)
    return original(self, loss, *args, **kwargs)


def _pushed_with(loss):
    """The same loss; who computes its gradient pushes it too: wrap_function drops an operation that nobody needs."""
    import tensorflow as tf

    push = _push_loss(loss)
    if push is None:
        return loss
    with tf.control_dependencies([push]):
        return tf.identity(loss)


def _push_loss(loss):
    """Push the loss of a step; the operation that does so in a traced function, None where there is nothing to push."""
    import tensorflow as tf

    if training.phase != "train" or not tf.is_tensor(loss) or not loss.dtype.is_floating:
        return None
    # A TF1 graph is left as it is, its session's hook sees the loss; of several local replicas there is no one loss.
    if not getattr(
        tf.compat.v1, "executing_eagerly_outside_functions", tf.executing_eagerly
    )():  # TensorFlow 1 has none
        return None
    if tf.distribute.has_strategy() and len(tf.distribute.get_strategy().extended.worker_devices) > 1:
        return None
    push = ring.losses.push(loss)
    if push is not None and fault.signals():
        with tf.control_dependencies([push]):
            push = tf.numpy_function(_strike_inside, [], [])
    return push


def _strike_inside():
    """Strike where a call goes on after the step that the fault is due at; the steps until then are recorded."""
    with event_log.contain_errors("step"):
        if training.driver is not None or training.phase != "train" or not fault.signals():
            return
        due = fault.due_after(training.step or 0)
        if ring.losses.pending() > due > 0:
            losses, digests = ring.take()
            training.record_loop_steps((training.step or 0) + due, losses[:due], digests[:due])


def _record_call(original, self, *args, **kwargs):
    depth = getattr(_depth, "value", 0)
    if depth == 0 and training.unsettled and training.driver is None:
        training.set_step(steps.read_step())
    _depth.value = depth + 1
    try:
        result = original(self, *args, **kwargs)
    finally:
        _depth.value = depth
    if depth == 0 and training.driver is None:
        report(result)
    return result


def report(result=None):
    """Record the steps since the last report, if the counter has moved; ``result`` may hold the loss."""
    import tensorflow as tf

    if not tf.executing_eagerly():
        return
    now = training.new_step(steps.read_step)
    if now is None:
        return
    if now == training.expected and training.step != now - 1:
        training.set_step(now)  # the call has restored, not trained
        return
    losses, digests = ring.take()
    training.record_loop_steps(now, losses or _losses_of(result), digests)


def _losses_of(result):
    """The first floating scalar of what a training function returned."""
    import tensorflow as tf

    for value in tf.nest.flatten(result):
        if tf.is_tensor(value) and value.dtype.is_floating and value.shape.rank == 0:
            return [float(value.numpy())]
    return []
