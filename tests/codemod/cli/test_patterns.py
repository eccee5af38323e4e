"""Which files are read, and which rules count in them, by patterns."""

import os

import pytest

from migrate.cli.main import main
from migrate.files.patterns import Patterns
from tests.cases import each
from tests.codemod.programs import program


@pytest.fixture
def tree(project):
    for name in ("jobs/train.py", "jobs/old/train.py", "third_party/train.py"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(program())
    (project / "train.py").unlink()
    return project


def checked(capsys, *arguments):
    main(["--check", *arguments])
    return {line.partition(":")[0] for line in capsys.readouterr().out.splitlines()}


def test_an_excluded_directory_is_not_read_wherever_the_tool_is_started(tree, capsys, monkeypatch):
    (tree / "pyproject.toml").write_text("[tool.migrate]\nexclude = ['/third_party/', 'old/']\n")
    assert checked(capsys, ".") == {"jobs/train.py"}
    monkeypatch.chdir(tree / "jobs")
    assert checked(capsys, "..") == {"../jobs/train.py"}


def test_a_file_that_is_named_is_read_though_it_is_excluded(tree, capsys):
    assert checked(capsys, "third_party/train.py", "--exclude", "third_party/") == {"third_party/train.py"}


def test_the_command_line_excludes_below_the_current_directory(tree, capsys, monkeypatch):
    (tree / "pyproject.toml").write_text("[tool.migrate]\nexclude = ['third_party/']\n")
    monkeypatch.chdir(tree / "jobs")
    assert checked(capsys, "..", "--exclude", "old/") == {"../jobs/train.py"}
    assert checked(capsys, "..", "--exclude", "/train.py") == {"../jobs/old/train.py"}
    assert checked(capsys, "..", "--exclude", "train.py") == set()


@each("pattern", "matched")(
    ("train.py", ["train.py", "jobs/train.py", "jobs/old/train.py"]),
    ("/train.py", ["train.py"]),
    ("jobs/*.py", ["jobs/train.py"]),
    ("jobs", ["jobs/train.py", "jobs/old/train.py"]),
    ("old/", ["jobs/old/train.py"]),
    ("train.py/", []),
    ("**/old/**", ["jobs/old/train.py"]),
    ("jobs/**/train.py", ["jobs/train.py", "jobs/old/train.py"]),
    ("t[!o]ain.?y", ["train.py", "jobs/train.py", "jobs/old/train.py"]),
)
def test_a_pattern_is_of_a_name_at_any_depth_or_with_a_slash_of_a_path(tmp_path, pattern, matched):
    names = ["train.py", "jobs/train.py", "jobs/old/train.py", "model.py"]
    found = Patterns([pattern], str(tmp_path))
    assert [name for name in names if found.match(os.path.join(os.path.realpath(tmp_path), name))] == matched


def test_a_pattern_that_takes_another_back_is_rejected(tree, capsys):
    (tree / "pyproject.toml").write_text("[tool.migrate]\nexclude = ['jobs/', '!jobs/old/']\n")
    assert main(["--check", "."]) == 2
    assert "pyproject.toml:2: exclude must be a list of patterns without `!`" in capsys.readouterr().err
