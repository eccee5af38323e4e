"""A report quotes a file as the run read it."""

from pathlib import Path

import pytest

from migrate.edits.file_change import FileChange
from migrate.files.text import SourceText
from migrate.report.source import line_reader


def test_a_file_that_was_written_since_is_quoted_as_it_was(tmp_path):
    path = str(tmp_path / "train.py")
    change = FileChange(path, "old\n", "new\n", SourceText.decode(path, b"old\n"))
    Path(path).write_text("new\n")
    assert line_reader([change])(path, None) == ["old", ""]


def test_a_file_without_a_change_is_read_in_its_encoding(tmp_path):
    (tmp_path / "t.py").write_bytes("# coding: latin-1\r\nname = 'é'\x0c\r\n".encode("latin-1"))
    assert line_reader([])(str(tmp_path / "t.py"), None) == ["# coding: latin-1", "name = 'é'\x0c", ""]


def test_a_file_that_is_no_text_is_quoted_as_far_as_it_goes(tmp_path):
    (tmp_path / "t.py").write_bytes(b"a\nb = '\xe9'\n")
    assert line_reader([])(str(tmp_path / "t.py"), None)[1] == "b = '\ufffd'"


@pytest.mark.parametrize("name", ["missing.py", "folder", "\0"])
def test_what_cannot_be_read_has_no_lines(tmp_path, name):
    (tmp_path / "folder").mkdir()
    assert line_reader([])(str(tmp_path / name), None) == []
