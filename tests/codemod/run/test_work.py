"""How much work a run is, in exact numbers: a change that reads, parses or binds a file again changes them here."""

import ast
import sys
from collections import Counter

import libcst

from migrate.analysis.source.module import Module
from migrate.cli.main import main
from tests.benchmarks.growth import estimators, files, resumptions

_ONCE = ("parsed", "compiled", "bound")
"""What is done once to each file."""
_events = []


def _note(event, given):
    if event == "open" and isinstance(given[0], str) and given[1] is None:  # by os.open
        _events.append(("read", given[0]))
    elif event == "compile" and given[1] is not None:
        is_parse = sys._getframe(1).f_code is ast.parse.__code__
        _events.append(("parsed" if is_parse else "compiled", str(given[1])))


sys.addaudithook(_note)


def work(tmp_path, monkeypatch, made, *options):
    """How many times a run reads, parses, compiles and binds the files of a tree, and hands LibCST a statement."""
    directory = tmp_path / "tree"
    directory.mkdir()
    (directory / ".git").mkdir()
    for name, text in made.items():
        (directory / name).write_text(text)
    bind, concrete = Module.__post_init__, libcst.parse_module
    found = Counter[str]()

    def bound(module):
        found["bound"] += 1
        bind(module)

    def parsed(source, *given, **settings):
        found["statements"] += any(source.strip() in text for text in made.values())
        return concrete(source, *given, **settings)

    monkeypatch.setattr(Module, "__post_init__", bound)
    monkeypatch.setattr(libcst, "parse_module", parsed)
    _events.clear()
    main([*options, "-q", "-j1", str(directory)])
    paths = {str(directory / name) for name in made}
    found.update(event for event, path in _events if path in paths)
    return dict(found)


def test_one_program_of_300_files(tmp_path, monkeypatch):
    assert work(tmp_path, monkeypatch, files(300), "--check") == {"read": 1199, **dict.fromkeys(_ONCE, 300)}


def test_200_resumptions_in_one_file(tmp_path, monkeypatch):
    assert work(tmp_path, monkeypatch, resumptions(200), "--check") == {"read": 3, **dict.fromkeys(_ONCE, 1)}


def test_200_estimators_in_one_file(tmp_path, monkeypatch):
    assert work(tmp_path, monkeypatch, estimators(200), "--check") == {"read": 3, **dict.fromkeys(_ONCE, 1)}


def test_the_diff_of_one_program_of_30_files(tmp_path, monkeypatch):
    assert work(tmp_path, monkeypatch, files(30), "--diff") == {
        "read": 119,
        "parsed": 30,
        "bound": 30,
        "statements": 30,
    }


def test_2000_files_of_which_20_hold_a_site(tmp_path, monkeypatch):
    made = {f"file_{number}.py": "x = 1\n" for number in range(1980)}
    made |= {f"begin_{number}.py": estimators(1)["main.py"] for number in range(20)}
    assert work(tmp_path, monkeypatch, made, "--check") == {"read": 2040, **dict.fromkeys(_ONCE, 20)}
