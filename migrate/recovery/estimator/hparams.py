"""Hyperparameters by name, as in ``tf.contrib.training.HParams``."""

import json
import numbers
import re

_ASSIGNMENT = re.compile(
    r"([a-zA-Z][\w.]*)(\[\s*\d+\s*\])?\s*=\s*(?:([^,\[]*)|\[([^\]]*)\])(?:$|,\s*)"
)


class HParams:
    """Holds hyperparameters as attributes; each keeps the type of its first value.

    Args:
      values: by name: an int, float, bool, str, or a list of one of these types; any
        other value can be set by code, not by ``parse``.

    Raises:
      ValueError: a name is that of a method, or a list is empty.
    """

    def __init__(self, **values):
        self._hparam_types = {}
        for name, value in values.items():
            self.add_hparam(name, value)

    def add_hparam(self, name, value):
        """Adds a hyperparameter; raises a ValueError if the name is taken."""
        if getattr(self, name, None) is not None:
            raise ValueError(f"The name {name} is taken.")
        is_list = isinstance(value, (list, tuple))
        if is_list and not value:
            raise ValueError(f"{name} is an empty list, which tells no type.")
        self._hparam_types[name] = type(value[0] if is_list else value), is_list
        setattr(self, name, value)

    def set_hparam(self, name, value):
        """Sets a hyperparameter; raises a ValueError for a value of another type."""
        kind, is_list = self._hparam_types[name]
        if isinstance(value, list) != is_list:
            raise ValueError(f"{name} is {'' if is_list else 'no '}list: {value!r}.")
        given = value if is_list else [value]
        cast = [_cast(name, kind, one) for one in given]
        setattr(self, name, cast if is_list else cast[0])

    def del_hparam(self, name):
        """Deletes a hyperparameter, if there is one of this name."""
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values):
        """Sets the hyperparameters that a text names, and returns itself.

        Args:
          values: assignments, such as ``"rate=0.1,layers=[8,4],name=x"``.

        Raises:
          ValueError: the text cannot be parsed, or names no hyperparameter.
        """
        found, at = {}, 0
        while at < len(values):
            match = _ASSIGNMENT.match(values, at)
            if not match:
                raise ValueError(f"Not name=value: {values[at:]}.")
            name, index, one, several = match.groups()
            if name not in self._hparam_types or index or name in found:
                raise ValueError(f"{name}{index or ''} cannot be set by {values}.")
            kind = self._hparam_types[name][0]
            read, at = _read_bool if kind is bool else kind, match.end()
            parts = [one] if several is None else re.split("[ ,]", several)
            given = [read(part) for part in parts if part or several is None]
            found[name] = given[0] if several is None else given
        return self.override_from_dict(found)

    def override_from_dict(self, values_dict):
        """Sets the hyperparameters of a dict by name, and returns itself."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def parse_json(self, values_json):
        """Sets the hyperparameters of a JSON object, and returns itself."""
        return self.override_from_dict(json.loads(values_json))

    def to_json(self, indent=None, separators=None, sort_keys=False):
        """Returns all values as a JSON text; for the arguments see ``json.dumps``."""
        options = {"indent": indent, "separators": separators, "sort_keys": sort_keys}
        return json.dumps(self.values(), **options)

    def values(self):
        """Returns a dict from each name to its value."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key, default=None):
        """Returns the value of key; the default, of its type, if there is none."""
        if key not in self._hparam_types:
            return default
        kind, is_list = self._hparam_types[key]
        if default is not None:
            if isinstance(default, list) != is_list:
                raise ValueError(f"{key} is {'' if is_list else 'no '}list.")
            for one in default if is_list else [default]:
                _cast(key, kind, one)
        return getattr(self, key)

    def __contains__(self, key):
        return key in self._hparam_types

    def __str__(self):
        return ",".join(f"{name}={value}" for name, value in self.values().items())

    def __repr__(self):
        return f"{type(self).__name__}({sorted(self.values().items())})"


def _cast(name, kind, value):
    """Returns a value as a kind, such as an int as a float; a ValueError if it cannot."""
    if type(value) is kind or kind is type(None):
        return value
    classes = ((str, bytes), numbers.Integral, numbers.Number)
    is_fit = isinstance(value, bool) == issubclass(kind, bool)
    for one in classes:
        is_fit = is_fit and (isinstance(value, one) or not issubclass(kind, one))
    if not is_fit:
        raise ValueError(f"{name} is of type {kind.__name__}, not {value!r}.")
    return kind(value)


def _read_bool(text):
    named = {"true": True, "True": True, "false": False, "False": False}
    return named[text] if text in named else bool(int(text))
