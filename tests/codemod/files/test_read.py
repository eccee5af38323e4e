import os
from pathlib import Path

import pytest

from migrate.files.read import read
from migrate.files.trouble import Unreadable


def refusal(path):
    with pytest.raises(Unreadable) as raised:
        read(path)
    finding = raised.value.finding
    assert (finding.code, finding.path, finding.error) == ("FT001", path, True)
    assert str(raised.value) == f"{path}:1:1: {finding.message}"
    return finding.message


def test_a_file_is_read_byte_for_byte(tmp_path):
    data = bytes(range(256)) + b"\r\n"
    (tmp_path / "a.py").write_bytes(data)
    assert read(str(tmp_path / "a.py")) == data


def test_a_linked_file_is_read(tree):
    tree({"real.py": "x = 1\n"})
    os.symlink("real.py", "a.py")
    assert read("a.py") == b"x = 1\n"


def test_what_is_no_file_is_refused_and_no_writer_of_a_pipe_is_waited_for(tree):
    tree({"folder.py/b.py": ""})
    os.mkfifo("pipe.py")
    assert refusal("gone.py") == "cannot be read: no such file or directory"
    assert refusal("folder.py") == "is a directory, not a file"
    assert refusal("pipe.py") == "is a named pipe, not a file"


def test_a_file_without_permission_is_refused(public_directory, as_user):
    Path("a.py").touch(mode=0o000)
    with as_user():
        assert refusal("a.py") == "cannot be read: permission denied"
