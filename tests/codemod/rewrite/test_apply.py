"""Only what the plan names changes, wherever it stands in the file."""

from tests.codemod.programs import migrate, program


def test_a_statement_that_shares_its_line_with_one_that_goes_stays_with_its_comments() -> None:
    shared = program().replace("    config = ", "    # why\n    size = 1; config = ")
    after, findings = migrate(shared)
    assert all(finding.rewritten for finding in findings)
    assert "\n    # why\n    size = 1\n" in after
    assert after.count("# why") == 1
    assert "config" not in after


def test_a_line_that_goes_whole_hands_its_comments_on() -> None:
    above = program().replace("    config = ", "    # why\n    config = ")
    after, _ = migrate(above)
    assert "    # why\n    recovery = CheckpointRecovery(" in after


def test_code_around_the_edits_may_count_its_lines_in_any_way() -> None:
    head = '#!/usr/bin/env python\n"""A\n\fB\n"""; import sys; import os\n\f\nX = """\n\n"""; Y = (1,\n)\n'
    plain, _ = migrate(program())
    after, _ = migrate(head + program() + "\n\n# The end\n")
    assert after == head + plain + "\n\n# The end\n"


def test_decorators_stay_with_the_comments_between_them() -> None:
    decorators = "@other(args=1)\n# why\n@another\n"
    after, _ = migrate(program().replace("def main(", f"{decorators}def main("))
    assert f"\n\n\n{decorators}def main(" in after
