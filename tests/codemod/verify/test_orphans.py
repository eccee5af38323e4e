"""Nothing that a program has started outlives it, in whichever session it is."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from migrate.verify import child

if sys.platform != "linux":
    pytest.skip("only Linux gives a process its descendants' orphans", allow_module_level=True)

IN_A_SESSION = "subprocess.Popen(['sleep', '300'], start_new_session=True)"
DAEMON = """\
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    note(os.getpid())
    time.sleep(300)
"""
GRANDCHILD = "subprocess.Popen(['setsid', 'sh', '-c', 'setsid sleep 300 & wait'], start_new_session=True)"
HEAD = """\
import os, subprocess, sys, time
events = open(os.environ.pop("MIGRATE_VERIFY_EVENTS"), "ab")  # as the recorder does
def note(pid):
    os.write(events.fileno(), b"%d\\n" % pid)
"""


@pytest.fixture
def start(tmp_path):
    """Starts a program as ``verify`` does."""

    def started(code, name="own"):
        events = tmp_path / name / "events"
        events.parent.mkdir()
        env = {**os.environ, child.EVENTS: str(events), "TMPDIR": str(events.parent)}
        return child.begin(subprocess.Popen, [sys.executable, "-c", HEAD + code], env=env), events

    return started


def sessions_of(events):
    """The living processes that have the directory of these events in their environment, or the events open."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            state = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[0]
            open_files = [os.readlink(one.path) for one in os.scandir(f"/proc/{name}/fd")]
            environment = Path(f"/proc/{name}/environ").read_bytes()
        except OSError:
            continue
        if state != "Z" and (str(events) in open_files or f"TMPDIR={events.parent}\0".encode() in environment):
            found.append(int(name))
    return found


def wait_until(holds):
    until = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.parametrize("code", [IN_A_SESSION, DAEMON, GRANDCHILD])
@pytest.mark.parametrize("ends", [True, False])
def test_what_a_program_has_started_in_another_session_ends_with_it(start, code, ends):
    process, events = start(f"{code}\n{'time.sleep(0.3)' if ends else 'time.sleep(300)'}\n")
    wait_until(lambda: len(sessions_of(events)) > 1 if not ends else process.poll() is not None)
    assert sessions_of(events)
    child.end(process)
    assert sessions_of(events) == []


def test_what_another_program_has_started_lives_on(start):
    other, others = start(f"{DAEMON}\ntime.sleep(300)\n", "others")
    wait_until(lambda: len(sessions_of(others)) == 2)
    bystander = subprocess.Popen(["sleep", "300"], start_new_session=True)
    process, events = start(f"{DAEMON}\ntime.sleep(300)\n")
    wait_until(lambda: len(sessions_of(events)) == 2)
    child.end(process)
    assert len(sessions_of(others)) == 2
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()
    child.end(other)
    assert sessions_of(others) == []
