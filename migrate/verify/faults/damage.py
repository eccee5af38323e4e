"""Faults that damage the checkpoints after a SIGKILL, as a crash of the machine or a bad copy does."""

import os
from collections.abc import Callable
from pathlib import Path

from migrate.verify.faults.fault import Fault, Kill
from migrate.verify.record import Attempt

DATA, INDEX, STATE = "*.data-*", "*.index", "checkpoint"
Damage = Callable[[Path], object]


def newest(model_dir: Path, pattern: str) -> Path | None:
    """Returns the file below ``model_dir`` that matches the pattern and was written last; None if there is none."""
    return max(model_dir.rglob(pattern), key=lambda path: (path.stat().st_mtime_ns, path.name), default=None)


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def zero(path: Path) -> None:
    """Overwrites the file with zeros, as a file system may after a crash; its size stays."""
    path.write_bytes(bytes(path.stat().st_size))


def flip(path: Path) -> None:
    """Flips one bit of the byte in the middle."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def empty(path: Path) -> None:
    os.truncate(path, 0)


_FILE_DAMAGES: dict[str, tuple[Damage, str]] = {
    "torn": (truncate, "is cut in half"),
    "zeroed": (zero, "is all zeros"),
    "flipped": (flip, "has one bit turned"),
}
_STATE_DAMAGES: dict[str, tuple[Damage, str]] = {
    "lost": (Path.unlink, "is gone"),
    "empty": (empty, "is empty"),
    "garbled": (lambda path: path.write_bytes(bytes(range(128, 256))), "holds bytes of no text"),
}


def _define_fault(name: str, pattern: str, damage: Damage, description: str) -> None:
    """Defines and registers a fault that damages the newest file of a pattern, or every file named ``checkpoint``."""

    def after_interruption(self: Fault, model_dir: Path, attempt: Attempt) -> None:
        last = newest(model_dir, pattern)
        for path in [*model_dir.rglob(pattern)] if pattern == STATE else filter(None, [last]):
            damage(path)
        if last is None and pattern != STATE:
            self.notes.append(f"no {pattern} to damage: the program keeps no TensorFlow checkpoint")

    doc = f"SIGKILL after the step; then {description}."
    fields = {"name": name, "damages": True, "__doc__": doc, "__module__": __name__}
    type(name, (Kill,), {**fields, "after_interruption": after_interruption})


for _how, (_damage, _effect) in _FILE_DAMAGES.items():
    for _kind, _pattern in (("data", DATA), ("index", INDEX)):
        _define_fault(f"{_how}-{_kind}", _pattern, _damage, f"the newest checkpoint's {_kind} file {_effect}")
_state_file = "the file ``checkpoint``, which names the newest one,"
for _how, (_damage, _effect) in _STATE_DAMAGES.items():
    _define_fault(f"{_how}-checkpoint-file", STATE, _damage, f"{_state_file} {_effect}")
