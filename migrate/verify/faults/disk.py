"""A disk that is full when the next checkpoint is due."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from migrate.verify.faults.fault import Fault, FaultUnavailable
from migrate.verify.place import Place

if TYPE_CHECKING:
    from migrate.verify.record import Attempt
    from migrate.verify.training_program import Program

FILLER = ".migrate-verify-filler"


@dataclass
class DiskFull(Fault):
    """From the step on the disk is full; the start after it has room again.

    The program trains into a small memory file system, mounted where only its own processes see it: a limit on the size
    of files would not do, because TensorFlow turns that error into OutOfRangeError, the end of the data.

    Attributes:
      megabytes: the size of the disk.
    """

    megabytes: int = 256
    name = "disk-full"

    @contextmanager
    def place(self, program: Program, model_dir: Path) -> Iterator[Place]:
        if program.in_own:
            raise FaultUnavailable("a small disk does not hold what is linked by --own-cwd")
        with small_disk(model_dir, self.megabytes) as place:
            yield place

    def instruction(self, start: int) -> dict[str, Any] | None:
        return {"kind": "fill_disk", "at": self.at, "path": "{model_dir}/" + FILLER}

    def between(self, model_dir: Path, attempt: Attempt) -> None:
        (model_dir / FILLER).unlink(missing_ok=True)


@contextmanager
def small_disk(model_dir: Path, megabytes: int) -> Iterator[Place]:
    """A disk of its own at ``model_dir``, in a mount namespace; what it holds at the end is copied out."""
    model_dir.mkdir(parents=True, exist_ok=True)
    command = f'mount -t tmpfs -o size={megabytes}m tmpfs "$0" && echo mounted && exec cat'
    try:
        holder = subprocess.Popen(
            ["unshare", "--map-root-user", "--mount", "sh", "-c", command, os.fspath(model_dir.resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise FaultUnavailable("a small disk needs util-linux's unshare and nsenter") from error
    try:
        assert holder.stdout is not None
        if holder.stdout.readline() != b"mounted\n":
            raise FaultUnavailable("a small disk needs user namespaces, which this machine does not allow")
        inside = Path(f"/proc/{holder.pid}/root{model_dir.resolve()}")
        shutil.copytree(model_dir, inside, symlinks=True, dirs_exist_ok=True)
        enter = ["nsenter", f"--target={holder.pid}", "--user", "--mount", "--preserve-credentials"]
        yield Place(inside, [*enter, f"--wd={os.getcwd()}", "--"])
        shutil.copytree(inside, model_dir, symlinks=True, dirs_exist_ok=True)
    finally:
        holder.kill()
        holder.communicate()
