"""What is imported: the stand-ins for TensorFlow and Keras, and anything for a package that is not there."""

import builtins
import importlib.abc
import importlib.machinery
import re
import sys
import types

from . import callbacks, checkpoints, files, layers, models
from .anything import Anything, Number, is_decorator, sources_of
from .gfile import gfile

_STAND_INS = ("tensorflow", "keras", "tf_keras")
_KERAS = re.compile(r"^(tensorflow\.(compat\.v[12]\.|python\.|contrib\.|_api\.v2\.)?keras|tf_keras|keras)(\.|$)")
_CALLBACKS = "TensorBoard TerminateOnNaN ProgbarLogger RemoteMonitor BaseLogger"


def _function(function=None, *args, **kwargs):
    """A decorator, with arguments or without."""
    if callable(function) and not isinstance(function, Anything):
        return function
    return lambda given: given


class Tape(Anything):
    """A ``tf.GradientTape``."""

    def __init__(self, *args, **kwargs):
        super().__init__("tape")

    def gradient(self, target, sources, *args, **kwargs):
        return [Anything("gradient") for _ in sources] if isinstance(sources, (list, tuple)) else Anything("gradient")


class Mean(Anything):
    """A metric that loops keep."""

    def __init__(self, *args, **kwargs):
        super().__init__(str(kwargs.get("name", "metric")))
        self.name = kwargs.get("name") or "metric"

    def __setattr__(self, name, value):
        vars(self)[name] = value

    def result(self):
        return Number(0.5)

    def __call__(self, *args, **kwargs):
        return Number(0.5)

    def reset_states(self):
        pass

    reset_state = update_state = __call__


def get_value(one):
    """``K.get_value``."""
    return one.numpy() if hasattr(one, "numpy") else one


def set_value(one, value):
    """``K.set_value``."""
    if hasattr(one, "assign"):
        one.assign(value)


def joined(*args, **kwargs):
    """A function of ``keras.layers`` that joins tensors."""
    return Anything("tensor", sources_of([*args, *kwargs.values()]))


def constant(value=0, *args, **kwargs):
    """``tf.constant``: a number, else anything."""
    return (
        layers.Variable(value) if isinstance(value, (int, float, str, list)) else Anything("tensor", sources_of(value))
    )


def get_optimizer(*args, **kwargs):
    """An optimizer, by whatever tells it."""
    return args[0] if args and isinstance(args[0], models.Optimizer) else models.Optimizer()


_TRAIN = {
    "Checkpoint": checkpoints.Checkpoint,
    "CheckpointManager": checkpoints.CheckpointManager,
    "TrackableView": checkpoints.TrackableView,
    "latest_checkpoint": files.latest_checkpoint,
    "get_checkpoint_state": files.checkpoint_state,
    "load_checkpoint": lambda path: checkpoints.Reader(str(path)),
    "list_variables": checkpoints.list_variables,
    "checkpoint_exists": lambda path: files.os.path.exists(str(path) + ".index"),
}
_ERRORS = {"OpError": files.OpError, "NotFoundError": files.NotFoundError, "DataLossError": files.DataLossError}
_ERRORS |= {"InvalidArgumentError": files.InvalidArgumentError, "OutOfRangeError": files.OutOfRangeError}
_TENSORFLOW = {
    "function": _function,
    "custom_gradient": _function,
    "GradientTape": Tape,
    "Variable": layers.Variable,
    "constant": constant,
    "Module": checkpoints.Module,
    "get_strategy": lambda: layers.STRATEGY,
    "__version__": "2.15.1",
    **_ERRORS,
}
_NAMES = {
    "Model": models.Model,
    "Functional": models.Model,
    "Sequential": models.Sequential,
    "load_model": models.load_model,
    "clone_model": models.clone_model,
    "model_from_json": models.model_from_json,
    "model_from_yaml": models.model_from_json,
    "Input": models.input_tensor,
    "InputLayer": lambda *args, **kwargs: None,
    "Layer": layers.Layer,
    "Optimizer": models.Optimizer,
    "get_value": get_value,
    "set_value": set_value,
    "register_keras_serializable": _function,
    "floatx": lambda: "float32",
    "epsilon": lambda: 1e-7,
    "image_data_format": lambda: "channels_last",
    "image_dim_ordering": lambda: "tf",
    "learning_phase": lambda: 0,
    "to_categorical": lambda *args, **kwargs: Anything("array"),
    **{name: getattr(callbacks, name) for name in ("Callback", "History", "LambdaCallback", "ModelCheckpoint")},
    **{name: getattr(callbacks, name) for name in ("EarlyStopping", "ReduceLROnPlateau", "CSVLogger")},
    **{name: getattr(callbacks, name) for name in ("LearningRateScheduler", "BackupAndRestore", "CallbackList")},
}
_JOINING = "add subtract multiply average maximum minimum concatenate dot merge"
_MADE = {}


def _of_keras(path, name):
    """What a name of Keras is; None for a module or anything."""
    if name in _NAMES:
        return _NAMES[name]
    if name == "backend" and path[-1] == "backend":
        return lambda: "tensorflow"
    if name in _CALLBACKS.split() or ("callbacks" in path and name[0].isupper()):
        return _once(name, callbacks.other_callback)
    is_class = name[0].isupper()
    if "optimizers" in path and "schedules" not in path and name not in ("schedules", "legacy"):
        if is_class:
            return _once("optimizer " + name, lambda _: type(name, (models.Optimizer,), {}))
        return get_optimizer
    if "layers" in path:
        if is_class:
            return layers.layer_class(name)
        return joined if name in _JOINING.split() else None
    if "applications" in path and is_class:
        return models.application(name)
    if "metrics" in path and is_class:
        return _once("metric " + name, lambda _: type(name, (Mean,), {}))
    return None


def _once(name, make):
    if name not in _MADE:
        _MADE[name] = make(name)
    return _MADE[name]


def found(path, name):
    """What a name of a module of TensorFlow or Keras is; None for a module or anything.

    Args:
      path: the module's dotted name.
      name: the name in it.
    """
    if _KERAS.match(path + "."):
        return _of_keras(path.split("."), name)
    if path.endswith("gfile"):
        return gfile(name)
    if "keras" in path:
        return _of_keras(path.split("."), name)
    if path.endswith("train") and name in _TRAIN:
        return _TRAIN[name]
    if path.endswith("train") and name.endswith("Optimizer"):
        return _once("optimizer " + name, lambda _: type(name, (models.Optimizer,), {}))
    if name in ("flags", "app") and path in ("tensorflow", "tensorflow.compat.v1"):
        return importlib.import_module(f"absl.{name}")
    if name.endswith("Strategy"):
        return lambda *args, **kwargs: layers.STRATEGY
    return _TENSORFLOW.get(name) or _ERRORS.get(name)


class StandIn(types.ModuleType, Anything):
    """A module that has every name."""

    def __init__(self, name, is_known=False):
        types.ModuleType.__init__(self, name)
        vars(self).update(_name=name, _sources=(), _is_known=is_known, __path__=[], __file__=f"{name}.py")

    def __getattr__(self, name):
        if name == "__all__":
            return self._star()
        if name == "__version__":
            return "2.15.1"
        if (name.startswith("__") and name.endswith("__")) or (
            self._name in ("tensorflow.keras", "keras", "tf_keras") and name == "ops"
        ):
            raise AttributeError(name)
        made = found(self._name, name) if self._is_known else None
        if made is None:
            full = f"{self._name}.{name}"
            made = sys.modules.get(full) if full in sys.modules else StandIn(full, self._is_known)
        vars(self)[name] = made
        return made

    def _star(self):
        """The names that ``from module import *`` gives: what the file calls, and has from nowhere else."""
        text, known = layers.importing_file()
        names = [one for one in layers.names_called(text) if one not in known and not hasattr(builtins, one)]
        is_all = "preprocessing" in self._name or not self._is_known
        return [one for one in dict.fromkeys(names) if is_all or found(self._name, one) is not None]

    def __call__(self, *args, **kwargs):
        if self._is_known and not is_decorator(sys._getframe(1)):
            return Anything(self._name, sources_of([*args, *kwargs.values()]))
        return args[0] if len(args) == 1 and is_decorator(sys._getframe(1)) else Anything(self._name)

    def __setattr__(self, name, value):
        vars(self)[name] = value

    def __repr__(self):
        return f"<stand-in {self._name}>"


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the stand-ins, and gives anything for a package that nothing else finds.

    Args:
      own: the folders of the program's repository that have a module or package, by its name.
      is_last: whether it is asked last, for packages that are not there.
    """

    def __init__(self, own, is_last):
        self.own, self.is_last = own, is_last

    def find_spec(self, fullname, path=None, target=None):
        top = fullname.partition(".")[0]
        is_known = top in _STAND_INS
        if is_known == self.is_last or top in _ABSENT or top.startswith("_"):
            return None
        if self.is_last and "." in fullname and not isinstance(sys.modules.get(top), StandIn):
            return None
        if self.is_last and top in self.own:  # Of the repository, in a folder that is not on the path.
            return importlib.machinery.PathFinder.find_spec(fullname, self.own[top])
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        return StandIn(spec.name, spec.name.partition(".")[0] in _STAND_INS)

    def exec_module(self, module):
        pass


_ABSENT = (
    "org",
    "java",
    "ce",
    "vms_lib",
    "pwd_",
    "nt",
    "winreg",
    "msvcrt",
    "cPickle",
    "ConfigParser",
    "Queue",
    "urllib2",
)


def install(own):
    """Let the imports of this process find the stand-ins."""
    sys.meta_path.insert(0, Finder(own, False))
    sys.meta_path.append(Finder(own, True))
