"""The files of a program are the old ones or the new ones, whatever happens, once the next run has looked."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from multiprocessing import get_context
from pathlib import Path

import pytest

from migrate.files import boundary, interrupts, journal, transaction, write
from migrate.files.boundary import Boundary
from migrate.files.journal import JOURNAL
from migrate.files.transaction import NewText, ProgramFiles, WriteOutcome, write_together
from migrate.files.walk import run_on_settled_files, walk
from migrate.findings.finding import Finding
from tests.cases import each

OLD = {"train.py": b"old = 1\n", "pkg/model.py": b"old = 2\r\n"}
NEW = {"train.py": b"new = 1\n", "pkg/model.py": b"new = 22\r\n", "pkg/tf2_recovery.py": b"helper = 3\n"}
PROGRAM = [ProgramFiles(("pkg/model.py", "train.py"), ("pkg/tf2_recovery.py",))]
FORK = get_context("fork")
SOURCES = tuple(str(module.__file__) for module in (transaction, journal, write, boundary))


def at_each_line(call, action, files):
    """Runs ``action``, and calls with its number before each line of the files that is to run."""
    number = 0

    def trace(frame, event, argument):
        nonlocal number
        if frame.f_code.co_filename not in files:
            return None
        if event == "line":
            number += 1
            call(number)
        return trace

    sys.settrace(trace)
    action()


def new_states(state, action, files):
    """The lines before which the disk is not as it was before the line above; a kill at another line leaves the same.

    Another process does the action.
    """
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        seen = [None]
        with os.fdopen(writing, "w") as pipe:

            def compare(number):
                now = state()
                if now != seen[-1]:
                    seen.append(now)
                    print(number, file=pipe)

            at_each_line(compare, action, files)
            sys.settrace(None)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        numbers = [int(line) for line in pipe]
    os.waitpid(process, 0)
    return numbers


def killed_before_line(count, action, files):
    """Whether another process that does the action died by SIGKILL before that line of the code that writes."""
    process = os.fork()
    if not process:
        try:
            at_each_line(lambda number: number == count and os.kill(os.getpid(), signal.SIGKILL), action, files)
        except BaseException:
            os._exit(1)
        os._exit(0)
    ending = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    assert ending in (0, -signal.SIGKILL)
    return ending != 0


def put(root):
    """The old files alone, and the current directory."""
    for path in sorted(root.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    for name, data in OLD.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    os.chdir(root)
    return root


def texts(new=NEW):
    return [NewText(name, data, OLD.get(name)) for name, data in new.items()]


def write_all(programs=PROGRAM, new=NEW):
    written = WriteOutcome()
    write_together(texts(new), programs, written, Boundary(["."]))
    return written


def state(root):
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.py")}


def left_over(root):
    return [str(path.relative_to(root)) for path in root.rglob(".migrate*")]


def settled(root):
    """The state of a tree in which nothing of a write is left over."""
    assert left_over(root) == []
    return state(root)


def look(root):
    """What the next run says about an interrupted write: the notes and the errors."""
    found, notes = run_on_settled_files(lambda: [*walk([str(root)], boundary=Boundary([str(root)]))])
    return notes, [one for one in found if isinstance(one, Finding)]


def on_disk(root):
    """All that stands below a directory; the names that chance gives to files are one."""
    found = [os.path.join(directory, name) for directory, _, names in os.walk(root) for name in names]
    texts = [(path, Path(path).read_bytes()) for path in found]
    return sorted((_CHANCE.sub("…", path), _CHANCE.sub("…", data.decode()).encode()) for path, data in texts)


_CHANCE = re.compile("[0-9a-f]{16}")


@pytest.fixture
def old(tmp_path):
    """A tree of the old files, the current directory."""
    return put(tmp_path)


@pytest.fixture
def unsynced(monkeypatch):
    """A kill leaves what is on its way to the disk, which takes most of the time."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def test_a_new_directory_may_come_before_all_that_are_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("training").mkdir()
    Path("training/job.py").write_bytes(b"old")
    new = [NewText("training/job.py", b"new", b"old"), NewText("recovery/state.py", b"made", None)]
    written = WriteOutcome()
    write_together(new, [ProgramFiles((new[0].path,), (new[1].path,))], written, Boundary(["."]))
    assert state(tmp_path) == {"training/job.py": b"new", "recovery/state.py": b"made"}
    assert not written.problems


@pytest.mark.slow
@pytest.mark.usefixtures("unsynced")
def test_a_kill_before_any_line_leaves_the_whole_program_old_or_new_when_the_next_run_has_looked(tmp_path):
    seen, torn = [], 0
    put(tmp_path)
    for line in new_states(lambda: on_disk(tmp_path), write_all, SOURCES):
        put(tmp_path)
        assert killed_before_line(line, write_all, SOURCES)
        before = state(tmp_path)
        torn += before not in (OLD, NEW)
        notes, errors = look(tmp_path)
        seen.append(state(tmp_path))
        assert errors == []
        assert left_over(tmp_path) == []
        assert bool(notes) >= (before != seen[-1])  # a change is always told
        assert look(tmp_path) == ([], [])
    assert seen == [OLD] * seen.count(OLD) + [NEW] * seen.count(NEW)
    assert torn > 3  # the kills struck between the files
    assert seen.count(OLD) > 10 < seen.count(NEW)
    put(tmp_path)
    write_all()
    assert settled(tmp_path) == NEW


@pytest.fixture
def torn(tmp_path):
    """A tree in which a write was killed between two files."""
    return tear(tmp_path)


def tear(root):
    put(root)
    process = os.fork()
    if not process:
        actions = iter([os.replace, lambda one, other: os.kill(os.getpid(), signal.SIGKILL)])
        os.replace = lambda one, other: next(actions)(one, other)
        write_all()
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL
    assert state(root) not in (OLD, NEW)
    return root


@pytest.mark.slow
@pytest.mark.usefixtures("unsynced")
def test_a_kill_before_any_line_of_the_run_that_looks_is_made_up_for_by_the_one_after_it(torn):
    lines = new_states(lambda: on_disk(torn), lambda: look(torn), SOURCES)
    for line in lines:
        tear(torn)
        assert killed_before_line(line, lambda: look(torn), SOURCES)
        look(torn)
        assert settled(torn) == NEW
    assert len(lines) > 5


@pytest.mark.parametrize("part", [".", "train.py"])
def test_a_run_on_any_part_of_the_tree_finds_it_and_says_what_it_did(torn, part):
    notes, errors = look(torn / part)
    assert notes == ["Completed a write that was interrupted: pkg/model.py, pkg/tf2_recovery.py, train.py."]
    assert errors == []
    assert settled(torn) == NEW


@pytest.mark.parametrize("part", ["pkg", "pkg/model.py"])
def test_a_run_on_a_part_that_does_not_hold_it_all_names_the_directory_to_give(torn, part):
    before = on_disk(torn)
    notes, [error] = look(torn / part)
    assert notes == []
    assert "reaches" in error.message
    assert f"write {torn}`" in error.help
    assert on_disk(torn) == before


@pytest.mark.parametrize("part", [".", "pkg", "pkg/model.py", "train.py"])
def test_a_run_that_writes_nothing_says_that_it_is_waiting(torn, part):
    before = on_disk(torn)
    [error] = [one for one in walk([str(torn / part)]) if isinstance(one, Finding)]
    assert error.message == "an interrupted write is waiting to be completed"
    assert "write .`" in error.help
    assert on_disk(torn) == before


def test_one_that_came_with_a_copy_of_the_tree_is_nobodys(torn):
    copy = Path(shutil.copytree(torn, torn.parent / "copy"))
    os.chdir(copy)
    before = on_disk(copy)
    for writing in (None, Boundary(["."])):
        found = [one for one in walk(["."], boundary=writing) if isinstance(one, Finding)]
        assert {one.message for one in found} == {"holds a file .migrate-journal that this release did not write here"}
        assert on_disk(copy) == before


def test_it_is_found_where_the_tree_was_moved_to(torn):
    moved = torn.rename(torn.parent / "moved")
    os.chdir(moved)
    look(moved)
    assert state(moved) == NEW


def test_what_somebody_changed_before_its_turn_takes_the_program_back(torn):
    assert (torn / "train.py").read_bytes() == OLD["train.py"]
    (torn / "train.py").write_bytes(b"mine\n")
    notes, errors = look(torn)
    assert notes == ["Undid a write that was interrupted: pkg/model.py, pkg/tf2_recovery.py, train.py."]
    assert errors == []
    assert settled(torn) == {**OLD, "train.py": b"mine\n"}


def test_what_somebody_changed_after_its_turn_stays_and_the_program_is_completed(torn):
    (torn / "pkg/model.py").write_bytes(b"new = 22, and mine\n")
    notes, errors = look(torn)
    assert notes[0].startswith("Completed")
    assert errors == []
    assert state(torn) == {**NEW, "pkg/model.py": b"new = 22, and mine\n"}


def test_a_program_changed_on_both_sides_is_named_as_an_error_until_somebody_has_put_it_right(torn):
    (torn / "pkg/model.py").write_bytes(b"new = 22, and mine\n")
    (torn / "train.py").write_bytes(b"mine\n")
    before = state(torn)
    for _ in range(2):
        notes, [error] = look(torn)
        assert notes == []
        assert error.error
        assert "is between old and new since an interrupted write" in error.message
        assert JOURNAL in error.help
    assert state(torn)["train.py"] == before["train.py"]
    for name, data in OLD.items():
        (torn / name).write_bytes(data)  # as git checkout does
    notes, errors = look(torn)
    assert errors == []
    assert notes[0].startswith("Undid")
    assert settled(torn) == OLD


def test_a_directory_that_is_gone_takes_the_rest_of_the_program_back(torn):
    subprocess.run(["rm", "-r", "pkg"], check=True)
    assert look(torn)[1] == []
    assert settled(torn) == {"train.py": OLD["train.py"]}


# What goes wrong without a kill


def test_a_renaming_that_fails_puts_the_program_back_and_another_program_is_written(old, monkeypatch):
    rename = os.replace

    def replace(one, other):
        if other.endswith("train.py") and "-new" in one:
            raise PermissionError(1, "Operation not permitted")
        rename(one, other)

    monkeypatch.setattr(os, "replace", replace)
    (old / "pkg/other.py").write_bytes(b"old = 4\n")
    new = [*texts(), NewText("pkg/other.py", b"new = 4\n", b"old = 4\n")]
    written = WriteOutcome()
    write_together(new, [*PROGRAM, ProgramFiles(("pkg/other.py",), ("pkg/tf2_recovery.py",))], written, Boundary(["."]))
    assert written.paths == {"pkg/other.py", "pkg/tf2_recovery.py"}
    assert {path: problem.code for path, problem in written.problems.items()} == dict.fromkeys(OLD, "FT005")
    assert settled(old) == {**OLD, "pkg/other.py": b"new = 4\n", "pkg/tf2_recovery.py": b"helper = 3\n"}


def test_a_disk_that_is_full_when_the_journal_is_to_say_what_becomes_of_what_changes_nothing(old, monkeypatch):

    def full(self, plan):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(journal.Journal, "commit", full)
    written = write_all()
    assert {finding.code for finding in written.problems.values()} == {"FT005"}
    assert written.problems.keys() == {"train.py", "pkg/model.py"}
    assert settled(old) == OLD


def test_a_module_that_no_program_has_come_to_need_is_not_there(old, monkeypatch):
    fsync = os.fsync

    def somebody_else_edits(descriptor):
        (old / "train.py").write_bytes(b"theirs\n")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", somebody_else_edits)
    written = write_all()
    assert written.paths == set()
    assert written.problems["train.py"].code == "FT004"
    assert "it needs train.py" in written.problems["pkg/model.py"].message
    assert settled(old) == {**OLD, "train.py": b"theirs\n"}


def test_a_new_folder_is_made_with_its_files_or_not_at_all(tmp_path, monkeypatch):
    new = {"train.py": NEW["train.py"], "tf2_recovery/__init__.py": b"x = 1\n", "tf2_recovery/log.py": b"x = 2\n"}
    programs = [ProgramFiles(("train.py",), ("tf2_recovery/__init__.py", "tf2_recovery/log.py"))]
    put(tmp_path)
    (tmp_path / "train.py").write_bytes(b"theirs\n")
    assert "train.py" in write_all(programs, new).problems
    assert not (tmp_path / "tf2_recovery").exists()
    put(tmp_path)
    assert write_all(programs, new).paths == new.keys()
    assert state(tmp_path) == {**OLD, **new}


def test_ctrl_c_while_the_new_texts_are_made_changes_nothing(old, monkeypatch):
    aside = transaction.write_temporary

    def interrupted(*arguments):
        aside(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(transaction, "write_temporary", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_all()
    assert settled(old) == OLD


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_among_the_renamings_is_answered_after_the_last(old, monkeypatch, number):
    rename = os.replace

    def replace(one, other):
        rename(one, other)
        signal.raise_signal(number)

    def answer(number, frame):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", replace)
    before = signal.signal(number, answer)
    written = WriteOutcome()
    try:
        with pytest.raises(KeyboardInterrupt):
            write_together(texts(), PROGRAM, written, Boundary(["."]))
    finally:
        signal.signal(number, before)
    assert written.paths == NEW.keys()
    assert settled(old) == NEW


def signalled_within(reached):
    with interrupts.defer_signals(signal.SIGINT):
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            reached.append(signal.SIGINT)


def test_a_signal_that_is_ignored_stays_so_and_one_that_is_held_comes_once():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts.defer_signals():
            os.kill(os.getpid(), signal.SIGINT)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        reached = []
        with pytest.raises(KeyboardInterrupt):
            signalled_within(reached)
        assert reached == [signal.SIGINT] * 2
    finally:
        signal.signal(signal.SIGINT, before)


# Others at work in the same tree


def test_a_run_waits_for_another_one_that_is_writing(old):
    process = _start_slow_write(old)
    assert look(old) == ([], [])
    assert state(old) == NEW
    process.join()
    assert process.exitcode == 0


def _start_slow_write(root):
    """Another process that has begun to write: its journal is locked once its first record stands in it."""
    process = FORK.Process(target=_write_slowly)
    process.start()
    while not ((root / JOURNAL).exists() and (root / JOURNAL).read_bytes()):
        time.sleep(0.001)
    return process


def _write_slowly():
    rename = os.replace

    def replace(one, other):
        time.sleep(0.2)
        rename(one, other)

    os.replace = replace
    assert write_all().problems == {}


def test_two_writes_of_the_same_files_give_one_of_them_and_an_error_for_the_other(old):
    process = _start_slow_write(old)
    other = dict.fromkeys(NEW, b"other\n")
    written = write_all(PROGRAM, other)
    process.join()
    assert process.exitcode == 0
    assert {finding.code for finding in written.problems.values()} <= {"FT004", "FT005"}
    assert written.problems.keys() >= {"train.py", "pkg/model.py"}
    assert state(old) == NEW


def test_a_run_does_not_wait_for_ever(old, monkeypatch):
    alive = journal.begin(Boundary(["."]), str(old))
    monkeypatch.setattr(journal, "_WAIT_SECONDS", 0.1)
    notes, [error] = look(old)
    assert (notes, error.message) == ([], "another run is writing in this directory")
    assert write_all().problems["train.py"].message == "another run is writing in this directory"
    alive.end()
    assert look(old) == ([], [])


def test_what_another_user_left_is_named_and_not_touched(public_directory, as_user):
    if os.geteuid() != 0:
        pytest.skip("only root can be two users")
    Path("a.py").write_bytes(b"")
    journal.begin(Boundary(["."]), os.getcwd()).close()
    with as_user():
        _, [error] = look(public_directory)
    assert "another user began it" in error.message
    assert Path(JOURNAL).exists()


# A journal that is none


PLAN = {"steps": {"0": ["../outside", "a.py", None, write.digest(b"evil\n")]}, "programs": [[[0], []]]}
OWN = {"version": 1, "id": "0123456789abcdef"}


def plant(directory, *records):
    """A journal as only who knew its inode beforehand could make it."""
    path = directory / JOURNAL
    path.touch()
    first = {**records[0], "inode": path.stat().st_ino}
    path.write_text("".join(json.dumps(record) + "\n" for record in (first, *records[1:])))


@pytest.mark.parametrize("declared", [[], [{"directory": "../outside", "made": False}]])
def test_a_journal_in_a_tree_changes_no_file_in_a_directory_that_does_not_say_so_itself(tree, declared):
    root = tree({"inside/b.py": "", "outside/a.py": "", ".migrate-0123456789abcdef-0-new.tmp": ""})
    (root / "outside/a.py").unlink()
    (root / "outside/.migrate-0123456789abcdef-0-new.tmp").write_bytes(b"evil\n")
    plant(root / "inside", OWN, *declared, PLAN)
    look(root / "inside")
    assert not (root / "outside/a.py").exists()
    assert (root / "outside/.migrate-0123456789abcdef-0-new.tmp").exists()


@each("text")(
    "",
    "{",
    "[]\n",
    "{}\n",
    json.dumps({**OWN, "version": 2}) + "\n",
    json.dumps({**OWN, "id": "../../x"}) + "\n",
    json.dumps({**OWN, "journal": 5}) + "\n",
    json.dumps(OWN) + "\n[]\n",
    json.dumps(OWN) + "\n{}\n",
    json.dumps(OWN) + '\n{"steps": [], "programs": []}\n',
    json.dumps(OWN) + '\n{"steps": {"0": [".", "../a.py", null, ""]}, "programs": []}\n',
    json.dumps(OWN) + '\n{"steps": {"0": [".", ".bashrc", null, ""]}, "programs": []}\n',
    json.dumps(OWN) + '\n{"steps": {"../x": [".", "a.py", null, ""]}, "programs": []}\n',
    "[" * 100_000 + "\n",
)
def test_a_journal_that_nobody_wrote_is_named_and_the_rest_of_the_tree_is_read(tree, text):
    root = tree({"a.py": "x = 1\n", JOURNAL: text})
    found, _ = run_on_settled_files(lambda: [*walk([str(root)], boundary=Boundary([str(root)]))])
    assert found[-1] == str(root / "a.py")
    assert len(found) == 2 or text == ""
    assert all(isinstance(one, str) or "did not write" in one.message for one in found)
    assert (root / "a.py").read_text() == "x = 1\n"


def test_a_link_a_pipe_or_a_directory_in_the_place_of_a_journal_is_named_and_nothing_waits(tree):
    root = tree({"pipe/a.py": "", "link/a.py": "", "folder/.migrate-journal/a.txt": "", "elsewhere": "{}"})
    os.mkfifo(root / "pipe" / JOURNAL)
    os.symlink(root / "elsewhere", root / "link" / JOURNAL)
    notes, errors = look(root)
    assert notes == []
    assert sorted(error.path for error in errors) == [str(root / name) for name in ("folder", "link", "pipe")]


def test_one_that_leads_nowhere_is_removed(tree):
    root = tree({"a.py": "x = 1\n"})
    plant(root, {**OWN, "journal": "../gone"})
    assert look(root)[1] == []
    assert os.listdir(root) == ["a.py"]


@pytest.mark.parametrize("place", ["/tmp", "..", "../outside", "link", "link/deeper", "inside/../.."])
def test_a_journal_that_claims_a_place_elsewhere_makes_and_removes_nothing_there(tree, place):
    root = tree({"tree/a.py": "x = 1\n", "outside/deeper/b.py": "", "outside/empty/c": ""})
    (root / "outside/empty/c").unlink()
    (root / "tree/link").symlink_to("../outside")
    for part in (place, f"{place}/empty"):
        planned = {**PLAN, "steps": {"0": [part, "a.py", None, "0"]}}
        plant(root / "tree", OWN, {"directory": part, "made": True}, planned)
        before = on_disk(root)
        assert look(root / "tree")[1] != []
        assert on_disk(root) == before
        assert (root / "outside/empty").is_dir()
