"""A training program: an interpreter, a script, its arguments, the tasks of one job, the directory of a run."""

import json
import os
import random
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

OWN = "migrate-verify-"
"""What the names of the temporary directories begin with that runs take place in."""

_SAVED = re.compile(r"checkpoint|.*\.(index|meta|data-\d+-of-\d+|h5|hdf5|keras)|events\.out\.tfevents\..*")
_MOST = 2000
"""A directory with more files below it is one link, into which nothing can be written."""


def copy_directory(source: Path, copy: Path) -> None:
    """Copies a job's directory, so that a program resumes in the copy.

    An Estimator's ``checkpoint`` file names its checkpoints by absolute paths: in the copy they name the copy's own.
    """
    shutil.copytree(source, copy, symlinks=True, dirs_exist_ok=True)
    for state in copy.rglob("checkpoint"):
        if state.is_file():
            text = state.read_text(encoding="utf-8", errors="surrogateescape")
            text = text.replace(f'"{source}/', f'"{copy}/').replace(f'"{source.resolve()}/', f'"{copy}/')
            state.write_text(text, encoding="utf-8", errors="surrogateescape")


def furnish(directory: Path, source: str, begin_with: Collection[str] = ()) -> None:
    """Links what stands in ``source`` into a run's directory, unless something is there already.

    Args:
      begin_with: files that look like those of an earlier training, and with which each run begins: these are copied.
    """
    if any(directory.iterdir()):
        return
    _link(directory, source, _files(source) <= _MOST)
    for path in begin_with:
        copy = directory / os.path.relpath(os.path.join(source, path), source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(os.path.join(source, path), copy)


def earlier_saves(source: str, begin_with: Collection[str] = ()) -> list[str]:
    """The files in a directory that look like those of an earlier training, by their paths from there, in order."""
    known = {os.path.normpath(path) for path in begin_with}
    found = []
    for top, directories, names in os.walk(source):
        directories[:] = sorted(name for name in directories if _is_linked(name))
        found += [os.path.relpath(os.path.join(top, name), source) for name in sorted(names) if _SAVED.fullmatch(name)]
    return [path for path in found if os.path.normpath(path) not in known]


def _link(directory: Path, source: str, is_small: bool) -> None:
    for entry in _entries(source):
        if entry.is_dir(follow_symlinks=False) and (is_small or _files(entry.path) <= _MOST):
            (directory / entry.name).mkdir()
            _link(directory / entry.name, entry.path, True)
        else:
            (directory / entry.name).symlink_to(os.path.abspath(entry.path))


def _files(directory: str) -> int:
    """How many files are to be linked below a directory; counted no further than is asked for."""
    count = 0
    for _, directories, names in os.walk(directory):
        directories[:] = [name for name in directories if _is_linked(name)]
        count += len(names)
        if count > _MOST:
            break
    return count


def _entries(directory: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(directory) as entries:
        yield from (entry for entry in entries if _is_linked(entry.name) and not _SAVED.fullmatch(entry.name))


def _is_linked(name: str) -> bool:
    return not name.startswith((".", OWN)) and name != "__pycache__"


class ProgramError(Exception):
    """The program cannot be verified, for a reason of its own that the message tells."""


@dataclass(frozen=True)
class Program:
    """A program that trains into a directory and resumes from it.

    Attributes:
      script: the file that is run as ``__main__``.
      python: the interpreter, whose TensorFlow is used; this process' own by default.
      env: variables set beside this process' own; ``{model_dir}`` is replaced here too.
      module: whether it is a module of a package, run as ``python -m`` runs it from the directory above the package.
      in_own: whether it is started in its run's directory, where what stands in the current one is linked.
      begin_with: files there, as those of an earlier training, with which each run begins; they are copied.
      workers: how many workers make one job, each told of the others by ``TF_CONFIG``.
      chief: whether there is a chief beside them; else the first of several workers is the chief.
      parameter_servers: how many there are beside them; they are ended when the others are done.
      evaluator: whether there is one beside them.
      allowed: directories beside the run's own that it may write to and restore from.
      launch: starts a process, as ``subprocess.Popen`` does, which it is by default.
    """

    script: str | Path
    python: str | Path = sys.executable
    args: tuple[str, ...] = ("--model_dir", "{model_dir}")
    env: Mapping[str, str] = field(default_factory=dict)
    module: bool = False
    workers: int = 1
    chief: bool = False
    parameter_servers: int = 0
    evaluator: bool = False
    allowed: tuple[str, ...] = ()
    in_own: bool = False
    begin_with: tuple[str, ...] = ()
    launch: Callable[..., subprocess.Popen[bytes]] = field(default=subprocess.Popen, compare=False, repr=False)

    @property
    def tasks(self) -> list[str]:
        """The type of each task of the job, the chief first, and those that train before the others."""
        trainers = ["chief"] * self.chief + ["worker"] * self.workers
        return [*trainers, *["ps"] * self.parameter_servers, *["evaluator"] * self.evaluator]

    def command(self, model_dir: str | Path) -> list[str]:
        """Returns the command line of ``recording/bootstrap.py`` for a run in ``model_dir``."""
        script = ["-m", *self._package()] if self.module else [os.path.abspath(self.script)]
        return [*script, *(arg.replace("{model_dir}", str(model_dir)) for arg in self.args)]

    def started_in(self, model_dir: Path) -> str:
        """The directory that it is started in for a run in ``model_dir``."""
        source = os.getcwd()
        if not self.in_own:
            return source
        furnish(model_dir, source, self.begin_with)
        return str(model_dir)

    def shell_command(self, model_dir: str | Path) -> str:
        """The same for a person, without the recorder."""
        command = self.command(model_dir)
        variables = [f"{name}={value.replace('{model_dir}', str(model_dir))}" for name, value in self.env.items()]
        env = ["env", *variables] if variables else []
        if not self.module:
            line = shlex.join([*env, os.fspath(self.python), *command])
            return f"cd {shlex.quote(str(model_dir))} && {line}" if self.in_own else line
        flag, top, *rest = command
        return f"cd {shlex.quote(top)} && {shlex.join([*env, os.fspath(self.python), flag, *rest])}"

    def _package(self) -> tuple[str, str]:
        """The directory above the outermost package, and the module's name from there."""
        path = Path(self.script).absolute()
        top = path.parent
        while (top / "__init__.py").is_file():
            top = top.parent
        return str(top), ".".join(path.relative_to(top).with_suffix("").parts)

    def confinement(self, model_dir: Path, scratch: Path) -> dict[str, list[str]]:
        """What ``recording/guard.py`` confines a run to: its own directories, those allowed, and the paths given it."""
        allowed = [os.path.abspath(path) for path in self.allowed]
        values = [arg.partition("=")[2] or arg for arg in self.args if "{model_dir}" not in arg]
        given = [os.path.join(os.getcwd(), value) for value in values if os.sep in value]
        # What was made for the runs may be changed whole: a program may remove its directory and make it anew.
        own = next((path for path in model_dir.parents if path.name.startswith(OWN)), model_dir)
        inside = [str(own), str(scratch), *allowed]
        return {"inside": inside, "readable": [*allowed, *given], "above": [str(model_dir.parent)]}

    def environment(self, model_dir: str | Path) -> dict[str, str]:
        """The environment for a run in ``model_dir``; TensorFlow's own log is quiet unless the program wants it."""
        own = {name: value.replace("{model_dir}", str(model_dir)) for name, value in self.env.items()}
        return {"TF_CPP_MIN_LOG_LEVEL": "3", **os.environ, **own}


HOST = "localhost"
_PORTS = range(20_000, 32_768)
"""Below those that Linux, macOS and Windows give to connections by themselves."""
TRAINING = ("chief", "worker")
"""The types of the tasks that end by themselves, when training is done."""


def task_variables(tasks: list[str]) -> list[dict[str, str]]:
    """The variables of each task, by its type, on ports that are free now; of a single one, none.

    An evaluator is no part of the cluster that the others see, as TensorFlow wants it.
    """
    if len(tasks) == 1:
        return [{}]
    cluster: dict[str, list[str]] = {}
    placed = []
    for task, port in zip(tasks, free_ports(len(tasks)), strict=True):
        placed.append({"type": task, "index": len(cluster.setdefault(task, []))})
        cluster[task].append(f"{HOST}:{port}")
    cluster.pop("evaluator", None)
    return [{"TF_CONFIG": json.dumps({"cluster": cluster, "task": task})} for task in placed]


def free_ports(count: int) -> list[int]:
    """So many ports that no process listens at, and that no connection is given while a task is down."""
    found: list[int] = []
    with ExitStack() as sockets:
        for port in random.sample(_PORTS, len(_PORTS)):
            if len(found) == count:
                break
            with suppress(OSError):
                sockets.enter_context(socket.socket()).bind((HOST, port))
                found.append(port)
    return found


def task_of_fault(tasks: list[str], worker: int) -> int:
    """The place of the task that a fault strikes: its number among those that train, from the end if negative."""
    return worker % sum(task in TRAINING for task in tasks)
