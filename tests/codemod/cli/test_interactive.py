"""``--interactive`` on a real terminal: what is agreed to is written, program by program."""

import json
import os
import pty
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.cli import interactive
from migrate.cli.main import main
from migrate.findings.finding import Fidelity, Finding, Span
from migrate.results.outcome import FileChange, Outcome
from migrate.settings import Settings
from tests.codemod import forks
from tests.codemod.programs import program

PROMPT = b"[y,n,a,q,s,?]? "
CTRL_C, CTRL_D = "\x03", "\x04"
HOOKLESS = program(train="max_steps=10, hooks=None")
SECOND = HOOKLESS[HOOKLESS.index("def main(") :].replace("main(", "other(").replace("steps=5", "steps=7")
ROOT = Path(__file__).parents[3]
TWO = f"{HOOKLESS}\n\n{SECOND}"
"""Two programs in one file, which share no code and save every 5 and every 7 steps."""
Talk = Callable[..., tuple[int, str]]


@pytest.fixture
def talk(project: Path, environment: dict[str, str]) -> Talk:
    """Runs the command line on a terminal and answers it; gives the exit code and all that it said.

    The answers stand in their order, the end of input after them; or a function gives one for what was shown last.
    """

    def run(*answers: str, by: Callable[[str], str] | None = None) -> tuple[int, str]:
        other_end, terminal = pty.openpty()
        env = {**environment, "TERM": "dumb"}
        forks.start(["--interactive", "-j", "1", "."], project, env, [terminal] * 3)
        os.close(terminal)
        said, waiting, left = b"", b"", list(answers)
        while True:
            try:
                part = os.read(other_end, 65536)
            except OSError:  # Linux says so when the last process has closed the terminal
                break
            if not part:
                break
            said += part
            waiting += part
            if PROMPT in waiting:
                shown = waiting.decode()
                waiting = b""
                answer = by(shown) if by else left.pop(0) if left else None
                key = answer in (None, CTRL_C, CTRL_D)
                os.write(other_end, (answer or CTRL_D).encode() if key else f"{answer}\n".encode())
        os.close(other_end)
        return forks.ended(), said.decode().replace("\r\n", "\n")

    return run


@pytest.fixture
def written_whole(project: Path) -> str:
    """What ``--write`` makes of the project's program."""
    before = (project / "train.py").read_text()
    main(["--write", "."])
    after = (project / "train.py").read_text()
    (project / "train.py").write_text(before)
    shutil.rmtree(project / "tf2_recovery", ignore_errors=True)
    return after


def test_each_hunk_stands_with_its_finding_and_the_reason(talk: Talk) -> None:
    code, said = talk(by=lambda shown: "q" if "FT102" in shown else "y")
    assert code == 1
    assert "FT102 a checkpoint every so many steps" in said
    assert "= exact" in said


def test_yes_to_every_hunk_writes_what_write_does(talk: Talk, project: Path, written_whole: str) -> None:
    code, said = talk(*["y"] * 50)
    assert code == 1
    assert (project / "train.py").read_text() == written_whole
    assert "Changed 1 file" in said


def test_all_agrees_to_the_rest(talk: Talk, project: Path, written_whole: str) -> None:
    _, said = talk("y", "a")
    assert said.count(PROMPT.decode()) == 2
    assert (project / "train.py").read_text() == written_whole


def test_no_to_one_hunk_leaves_its_whole_program_and_says_so(talk: Talk, project: Path) -> None:
    _, said = talk("y", "n", *["y"] * 50)
    assert (project / "train.py").read_text() == program()
    assert not (project / "tf2_recovery").exists()
    assert "a program is rewritten completely or not at all." in said
    assert re.search(r"\d+  because you said no", said)
    assert "0 rewritten" in said
    assert "Changed nothing." in said


def test_no_to_one_program_of_a_file_rewrites_the_other(talk: Talk, project: Path) -> None:
    (project / "train.py").write_text(TWO)
    talk(by=lambda shown: "n" if "-    config = RunConfig(save_checkpoints_steps=7)" in shown else "y")
    text = (project / "train.py").read_text()
    first, second = text.partition("def main(")[2].split("def other(")
    assert "DNNClassifier(" not in first
    assert "CheckpointManager(" in first
    assert second == SECOND.partition("def other(")[2]
    compile(text, "train.py", "exec")


def test_quitting_leaves_what_was_not_agreed_to_and_writes_the_rest(talk: Talk, project: Path) -> None:
    (project / "another.py").write_text(program())
    _, said = talk(by=lambda shown: "q" if "./train.py:" in shown else "y")
    assert re.search(r"/train.py: \d+ sites are skipped: a program is rewritten completely", said)
    assert "CheckpointManager(" in (project / "another.py").read_text()
    assert (project / "train.py").read_text() == program()


def cells(first: str, second: str) -> dict[str, object]:
    """A notebook with a program in two cells, and one that a cell writes as a module."""
    code = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    sources = [*first.split("\n\n\ndef main", 1), f"%%writefile task.py\n{second}"]
    sources[1] = f"def main{sources[1]}"
    made = [{**code, "source": source.splitlines(keepends=True)} for source in sources]
    return {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}


def test_a_notebook_is_shown_as_code_and_no_to_one_of_its_programs_rewrites_the_other(
    talk: Talk, project: Path
) -> None:
    (project / "train.py").unlink()
    path = project / "train.ipynb"
    path.write_text(json.dumps(cells(HOOKLESS, HOOKLESS.replace("steps=5", "steps=7")), indent=1))
    _, said = talk(by=lambda shown: "n" if "-    config = RunConfig(save_checkpoints_steps=7)" in shown else "y")
    assert re.search(r"\./train\.ipynb:cell 2:3:[0-9]+: FT102 a checkpoint every so many steps", said)
    assert "\n-    config = RunConfig(save_checkpoints_steps=5)\n" in said
    assert "cell 1: what the new code needs" in said
    assert '\\n"' not in said
    *_, main_cell, task = ("".join(cell["source"]) for cell in json.loads(path.read_text())["cells"])
    assert "CheckpointManager(" in main_cell
    assert task == "%%writefile task.py\n" + HOOKLESS.replace("steps=5", "steps=7")


def test_a_hunk_that_its_sites_do_not_explain_leaves_its_whole_file_and_the_helpers_that_only_it_needs() -> None:
    span = Span(1, 0, 1, 1)
    found = [Finding("FT101", Fidelity.EXACT, path, span, "", "…", rewritten=True) for path in ("a.py", "b.py")]
    changes = [
        FileChange("a.py", "1\n", "2\n", needs=("one.py",)),
        FileChange("b.py", "1\n", "2\n"),
        FileChange("one.py", None, "3\n"),
    ]
    stubborn = Outcome(2, found, changes)
    answers = iter("nyy")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interactive, "_ask", lambda *_: next(answers))
        chosen = interactive.choose(stubborn, Settings(), {}, lambda settings: stubborn)
    assert [change.path for change in chosen.changes] == ["b.py"]
    assert [finding.rewritten for finding in chosen.findings] == [False, True]


def test_the_end_of_input_is_the_same_as_quitting(talk: Talk, project: Path) -> None:
    code, _ = talk()
    assert code == 1
    assert (project / "train.py").read_text() == program()


def test_a_question_mark_and_anything_else_explain_the_keys(talk: Talk) -> None:
    _, said = talk("?", "x", "q")
    assert said.count("n  skip the programs that it belongs to") == 2


def test_a_programs_own_hunks_come_before_the_helpers_that_they_need(talk: Talk, project: Path) -> None:
    (project / "zebra.py").write_text(program())
    _, said = talk(*["y"] * 50)
    assert said.rindex("./train.py:") < said.index("tf2_recovery/: generated") < said.index("./zebra.py:")


def test_a_long_hunk_is_cut_short_until_all_of_it_is_asked_for(talk: Talk) -> None:
    texts: list[str] = []

    def answer(shown: str) -> str:
        texts.append(shown)
        if "more lines; s shows them" in shown:
            return "s"
        return "q" if "more lines; s shows them" in "".join(texts) else "y"

    talk(by=answer)
    (more,) = re.findall(r"… (\d+) more lines", texts[-2])
    lines = texts[-1].splitlines()[1:-1]  # between the answer and the question
    assert len(lines) == 40 + int(more)


@pytest.mark.parametrize("key", ["q", CTRL_D, CTRL_C])
def test_what_was_never_shown_is_never_written(talk: Talk, project: Path, key: str) -> None:
    """One of these files has a rewrite that comes up only where another one in it was refused."""
    (project / "train.py").unlink()
    for path in (ROOT / "legacy_examples").rglob("*.py"):
        target = project / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    before = {path: path.read_bytes() for path in project.rglob("*.py")}
    code, _ = talk(key)
    assert {path: path.read_bytes() for path in project.rglob("*.py")} == before
    assert code == (130 if key == CTRL_C else 1)


@pytest.mark.parametrize("key", ["q", CTRL_C])
def test_every_line_that_is_written_was_shown(talk: Talk, project: Path, key: str) -> None:
    (project / "another.py").write_text(TWO)
    before = {path: path.read_text().splitlines() for path in project.rglob("*.py")}
    asked = iter(["y"] * 8)
    _, said = talk(by=lambda shown: "s" if "more lines; s shows them" in shown else next(asked, key))
    for path in project.rglob("*.py"):
        new = set(path.read_text().splitlines()) - set(before.get(path, ()))
        assert [line for line in new if line.strip() and f"+{line}" not in said] == []


def test_without_a_terminal_it_refuses(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--interactive", "."]) == 2
    assert capsys.readouterr().err.endswith("--interactive asks its questions on a terminal, and this is none\n")
    assert (project / "train.py").read_text() == program()


@pytest.mark.parametrize("other", ["--write", "--check", "--todo"])
def test_it_stands_without_options_that_contradict_it(
    project: Path, capsys: pytest.CaptureFixture[str], other: str
) -> None:
    assert main(["--interactive", other, "."]) == 2
    assert "--interactive" in capsys.readouterr().err
