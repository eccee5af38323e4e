"""The summary counts what was found and never promises more than ``--write`` does."""

from migrate.edits.file_change import FileChange
from migrate.findings.finding import Cause, Fidelity, Obstacle, Span
from migrate.pipeline.outcome import Outcome
from migrate.report import summary
from migrate.report.terminal import as_text
from tests.cases import each

CHANGED = FileChange("train.py", "1\n", "2\n")
ALSO_CHANGED = FileChange("eval.py", "1\n", "2\n")
CREATED = FileChange("tf2_recovery.py", None, "3\n")


def text(outcome, written=None):
    tables = summary.lines(outcome, {"FT152": "visible_checkpoints"})
    return as_text([*tables, summary.found_counts(outcome, written)])


def test_nothing_found_is_one_line():
    assert text(Outcome(files_read=10)) == "Read 10 files: no Estimator or recovery code found.\n"
    assert text(Outcome(files_read=1)) == "Read 1 file: no Estimator or recovery code found.\n"


def test_sites_are_counted_by_rule_and_what_is_left_by_reason(finding):
    noted = finding(code="FT142", fidelity=Fidelity.NOTED)
    left = finding(code="FT198").skipped_for("hooks are a parameter")
    outcome = Outcome(3, [finding(), finding(), noted, left, left, finding().skipped_for("the config is a parameter")])
    assert text(outcome) == (
        "By rule (explain CODE prints its page):\n"
        "  FT142                       1 noted\n"
        "  FT152  visible_checkpoints  2 exact, 1 skipped\n"
        "  FT198                       2 skipped\n"
        "Skipped, by reason:\n"
        "  2  FT198 hooks are a parameter\n"
        "  1  FT152 the config is a parameter\n"
        "Read 3 files: 6 call sites found, 3 to rewrite, 3 skipped.\n"
    )


def test_what_to_do_stands_once_below_the_reasons_that_ask_for_it(finding):
    needs = [finding(code="FT194").skipped_for(f"its program needs {name}", "Migrate them together.") for name in "ab"]
    outcome = Outcome(1, [*needs, finding(code="FT198").skipped_for("hooks are a parameter", "Take them out.")])
    assert (
        "  1  FT194 its program needs a\n"
        "  1  FT194 its program needs b\n"
        "     Migrate them together.\n"
        "  1  FT198 hooks are a parameter\n"
        "     Take them out.\n" in text(outcome)
    )


def test_many_reasons_are_cut_short_and_the_rest_counted(finding):
    outcome = Outcome(1, [finding().skipped_for(f"reason {number:02}") for number in range(13)])
    assert "reason 09\n" in text(outcome)
    assert "reason 10" not in text(outcome)
    assert "and 3 other reasons; --format text shows each site with its own\n" in text(outcome)


def test_sites_that_are_left_only_with_their_program_are_counted_together(finding):
    with_it = [
        finding().skipped_with(Cause(Obstacle.BLOCKED, "FT198", "train.py", Span(line, 0, line, 1)))
        for line in range(12)
    ]
    outcome = Outcome(1, [finding(code="FT198").skipped_for("hooks are a parameter"), *with_it])
    assert (
        "Skipped, by reason:\n   1  FT198 hooks are a parameter\n  12  only because another part of the same "
        "program is not rewritten\n" in text(outcome)
    )


@each("obstacle", "reason")(
    (Obstacle.UNSELECTED, "because FT151 is not selected, and their programs need it"),
    (Obstacle.IGNORED, "because a comment ignores FT151 in their programs"),
)
def test_what_the_user_kept_from_being_rewritten_is_said_to_be_that(finding, obstacle, reason):
    left = finding().skipped_with(Cause(obstacle, "FT151", "train.py", Span(7, 0, 7, 1)))
    assert f"Skipped, by reason:\n  1  {reason}\n" in text(Outcome(1, [left]))


def test_errors_are_no_sites(finding):
    error = finding(code="FT001", error=True, rewritten=False)
    assert text(Outcome(2, [error])) == "Read 2 files: no Estimator or recovery code found; 1 error.\n"
    assert text(Outcome(2, [error, finding()])).endswith(
        "Read 2 files: 1 call site found, 1 to rewrite, 0 skipped; 1 error.\n"
    )


def test_after_a_write_what_was_written_counts(finding):
    outcome = Outcome(2, [finding(), finding(path="eval.py")], [CHANGED, ALSO_CHANGED])
    both = text(outcome, ("train.py", "eval.py"))
    assert both.endswith("Read 2 files: 2 call sites found, 2 rewritten, 0 skipped.\n")
    one = text(outcome, ("train.py",))
    assert one.endswith("Read 2 files: 2 call sites found, 1 rewritten, 0 skipped, 1 not written.\n")


def test_what_write_would_do():
    def promise(*changes):
        return as_text([summary.unwritten_line(Outcome(1, [], list(changes)))])

    assert promise() == "--write would change nothing.\n"
    assert promise(CHANGED) == "--write would change 1 file.\n"
    assert promise(CHANGED, ALSO_CHANGED, CREATED) == "--write would change 2 files and create 1.\n"
    assert promise(CREATED) == "--write would create 1 file.\n"


def test_what_write_did():
    def done(*written):
        return as_text([summary.written_line([CHANGED, ALSO_CHANGED, CREATED], written)])

    assert as_text([summary.written_line([], ())]) == "Changed nothing.\n"
    assert done("train.py", "eval.py", "tf2_recovery.py") == "Changed 2 files and created 1.\n"
    assert done("train.py") == "Changed 1 file; 2 files could not be written.\n"
    assert done() == "Changed nothing; 3 files could not be written.\n"
