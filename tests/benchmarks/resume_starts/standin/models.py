"""Models and optimizers."""

import json
import os

from .anything import Anything, Number, Shape
from .files import HDF5, fill, load_content, save_leaves
from .layers import Layer, Layers, Variable, Weight, advanced, layer_class, sources_in, weights_of
from .state import start
from .training import Fit


class Optimizer:
    """An optimizer: it counts its steps."""

    def __init__(self, *args, **kwargs):
        rate = kwargs.pop("learning_rate", kwargs.pop("lr", args[0] if args else 0.001))
        vars(self).update({key: Variable(value) for key, value in kwargs.items() if isinstance(value, (int, float))})
        self.learning_rate = rate if isinstance(rate, Variable) else Variable(rate)
        self.iterations = Variable(0)
        self.trained = {}

    def __setattr__(self, name, value):
        if name in ("lr", "_lr", "learning_rate") and not isinstance(value, Variable):
            value = Variable(value)
        object.__setattr__(self, "learning_rate" if name in ("lr", "_lr") else name, value)

    def __getattr__(self, name):
        if name.startswith("__") or name in ("_create_all_weights", "model", "filepath", "best", "callback"):
            raise AttributeError(name)
        return self.learning_rate if name in ("lr", "_lr") else Anything(name)

    def build(self, variables):
        pass

    def get_config(self):
        return {"name": type(self).__name__, "learning_rate": self.learning_rate.value}

    @classmethod
    def from_config(cls, config):
        return cls()

    def get_weights(self):
        return [self.iterations.value]

    def set_weights(self, weights):
        self.iterations.assign(int(next(iter(weights), 0)))

    def variables(self):
        return [self.iterations]

    def apply_gradients(self, grads_and_vars, *args, **kwargs):
        """A step: the layers of the variables are trained."""
        leaves = dict.fromkeys(one[1].leaf for one in list(grads_and_vars) if isinstance(one[1], Weight))
        step(self, list(leaves), "apply_gradients")

    def minimize(self, loss, var_list=None, **kwargs):
        """A step of a loss."""
        given = var_list() if callable(var_list) and not isinstance(var_list, Anything) else var_list
        self.apply_gradients([(None, one) for one in given or []])


_begun: dict = {}
trained_leaves: dict = {}


def step(optimizer, leaves, kind):
    """One step of a loop of the program's own."""
    start.batch()
    begin_of(kind, leaves, id(optimizer))
    train(leaves, -1)
    optimizer.iterations.assign_add(1)


def begin_of(kind, leaves, key, **what):
    """Note with what a training begins; of a loop only its first step."""
    if what or (kind, key) not in _begun:
        _begun[kind, key] = True
        start.write("begin", kind=kind, place=start.place(), weights=weights_of(leaves), **what)


def train(leaves, epoch):
    """Let a batch train layers."""
    trained_leaves.update(dict.fromkeys(leaves))
    made = {}
    for leaf in leaves:
        if leaf.chain not in made:
            made[leaf.chain] = advanced(leaf.chain, epoch)
        leaf.chain = made[leaf.chain]


class Model(Layer, Fit):
    """A model, functional or of a class of the program's own."""

    def __init__(self, inputs=None, outputs=None, *args, **kwargs):
        outputs = kwargs.pop("output", outputs)
        inputs = kwargs.pop("input", inputs)
        kwargs.pop("weights", None)
        super().__init__(**kwargs)
        self.stop_training, self.optimizer, self.history = False, vars(self).get("optimizer"), None
        if outputs is not None:
            self._inner = [one for one in sources_in(outputs) if one is not self]
            object.__setattr__(self, "_output", outputs)
            object.__setattr__(self, "_input", inputs)

    @property
    def layers(self):
        return Layers(self._inner or [self])

    @property
    def _trained(self):
        if vars(self).get("_at_compile") is None:
            return [one for one in self.leaves if one.trainable]
        return self._at_compile

    def compile(self, optimizer="rmsprop", loss=None, metrics=None, *args, **kwargs):
        given = optimizer if isinstance(optimizer, Optimizer) else Optimizer()
        object.__setattr__(self, "optimizer", given)
        object.__setattr__(self, "loss", loss)
        object.__setattr__(self, "_at_compile", [one for one in self.leaves if one.trainable])
        names = metrics if isinstance(metrics, (list, tuple)) else [metrics] if metrics else []
        names = [one if isinstance(one, str) else getattr(one, "name", getattr(one, "__name__", "")) for one in names]
        object.__setattr__(self, "_metric_names", [one for one in names if isinstance(one, str) and one])

    @property
    def metrics_names(self):
        return ["loss", *vars(self).get("_metric_names", [])]

    def get_layer(self, name=None, index=None):
        if index is not None:
            return self.layers[index]
        return next((one for one in self.layers if one.name == name), self.layers[-1])

    def summary(self, *args, **kwargs):
        pass

    def to_json(self, **kwargs):
        return json.dumps({"class_name": type(self).__name__, "layers": [one.name for one in self.leaves]})

    to_yaml = to_json

    def _numbers(self):
        loss = 1 / (1 + max([sum(last - first + 1 for _, first, last, _ in one.chain[1]) for one in self.leaves]))
        return Number(loss)

    def train_on_batch(self, *args, **kwargs):
        """A batch of a loop of the program's own."""
        step(self._its_optimizer, self._trained, f"train_on_batch of {self.name}")
        return Number(1 / (2 + start.batches))

    @property
    def _its_optimizer(self):
        if self.optimizer is None:
            raise RuntimeError("You must compile your model before training/testing. Use `model.compile(...)`.")
        return self.optimizer

    def evaluate(self, *args, **kwargs):
        return self._numbers()

    test_on_batch = evaluate_generator = evaluate

    def predict(self, *args, **kwargs):
        return Anything("prediction")

    predict_on_batch = predict_generator = predict_classes = predict_proba = predict

    @property
    def _steps(self):
        return None if self.optimizer is None else int(self.optimizer.iterations)

    def save(self, filepath, overwrite=True, include_optimizer=True, save_format=None, **kwargs):
        """Write the whole model: a file of HDF5 or ``.keras``, else a SavedModel."""
        path = os.fspath(filepath)
        is_file = path.endswith(HDF5) or save_format in ("h5", "keras")
        more = {"model": type(self).__name__, "steps": self._steps if include_optimizer else None}
        save_leaves(path, self.leaves, False if is_file else "folder", **more)
        start.saved(path, weights_of(self.leaves))

    def save_weights(self, filepath, overwrite=True, save_format=None, **kwargs):
        """Write the weights: a file of HDF5, else two files of TensorFlow's format."""
        path = os.fspath(filepath)
        is_file = path.endswith(HDF5) or save_format == "h5"
        # TensorFlow's format holds the optimizer's state too.
        save_leaves(path, self.leaves, not is_file, steps=None if is_file else self._steps)
        start.saved(path, weights_of(self.leaves))

    def load_weights(self, filepath, by_name=False, skip_mismatch=False, **kwargs):
        """Read weights that were written."""
        path = os.fspath(filepath)
        content = load_content(path)
        fill(self.leaves, content, path, by_name, skip_mismatch)
        if content.get("steps") is not None and "model" not in content and self.optimizer is not None:
            self.optimizer.iterations.assign(content["steps"])
        start.write("load", path=os.path.relpath(path), weights=weights_of(self.leaves), place=start.place())
        return Anything("status")

    def __reduce__(self):
        raise TypeError("cannot pickle a model")


class Sequential(Model):
    """A model of layers in a row."""

    def __init__(self, layers=None, name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        for one in layers or ():
            self.add(one)

    def add(self, layer):
        """Put a layer behind the last one."""
        if not isinstance(layer, Layer):
            return
        layer(self._inner[-1].output if self._inner else Anything("input"))
        self._inner.append(layer)

    def pop(self, *args):
        """Remove the last layer."""
        return self._inner.pop()

    @property
    def output(self):
        return self._output if self._output is not None else Anything("tensor", sources_in([self._inner[-1].output]))


def load_model(filepath, custom_objects=None, compile=True, **kwargs):
    """Read a whole model."""
    path = os.fspath(filepath)
    try:
        content = load_content(path)
    except (FileNotFoundError, OSError, Exception) as error:
        raise OSError(f"No file or directory found at {path}") from error
    if "model" not in content:
        raise ValueError(f"No model config found in the file at {path}.")
    model = Model(name=None)
    for name, kind, trainable, _ in content["leaves"]:
        layer = layer_class(kind)(name=name)
        layer.trainable = trainable
        layer(model._inner[-1].output if model._inner else Anything("input"))
        model._inner.append(layer)
    object.__setattr__(model, "_output", model._inner[-1].output if model._inner else None)
    fill(model.leaves, content, path)
    if compile and content.get("steps") is not None:
        model.compile()
        model.optimizer.iterations.assign(content["steps"])
    start.write("load", path=os.path.relpath(path), weights=weights_of(model.leaves), place=start.place())
    return model


def clone_model(model, *args, **kwargs):
    """A model with as many new layers."""
    return model_of([type(one).__name__ for one in model.leaves])


def model_of(kinds, name=None, origin=None):
    """A model with layers of some kinds."""
    made = Sequential([layer_class(kind)() for kind in kinds], name=name)
    for leaf in made.leaves if origin else ():
        leaf.chain = (origin, ())
    return made


def model_from_json(text, *args, **kwargs):
    """A model of the layers that ``to_json`` tells."""
    try:
        names = json.loads(text)["layers"]
    except (TypeError, ValueError, KeyError):
        names = ["dense", "dense"]
    return Sequential([layer_class("Dense")(name=name) for name in names])


def application(name):
    """A function that builds one of ``keras.applications``."""

    def build(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, *args, **kwargs):
        made = model_of(["Conv2D", "BatchNormalization", "Conv2D", "BatchNormalization", "Conv2D"], name.lower())
        for leaf in made.leaves if weights else ():
            leaf.chain = (str(weights), ())
        given = sources_in(input_tensor)
        object.__setattr__(made, "_output", Anything("tensor", [*given, *made._inner]))
        return made

    return build


def input_tensor(shape=None, *args, **kwargs):
    """What ``Input`` gives."""
    made = Anything("input")
    vars(made)["shape"] = Shape()
    return made
