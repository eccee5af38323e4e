"""The settings of a run, from the command line and the project's settings file."""

import os
import sys
from collections.abc import Collection, Mapping
from typing import NamedTuple

from migrate.files.read import regular_bytes
from migrate.files.repository import upwards
from migrate.findings.invocation import program
from migrate.findings.printable import printable
from migrate.records import dataclass, field

CHOICES: Mapping[str, tuple[str, ...]] = {
    "recovery": ("auto", "checkpoint-manager", "backup-and-restore"),
    "target": ("portable", "keras2", "keras3"),
    "input": ("restart", "continue"),
    "tpu": ("refuse", "leave"),
    "helpers": ("copy", "package"),
}
"""Setting -> its allowed words, the default first."""

_LIBRARIES = ("absl", "google", "keras", "numpy", "six", "tensorflow", "tensorflow_estimator", "tf_keras", "tf_slim")
"""Modules that TensorFlow and the runtime files import; a folder of that name next to a script would hide them."""

_NAMES = (*CHOICES, "select", "ignore", "module_name", "exclude")


@dataclass(frozen=True)
class Settings:
    """The choices that decide what is found and what is written.

    Attributes:
      recovery: what a Keras program recovers with, ``auto``, ``checkpoint-manager`` or ``backup-and-restore``.
      target: the TensorFlow that the output runs on, ``portable`` (both lines), ``keras2`` or ``keras3``.
      input: how the input begins after a resume: ``restart`` at its first element, as an Estimator does, or
        ``continue`` after the last one used.
      tpu: ``refuse`` to make a migrated program raise an error on a TPU, or ``leave`` to skip programs that may run
        on one.
      helpers: the place of the runtime files, a ``copy`` in a folder next to the program or the installed
        ``package``.
      select: codes or prefixes of the rules to use; empty means all.
      ignore: codes or prefixes of the rules to leave out.
      module_name: the folder that the runtime files are copied to.
      exclude: patterns of files and directories that are not read below a given directory.
      root: the directory that the patterns are relative to; "" is the current one.
    """

    recovery: str = "auto"
    target: str = "portable"
    input: str = "restart"
    tpu: str = "refuse"
    helpers: str = "copy"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    module_name: str = "tf2_recovery"
    exclude: tuple[str, ...] = ()
    root: str = ""


class SettingsError(Exception):
    """A setting or a settings file cannot be used; the text is the whole message, with control characters escaped."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


@dataclass(frozen=True)
class ProjectSettings:
    """The settings of a project's file.

    Attributes:
      settings: the file's values, and the defaults for the others.
      places: setting -> ``path:line``, or only the path if the line is not known; for the settings in the file.
    """

    settings: Settings = Settings()
    places: Mapping[str, str] = field(default_factory=dict)


def read_project(start: str) -> ProjectSettings:
    """Reads the nearest ``[tool.migrate]`` of a pyproject.toml.

    Args:
      start: the directory to begin in; the search goes up to the root of its git repository, else of the file system.

    Raises:
      SettingsError: a file cannot be read or parsed, or has an unknown setting or a wrong value.
    """
    try:
        start = os.path.abspath(start)
    except FileNotFoundError:
        raise SettingsError("the current directory is gone: change to another one") from None
    for directory in upwards(start):
        table = _pyproject_table(os.path.join(directory, "pyproject.toml"))
        if table is not None:
            return table.settings()
    return ProjectSettings()


def check_settings(settings: Settings) -> None:
    """Raises SettingsError if settings from Python have a value that is not allowed."""
    for name in _NAMES:
        value = getattr(settings, name)
        try:
            if name in CHOICES or name == "module_name":
                _check_value(name, value)
            elif not isinstance(value, tuple) or not all(isinstance(one, str) for one in value):
                raise ValueError("must be a tuple of words")
        except ValueError as error:
            raise SettingsError(f"{name} {error}, not {value!r}") from None


def split_codes(text: str) -> tuple[str, ...]:
    """Returns the rules in ``text``, separated there by commas or white space."""
    return tuple(text.replace(",", " ").split())


def unknown_code(code: str, known: Collection[str]) -> str:
    """Returns the message for a code that no rule has."""
    return f"unknown rule {code!r} (`{program()} rules` lists them all){suggestion(code, known)}"


def suggestion(word: str, known: Collection[str]) -> str:
    """Returns the nearest of the known words as the end of a message; "" if none is near."""
    import difflib

    close = difflib.get_close_matches(word, known, n=len(known) or 1) or [name for name in known if word in name]
    # To difflib all codes are similar; the nearest has the most equal characters at the same positions.
    nearest = sorted(close, key=lambda name: -sum(a == b for a, b in zip(word, name, strict=False)))[:3]
    return f"; did you mean {' or '.join(nearest)}?" if nearest else ""


class _Table(NamedTuple):
    """The parsed settings of one file, not checked yet."""

    path: str
    values: Mapping[str, object]
    text: str

    def settings(self) -> ProjectSettings:
        checked: dict[str, object] = {}
        places: dict[str, str] = {}
        for key, value in self.values.items():
            name = key.replace("-", "_")
            place = self._place(key)
            if name not in _NAMES:
                raise SettingsError(f"{place}: unknown setting {key!r} in [tool.migrate]{suggestion(name, _NAMES)}")
            if name in checked:
                raise SettingsError(f"{place}: {key!r} is set twice")
            try:
                checked[name] = _check_value(name, value)
            except ValueError as error:
                raise SettingsError(f"{place}: {key} {error}, not {value!r}") from None
            places[name] = place
        if "exclude" in checked:
            checked["root"] = os.path.dirname(os.path.abspath(self.path))
        return ProjectSettings(Settings(**checked), places)  # type: ignore[arg-type]

    def _place(self, key: str) -> str:
        inside = False
        for number, line in enumerate(self.text.splitlines(), start=1):
            if line.startswith("["):
                inside = line.startswith("[tool.migrate]")
            elif inside and line.partition("=")[0].strip().strip("\"'") == key:
                return f"{self.path}:{number}"
        return self.path


def _text_that_names_migrate(path: str) -> str | None:
    """Returns the text of the file; None if it has no word "migrate", so that most files need no parser."""
    if not os.path.isfile(path):
        return None
    shown = os.path.relpath(path)
    try:
        content = regular_bytes(path)
        return content.decode("utf-8") if b"migrate" in content else None
    except OSError as error:
        raise SettingsError(f"{shown}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{shown}:{line}: cannot be read: not UTF-8") from None


def _pyproject_table(path: str) -> _Table | None:
    text = _text_that_names_migrate(path)
    if text is None:
        return None
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    shown = os.path.relpath(path)
    try:
        tool = tomllib.loads(text).get("tool")
    except (ValueError, RecursionError) as error:  # an integer of 5,000 digits raises a plain ValueError
        raise SettingsError(f"{shown}: cannot be parsed: {error}") from None
    if not isinstance(tool, dict):
        return None
    for name in ("estimator-migrate", "estimator_migrate"):  # wrong names, whose settings would have no effect
        if name in tool:
            raise SettingsError(f"{shown}: [tool.{name}] is not read; rename it to [tool.migrate]")
    table = tool.get("migrate")
    if table is None:
        return None
    if not isinstance(table, dict):
        raise SettingsError(f"{shown}: tool.migrate must be a table, not {table!r}")
    return _Table(shown, table, text)


def _check_value(name: str, value: object) -> object:
    if name in CHOICES:
        return _one_of(CHOICES[name], value)
    if name == "module_name":
        return _module_name(value)
    if name == "exclude":
        return _patterns(value)
    return _codes(value)


def _patterns(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(pattern, str) for pattern in value):
        raise ValueError("must be a list of patterns")
    if any(pattern.startswith("!") for pattern in value):
        raise ValueError("must be a list of patterns without `!`")
    return tuple(pattern for pattern in value if pattern)


def _one_of(words: tuple[str, ...], value: object) -> str:
    if value not in words:
        raise ValueError(f"must be {', '.join(words[:-1])} or {words[-1]}")
    return str(value)


def _codes(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return split_codes(value)
    if isinstance(value, list) and all(isinstance(code, str) for code in value):
        return split_codes(" ".join(value))
    raise ValueError("must be a list of rule codes")


def _module_name(value: object) -> str:
    import keyword

    if not isinstance(value, str) or not value.isidentifier() or keyword.iskeyword(value):
        raise ValueError("must be the name of a Python module, without .py and without dots")
    if value in sys.stdlib_module_names or value in _LIBRARIES:
        raise ValueError("must not be the name of a module that programs import already")
    return value
