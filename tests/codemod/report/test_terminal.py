"""Colour and a progress bar on a terminal, and nowhere else."""

import io
import re

import pytest

from migrate.findings.printable import printable
from migrate.report.terminal import ProgressBar, as_text, is_colourful, show

LINES = [[("FT152", "bold red"), (" [not] :markup: 12", "")]]


def test_a_terminal_gets_colour(terminal):
    show(LINES, terminal.stream)
    assert terminal.shown() == "\x1b[1;31mFT152\x1b[0m [not] :markup: 12\n"


def test_a_pipe_gets_plain_text():
    pipe = io.StringIO()
    show(LINES, pipe)
    assert pipe.getvalue() == "FT152 [not] :markup: 12\n"


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_terminal_of_a_user_who_wants_no_colour_gets_plain_text(terminal, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert not is_colourful(terminal.stream)
    show(LINES, terminal.stream)
    assert terminal.shown() == as_text(LINES)


def test_a_pipe_of_a_user_who_forces_colour_gets_it(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert is_colourful(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not is_colourful(io.StringIO())


def test_a_long_line_is_not_broken(terminal):
    show([[("word " * 100 + "end", "red")]], terminal.stream)
    assert terminal.shown().count("\n") == 1


def test_what_the_encoding_of_a_stream_lacks_is_escaped():
    narrow = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    show([[("modèle \udce9.py", "")]], narrow)
    narrow.flush()
    assert narrow.buffer.getvalue() == rb"mod\xe8le \udce9.py" + b"\n"  # type: ignore[attr-defined]


def test_printable_text_is_left_alone():
    assert printable("a\tmodèle 日本\n", keep="\t\n") == "a\tmodèle 日本\n"
    assert printable("a\tb\n\x1b\x9b\u202e", keep="") == r"a\tb\n\x1b\x9b\u202e"


def test_a_short_run_shows_no_progress_bar(terminal):
    bar = ProgressBar(terminal.stream)
    for done in range(100):
        bar("Reading", done, 100)
    bar.close()
    assert terminal.shown() == ""


def test_a_long_run_shows_a_progress_bar_and_takes_it_away(terminal, monkeypatch):
    monkeypatch.setattr("migrate.report.terminal._DELAY_SECONDS", 0.0)
    bar = ProgressBar(terminal.stream)
    bar("Reading", 37, 1600)
    assert re.search("Reading .* 37/1600", terminal.shown())
    monkeypatch.setattr(bar, "_next", 0.0)
    bar("Rewriting", 2, 15)
    assert re.search("Rewriting .* *2/15", terminal.shown())
    bar.close()
    # The cursor is shown again, and the line of the bar is erased.
    assert terminal.shown().endswith("\x1b[?25h\r\x1b[1A\x1b[2K")
