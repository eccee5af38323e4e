"""SIGKILL after the step, and then damage to the checkpoints, as a crash of the machine or a bad copy leaves it."""

import os
from collections.abc import Callable
from pathlib import Path

from migrate.verify.faults.fault import Fault, Kill
from migrate.verify.record import Attempt

DATA, INDEX, STATE = "*.data-*", "*.index", "checkpoint"
Damage = Callable[[Path], None]


def newest(model_dir: Path, pattern: str) -> Path | None:
    """The file below ``model_dir`` of this pattern that was written last."""
    return max(model_dir.rglob(pattern), key=lambda path: (path.stat().st_mtime_ns, path.name), default=None)


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def zero(path: Path) -> None:
    """Write zeros over the file, whose size stays, as a file system may after a crash."""
    path.write_bytes(bytes(path.stat().st_size))


def flip(path: Path) -> None:
    """Turn one bit of the byte in the middle."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def garble(path: Path) -> None:
    path.write_bytes(bytes(range(128, 256)))


_OF_FILES: dict[str, tuple[Damage, str]] = {
    "torn": (truncate, "is cut in half"),
    "zeroed": (zero, "is all zeros"),
    "flipped": (flip, "has one bit turned"),
}
_OF_STATES: dict[str, tuple[Damage, str]] = {
    "lost": (Path.unlink, "is gone"),
    "empty": (empty, "is empty"),
    "garbled": (garble, "holds bytes of no text"),
}


def _make(name: str, pattern: str, damage: Damage, told: str) -> None:
    """A fault of this name, whose class registers itself: it strikes the newest file of a pattern, or all of STATE."""

    def between(self: Fault, model_dir: Path, attempt: Attempt) -> None:
        last = newest(model_dir, pattern)
        for path in [*model_dir.rglob(pattern)] if pattern == STATE else filter(None, [last]):
            damage(path)
        if last is None and pattern != STATE:
            self.notes.append(f"no {pattern} to damage: the program keeps no TensorFlow checkpoint")

    doc = f"SIGKILL after the step; then {told}."
    type(name, (Kill,), {"name": name, "damages": True, "between": between, "__doc__": doc, "__module__": __name__})


for _how, (_damage, _told) in _OF_FILES.items():
    for _kind, _pattern in (("data", DATA), ("index", INDEX)):
        _make(f"{_how}-{_kind}", _pattern, _damage, f"the newest checkpoint's {_kind} file {_told}")
for _how, (_damage, _told) in _OF_STATES.items():
    _make(f"{_how}-checkpoint-file", STATE, _damage, f"the file ``checkpoint``, which names the newest one, {_told}")
