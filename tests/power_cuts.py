"""What a power cut can leave of a directory: recorded file-system calls, replayed with what was not synced dropped.

The model is strict. Of everything that no ``fsync`` has put on the disk any part may be missing, in any combination,
whatever came later. Data are put there by an ``fsync`` of their file, names by one of the directory, each when the call
has ended; a name is set, or moved, as a whole. Data that are missing leave an empty file, or one of zeros.
"""

import itertools
import random
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

CALLS = "openat,write,pwrite64,rename,renameat,renameat2,link,linkat,unlink,unlinkat,fsync,fdatasync,ftruncate"

_CALL = re.compile(r"^\d+\s+(\w+)\((.*)\)\s+= (\d+)")
_BEGUN = re.compile(r"^(\d+)(\s+\w+\(.*) <unfinished \.\.\.>$")
_ENDED = re.compile(r"^(\d+)\s+<\.\.\. \w+ resumed>(.*)$")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"|\d+<((?:\\x[0-9a-f]{2})*)>')


@dataclass(frozen=True)
class Call:
    """One change of a directory, or one sync.

    Attributes:
      kind: "name", "write" or "sync".
      file: the number of the file that is meant; None of a directory.
      data: what is written at the end of the file.
      added: the name that the file gets.
      removed: the name that is gone afterwards.
    """

    kind: str
    file: int | None = None
    data: bytes = b""
    added: str | None = None
    removed: str | None = None


def record(command, directory, trace, environment):
    """Runs a program under ``strace``; returns what it did in a directory that is empty before.

    Args:
      command: the program.
      directory: which one is looked at; files come to it from directories below it, too, whose names are not replayed.
      trace: a file to write.
      environment: of the program.
    """
    options = ["-f", "-y", "-xx", "-s", "100000000", "--seccomp-bpf", "-e", f"trace={CALLS}", "-o", str(trace)]
    done = subprocess.run(["strace", *options, *command], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return list(_calls(trace, directory))


def _calls(trace, directory):
    files = {}
    numbers = itertools.count()
    for line in _whole_lines(trace):
        found = _CALL.match(line)
        texts = [bytes.fromhex(one.replace("\\x", "")) for pair in _TEXT.findall(line) for one in pair if one]
        if found is None or not any(text.startswith(str(directory).encode()) for text in texts):
            continue
        name, arguments = found[1], found[2]
        paths = [Path(text.decode()) for text in texts if text.startswith(str(directory).encode())]
        own = [str(path.relative_to(directory)) for path in paths]
        if name in ("fsync", "fdatasync"):
            if own[0] == "." or own[0] in files:
                yield Call("sync", files.get(own[0]))
        elif own == ["."]:
            continue
        elif name == "openat":
            if "O_CREAT" in arguments and own[0] not in files:
                files[own[0]] = next(numbers)
                yield from _named(files[own[0]], added=own[0])
            else:
                assert "O_TRUNC" not in arguments, line
        elif name == "write":
            yield Call("write", files[own[0]], data=texts[1])
        elif name.startswith("rename"):
            files[own[1]] = files.pop(own[0])
            yield from _named(files[own[1]], added=own[1], removed=own[0])
        elif name.startswith("link"):
            files[own[1]] = files[own[0]]
            yield from _named(files[own[1]], added=own[1])
        elif name.startswith("unlink"):
            yield from _named(files.pop(own[0]), removed=own[0])
        else:
            raise AssertionError(f"not replayed: {line[:200]}")


def _named(file, added=None, removed=None):
    """The change of the directory's own names, if any: those in the directories below it nobody reads."""
    own = [None if name is None or "/" in name else name for name in (added, removed)]
    if any(own):
        yield Call("name", file, added=own[0], removed=own[1])


def _whole_lines(trace):
    """The calls in the order of their ends; ``strace`` cuts one in two where a call of another thread comes between."""
    begun = {}
    for line in trace.read_text(encoding="ascii").splitlines():
        if (start := _BEGUN.match(line)) is not None:
            begun[start[1]] = start[1] + start[2]
        elif (end := _ENDED.match(line)) is not None and end[1] in begun:
            yield begun.pop(end[1]) + end[2]
        else:
            yield line


def unsynced(calls, end):
    """Which of the calls before ``end`` are on the disk only by chance."""
    lost = []
    for index, call in enumerate(calls[:end]):
        file = call.file if call.kind == "write" else None
        later = calls[index + 1 : end]
        if call.kind != "sync" and not any(one.kind == "sync" and one.file == file for one in later):
            lost.append(index)
    return lost


def left(calls, end, dropped, zeros):
    """The files after a power cut, by name.

    Args:
      calls: what was done.
      end: how many of them had been done.
      dropped: which of those did not come to the disk.
      zeros: whether data that did not are zeros, and not absent.
    """
    names = {}
    contents = {}
    for index, call in enumerate(calls[:end]):
        if call.kind == "write":
            data = call.data if index not in dropped else bytes(len(call.data)) if zeros else b""
            contents[call.file] = contents.get(call.file, b"") + data
        elif call.kind == "name" and index not in dropped:
            names.pop(call.removed or "", None)
            if call.added is not None:
                names[call.added] = call.file
    return {name: contents.get(file, b"") for name, file in names.items()}


def states(calls, first, most, seed=0):
    """What may be left, each once.

    Args:
      calls: what was done.
      first: how many calls have been done at least.
      most: how many subsets of what is not synced are tried after each call; where there are more, these are none, all,
        each alone and all but each, and the rest by chance.
      seed: for that.
    """
    chance, seen = random.Random(seed), set()
    for end in range(first, len(calls) + 1):
        for dropped in _subsets(unsynced(calls, end), most, chance):
            for zeros in (False, True):
                state = left(calls, end, dropped, zeros)
                key = frozenset(state.items())
                if key not in seen:
                    seen.add(key)
                    yield state


def _subsets(of, most, chance):
    if 2 ** len(of) <= most:
        for size in range(len(of) + 1):
            yield from map(frozenset, itertools.combinations(of, size))
        return
    yield frozenset()
    yield frozenset(of)
    for one in of:
        yield frozenset({one})
        yield frozenset(of) - {one}
    for _ in range(most - 2 - 2 * len(of)):
        yield frozenset(one for one in of if chance.random() < 0.5)
