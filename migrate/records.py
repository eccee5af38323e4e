"""Dataclasses that compile nothing and import little: those of ``dataclasses`` take a fifth of a small run.

The type checker sees ``dataclasses``, whose own functions, such as ``asdict``, take these records too.
"""

from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

__all__ = ["dataclass", "field", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:

    class field(dict):
        """The options of a field, as ``dataclasses.field`` has them."""

    def dataclass(cls=None, *, frozen=False, eq=True, kw_only=False):
        """Gives a class a constructor, and comparison by its fields."""
        if cls is None:
            return partial(dataclass, frozen=frozen, eq=eq)
        own = {name: vars(cls).get(name, field()) for name in cls.__annotations__}
        own = {name: one if isinstance(one, field) else field(default=one) for name, one in own.items()}
        fields = cls._fields = getattr(cls, "_fields", {}) | own
        has = {name: one for name, one in fields.items() if one.keys() & {"default", "default_factory"}}
        cls._defaults = {name: one["default"] for name, one in has.items() if "default" in one}
        cls._factories = [(name, one["default_factory"]) for name, one in has.items() if "default_factory" in one]
        cls._filled = {name for name, one in fields.items() if name in has or one.get("init", True)}
        cls.__init__, cls.__repr__, cls.__dataclass_fields__ = _initialize, _show, _StandardFields()
        if eq:
            cls._compared = attrgetter(*(name for name, one in fields.items() if one.get("compare", True)))
            cls.__eq__, cls.__hash__ = _is_equal, (lambda one: hash(one._compared(one))) if frozen else None
        if frozen:
            cls.__setattr__ = cls.__delattr__ = _refuse
        return cls

    def replace(record, **changes):
        """Returns a record with other values of some fields."""
        kept = {name: getattr(record, name) for name, one in record._fields.items() if one.get("init", True)}
        return type(record)(**(kept | changes))

    def _initialize(self, *given, **named):
        values = vars(self)
        values.update(self._defaults)
        values.update([(name, make()) for name, make in self._factories] if self._factories else ())
        values.update(zip(self._fields, given, strict=False), **named)
        if values.keys() != self._filled:
            raise TypeError(f"{type(self).__name__} has {', '.join(self._filled)}, not {', '.join(values)}")
        if hasattr(self, "__post_init__"):
            self.__post_init__()

    def _show(self):
        values = (f"{name}={getattr(self, name)!r}" for name, one in self._fields.items() if one.get("repr", True))
        return f"{type(self).__qualname__}({', '.join(values)})"

    def _is_equal(self, other):
        return self._compared(self) == self._compared(other) if type(other) is type(self) else NotImplemented

    def _refuse(self, name, *_):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"{name} of {type(self).__name__} cannot change")

    class _StandardFields:
        """The fields for ``dataclasses``, made when it asks for them."""

        def __get__(self, _, cls):
            from dataclasses import field, make_dataclass

            fields = [(name, object, field(**options)) for name, options in cls._fields.items()]
            cls.__dataclass_fields__ = make_dataclass(cls.__name__, fields, kw_only=True).__dataclass_fields__
            return cls.__dataclass_fields__
