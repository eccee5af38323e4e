"""A job in a folder of its own: starts of the old and the new code, one after the other, and what they did."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.benchmarks.resume_starts.repositories import TREE, Repository

SECONDS, LIMIT = 15, 8000
STAND_IN = "tests.benchmarks.resume_starts.standin"


@dataclass
class Begin:
    """With what a training began.

    Args:
      place: the line of the program.
      epoch: the first epoch, None in a loop of the program's own.
      chains: what had trained the weights, as (origin, runs).
      kind: ``fit`` or the call of a loop.
      callbacks: the names of their classes.
    """

    place: str
    epoch: int | None
    chains: frozenset
    kind: str
    callbacks: tuple = ()

    def __str__(self):
        epoch = "" if self.epoch is None else f"epoch {self.epoch} "
        return f"{epoch}with {told(longest(self.chains))}"


@dataclass
class Start:
    """What a start did."""

    number: int
    code: str
    args: list[str]
    events: list[dict]
    output: str = ""

    def of(self, event: str) -> list[dict]:
        """Its events of a kind."""
        return [one for one in self.events if one["event"] == event]

    @property
    def begins(self) -> list[Begin]:
        """Its trainings, in order; of a loop each trained model once."""
        found = []
        for one in self.of("begin"):
            begun = chains(one["weights"])
            if one["kind"] != "fit":  # Of several models one may have trained layers of another.
                begun = frozenset(
                    (origin, tuple(run for run in runs if run[0] != self.number)) for origin, runs in begun
                )
            callbacks = tuple(one.get("callbacks", ()))
            found.append(Begin(one["place"], one.get("epoch"), begun, one["kind"], callbacks))
        return found

    @property
    def trainings(self) -> list[Begin]:
        """Those of its trainings that trained something; all where none did."""
        marks = [one["batches"] for one in self.of("begin")] + [self.batches]
        found = [one for one, a, b in zip(self.begins, marks, marks[1:], strict=False) if b > a or one.kind != "fit"]
        return found if self.batches else self.begins

    @property
    def batches(self) -> int:
        """How many batches it trained."""
        return max((one.get("batches", 0) for one in self.events), default=0)

    @property
    def error(self) -> str | None:
        """What ended it, if something did."""
        found = self.of("error")
        if found:
            one = found[-1]
            return f"{one['kind']}: {one['text'][:160]} ({', '.join(one['places'][-2:])})"
        codes = [one["code"] for one in self.of("exit")]
        return f"exit {codes[-1]}" if codes and codes[-1] not in (None, 0) else None

    @property
    def is_ended(self) -> bool:
        """Whether it came to its end."""
        return bool(self.of("exit")) and self.error is None

    @property
    def final(self) -> frozenset:
        """The chains of what it trained, at its end."""
        found = self.of("final")
        return chains(found[-1]["weights"]) if found else frozenset()

    def saves(self, is_own: bool) -> list[dict]:
        """What it saved, by the program's own code or by the recovery's."""
        return [one for one in self.of("save") if bool(one.get("checkpoint")) != is_own]


def chains(weights) -> frozenset:
    """Chains of a record, without how many layers have each."""
    return frozenset((origin, tuple(tuple(run) for run in runs)) for origin, runs, _ in weights)


def length(chain) -> int:
    """How many batches have trained it."""
    return sum((last - first) * 4 + batches for _, first, last, batches in chain[1])


def longest(found: frozenset):
    """The chain of the layers that were trained most."""
    return max(found, key=lambda one: (length(one), str(one)), default=("nothing", ()))


def told(chain) -> str:
    """A chain in words."""
    origin, runs = chain
    parts = []
    for start, first, last, batches in runs:
        span = f"{batches} batches" if first < 0 else f"epochs {first}–{last}" if last > first else f"epoch {first}"
        cut = f" ({batches} batches of the last)" if first >= 0 and batches % 4 else ""
        parts.append(f"{span} of start {start}{cut}")
    return f"{origin}" + (f" + {' + '.join(parts)}" if parts else " weights")


def new_folder(above: Path) -> Path:
    """A path for the folder of a job."""
    return Path(tempfile.mkdtemp(dir=above)) / "job"


_FENCE = """
mount --make-rprivate / && mount --bind "$0" "$0" && mount -o remount,bind,ro / || exit 1
for one in $(awk '$2 != "/" && $2 !~ /^\\/(proc|sys|dev)/ {print $2}' /proc/mounts)
do [ "$one" = "$0" ] || mount -o remount,bind,ro "$one" 2>/dev/null; done
exec "$@"
"""


@cache
def can_fence() -> bool:
    """Whether a process can be kept from writing outside a folder: by a mount namespace of its own."""
    if os.getuid() or shutil.which("unshare") is None:
        return False
    tried = ["unshare", "--mount", "mount", "--make-rprivate", "/"]  # a container may not mount
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0


class Server:
    """A process of an interpreter that forks for each start.

    Args:
      python: the interpreter.
      fence: the only folder that its starts can write in; None for no fence.
    """

    def __init__(self, python, fence):
        environment = {**os.environ, "PYTHONPATH": str(TREE), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
        environment |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        command = [python, "-P", "-m", STAND_IN]
        if fence is not None:
            command = ["unshare", "--mount", "sh", "-c", _FENCE, str(fence), *command]
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, specification):
        """Run the start that a file specifies, to its end."""
        self.process.stdin.write(f"{specification}\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def close(self):
        """End it, as there is no other start."""
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


_servers: dict[tuple, Server] = {}


def _server(python, fence):
    if (python, fence) not in _servers:
        _servers[python, fence] = Server(python, fence)
    return _servers[python, fence]


def close_servers() -> None:
    """End the processes that start programs."""
    while _servers:
        _servers.popitem()[1].close()


@dataclass
class Job:
    """A job.

    Args:
      repository: the repository.
      program: the path of the program in it.
      folder: where its files are.
      cwd: the folder that it is started in, relative to the repository.
      python: the interpreter.
      made_up: paths that are not there and are made up.
      edits: changes of constants, as (pattern, new text).
      edited: those that stand in the folder's files now.
      fence: the only folder that its starts can write in; None for no fence.
      ignored: the kind and the text of an error behind the training that counts as an end.
      environment: further variables of the environment.
    """

    repository: Repository
    program: str
    folder: Path
    cwd: str
    python: str
    made_up: list[str] = field(default_factory=list)
    edits: tuple = ()
    edited: tuple = ()
    fence: Path | None = None
    ignored: tuple = ()
    environment: dict[str, str] = field(default_factory=dict)
    starts: list[Start] = field(default_factory=list)

    def fork(self, **changes) -> "Job":
        """A job in a copy of the folder, with the same starts behind it."""
        folder = new_folder(self.folder.parents[1])
        shutil.copytree(self.folder, folder, symlinks=True)
        given = dict(vars(self), folder=folder, starts=list(self.starts), **changes)
        return Job(**given)

    def _install(self, code):
        """Put the texts of the old or the new code where they belong."""
        texts = {**self.repository.old, **(self.repository.new if code == "new" else {})}
        for path in (self.folder / name for name in texts):
            path.parent.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (self.folder / name).write_text(self._edited(text))
        if self.edits != self.edited:
            self.edited = self.edits
            for path in self.folder.rglob("*.py"):
                name = str(path.relative_to(self.folder))
                if name not in texts and "tf2_recovery" not in path.parts:
                    plain = self.repository.plain / name
                    if plain.exists():
                        path.write_text(self._edited(plain.read_text(errors="replace")))

    def _is_ignored(self, error):
        """Whether an error is that which counts as an end; the folder in its text is another one."""
        found = (error["kind"], re.sub(r"/tmp\w{8}/", "", error["text"]))
        return bool(self.ignored) and found == (self.ignored[0], re.sub(r"/tmp\w{8}/", "", self.ignored[1]))

    def _edited(self, text):
        for before, after in self.edits:
            text = re.sub(before, lambda found, after=after: found[1] + after, text, flags=re.M)
        return text

    def start(self, code: str, args=(), kill="never:0", program: str | None = None) -> Start:
        """Start the old or the new code; gives what it did."""
        self._install(code)
        number = len(self.starts)
        with tempfile.TemporaryDirectory(dir=self.folder.parent) as given:
            record, specification = Path(given) / "record", Path(given) / "specification"
            record.touch()
            wanted = {"root": str(self.folder), "record": str(record), "start": number, "kill": kill, "limit": LIMIT}
            wanted |= {"program": str(self.folder / (program or self.program)), "args": [str(one) for one in args]}
            cwd = self.folder / self.cwd
            wanted |= {"made_up": [os.path.abspath(cwd / one) for one in self.made_up]}
            specification.write_text(json.dumps(wanted))
            output = Path(given) / "output"
            output.touch()
            wanted |= {"cwd": str(cwd), "output": str(output), "seconds": SECONDS, "environment": self.environment}
            specification.write_text(json.dumps(wanted))
            _server(self.python, self.fence).run(specification)
            told = output.read_text(errors="replace")
            events = [json.loads(line) for line in record.read_text().splitlines() if line.endswith("}")]
        events = [
            {"event": "exit", "start": number, "code": 0} if one["event"] == "error" and self._is_ignored(one) else one
            for one in events
        ]
        made = Start(number, code, list(args), events, told[-3000:])
        if "TIMED OUT" in told[-20:]:
            made.events.append({"event": "left", "start": number, "batches": 0})
        self.starts.append(made)
        return made
