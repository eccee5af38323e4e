"""The diff is what git takes: applied, every file is what the codemod meant, byte for byte."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from migrate.edits.file_change import FileChange
from migrate.files.text import SourceText
from migrate.pipeline.run import run
from migrate.report import diff
from migrate.settings import Settings
from tests.cases import each
from tests.codemod.trees import put
from tests.pairs import ROOT

BEFORE = "import tensorflow as tf\n\n\ndef train():\n    return tf.estimator\n"
AFTER = "import tensorflow as tf\n\n\ndef train():\n    return tf.train.CheckpointManager\n"


def git_apply(patch, *arguments, cwd=None):
    done = subprocess.run(["git", "apply", *arguments], input=patch, cwd=cwd, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def in_encoding(encoding, before, after):
    source = SourceText.decode("train.py", before.encode(encoding))
    return FileChange("train.py", source.text, after.removeprefix("\ufeff"), source)


def assert_git_makes_the_change(path, before, after, change):
    if before is not None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(before)
    git_apply(diff.render([change]))
    assert Path(path).read_bytes() == after


def test_no_change_is_no_diff():
    assert diff.render([]) == b""
    assert diff.render([FileChange("train.py", BEFORE, BEFORE)]) == b""


def test_a_change_reads_as_a_unified_diff(repository):
    assert diff.render([FileChange("src/train.py", BEFORE, AFTER)]).decode() == (
        "--- a/src/train.py\n"
        "+++ b/src/train.py\n"
        "@@ -2,4 +2,4 @@\n"
        " \n"
        " \n"
        " def train():\n"
        "-    return tf.estimator\n"
        "+    return tf.train.CheckpointManager\n"
    )


def test_files_stand_in_the_order_of_their_paths(repository):
    changes = [FileChange("b.py", "1\n", "2\n"), FileChange("a.py", "1\n", "2\n")]
    assert diff.render(changes) == diff.render(reversed(changes))
    assert diff.render(changes).startswith(b"--- a/a.py\n")


CHANGES = {
    "one line": (BEFORE, AFTER),
    "added at the end": (BEFORE, BEFORE + "x = 1\n"),
    "added at the start": (BEFORE, "x = 1\n" + BEFORE),
    "an empty file": ("", AFTER),
    "a file that becomes empty": (BEFORE, ""),
    "no newline at the end": ("x = 1", "x = 2"),
    "a newline at the end is added": ("x = 1", "x = 1\n"),
    "the newline at the end is removed": ("x = 1\n", "x = 1"),
    "the last line without newline is context": ("x = 1\ny = 2", "x = 2\ny = 2"),
    "CRLF": (BEFORE.replace("\n", "\r\n"), AFTER.replace("\n", "\r\n")),
    "mixed newlines": ("a = 1\r\nb = 2\nc = 3\r\n", "a = 1\r\nb = 3\nc = 3\r\n"),
    "CR alone": ("a = 1\rb = 2\r", "a = 1\rb = 3\r"),
    "form feeds and separators": ("a = 1\x0c\nb = '\u2028'\nc = 1\x1c\n", "a = 1\x0c\nb = '\u2028'\nc = 2\x1c\n"),
    "many hunks": ("".join(f"x{i} = {i}\n" for i in range(500)), "".join(f"x{i} = {i // 97}\n" for i in range(500))),
}


@pytest.mark.parametrize(("before", "after"), CHANGES.values(), ids=CHANGES)
def test_git_makes_the_change_byte_for_byte(repository, before, after):
    assert_git_makes_the_change("train.py", before.encode(), after.encode(), FileChange("train.py", before, after))


@pytest.mark.parametrize("path", ["tf2_recovery.py", "new/folder/tf2_recovery.py", "with space/tf2 recovery.py"])
def test_git_makes_a_new_file(repository, path):
    assert_git_makes_the_change(path, None, AFTER.encode(), FileChange(path, None, AFTER))
    assert b"--- /dev/null\n" in diff.render([FileChange(path, None, AFTER)])


@each("path")(
    "my jobs/train model.py",
    "trailing space .py",
    "modèle/naïve.py",
    'quo"te.py',
    "back\\slash.py",
    "tab\tnew\nline.py",
    "\x01\x7f.py",
    "2024-01-01 00:00:00 +0000.py",
    os.fsdecode(b"latin-\xe9.py"),
    "a/b/a/b.py",
    "./train.py",
    "src/../train.py",
)
def test_git_finds_a_file_of_any_name(repository, path):
    (repository / "src").mkdir()
    assert_git_makes_the_change(path, BEFORE.encode(), AFTER.encode(), FileChange(path, BEFORE, AFTER))


def test_git_writes_the_same_name_as_we_do(repository):
    for path in ("my jobs.py", 'naïve"\t.py', "plain.py"):
        Path(path).write_text(BEFORE)
        subprocess.run(["git", "add", path], check=True)
        Path(path).write_text(AFTER)
        with_git = subprocess.run(["git", "diff", path], capture_output=True, check=True).stdout.splitlines()
        ours = diff.render([FileChange(path, BEFORE, AFTER)]).splitlines()
        assert ours[:2] == [line for line in with_git if line.startswith((b"---", b"+++"))]


@pytest.mark.parametrize("cookie", ["latin-1", "cp1252", "shift_jis", "utf-8"])
def test_a_file_stands_in_the_diff_in_its_own_encoding(repository, cookie):
    before = f"# -*- coding: {cookie} -*-\nname = '{'ナ' if cookie == 'shift_jis' else 'é'}'\n"
    after = before + "x = 1\n"
    change = in_encoding(cookie, before, after)
    assert_git_makes_the_change("train.py", before.encode(cookie), after.encode(cookie), change)


def test_a_byte_order_mark_is_kept(repository):
    before, after = "\ufeffx = 1\n", "\ufeffx = 2\n"
    assert_git_makes_the_change("train.py", before.encode(), after.encode(), in_encoding("utf-8", before, after))


def test_an_absolute_path_below_the_current_directory_becomes_relative(repository):
    path = str(repository / "train.py")
    assert b"+++ b/train.py\n" in diff.render([FileChange(path, BEFORE, AFTER)])
    assert_git_makes_the_change(path, BEFORE.encode(), AFTER.encode(), FileChange(path, BEFORE, AFTER))


def test_a_symlink_is_changed_where_it_leads(repository):
    (repository / "link.py").symlink_to("train.py")
    assert_git_makes_the_change("train.py", BEFORE.encode(), AFTER.encode(), FileChange("link.py", BEFORE, AFTER))
    assert (repository / "link.py").is_symlink()


def test_the_diff_is_applied_in_the_directory_where_it_was_made(repository, monkeypatch):
    (repository / "src").mkdir()
    monkeypatch.chdir(repository / "src")
    change = FileChange("train.py", BEFORE, AFTER)
    assert diff.base_directory([change]) == str(repository / "src")
    assert_git_makes_the_change("train.py", BEFORE.encode(), AFTER.encode(), change)


def test_a_diff_that_reaches_beside_the_current_directory_applies_at_the_root_of_the_repository(
    repository, monkeypatch
):
    put(repository, {"jobs/train.py": BEFORE, "src/train.py": BEFORE})
    monkeypatch.chdir(repository / "src")
    changes = [FileChange("../jobs/train.py", BEFORE, AFTER), FileChange("train.py", BEFORE, AFTER)]
    assert diff.base_directory(changes) == str(repository)
    git_apply(diff.render(changes), cwd=repository)
    assert (repository / "jobs" / "train.py").read_text() == AFTER
    assert (repository / "src" / "train.py").read_text() == AFTER


def test_a_diff_that_reaches_out_of_the_repository_applies_at_the_root_of_the_file_system(repository, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "train.py").write_text(BEFORE)
    change = FileChange(str(outside / "train.py"), BEFORE, AFTER)
    assert diff.base_directory([change]) == "/"
    git_apply(diff.render([change]), "--unsafe-paths", "--directory=/", cwd=Path("/"))
    assert (outside / "train.py").read_text() == AFTER


def test_on_a_terminal_a_runtime_folder_is_one_line_behind_the_users_own_files(repository):
    source = SourceText.decode("z.py", BEFORE.encode())
    changes = [
        FileChange("a/one.py", None, "def one():\n    pass\n"),
        FileChange("a/two.py", None, "TWO = 2\n"),
        FileChange("z.py", BEFORE, AFTER, source, needs=("a/one.py", "a/two.py")),
    ]
    short = diff.render_for_terminal(changes).decode()
    assert short.startswith("--- a/z.py\n")
    assert short.endswith("\n+++ a/: 2 runtime files, 3 lines, a pipe shows them\n")
    assert "def one" not in short
    assert b"+def one():" in diff.render(changes)


def test_the_readmes_first_diff_fits_on_a_few_screens():
    """Of 50 lines each, the paths read from the command as the README has it."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (paths,) = re.findall(r"^pip install \. && estimator-migrate (.+)$", readme, re.MULTILINE)
    outcome = run([str(ROOT / path) for path in paths.split()], Settings(), jobs=1, progress=None)
    shown = diff.render_for_terminal(outcome.changes).decode()
    assert "lines, a pipe shows them" in shown
    assert shown.count("\n") < 4 * 50
