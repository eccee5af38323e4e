"""The watched modules of TensorFlow, Keras and Estimator, by their names in each TensorFlow line."""

import os

from . import batches, checkpoints, event_log, fit, functions, guard, sessions, wrapping

_AT_START = dict(os.environ)


def _tensorflow(module):
    """Records which TensorFlow it is, and which environment variables the program changed before the import."""
    found = wrapping.environments["tensorflow"]
    changed = {
        name: found.get(name) for name in _AT_START.keys() | found.keys() if found.get(name) != _AT_START.get(name)
    }
    version, file = getattr(module, "__version__", "?"), getattr(module, "__file__", None)
    event_log.write("tensorflow", version=version, file=file, environment=changed)


MODULES = {
    "tensorflow": _tensorflow,
    "tensorflow.python.lib.io._pywrap_file_io": guard.watch_tensorflow,
    "tensorflow.python.client._pywrap_events_writer": guard.watch_tensorflow,
    **dict.fromkeys(
        ("tensorflow.python.pywrap_tensorflow", "tensorflow_core.python.pywrap_tensorflow"), guard.watch_tensorflow
    ),
    "tensorflow.python.checkpoint.checkpoint": checkpoints.watch_checkpoint,
    "tensorflow.python.training.tracking.util": checkpoints.watch_checkpoint,
    "tensorflow.python.checkpoint.checkpoint_management": checkpoints.watch_manager,
    "tensorflow.python.training.checkpoint_management": checkpoints.watch_manager,
    "tensorflow.python.data.ops.iterator_ops": batches.watch,
    "tensorflow.python.eager.backprop": functions.watch_tape,
    "tensorflow.python.eager.polymorphic_function.polymorphic_function": functions.watch_function,
    "tensorflow.python.eager.def_function": functions.watch_function,
    "tensorflow.python.eager.wrap_function": functions.watch_wrap_function,
    "tensorflow.python.training.optimizer": functions.watch_v1_optimizer,
    "tensorflow.python.training.monitored_session": sessions.watch_session,
    "tensorflow.python.training.basic_session_run_hooks": sessions.watch_hooks,
    "tensorflow.python.training.saver": sessions.watch_saver,
    "tensorflow_estimator.python.estimator.estimator": sessions.watch_estimator,
    "tensorflow_estimator.python.estimator.training": sessions.watch_evaluations,
    "keras.engine.training": fit.watch,
    "keras.src.engine.training": fit.watch,
    "tf_keras.src.engine.training": fit.watch,
    "keras.src.backend.tensorflow.trainer": fit.watch,
    "keras.src.models.model": fit.watch_weights,
    "keras.optimizers.optimizer_experimental.optimizer": functions.watch_keras_optimizer,
    "keras.optimizers.optimizer": functions.watch_keras_optimizer,
    "keras.src.optimizers.optimizer": functions.watch_keras_optimizer,
    "tf_keras.src.optimizers.optimizer": functions.watch_keras_optimizer,
    "keras.src.optimizers.base_optimizer": functions.watch_keras_optimizer,
}
