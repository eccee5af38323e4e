"""An object that takes part in whatever a program does with its data."""

import collections.abc
import contextlib
import dis
import sys

_FEW, _MANY = 3, 300
_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift divmod"


def _asked(frame):
    """How many elements the statement of a frame unpacks, or None for a loop."""
    code, at = frame.f_code.co_code, frame.f_lasti
    name = dis.opname[code[at]]
    if name == "UNPACK_SEQUENCE":
        return code[at + 1]
    if name == "UNPACK_EX":
        return (code[at + 1] & 0xFF) + 1
    return None


def is_decorator(frame):
    """Whether a frame is about to decorate what it has just defined: the call has no argument of its own."""
    code, at = frame.f_code.co_code, frame.f_lasti
    return dis.opname[code[at]] == "CALL" and code[at + 1] == 0


class Anything:
    """Has every attribute, can be called, and counts as a small number.

    Args:
      name: what it is called in messages.
      sources: the layers that it was computed from, where it is a tensor of a network.
    """

    def __init__(self, name="anything", sources=()):
        vars(self).update(_name=name, _sources=tuple(sources))

    def _made(self, *given):
        found = dict.fromkeys(self._sources)
        for one in given:
            found.update(dict.fromkeys(sources_of(one)))
        return Anything(self._name, found)

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if name == "shape":
            return Shape()
        made = Anything(f"{self._name}.{name}", self._sources)
        vars(self)[name] = made
        return made

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and not kwargs and is_decorator(sys._getframe(1)):
            return args[0]
        return self._made(*args, *kwargs.values())

    def __mro_entries__(self, bases):
        return (AnyBase,) if next(one for one in bases if isinstance(one, Anything)) is self else ()

    def __iter__(self):
        number = _asked(sys._getframe(1))
        return iter([self._made() for _ in range(_FEW if number is None else number)])

    def __next__(self):
        return self._made()

    def __getitem__(self, key):
        return self._made()

    def __setitem__(self, key, value):
        pass

    def __delitem__(self, key):
        pass

    def __contains__(self, one):
        return True

    def __len__(self):
        return _MANY

    def __bool__(self):
        return True

    def __int__(self):
        return 2

    def __index__(self):
        return 2

    def __float__(self):
        return 0.5

    def __complex__(self):
        return 0.5j

    def __round__(self, *args):
        return 1

    def __hash__(self):
        return hash(type(self))

    def __eq__(self, other):
        return type(self) is type(other)  # So that a word that is made up is found among such words.

    def __lt__(self, other):
        return True

    __gt__ = __le__ = __ge__ = __lt__

    def __str__(self):
        return "2"

    __repr__ = __fspath__ = __str__

    def __format__(self, spec):
        for value in ("2", 0.5, 2):
            with contextlib.suppress(ValueError):
                return format(value, spec)
        return "2"

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def __reduce__(self):
        return (Anything, (self._name,))

    def __deepcopy__(self, memo):
        return self

    __array_ufunc__ = None

    def __array__(self, dtype=None, copy=None):
        import numpy

        return numpy.array(0.5)


class Shape(Anything):
    """The shape of something: a tuple of small numbers."""

    def __getitem__(self, key):
        return {0: _MANY, 3: 3, -1: 3}.get(key, 2) if isinstance(key, int) else Shape()

    def __len__(self):
        return 4

    def __iter__(self):
        number = _asked(sys._getframe(1))
        return iter([_MANY, 2, 2, 3, 3, 3][: 4 if number is None else number])

    def __add__(self, other):
        return Shape()


class AnyBase:
    """What a class of a package that is not there is derived from."""

    def __init__(self, *args, **kwargs):
        pass

    def __init_subclass__(cls, **kwargs):
        pass

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Anything(name)

    def __call__(self, *args, **kwargs):
        return Anything()

    def __iter__(self):
        return iter(Anything())

    def __len__(self):
        return _FEW

    def __getitem__(self, key):
        return Anything()


def _operator(name):
    def method(self, *others):
        return self._made(*others)

    method.__name__ = name
    return method


for _each in _BINARY.split():
    for _name in (f"__{_each}__", f"__r{_each}__", f"__i{_each}__"):
        if _name not in vars(Anything):
            setattr(Anything, _name, _operator(_name))
for _each in ("neg", "pos", "abs", "invert"):
    setattr(Anything, f"__{_each}__", _operator(_each))
del Anything.__idivmod__
collections.abc.Sequence.register(Anything)


def sources_of(given, depth=3):
    """The layers that a value was computed from, also those within lists."""
    if isinstance(given, Anything):
        return given._sources
    if depth and isinstance(given, (list, tuple)):
        return [one for each in given for one in sources_of(each, depth - 1)]
    if depth and isinstance(given, dict):
        return sources_of(list(given.values()), depth - 1)
    return ()


def holds_anything(given, depth=2):
    """Whether a value is made up, or holds what is."""
    if isinstance(given, (Anything, AnyBase)):
        return True
    if depth and isinstance(given, (list, tuple)):
        return any(holds_anything(one, depth - 1) for one in given[:20])
    return False


class Number(float):
    """A loss or a metric: a number that can be unpacked and indexed too, as there may be several."""

    def __getitem__(self, key):
        return self

    def __iter__(self):
        number = _asked(sys._getframe(1))
        return iter([self] * (_FEW if number is None else number))

    def __len__(self):
        return _FEW

    def numpy(self):
        return self

    def __array__(self, dtype=None, copy=None):
        import numpy

        return numpy.array(float(self))

    __array_ufunc__ = None

    def item(self):
        return float(self)

    def mean(self, *args, **kwargs):
        return self


def _number_operator(name):
    def method(self, other):
        if isinstance(other, Anything):
            return NotImplemented
        found = getattr(float, name)(float(self), float(other))
        return Number(found) if isinstance(found, float) else found

    return method


for _each in ["add", "sub", "mul", "truediv"]:
    for _name in (f"__{_each}__", f"__r{_each}__"):
        setattr(Number, _name, _number_operator(_name))
