"""The helpers stand where the user wants them: beside the files, in the files, or in an installed package."""

import ast
import zipfile
from pathlib import Path

import pytest

from migrate.rewrite import pieces
from migrate.run import run, write
from migrate.settings import Settings
from tests.codemod.bodies import body
from tests.runtime_package import build

JOB = body("est = DNN()\nest.train(data, max_steps=3)\n")


def migrated(tmp_path: Path, *names: str, **settings: str) -> list[str]:
    """The files that a run over some programs leaves."""
    for name in names:
        (tmp_path / name).write_text(JOB)
    assert write(run([str(tmp_path)], Settings(**settings), jobs=1, progress=None)) == []
    return sorted(path.name for path in tmp_path.iterdir())


def imported(path: Path) -> dict[str, list[str]]:
    statements = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ImportFrom)]
    return {node.module or "": [alias.name for alias in node.names] for node in statements}


def test_every_helper_is_known_by_its_module_without_parsing_it() -> None:
    for path in pieces._FOLDER.glob("[!_]*.py"):
        defined = pieces._defined(ast.parse(path.read_text()))
        assert sorted(name for name, home in pieces._homes().items() if home == path.stem) == sorted(defined)
        assert [*pieces._of_module(path.stem)] == defined


def test_a_module_of_helpers_comes_after_those_that_it_imports() -> None:
    before = set[str]()
    for module, text in pieces._sources().items():
        imported = [node.module or "" for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)]
        own = {one.removeprefix("migrate.recovery.") for one in imported if one.startswith("migrate.recovery.")}
        assert own <= before, module
        before.add(module)


def test_with_the_package_no_helper_is_written_and_all_are_imported(tmp_path: Path) -> None:
    assert migrated(tmp_path, "a.py", "b.py", helpers="package") == ["a.py", "b.py"]
    names = imported(tmp_path / "a.py")["estimator_recovery"]
    assert "CheckpointRecovery" in names
    assert pieces.public() >= set(names)


def test_inline_each_file_holds_its_own(tmp_path: Path) -> None:
    assert migrated(tmp_path, "a.py", "b.py", helpers="inline") == ["a.py", "b.py"]
    assert "class CheckpointRecovery" in (tmp_path / "a.py").read_text()
    assert not [name for name in imported(tmp_path / "b.py") if "recovery" in name]


@pytest.mark.parametrize("helpers", ["inline", "package"])
def test_a_second_run_changes_nothing(tmp_path: Path, helpers: str) -> None:
    migrated(tmp_path, "a.py", helpers=helpers)
    outcome = run([str(tmp_path)], Settings(helpers=helpers), jobs=1, progress=None)
    assert outcome.changes == outcome.findings == []


def test_the_package_holds_every_helper_and_imports_nothing_of_the_tool(tmp_path: Path) -> None:
    with zipfile.ZipFile(build(tmp_path)) as wheel:
        texts = {name: wheel.read(name).decode() for name in wheel.namelist() if name.endswith(".py")}
    assert not [name for name, text in texts.items() if "migrate." in text.replace("estimator-migrate", "")]
    first = texts["estimator_recovery/__init__.py"]
    assert [name for name in sorted(pieces.public()) if f'"{name}"' not in first] == []


def test_the_package_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    assert build(tmp_path).read_bytes() == build(tmp_path / "again").read_bytes()
