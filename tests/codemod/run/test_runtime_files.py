"""The runtime files are fixed files, the same beside a program and in the installed package."""

import ast
import sys
import zipfile
from pathlib import Path

import pytest

from migrate import __version__
from migrate.cli.main import main
from migrate.pipeline.run import write
from migrate.runtime_files import package
from migrate.runtime_files.package import Stamp, read_stamp
from tests.codemod.bodies import body
from tests.codemod.trees import outcome_of, put
from tests.runtime_package import build, copy, files_beside

JOB = body("est = DNN()\nest.train(data, max_steps=3)\n")


def migrated(tmp_path, *names, **settings):
    """The files that a run over some programs leaves."""
    for name in names:
        (tmp_path / name).write_text(JOB)
    assert write(outcome_of(tmp_path, **settings)) == []
    return sorted(path.name for path in tmp_path.iterdir())


def test_every_name_is_known_by_its_file_without_parsing_it():
    for file, text in package.sources().items():
        targets = [getattr(node, "targets", [node])[0] for node in ast.parse(text).body]
        defined = [getattr(one, "name", getattr(one, "id", "")) for one in targets]
        assert package.definitions_in(text) == [name for name in defined if name], file


def test_no_two_files_define_one_public_name():
    names = [name for text in package.sources().values() for name in package.definitions_in(text) if name[0] != "_"]
    assert sorted(names) == sorted(package.public_names())


def test_a_file_goes_with_those_that_it_imports():
    for file, text in package.sources().items():
        together = package.with_imported_files([file])
        for node in ast.parse(text).body:
            if isinstance(node, ast.ImportFrom) and node.level:
                above = file.split("/")[: -node.level]
                assert "/".join([*above, *(node.module or "").split(".")]) in together, file
        assert {"__init__", file} <= {*together}
        assert all(one == "__init__" or f"{Path(one).parent}/__init__" in together for one in together if "/" in one)


def test_what_only_some_programs_have_installed_is_imported_by_no_file_as_it_is_read():
    for file, text in package.sources().items():
        body = ast.parse(text).body
        modules = [node.module or "" for node in body if isinstance(node, ast.ImportFrom) and not node.level]
        modules += [one.name for node in body if isinstance(node, ast.Import) for one in node.names]
        assert {name.partition(".")[0] for name in modules} <= {*sys.stdlib_module_names, "tensorflow", "numpy"}, file
        assert file == "contrib/slim" or not any(name.startswith("tensorflow.python") for name in modules), file


def test_the_copied_files_and_the_installed_ones_hold_the_same_bytes(tmp_path):
    for place in ("copied", "installed"):
        (tmp_path / place).mkdir()
    migrated(tmp_path / "copied", "a.py")
    zipfile.ZipFile(build(tmp_path)).extractall(tmp_path / "installed")
    copied, installed = files_beside(tmp_path / "copied"), files_beside(tmp_path / "installed")
    assert len(copied) > 2
    assert copied.items() <= installed.items()
    assert installed.keys() == package.sources().keys()


def test_each_file_names_its_release_at_its_head_and_that_nobody_edited_it(tmp_path):
    migrated(tmp_path, "a.py")
    for text in files_beside(tmp_path).values():
        stamp = read_stamp(text)
        assert stamp == Stamp(__version__, is_edited=False, content=stamp.content if stamp else "")
        assert text.startswith("# Part of tf2_recovery, written by estimator-migrate ")


def test_with_the_package_nothing_is_copied_and_the_imports_are_the_same(tmp_path):
    for place in ("copied", "installed"):
        (tmp_path / place).mkdir()
    assert migrated(tmp_path / "installed", "a.py", "b.py", helpers="package") == ["a.py", "b.py"]
    migrated(tmp_path / "copied", "a.py")
    assert (tmp_path / "installed/a.py").read_bytes() == (tmp_path / "copied/a.py").read_bytes()


def test_the_copied_files_are_no_programs_to_migrate(tmp_path):
    copy(tmp_path, files=package.sources())
    outcome = outcome_of(tmp_path)
    assert [(one.path, one.message) for one in outcome.findings] == []


def test_with_the_package_the_requirement_is_written_where_the_repository_lists_what_it_needs(tmp_path):
    listed, after = tmp_path / "requirements.txt", f"numpy\ntf2-recovery=={__version__}\n"
    (tmp_path / ".git").mkdir()
    (tmp_path / "jobs").mkdir()
    listed.write_text("numpy\n")
    migrated(tmp_path, "jobs/a.py", "jobs/b.py", helpers="package")
    assert listed.read_text() == after
    listed.write_text(after.replace(__version__, "0.0.1"))
    migrated(tmp_path, "jobs/c.py", helpers="package")
    assert listed.read_text() == after


def test_a_list_outside_of_the_given_paths_is_not_touched_and_the_requirement_is_said(tmp_path, capsys):
    put(tmp_path, {".git/HEAD": "", "requirements.txt": "numpy\n", "jobs/a.py": JOB})
    assert main(["--write", "--helpers", "package", str(tmp_path / "jobs")]) == 1
    assert (tmp_path / "requirements.txt").read_text() == "numpy\n"
    assert f"Add tf2-recovery=={__version__} to what" in capsys.readouterr().err


def test_a_list_above_the_repository_is_not_touched_and_the_requirement_is_said(tmp_path, capsys):
    (tmp_path / "requirements.txt").write_text("numpy\n")
    (tmp_path / "own/.git").mkdir(parents=True)
    put(tmp_path, {"own/pyproject.toml": "[tool.poetry.dependencies]\nnumpy = '*'\n", "own/a.py": JOB})
    assert main(["--write", "--helpers", "package", str(tmp_path / "own")]) == 1
    assert (tmp_path / "requirements.txt").read_text() == "numpy\n"
    assert f"tf2-recovery=={__version__}" in capsys.readouterr().err


@pytest.mark.parametrize("helpers", ["copy", "package"])
def test_a_second_run_changes_nothing(tmp_path, helpers):
    migrated(tmp_path, "a.py", helpers=helpers)
    outcome = outcome_of(tmp_path, helpers=helpers)
    assert outcome.changes == outcome.findings == []


def test_the_package_imports_nothing_of_the_tool(tmp_path):
    with zipfile.ZipFile(build(tmp_path)) as wheel:
        texts = {name: wheel.read(name).decode() for name in wheel.namelist() if name.endswith(".py")}
    assert not [name for name, text in texts.items() if "migrate." in text.replace("estimator-migrate", "")]


def test_the_package_is_the_same_bytes_each_time(tmp_path):
    assert build(tmp_path).read_bytes() == build(tmp_path / "a folder that" / "is not there").read_bytes()
