"""The real pre-commit runs the hooks of ``.pre-commit-hooks.yaml``."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.codemod.programs import program

ROOT = Path(__file__).parents[3]
CONFIG = """\
repos:
- repo: {repository}
  rev: {revision}
  hooks:
  - id: {hook}
    # The environment of the tests has the tool: no package is installed for the hook.
    language: system
    additional_dependencies: []
"""
Hook = Callable[[str], "subprocess.CompletedProcess[str]"]


def git(*arguments, cwd):
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *identity, *arguments], cwd=cwd, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def run_hook(project, tmp_path_factory):
    """Runs a hook over all files of the project, from a repository that has the hooks of this one."""
    tool = tmp_path_factory.mktemp("tool")
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", tool)
    git("init", "--quiet", cwd=tool)
    git("add", ".", cwd=tool)
    git("commit", "--quiet", "-m", "hooks", cwd=tool)
    programs = tmp_path_factory.mktemp("bin")
    (programs / "estimator-migrate").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m migrate "$@"\n')
    (programs / "estimator-migrate").chmod(0o755)

    def run(hook):
        config = CONFIG.format(repository=tool, revision=git("rev-parse", "HEAD", cwd=tool), hook=hook)
        (project / ".pre-commit-config.yaml").write_text(config)
        git("add", ".", cwd=project)
        return subprocess.run(
            [sys.executable, "-m", "pre_commit", "run", "--all-files", "--verbose"],
            cwd=project,
            env={
                **os.environ,
                "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
                "PYTHONPATH": str(ROOT),
                "PRE_COMMIT_HOME": str(tool / "home"),
            },
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_the_rewriting_hook_changes_the_files_and_fails_until_they_are_committed(run_hook, project):
    first = run_hook("estimator-migrate")
    assert first.returncode == 1
    assert "files were modified by this hook" in first.stdout, first.stdout + first.stderr
    assert "DNNClassifier(" in (project / "train.py").read_text()
    second = run_hook("estimator-migrate")
    assert second.returncode == 0, second.stdout


def test_the_checking_hook_fails_and_changes_nothing(run_hook, project):
    done = run_hook("estimator-migrate-check")
    assert done.returncode == 1
    assert "train.py:21:14: FT152 " in done.stdout, done.stdout + done.stderr
    assert (project / "train.py").read_text() == program()


def test_the_hooks_bring_what_notebooks_need():
    """pre-commit installs the package without its extras, and the hooks are given notebooks."""
    project = (ROOT / "pyproject.toml").read_text()
    needed = re.findall(r"^dependencies = \[(.*?)^\]", project, re.MULTILINE | re.DOTALL)[0]
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert {hook["id"] for hook in hooks} == {"estimator-migrate", "estimator-migrate-check"}
    assert all("jupyter" in hook["types_or"] for hook in hooks)
    assert '"nbformat' in needed
