"""Records custom training loops: a loss when its gradient is taken, a step when a call has moved the step counter."""

import threading

from . import event_log, fault, ring, steps, training
from .wrapping import wrap_method

_depth = threading.local()


def watch_tape(module):
    """Watches ``tf.GradientTape.gradient``: its target is the step's own loss, also in Keras' ``train_step``."""
    wrap_method(module.GradientTape, "gradient", _gradient)


def watch_v1_optimizer(module):
    """Watches the TF1 optimizers, whose ``minimize`` a wrapped ``model_fn`` calls."""
    wrap_method(module.Optimizer, "compute_gradients", _compute_gradients)


def watch_function(module):
    wrap_method(module.Function, "__call__", _record_call)


def watch_wrap_function(module):
    cls = module.WrappedFunction
    if "__call__" not in cls.__dict__:
        cls.__call__ = lambda self, *args, **kwargs: super(cls, self).__call__(*args, **kwargs)
    wrap_method(cls, "__call__", _record_call)


def watch_keras_optimizer(module):
    """Watches the updates of Keras optimizers: each is a step of an eager loop, which calls no ``tf.function``."""
    for name in ("_BaseOptimizer", "BaseOptimizer", "Optimizer"):
        if hasattr(module, name):
            wrap_method(getattr(module, name), "apply_gradients", _record_call)


def _gradient(original, self, target, *args, **kwargs):
    with event_log.contain_errors("loss"):
        _push_loss(target)
    return original(self, target, *args, **kwargs)


def _compute_gradients(original, self, loss, *args, **kwargs):
    with event_log.contain_errors("loss"):
        loss = _add_push(loss)
    return original(self, loss, *args, **kwargs)


def _add_push(loss):
    """Returns the loss with a dependency that pushes it: wrap_function drops an operation that nothing depends on."""
    import tensorflow as tf

    push = _push_loss(loss)
    if push is None:
        return loss
    with tf.control_dependencies([push]):
        return tf.identity(loss)


def _push_loss(loss):
    """Pushes the loss of a step to the ring; returns the operation that pushes in a traced function, else None.

    What XLA compiles calls no Python, so a fault waits for the end of its call.
    """
    import tensorflow as tf
    from tensorflow.python.ops.control_flow_util import GraphOrParentsInXlaContext

    if training.phase != "train" or not tf.is_tensor(loss) or not loss.dtype.is_floating:
        return None
    # In a TF1 graph the session's hook records the loss; with several local replicas there is no single loss.
    if not getattr(
        tf.compat.v1, "executing_eagerly_outside_functions", tf.executing_eagerly
    )():  # TensorFlow 1 has none
        return None
    if tf.distribute.has_strategy() and len(tf.distribute.get_strategy().extended.worker_devices) > 1:
        return None
    push = ring.losses.push(loss)
    if push is not None and fault.sends_signal() and not GraphOrParentsInXlaContext(push.graph):
        with tf.control_dependencies([push]):
            push = tf.numpy_function(_strike_in_call, [], [])
    return push


def _strike_in_call():
    """Records the steps until the one that the fault is due at, and strikes, if a call makes more steps than that."""
    with event_log.contain_errors("step"):
        if training.driver is not None or training.phase != "train" or not fault.sends_signal():
            return
        due = fault.steps_until_due(training.step or 0)
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
    """Records the steps since the last report, if the counter has moved; ``result`` may contain the loss."""
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
    """Returns the first floating-point scalar that a training function returned, in a list; [] if there is none."""
    import tensorflow as tf

    for value in tf.nest.flatten(result):
        if tf.is_tensor(value) and value.dtype.is_floating and value.shape.rank == 0:
            return [float(value.numpy())]
    return []
