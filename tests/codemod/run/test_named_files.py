"""What a named file is told that a walked one is not."""

from migrate.pipeline.run import run
from migrate.settings import Settings


def test_an_error_in_a_named_file_is_told_even_if_the_file_could_hold_no_site(tmp_path):
    (tmp_path / "a.py").write_text("x = = 1\n")
    outcome = run([str(tmp_path / "a.py")], Settings(), jobs=1, progress=None)
    assert [finding.code for finding in outcome.findings] == ["FT003"]
    assert outcome.exit_code == 2


def test_a_walked_file_that_could_hold_no_site_is_not_parsed(tmp_path):
    (tmp_path / "a.py").write_text("x = = 1\n")
    outcome = run([str(tmp_path)], Settings(), jobs=1, progress=None)
    assert (outcome.files_read, outcome.findings) == (1, [])
