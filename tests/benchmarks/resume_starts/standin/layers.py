"""Layers: what they hold is the chain of the epochs that have trained them."""

import contextlib
import itertools
import re
import sys

from .anything import Anything, Shape, sources_of
from .state import start

_numbers = {}
_OPERATORS = "add sub mul truediv floordiv mod pow radd rsub rmul rmod eq lt gt le ge ne"
_KERAS_ALONE = {"stateless_call", "apply_gradients", "iterations", "minimize", "callback", "best", "filepath"}


def fresh():
    """The chain of new weights: of which start, and what has trained them since."""
    return (f"new in start {start.number}", ())


def advanced(chain, epoch):
    """A chain with one batch more; successive epochs of a start are one run of it."""
    origin, runs = chain
    if runs and runs[-1][0] == start.number and runs[-1][2] == epoch:
        number, first, last, batches = runs[-1]
        return origin, (*runs[:-1], (number, first, last, batches + 1))
    if runs and runs[-1][0] == start.number and runs[-1][2] + 1 == epoch:
        number, first, _, _ = runs[-1]
        return origin, (*runs[:-1], (number, first, epoch, 1))
    return origin, (*runs, (start.number, epoch, epoch, 1))


def as_chain(given):
    """A chain as it comes back from JSON."""
    origin, runs = given
    return (origin, tuple(tuple(one) for one in runs))


class Variable(Anything):
    """A ``tf.Variable``: a number or anything else that is assigned."""

    def __init__(self, initial_value=0, *args, **kwargs):
        super().__init__("variable")
        self.value = (
            initial_value() if callable(initial_value) and not isinstance(initial_value, Anything) else (initial_value)
        )

    def numpy(self):
        return self.value

    read_value = value_of = numpy

    def assign(self, value, *args, **kwargs):
        self.value = getattr(value, "value", value) if isinstance(value, Variable) else value
        return self

    def assign_add(self, value=1, *args, **kwargs):
        return self.assign(self.value + value)

    def assign_sub(self, value=1, *args, **kwargs):
        return self.assign(self.value - value)

    def __setattr__(self, name, value):
        vars(self)[name] = value

    def __int__(self):
        return int(self.value)

    __index__ = __int__

    def __float__(self):
        return float(self.value)

    def __bool__(self):
        return bool(self.value)

    def __str__(self):
        return str(self.value)

    __repr__ = __str__

    def __format__(self, spec):
        return format(self.value, spec)

    def __hash__(self):
        return id(self)


def _of_value(name):
    def method(self, *others):
        others = [one.value if isinstance(one, Variable) else one for one in others]
        return getattr(self.value, name)(*others) if hasattr(self.value, name) else Anything()

    return method


for _each in _OPERATORS.split():
    setattr(Variable, f"__{_each}__", _of_value(f"__{_each}__"))


class _Each(Anything):
    """Made-up objects that are told from each other."""

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other


class Token(_Each):
    """What ``get_weights`` gives of a layer: its chain, which ``set_weights`` puts into another."""

    def __init__(self, chain):
        super().__init__("weight")
        vars(self)["chain"] = as_chain(chain)

    def __reduce__(self):
        return (Token, (self.chain,))


class Weight(_Each):
    """A variable of a layer."""

    def __init__(self, leaf, is_trainable=True):
        super().__init__("weight")
        vars(self).update(leaf=leaf, trainable=is_trainable, name=f"{leaf.name}/kernel:0")

    def numpy(self):
        return Token(self.leaf.chain)

    read_value = value = numpy

    def assign(self, value, *args, **kwargs):
        chain = getattr(value, "chain", None) or getattr(getattr(value, "leaf", None), "chain", None)
        self.leaf.chain = chain or self.leaf.chain


class Layers(list):
    """The layers of a model: an index that is too large for the stand-in's gives the last one."""

    def __getitem__(self, key):
        if isinstance(key, slice) or not len(self):
            return Layers(super().__getitem__(key))
        return super().__getitem__(max(-len(self), min(int(key), len(self) - 1)))


class Layer:
    """A layer; its class names what it is."""

    def __new__(cls, *args, **kwargs):
        made = super().__new__(cls)
        kind = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
        number = _numbers[kind] = _numbers.get(kind, -1) + 1
        vars(made).update(
            _name=kwargs.get("name") or (f"{kind}_{number}" if number else kind),
            _trainable=bool(kwargs.get("trainable", True)),
            _inner=[],
            chain=fresh(),
            built=True,
            _output=None,
        )
        return made

    def __init__(self, *args, name=None, trainable=True, weights=None, **kwargs):
        vars(self).update(
            {key: value for key, value in kwargs.items() if key.isidentifier() and not hasattr(type(self), key)}
        )
        self._name, self._trainable = name or self._name, trainable
        for inner in args:  # A wrapper, such as TimeDistributed.
            if isinstance(inner, Layer):
                self._inner.append(inner)
        for token in weights or ():
            self.chain = getattr(token, "chain", self.chain)

    def __setattr__(self, name, value):
        if name == "trainable":
            self._set_trainable(value)
            return
        if name == "name":
            name = "_name"
        with contextlib.suppress(AttributeError):  # What Keras lets be set and the stand-in works out.
            object.__setattr__(self, name, value)
        if name not in ("_inner", "_output", "_input"):
            for one in (
                value.values() if isinstance(value, dict) else value if type(value) in (list, tuple) else [value]
            ):
                if isinstance(one, Layer) and not any(one is each for each in self._inner):
                    self._inner.append(one)

    def __getattr__(self, name):
        if name.startswith("_") or name in _KERAS_ALONE or not _is_known(name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return Anything(name)

    name = property(lambda self: self._name)
    trainable = property(lambda self: self._trainable)

    def _set_trainable(self, value):
        object.__setattr__(self, "_trainable", bool(value))
        for one in self._inner:
            one.trainable = value

    @property
    def leaves(self):
        """The layers that hold weights, each once."""
        if not self._inner:
            return [self]
        return list(dict.fromkeys(itertools.chain.from_iterable(one.leaves for one in self._inner)))

    def __call__(self, *args, **kwargs):
        given = (*args, *kwargs.values())
        sources = dict.fromkeys(one for each in given for one in sources_of(each))
        object.__setattr__(self, "_input", args[0] if args else None)
        object.__setattr__(self, "_output", Anything("tensor", [*sources, self]))
        return self._output

    @property
    def output(self):
        return self._output if self._output is not None else Anything("tensor", [self])

    @property
    def input(self):
        return vars(self).get("_input") or Anything("tensor")

    inputs = property(lambda self: [self.input])
    outputs = property(lambda self: [self.output])
    input_shape = output_shape = shape = property(lambda self: Shape())
    weights = variables = property(lambda self: [Weight(one) for one in self.leaves for _ in ("kernel", "bias")])
    non_trainable_weights = non_trainable_variables = property(lambda self: [])
    updates = losses = metrics = property(lambda self: [])
    distribute_strategy = property(lambda self: STRATEGY)

    @property
    def trainable_weights(self):
        return [Weight(one) for one in self.leaves if one.trainable]

    trainable_variables = trainable_weights

    def get_weights(self):
        return [Token(one.chain) for one in self.leaves]

    def set_weights(self, weights):
        for leaf, token in zip(self.leaves, weights, strict=False):
            leaf.chain = getattr(token, "chain", leaf.chain)

    def get_config(self):
        return {"name": self.name}

    @classmethod
    def from_config(cls, config, *args, **kwargs):
        return cls()

    def add_weight(self, *args, **kwargs):
        return Weight(self)

    add_variable = add_weight

    def build(self, *args, **kwargs):
        pass

    def add_loss(self, *args, **kwargs):
        pass

    add_update = add_metric = set_input_shape = add_loss

    def compute_output_shape(self, shape):
        return shape

    def count_params(self):
        return 1

    def __deepcopy__(self, memo):
        return self


def _is_known(name):
    words = "kernel bias units filters activation input_spec dtype rate inbound outbound node supports_masking "
    words += "axis epsilon state stateful return padding strides initializer regularizer constraint momentum gamma "
    words += "cell forward backward embeddings call_ layer_ save_spec compute get_ count reset loss_ optimizer"
    return any(word in name for word in words.split())


class Strategy(Anything):
    """The default distribution strategy."""

    num_replicas_in_sync = 1

    def run(self, function, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))

    experimental_run_v2 = run

    def experimental_distribute_dataset(self, dataset):
        return dataset


STRATEGY = type("_DefaultDistributionStrategy", (Strategy,), {})()
_classes = {}


def layer_class(name):
    """The class of layers that has a name."""
    if name not in _classes:
        _classes[name] = type(name, (Layer,), {"__module__": "keras.layers"})
    return _classes[name]


def sources_in(tensors):
    """The layers that tensors were computed from, in order."""
    return list(dict.fromkeys(sources_of(tensors)))


def weights_of(leaves):
    """Chains and how many layers have each, as it is recorded."""
    counted = {}
    for leaf in leaves:
        counted[leaf.chain] = counted.get(leaf.chain, 0) + 1
    return [[origin, [list(run) for run in runs], number] for (origin, runs), number in counted.items()]


def names_called(text):
    """The names that a file calls and neither defines nor imports by name, for ``from keras.layers import *``."""
    defined = set(re.findall(r"^\s*(?:class|def)\s+(\w+)", text, re.M))
    for line in re.findall(r"^\s*(?:from\s+[\w.]+\s+)?import\s+([^*\n]+)", text, re.M):
        defined |= {one.split()[-1] for one in line.strip("() \\").split(",") if one.strip()}
    return [one for one in re.findall(r"(?<![.\w])(?:[A-Z]\w+|[a-z]\w+(?=\())", text) if one not in defined]


def importing_file():
    """The text of the file that is importing, and the names that it has already."""
    frame = sys._getframe(1)
    while frame is not None:
        if start.root.as_posix() in frame.f_code.co_filename:
            with open(frame.f_code.co_filename, encoding="utf-8", errors="replace") as file:
                return file.read(), frame.f_globals
        frame = frame.f_back
    return "", {}
