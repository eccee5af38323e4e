"""Commands in messages are spelled as the user started the tool."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SCRIPT = "import sys; from migrate.cli.main import main; sys.exit(main())\n"


@pytest.fixture
def script(project, tmp_path_factory):
    """The script that an installation makes, and in the project a ``migrate.py`` of its own."""
    made = tmp_path_factory.mktemp("bin") / "estimator-migrate"
    made.write_text(f"#!{sys.executable}\n{SCRIPT}")
    made.chmod(0o755)
    (project / "migrate.py").write_text("print('not the tool')\n")
    return made


def run(*command, cwd):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize("command", [(), ("verify",)])
def test_the_script_runs_and_names_itself_beside_a_migrate_of_the_users_own(script, project, command):
    printed = run(str(script), *command, "--help", cwd=project)
    assert printed.startswith(" ".join(("usage: estimator-migrate", *command)))
    assert "python -m migrate" not in printed


def test_as_a_module_it_names_that(tmp_path):
    printed = run(sys.executable, "-m", "migrate", "verify", "--help", cwd=tmp_path)
    assert printed.startswith("usage: python -m migrate verify")


def test_a_module_of_the_users_with_the_name_of_pythons_own_is_not_imported(project):
    for name in ("argparse", "dataclasses", "signal"):
        (project / f"{name}.py").write_text("raise SystemExit('not the tool')\n")
    printed = run(sys.executable, "-m", "migrate", "--check", "train.py", cwd=project)
    assert "train.py" in printed
    assert "not the tool" not in printed


def test_the_readme_names_the_script():
    """In a directory with a migrate.py, ``python -m migrate`` is another program."""
    commands = [line for line in (ROOT / "README.md").read_text().splitlines() if "python -m migrate" in line]
    assert commands == []
