import os
import resource
import stat
from pathlib import Path

import pytest

from migrate.files.boundary import Boundary
from migrate.files.transaction import NewText, ProgramFiles, WriteOutcome, write_together
from migrate.findings.finding import Finding
from tests.cases import each

OLD, NEW = b"old = 1\r\n", b"new = 2\r\n"


def attributes(path):
    """Mode, owner, group and extended attributes."""
    status = path.stat()
    extended = {name: os.getxattr(path, name) for name in os.listxattr(path)}
    return status.st_mode, status.st_uid, status.st_gid, extended


class RefusedError(Exception):
    """A write that came to nothing."""


def replace_file(path, data, expected):
    """Writes one file as the tool does."""
    written = WriteOutcome()
    write_together(
        [NewText(path, data, expected)], [ProgramFiles((path,))], written, Boundary([os.path.dirname(path) or "."])
    )
    if written.problems:
        raise RefusedError(written.problems[path])


def refusal(code, write):
    """The finding of a refused write, which always says what to do."""
    with pytest.raises(RefusedError) as raised:
        write()
    (finding,) = raised.value.args
    assert isinstance(finding, Finding)
    assert finding.code == code
    assert finding.error
    assert not finding.message.endswith(".")
    assert finding.help.endswith(".")
    return finding


# An old file


def test_a_file_is_replaced_byte_for_byte(tree):
    path = tree({}) / "a.py"
    data = bytes(range(256)) * 1000
    path.write_bytes(OLD)
    replace_file("a.py", data, OLD)
    assert path.read_bytes() == data
    replace_file(str(path), b"", data)
    assert path.read_bytes() == b""
    replace_file("../" + path.parent.name + "/a.py", NEW, b"")
    assert path.read_bytes() == NEW


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o755, 0o444, 0o4751, 0o2664])
def test_the_mode_is_kept(tree, mode):
    path = tree({"a.py": ""}) / "a.py"
    path.chmod(mode)
    replace_file("a.py", NEW, b"")
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_owner_group_and_extended_attributes_are_kept(tree):
    path = tree({"a.py": ""}) / "a.py"
    if os.geteuid() == 0:
        os.chown(path, 1234, 5678)
    os.setxattr(path, "user.origin", b"colab")
    before = attributes(path)
    replace_file("a.py", NEW, b"")
    assert attributes(path) == before


def test_an_owner_that_cannot_be_kept_stops_nothing(public_directory, as_user):
    Path("a.py").write_bytes(OLD)
    Path("a.py").chmod(0o644)
    with as_user():
        replace_file("a.py", NEW, OLD)
        assert Path("a.py").stat().st_uid == os.geteuid()
    assert Path("a.py").read_bytes() == NEW
    assert stat.S_IMODE(Path("a.py").stat().st_mode) == 0o644


def test_a_link_stays_and_its_target_is_replaced(tree):
    root = tree({"real/a.py": "", "links/x": ""})
    os.symlink("../real/a.py", "links/near.py")
    os.symlink(root / "links/near.py", "far.py")
    replace_file("far.py", NEW, b"")
    assert os.readlink("far.py") == str(root / "links/near.py")
    assert os.readlink("links/near.py") == "../real/a.py"
    assert Path("real/a.py").read_bytes() == NEW
    assert sorted(os.listdir("links")) == ["near.py", "x"]


@pytest.mark.parametrize("expected", [OLD, None])
def test_the_bytes_are_on_disk_before_they_get_the_name_and_the_name_before_the_end(tree, monkeypatch, expected):
    root = tree({} if expected is None else {"a.py": ""})
    if expected is not None:
        (root / "a.py").write_bytes(expected)
    fsync = os.fsync
    synced = []

    def spy(descriptor):
        status = os.fstat(descriptor)
        what = "directory" if stat.S_ISDIR(status.st_mode) else status.st_size
        synced.append((what, (root / "a.py").read_bytes() if (root / "a.py").exists() else None))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", spy)
    replace_file("a.py", NEW, expected)
    assert ("directory", NEW) in synced[synced.index((len(NEW), expected)) :]


# A file that is no longer what was read


@pytest.mark.parametrize("now", [b"", OLD[:-1], OLD + b"x", OLD.replace(b"1", b"2"), OLD.replace(b"\r", b"")])
def test_a_changed_file_is_not_overwritten(tree, now):
    path = tree({}) / "a.py"
    path.write_bytes(now)
    finding = refusal("FT004", lambda: replace_file("a.py", NEW, OLD))
    assert finding.path == "a.py"
    assert finding.message == "has changed since it was read, and is not overwritten"
    assert path.read_bytes() == now
    assert os.listdir(path.parent) == ["a.py"]


def test_a_vanished_file_is_not_made_again(tree):
    root = tree({})
    assert refusal("FT004", lambda: replace_file("a.py", NEW, OLD)).message == "is gone since it was read"
    os.symlink("lost.py", "a.py")
    assert refusal("FT004", lambda: replace_file("a.py", NEW, OLD)).message == "is gone since it was read"
    assert os.listdir(root) == ["a.py"]


def test_what_has_become_a_directory_or_a_pipe_is_not_replaced(tree):
    root = tree({"a.py/b.py": ""})
    assert refusal("FT004", lambda: replace_file("a.py", NEW, b"")).message == "is no longer a regular file"
    os.mkfifo("pipe.py")
    assert refusal("FT004", lambda: replace_file("pipe.py", NEW, b"")).message == "is no longer a regular file"
    assert sorted(os.listdir(root)) == ["a.py", "pipe.py"]


# A new file


def test_a_new_file_gets_the_mode_of_the_users_umask(tree):
    path = tree({}) / "a.py"
    umask = os.umask(0o027)
    try:
        replace_file("a.py", NEW, None)
    finally:
        os.umask(umask)
    assert path.read_bytes() == NEW
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert path.stat().st_nlink == 1


def test_a_new_file_replaces_nothing(tree):
    root = tree({"a.py": "mine", "d/b.py": ""})
    os.symlink("lost.py", "dangling.py")
    for taken in ("a.py", "d", "dangling.py"):
        finding = refusal("FT004", lambda: replace_file(taken, NEW, None))  # noqa: B023
        assert finding.message == "exists already, and is not overwritten"
    assert (root / "a.py").read_text() == "mine"
    assert sorted(os.listdir(root)) == ["a.py", "d", "dangling.py"]


@each("before", "expected", "message")(
    ({}, None, "exists already, and is not overwritten"),
    ({"a.py": "old"}, b"old", "has changed since it was read, and is not overwritten"),
)
def test_what_somebody_else_writes_meanwhile_is_not_overwritten(tree, monkeypatch, before, expected, message):
    root = tree(before)
    fsync = os.fsync

    def somebody_else_edits(descriptor):
        fsync(descriptor)
        (root / "a.py").write_text("theirs")

    monkeypatch.setattr(os, "fsync", somebody_else_edits)
    assert refusal("FT004", lambda: replace_file("a.py", NEW, expected)).message == message
    assert (root / "a.py").read_text() == "theirs"
    assert os.listdir(root) == ["a.py"]


# A file system that refuses


def test_a_directory_without_write_permission(public_directory, as_user):
    Path("shut").mkdir()
    Path("shut/a.py").write_bytes(OLD)
    Path("shut/a.py").chmod(0o666)
    Path("shut").chmod(0o555)
    with as_user():
        finding = refusal("FT005", lambda: replace_file("shut/a.py", NEW, OLD))
        new = refusal("FT005", lambda: replace_file("shut/b.py", NEW, None))
    assert finding.path == "shut/a.py"
    assert finding.message == "cannot be written: permission denied"
    assert finding.help == "The file is as it was: make room or give permission, then run migrate again."
    assert new.help == "No file was made: make room or give permission, then run migrate again."
    assert Path("shut/a.py").read_bytes() == OLD
    assert os.listdir("shut") == ["a.py"]


@pytest.mark.parametrize("size", [0, 1, 8192, 99_999])
def test_a_write_that_stops_half_way_leaves_the_old_file(tree, size):
    root = tree({"a.py": "x" * 200_000})
    old = (root / "a.py").read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        finding = refusal("FT005", lambda: replace_file("a.py", b"y" * 100_000, old))
        refusal("FT005", lambda: replace_file("b.py", b"y" * 100_000, None))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert finding.message == "cannot be written: file too large"
    assert (root / "a.py").read_bytes() == old
    assert os.listdir(root) == ["a.py"]


def test_an_interrupt_leaves_the_old_file_and_nothing_else(tree, monkeypatch):
    root = tree({"a.py": "old"})

    def interrupt(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        replace_file("a.py", NEW, b"old")
    assert (root / "a.py").read_text() == "old"
    assert os.listdir(root) == ["a.py"]
