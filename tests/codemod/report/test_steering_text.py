"""Nothing that a file, its name or its code says steers a terminal or shows another text than it is, in any output."""

import base64
import gzip
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from migrate.cli.main import main
from migrate.edits.file_change import FileChange
from migrate.pipeline.outcome import Outcome
from migrate.report.report import Report
from migrate.settings import SettingsError
from tests.codemod.bodies import body

STEERS = "\u202eevil\u2066\u200b\x1b[31m\x1b]0;t\x07\x9b2J"
RAW = re.compile("[\u202a-\u202e\u2066-\u2069\u200b\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
SHOWN = r"\u202e"
CODE = f"x = '{STEERS}'  # {STEERS}\n"
JOB = body(f"est = DNN()\nest.train(data, max_steps=3, hooks=['{STEERS}'.f])\n") + CODE


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path(f"job{STEERS}.py").write_text(JOB)
    Path("fine.py").write_text(body("est = DNN()\nest.train(data, max_steps=3)\n") + CODE)
    Path(f"broken{STEERS}.py").write_text(f"import tensorflow as tf\ntf.estimator.Estimator('{STEERS}\n")
    return tmp_path


COMMANDS = [
    *(["--format", format] for format in ("text", "concise", "json", "sarif", "github", "html")),
    ["--check"], ["plan"], ["plan", "--format", "json"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_no_report_holds_a_character_that_steers(arguments, tree, capfd):
    main([*arguments, "."])
    captured = capfd.readouterr()
    shown = captured.out + captured.err
    for packed in re.findall(r"H4sI[A-Za-z0-9+/=]{200,}", shown):  # the files on the review page
        shown += "".join(json.loads(gzip.decompress(base64.b64decode(packed))))
    assert "fine" in shown or "broken" in shown
    assert RAW.findall(shown) == []
    assert SHOWN in shown or "%E2%80%AE" in shown


@pytest.mark.parametrize("colour", [True, False])
def test_a_diff_on_a_terminal_is_escaped(colour, terminal, monkeypatch):
    if not colour:
        monkeypatch.setenv("NO_COLOR", "1")
    changes = [FileChange(f"job{STEERS}.py", "a = 1\n", CODE)]
    Report(Outcome(changes=changes), "diff").show(terminal.stream)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", terminal.shown())
    assert RAW.findall(shown) == []
    assert SHOWN in shown


def test_a_diff_in_a_pipe_keeps_every_byte_and_applies(tree, capfdbinary):
    before = {path: path.read_bytes() for path in tree.iterdir()}
    assert main(["fine.py", next(name for name in os.listdir() if name.startswith("job"))]) == 1
    (tree / "change.diff").write_bytes(capfdbinary.readouterr().out)
    subprocess.run(["git", "apply", "change.diff"], check=True, cwd=tree)
    after = {path: path.read_bytes() for path in before}
    assert sum(before[path] != after[path] for path in before) == 2
    assert all(CODE.encode() in data for path, data in after.items() if not path.name.startswith("broken"))


def test_an_error_of_a_setting_is_escaped():
    assert str(SettingsError(f"{STEERS}.toml")).isprintable()
