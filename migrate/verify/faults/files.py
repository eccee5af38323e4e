"""SIGKILL after the step, and then damage to the checkpoints, as a crash of the machine or a bad copy leaves it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from migrate.verify.faults.kills import Kill

if TYPE_CHECKING:
    from migrate.verify.record import Attempt


DATA, INDEX = "*.data-*", "*.index"


def newest(model_dir: Path, pattern: str) -> Path | None:
    """The file below ``model_dir`` of this pattern that was written last."""
    return max(model_dir.rglob(pattern), key=lambda path: (path.stat().st_mtime_ns, path.name), default=None)


class _Damaged(Kill):
    """A kill, and then damage to the newest file of a pattern."""

    pattern: ClassVar[str] = ""
    damages = True

    def between(self, model_dir: Path, attempt: Attempt) -> None:
        path = newest(model_dir, self.pattern)
        if path is None:
            self.notes.append(f"no {self.pattern} to damage: the program keeps no TensorFlow checkpoint")
            return
        self.damage(path)

    def damage(self, path: Path) -> None:
        """Cut the file in half."""
        os.truncate(path, path.stat().st_size // 2)


class _Zeroed(_Damaged):
    def damage(self, path: Path) -> None:
        """Write zeros over the file, whose size stays, as a file system may after a crash."""
        path.write_bytes(bytes(path.stat().st_size))


class _Flipped(_Damaged):
    def damage(self, path: Path) -> None:
        """Turn one bit of the byte in the middle."""
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)


class TornData(_Damaged):
    """SIGKILL after the step; then the newest checkpoint's data file is cut in half."""

    name = "torn-data"
    pattern = DATA


class TornIndex(_Damaged):
    """SIGKILL after the step; then the newest checkpoint's index file is cut in half."""

    name = "torn-index"
    pattern = INDEX


class ZeroedData(_Zeroed):
    """SIGKILL after the step; then the newest checkpoint's data file is all zeros."""

    name = "zeroed-data"
    pattern = DATA


class ZeroedIndex(_Zeroed):
    """SIGKILL after the step; then the newest checkpoint's index file is all zeros."""

    name = "zeroed-index"
    pattern = INDEX


class FlippedData(_Flipped):
    """SIGKILL after the step; then one bit of the newest checkpoint's data file is another."""

    name = "flipped-data"
    pattern = DATA


class FlippedIndex(_Flipped):
    """SIGKILL after the step; then one bit of the newest checkpoint's index file is another."""

    name = "flipped-index"
    pattern = INDEX


class LostState(Kill):
    """SIGKILL after the step; then the file ``checkpoint``, which names the newest one, is gone."""

    name = "lost-checkpoint-file"
    damages = True

    def between(self, model_dir: Path, attempt: Attempt) -> None:
        for path in model_dir.rglob("checkpoint"):
            path.unlink()


class EmptyState(Kill):
    """SIGKILL after the step; then the file ``checkpoint``, which names the newest one, is empty."""

    name = "empty-checkpoint-file"
    damages = True

    def between(self, model_dir: Path, attempt: Attempt) -> None:
        for path in model_dir.rglob("checkpoint"):
            os.truncate(path, 0)


class GarbledState(Kill):
    """SIGKILL after the step; then the file ``checkpoint``, which names the newest one, holds bytes of no text."""

    name = "garbled-checkpoint-file"
    damages = True

    def between(self, model_dir: Path, attempt: Attempt) -> None:
        for path in model_dir.rglob("checkpoint"):
            path.write_bytes(bytes(range(128, 256)))
