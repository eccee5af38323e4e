"""Of the emitted pieces a program gets what it reaches: nothing that it cannot reach, and all that it can."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.cli import main
from migrate.rewrite import pieces
from migrate.rewrite.pruned import pruned
from migrate.rewrite.used import used_before, used_by
from tests.pairs import LEGACY

SOURCE = '''\
def train(steps, log=None, save=True):
    """Trains.

    Args:
      steps: how many.
      log: a ``Log``, or None.
      save: whether to save.
    """
    if log:
        log.begin()
    state = State(save)
    for _ in range(steps):  # one after the other
        state.step(log and log.every)
    return state.end()


class State:
    def __init__(self, save):
        self._save, self._count = save, 0

    def step(self, every):
        self._count += 1
        if self._save:
            # what is trained is not lost
            self._keep()

    def end(self):
        return self._count

    def _keep(self):
        print("kept", self._count)


class Log:
    every = 3  # is read better by its name

    def begin(self):
        print("begin")
'''


def written(program: str, before: str = "") -> str:
    tree = ast.parse(program)
    names = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    return pruned(SOURCE, used_by(before, program, names))


def test_an_argument_that_nobody_gives_is_not_written_and_what_follows_from_it_is_worked_out() -> None:
    assert (
        written("from helpers import train\n\nprint(train(3))\n")
        == '''\
def train(steps):
    """Trains.

    Args:
      steps: how many.
    """
    state = State()
    for _ in range(steps):  # one after the other
        state.step(None)
    return state.end()


class State:
    def __init__(self):
        self._count = 0

    def step(self, every):
        self._count += 1
        # what is trained is not lost
        self._keep()

    def end(self):
        return self._count

    def _keep(self):
        print("kept", self._count)
'''
    )


def test_what_is_given_stays() -> None:
    text = written("from helpers import Log, train\n\nprint(train(3, Log(), save=False))\n")
    assert text.replace("\n\n\n", "\n\n") == SOURCE.replace("\n\n\n", "\n\n")


@pytest.mark.parametrize(
    "program",
    [
        "from helpers import train\n\nrun = train\n",
        "from helpers import train\n\ntrain(*given)\n",
        "from helpers import train\n\ntrain(**given)\n",
        "from helpers import train\n",
    ],
)
def test_where_nobody_sees_the_arguments_all_stay(program: str) -> None:
    assert "def train(steps, log=None, save=True):" in written(program)


def test_a_name_that_other_files_may_import_from_the_old_program_keeps_its_arguments() -> None:
    text = written("from helpers import train\n\ntrain(3)\n", "from tensorflow.somewhere import train\n")
    assert "def train(steps, log=None, save=True):" in text


def test_the_shorter_helpers_do_what_the_whole_ones_do() -> None:
    program = "from helpers import train\n\nprint(train(2))\n"
    ends = program.partition("\n")[2]
    said = [
        subprocess.run([sys.executable, "-c", text + ends], capture_output=True, text=True, check=True).stdout
        for text in (SOURCE, written(program))
    ]
    assert said == ["kept 1\nkept 2\n2\n"] * 2


@pytest.mark.parametrize("example", ["fine_tuning.py", "wide_and_deep.py"])
def test_the_helpers_of_each_example_alone_name_nothing_that_is_gone_and_are_current(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (example, "modeling.py"):
        (tmp_path / name).write_bytes((LEGACY / name).read_bytes())
    main(["--write", example])
    module = tmp_path / "tf2_recovery.py"
    if module.exists():
        text = module.read_text()
        assert pieces.renewed(text) == text
        checked = [sys.executable, "-m", "ruff", "check", "-q", "--isolated", "--select", "F", str(module)]
        assert subprocess.run(checked, capture_output=True, text=True).stdout == ""


def test_a_later_file_that_gives_more_gets_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = tmp_path / "tf2_recovery.py"
    for name in ("alternating_model_fn.py", "custom_model_fn.py", "modeling.py"):
        (tmp_path / name).write_bytes((LEGACY / name).read_bytes())
    main(["--write", "alternating_model_fn.py"])
    assert "saving_listeners" not in module.read_text()
    main(["--write", "custom_model_fn.py"])
    assert "saving_listeners" in module.read_text()


def test_a_changed_module_without_an_argument_that_is_given_now_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    module = tmp_path / "tf2_recovery.py"
    for name in ("alternating_model_fn.py", "custom_model_fn.py", "modeling.py"):
        (tmp_path / name).write_bytes((LEGACY / name).read_bytes())
    main(["--write", "alternating_model_fn.py"])
    changed = module.read_text() + "\n\nOWN = 3\n"
    module.write_text(changed)
    capsys.readouterr()
    assert main(["--write", "--format", "json", "custom_model_fn.py"]) == 2
    assert "was changed since it was written and lacks" in capsys.readouterr().out
    assert module.read_text() == changed
    assert (tmp_path / "custom_model_fn.py").read_bytes() == (LEGACY / "custom_model_fn.py").read_bytes()


def test_what_a_module_holds_tells_what_was_used_of_it() -> None:
    text = written("from helpers import train\n\ntrain(3)\n")
    assert pruned(SOURCE, used_before(text, {"train"})) == text
