"""A disk that is full when the next checkpoint is due."""

import contextlib
import os
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.verify.faults import FaultUnavailable
from migrate.verify.faults.fault import PausingFault

FILLER = ".migrate-verify-filler"


@dataclass
class DiskFull(PausingFault):
    """From the step on the disk is full; the start after it has room again.

    The program trains into a small memory file system, mounted where only its own processes see it: a limit on the size
    of files would not do, because TensorFlow turns that error into OutOfRangeError, the end of the data.

    Attributes:
      megabytes: the size of the disk.
    """

    megabytes: int = 256
    name = "disk-full"

    @contextmanager
    def prepare(self, program, model_dir):
        with small_disk(model_dir, self.megabytes) as (self._disk, enter):
            yield replace(program, launch=lambda command, **how: program.launch([*enter, *command], **how))

    def strike(self, child, deadline):
        with open(self._disk / FILLER, "wb", buffering=0) as file:
            for size in (1 << 20, 1 << 10, 1):
                with contextlib.suppress(OSError):
                    while True:
                        file.write(bytes(size))

    def after_interruption(self, model_dir, attempt):
        (self._disk / FILLER).unlink(missing_ok=True)


@contextmanager
def small_disk(model_dir, megabytes):
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
        yield inside, [*enter, f"--wd={os.getcwd()}", "--"]
        shutil.copytree(inside, model_dir, symlinks=True, dirs_exist_ok=True)
    finally:
        holder.kill()
        holder.communicate()
