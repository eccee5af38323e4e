"""Findings to report, and a terminal to report them on."""

import os
import pty
import select
from dataclasses import dataclass
from typing import TextIO

import pytest

from migrate.findings.finding import Cause, Fidelity, Finding, Obstacle, Span


@pytest.fixture
def finding():
    """Makes a finding; what a test does not name is of no concern to it."""

    def make(**fields):
        given = {
            "code": "FT152",
            "fidelity": Fidelity.EXACT,
            "path": "train.py",
            "span": Span(2, 4, 2, 25),
            "symbol": "tensorflow.estimator.RunConfig",
            "message": "the number of checkpoints to keep becomes max_to_keep",
            "rewritten": True,
        }
        return Finding(**{**given, **fields})

    return make


@pytest.fixture
def of_each_kind(finding):
    """Findings that are rewritten, rewritten with a note, skipped, skipped for another one, and an error."""
    return [
        finding(span=Span(1, 0, 1, 1)),
        finding(span=Span(2, 0, 2, 1), fidelity=Fidelity.NOTED),
        finding(span=Span(3, 0, 3, 1)).skipped_for("the config is a parameter"),
        finding(span=Span(4, 0, 4, 1)).skipped_with(Cause(Obstacle.BLOCKED, "FT198", "train.py", Span(7, 0, 7, 1))),
        finding(span=Span(5, 0, 5, 1), code="FT003", fidelity=Fidelity.MANUAL, rewritten=False, error=True),
    ]


@dataclass
class Terminal:
    """A real terminal: ``stream`` is what a program writes to, ``shown`` what came out at the other end."""

    stream: TextIO
    _other_end: int

    def shown(self):
        self.stream.flush()
        content = b""
        while select.select([self._other_end], [], [], 0)[0]:
            content += os.read(self._other_end, 65536)
        return content.decode().replace("\r\n", "\n")


@pytest.fixture
def terminal(monkeypatch):
    """A terminal that knows colour, in an environment that says nothing about colour."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    other_end, end = pty.openpty()
    with os.fdopen(end, "w", encoding="utf-8") as stream:
        yield Terminal(stream, other_end)
    os.close(other_end)
