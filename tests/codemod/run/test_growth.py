"""What is asked of a file for each of many programs is looked up, not searched for again: counted, not timed."""

import ast
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from migrate.analysis import facts
from migrate.analysis.module import Module
from migrate.analysis.reached_code import ReachedCode
from migrate.analysis.resume import path_parts
from migrate.cli.main import main
from migrate.files import parse as parsing
from migrate.files.text import SourceText
from migrate.pipeline import processes
from tests.benchmarks.growth import estimators, files, resumptions


def write(directory: Path, made: Mapping[str, str]) -> Path:
    directory.mkdir()
    (directory / ".git").mkdir()
    for name, text in made.items():
        (directory / name).write_text(text)
    return directory


def grown(
    make: Callable[[int], dict[str, str]], owner: object, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> float:
    """How many times as often a function is called for 16 programs of a file as for 8."""
    counts = []
    for size in (8, 16):
        called = [0]
        own = getattr(owner, name)

        def counting(*given: object, own: Callable[..., object] = own, called: list[int] = called) -> object:
            called[0] += 1
            return own(*given)

        directory = write(tmp_path / str(size), make(size))
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, counting)
            main(["--check", "-j1", str(directory)])
        counts.append(called[0])
    return counts[1] / counts[0]


def test_each_file_of_a_program_is_decoded_once_for_all_files_that_import_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[str] = Counter()
    own = facts.source_of

    def counting(path: str, data: bytes) -> SourceText:
        asked[path] += 1
        return own(path, data)

    monkeypatch.setattr(facts, "source_of", counting)
    directory = write(tmp_path / "program", files(12))
    main(["--check", "-j1", str(directory)])
    assert {path.name for path in map(Path, asked)} == {path.name for path in directory.glob("*.py")}
    assert set(asked.values()) == {1}


def test_a_place_is_worked_out_as_often_for_each_estimator_of_a_file_however_many_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert grown(estimators, Module, "span", tmp_path, monkeypatch) < 2.2


def test_code_is_walked_as_often_for_each_resumption_of_a_file_however_many_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert grown(resumptions, ast, "walk", tmp_path, monkeypatch) < 2.2


def test_a_saved_path_is_compared_as_often_for_each_resumption_of_a_file_however_many_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert grown(resumptions, path_parts, "is_one_file", tmp_path, monkeypatch) < 2.2


def test_the_code_that_programs_of_the_same_files_reach_is_searched_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert grown(files, ReachedCode, "__init__", tmp_path, monkeypatch) == 1


def test_what_is_known_of_files_is_dropped_before_another_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_FEW_TREES", 0)
    kept = [0]
    own = parsing.trees_kept

    def counting() -> int:
        kept.append(own())
        return kept[-1]

    monkeypatch.setattr(processes, "trees_kept", counting)
    (tmp_path / "repositories").mkdir()
    for number in range(8):
        write(tmp_path / "repositories" / str(number), files(6))
    assert main(["--check", "-j1", str(tmp_path / "repositories")]) == 1
    assert 6 <= max(kept) < 12


def test_a_program_of_more_files_than_are_kept_is_not_parsed_anew_for_each_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_FEW_TREES", 2)
    monkeypatch.setattr(processes, "_MANY_TREES", 4)
    parsed = [0]
    own = ast.parse

    def counting(text: str, path: str = "<unknown>", *further: object, **named: object) -> ast.Module:
        parsed[0] += 1
        return own(text, path, *further, **named)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(parsing.ast, "parse", counting)
    main(["--check", "-j1", str(write(tmp_path / "program", files(40)))])
    assert 40 < parsed[0] < 120
