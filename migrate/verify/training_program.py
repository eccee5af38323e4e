"""The training program to verify: its command, environment and tasks, and the directories of its runs."""

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

PREFIX = "migrate-verify-"
"""The prefix of the names of the runs' temporary directories."""

_OUTPUT = re.compile(r"checkpoint|.*\.(index|meta|data-\d+-of-\d+|h5|hdf5|keras)|events\.out\.tfevents\..*")
_MAX_FILES = 2000
"""A directory with more files than this is linked as a whole, so that a run cannot write into it."""


def copy_directory(source: Path, copy: Path) -> None:
    """Copies a job's directory, so that a program resumes in the copy.

    An Estimator's ``checkpoint`` file has absolute paths of checkpoints: in the copy they become paths of the copy.
    """
    shutil.copytree(source, copy, symlinks=True, dirs_exist_ok=True)
    for state in copy.rglob("checkpoint"):
        if state.is_file():
            text = state.read_text(encoding="utf-8", errors="surrogateescape")
            text = text.replace(f'"{source}/', f'"{copy}/').replace(f'"{source.resolve()}/', f'"{copy}/')
            state.write_text(text, encoding="utf-8", errors="surrogateescape")


def link_files(directory: Path, source: str, begin_with: Collection[str] = ()) -> None:
    """Links the files of ``source`` into a run's directory, if that is empty; does not link earlier saves.

    Args:
      begin_with: files of ``source`` that look like earlier saves but are inputs of each run: these are copied.
    """
    if any(directory.iterdir()):
        return
    _link(directory, source, _count_files(source) <= _MAX_FILES)
    for path in begin_with:
        copy = directory / os.path.relpath(os.path.join(source, path), source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(os.path.join(source, path), copy)


def earlier_saves(source: str, begin_with: Collection[str] = ()) -> list[str]:
    """Returns the files below ``source`` that look like an earlier training's saves, as sorted relative paths."""
    known = {os.path.normpath(path) for path in begin_with}
    found = []
    for top, directories, names in os.walk(source):
        directories[:] = sorted(name for name in directories if _is_linked(name))
        found += [os.path.relpath(os.path.join(top, name), source) for name in sorted(names) if _OUTPUT.fullmatch(name)]
    return [path for path in found if os.path.normpath(path) not in known]


def _link(directory: Path, source: str, is_small: bool) -> None:
    for entry in _entries(source):
        if entry.is_dir(follow_symlinks=False) and (is_small or _count_files(entry.path) <= _MAX_FILES):
            (directory / entry.name).mkdir()
            _link(directory / entry.name, entry.path, True)
        else:
            (directory / entry.name).symlink_to(os.path.abspath(entry.path))


def _count_files(directory: str) -> int:
    """Counts the files to link below a directory; stops as soon as there are more than ``_MAX_FILES``."""
    count = 0
    for _, directories, names in os.walk(directory):
        directories[:] = [name for name in directories if _is_linked(name)]
        count += len(names)
        if count > _MAX_FILES:
            break
    return count


def _entries(directory: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(directory) as entries:
        yield from (entry for entry in entries if _is_linked(entry.name) and not _OUTPUT.fullmatch(entry.name))


def _is_linked(name: str) -> bool:
    return not name.startswith((".", PREFIX)) and name != "__pycache__"


class ProgramError(Exception):
    """The program cannot be verified; the message says why."""


@dataclass(frozen=True)
class Program:
    """A program that trains into a directory and resumes from it.

    Attributes:
      script: the file that is run as ``__main__``.
      python: the interpreter, whose TensorFlow is used; this process' own by default.
      args: its arguments; ``{model_dir}`` is replaced by the directory of the run.
      env: variables set in addition to this process' own; ``{model_dir}`` is replaced here too.
      module: whether it is a module of a package, run as ``python -m`` runs it from the directory above the package.
      in_own: whether it is started in its run's directory, with links to the files of the current directory.
      begin_with: files there that look like earlier saves and are copied into each run's directory.
      workers: the number of workers of the job; if there are several, ``TF_CONFIG`` lists them.
      chief: whether the job has a chief in addition; else the first of several workers is the chief.
      parameter_servers: the number of parameter servers; they are ended when the other tasks are done.
      evaluator: whether the job has an evaluator.
      allowed: other directories that it may write to and restore from.
      launch: starts a process as ``subprocess.Popen`` does.
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
        """The type of each task of the job: the chief first, then workers, parameter servers, evaluator."""
        trainers = ["chief"] * self.chief + ["worker"] * self.workers
        return [*trainers, *["ps"] * self.parameter_servers, *["evaluator"] * self.evaluator]

    def command(self, model_dir: str | Path) -> list[str]:
        """Returns the command line of ``recording/bootstrap.py`` for a run in ``model_dir``."""
        script = ["-m", *self._find_module()] if self.module else [os.path.abspath(self.script)]
        return [*script, *(arg.replace("{model_dir}", str(model_dir)) for arg in self.args)]

    def make_cwd(self, model_dir: Path) -> str:
        """Returns the directory to start it in for a run in ``model_dir``, with its files linked."""
        source = os.getcwd()
        if not self.in_own:
            return source
        link_files(model_dir, source, self.begin_with)
        return str(model_dir)

    def shell_command(self, model_dir: str | Path) -> str:
        """Returns the command line for a shell, without the recorder."""
        command = self.command(model_dir)
        variables = [f"{name}={value.replace('{model_dir}', str(model_dir))}" for name, value in self.env.items()]
        env = ["env", *variables] if variables else []
        if not self.module:
            line = shlex.join([*env, os.fspath(self.python), *command])
            return f"cd {shlex.quote(str(model_dir))} && {line}" if self.in_own else line
        flag, top, *rest = command
        return f"cd {shlex.quote(top)} && {shlex.join([*env, os.fspath(self.python), flag, *rest])}"

    def _find_module(self) -> tuple[str, str]:
        """Returns the directory above the outermost package, and the dotted name of the module."""
        path = Path(self.script).absolute()
        top = path.parent
        while (top / "__init__.py").is_file():
            top = top.parent
        return str(top), ".".join(path.relative_to(top).with_suffix("").parts)

    def confinement(self, model_dir: Path, scratch: Path) -> dict[str, list[str]]:
        """Returns the arguments of ``guard.confine`` by name: lists of the paths that the program may use."""
        allowed = [os.path.abspath(path) for path in self.allowed]
        values = [arg.partition("=")[2] or arg for arg in self.args if "{model_dir}" not in arg]
        given = [os.path.join(os.getcwd(), value) for value in values if os.sep in value]
        inside = [str(own_directory(model_dir)), str(scratch), *allowed]
        return {"inside": inside, "readable": [*allowed, *given], "above": [str(model_dir.parent)]}

    def environment(self, model_dir: str | Path) -> dict[str, str]:
        """Returns the environment for a run in ``model_dir``, which leaves memory of a GPU to a second program."""
        own = {name: value.replace("{model_dir}", str(model_dir)) for name, value in self.env.items()}
        return {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_FORCE_GPU_ALLOW_GROWTH": "true", **os.environ, **own}


def own_directory(model_dir: Path) -> Path:
    """Returns the directory that holds all runs, as a program may remove its own and make it again."""
    return next((path for path in model_dir.parents if path.name.startswith(PREFIX)), model_dir)


HOST = "localhost"
_PORTS = range(20_000, 32_768)
"""Below the ports that Linux, macOS and Windows assign to outgoing connections."""
TRAINING = ("chief", "worker")
"""The types of the tasks that end by themselves when training is done."""


def task_variables(tasks: list[str]) -> list[dict[str, str]]:
    """Returns variables for each task: a ``TF_CONFIG`` with free ports and no evaluator; none for a single task."""
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
    """Returns ``count`` ports on which no process listens, and which no outgoing connection gets."""
    found: list[int] = []
    with ExitStack() as sockets:
        for port in random.sample(_PORTS, len(_PORTS)):
            if len(found) == count:
                break
            with suppress(OSError):
                sockets.enter_context(socket.socket()).bind((HOST, port))
                found.append(port)
    return found


def fault_task(tasks: list[str], worker: int) -> int:
    """Returns the index of the task that a fault strikes; a negative ``worker`` counts from the last training task."""
    return worker % sum(task in TRAINING for task in tasks)
