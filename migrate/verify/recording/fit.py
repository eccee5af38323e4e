"""Records ``Model.fit`` of Keras 2, tf_keras and Keras 3 by a callback after all of the program's own."""

import functools
import inspect

from . import event_log, ring, saving, steps, training
from .wrapping import wrap_method


def watch(module):
    """Watches the class whose ``fit`` the module defines."""
    owner = getattr(module, "TensorFlowTrainer", None) or module.Model
    wrap_method(owner, "fit", _fit)
    wrap_method(owner, "evaluate", _evaluate)
    wrap_method(owner, "predict", _predict)
    if hasattr(owner, "save_weights"):
        watch_weights(module)


def watch_weights(module):
    """Watches the saving and loading of weights and of whole models."""
    for name in ("save_weights", "save"):
        wrap_method(module.Model, name, functools.partial(_save, name))
    wrap_method(module.Model, "load_weights", _load)


def _fit(original, self, *args, **kwargs):
    bound = inspect.signature(original).bind(self, *args, **kwargs)
    given = bound.arguments.get("callbacks")
    callback = _callback_class(self)()
    # The recovery callback of a migrated job has the seconds between its saves.
    callback.save_seconds = [
        getattr(one, "save_secs", None) for one in (given if isinstance(given, (list, tuple)) else [])
    ]
    if hasattr(given, "append") and hasattr(given, "callbacks"):
        given.append(callback)
    else:
        before = [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]
        bound.arguments["callbacks"] = [*before, callback]
    with training.reported_by("fit"):
        return original(*bound.args, **bound.kwargs)


def _callback_class(model):
    """Returns a recording subclass of the ``Callback`` class of ``model``'s Keras."""
    import importlib

    package = type(model).__mro__[-2].__module__
    for cls in type(model).__mro__:
        if cls.__name__ in ("TensorFlowTrainer", "Model") and "keras" in cls.__module__:
            package = cls.__module__
            break
    root = package.split(".")[0]
    base = importlib.import_module(root + ".src.callbacks" if ".src." in package else root + ".callbacks").Callback

    class Recorder(base):
        """Reports each step; runs after the other callbacks, so that their saves at a step come before its report."""

        def on_train_begin(self, logs=None):
            ring.take()
            training.record_start("fit", steps.model_step(self.model) or 0)
            for seconds in filter(None, self.save_seconds):
                event_log.write("saves_by_clock", seconds=seconds)

        def on_train_batch_end(self, batch, logs=None):
            losses, digests = ring.take()
            source = "step"
            if not losses and logs and "loss" in logs:
                losses, source = [float(logs["loss"])], "mean"
            now = steps.model_step(self.model)
            training.record_steps((training.step or 0) + 1 if now is None else now, losses, digests, source)

    return Recorder


def _save(kind, original, self, *args, **kwargs):
    path = args[0] if args else kwargs.get("filepath")
    with saving.record_save(kind, path, lambda: steps.model_step(self)):
        return original(self, *args, **kwargs)


def _load(original, self, *args, **kwargs):
    path = args[0] if args else kwargs.get("filepath")
    with saving.watch_restore("load_weights", path):
        result = original(self, *args, **kwargs)
    saving.record_restore("load_weights", path, steps.model_step(self))
    return result


def _evaluate(original, self, *args, **kwargs):
    with training.in_phase("evaluate"):
        result = original(self, *args, **kwargs)
    names = getattr(self, "metrics_names", [])
    values = result if isinstance(result, (dict, list, tuple)) else [result]
    if not isinstance(values, dict):
        values = {names[index] if index < len(names) else str(index): value for index, value in enumerate(values)}
    saving.record_evaluation(steps.model_step(self), values)
    return result


def _predict(original, self, *args, **kwargs):
    with training.in_phase("predict"):
        return original(self, *args, **kwargs)
