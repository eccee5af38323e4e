"""What a named file is told that a walked one is not."""

from tests.codemod.trees import outcome_of, put


def test_an_error_in_a_named_file_is_told_even_if_the_file_could_hold_no_site(tmp_path):
    (tmp_path / "a.py").write_text("x = = 1\n")
    outcome = outcome_of(tmp_path / "a.py")
    assert [finding.code for finding in outcome.findings] == ["FT003"]
    assert outcome.exit_code == 2


def test_a_walked_file_that_could_hold_no_site_is_not_parsed(tmp_path):
    outcome = outcome_of(put(tmp_path, {"a.py": "x = = 1\n"}))
    assert (outcome.files_read, outcome.findings) == (1, [])
