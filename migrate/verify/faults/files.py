"""SIGKILL after the step, and then damage to the checkpoints, as a crash of the machine or a bad copy leaves it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from migrate.verify.faults.kills import Kill

if TYPE_CHECKING:
    from migrate.verify.record import Attempt


def newest(model_dir: Path, pattern: str) -> Path | None:
    """The file below ``model_dir`` of this pattern that was written last."""
    return max(model_dir.rglob(pattern), key=lambda path: (path.stat().st_mtime_ns, path.name), default=None)


class _Torn(Kill):
    pattern = ""
    damages = True

    def between(self, model_dir: Path, attempt: Attempt) -> None:
        path = newest(model_dir, self.pattern)
        if path is None:
            self.notes.append(f"no {self.pattern} to tear: the program keeps no TensorFlow checkpoint")
            return
        os.truncate(path, path.stat().st_size // 2)


class TornData(_Torn):
    """SIGKILL after the step; then the newest checkpoint's data file is cut in half."""

    name = "torn-data"
    pattern = "*.data-*"


class TornIndex(_Torn):
    """SIGKILL after the step; then the newest checkpoint's index file is cut in half."""

    name = "torn-index"
    pattern = "*.index"


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
