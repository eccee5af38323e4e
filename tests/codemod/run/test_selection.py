"""What the user says to leave is left, whole."""

import pytest

from migrate.findings.finding import Obstacle
from tests.cases import cases, each
from tests.codemod.bodies import body
from tests.codemod.programs import migrate

LINES = [
    "def f():",
    "    config = tf1.estimator.RunConfig(",
    "        keep_checkpoint_max=3,",
    "        save_checkpoints_steps=5,",
    "    )",
    "    est = DNN(",
    "        config=config,",
    "    )",
    "    est.train(data, max_steps=3)",
]


def migrated(lines, newline="\n", **settings):
    text = body("\n".join(lines) + "\n").replace("\n", newline)
    output, findings = migrate(text, **settings)
    return output != text, findings


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\f\n"])
@pytest.mark.parametrize("line", range(1, len(LINES) - 1))
def test_a_comment_on_any_line_of_a_site_leaves_its_program(line, newline):
    lines = [*LINES[:line], f"{LINES[line]}  # migrate: ignore", *LINES[line + 1 :]]
    is_rewritten, findings = migrated(lines, newline)
    assert not is_rewritten
    assert not any(finding.span.line <= line + 9 <= finding.span.end_line for finding in findings)
    assert all("a comment ignores" in finding.message for finding in findings)


test_a_comment_may_name_the_rules_that_it_means = cases(
    lambda comment: migrated([*LINES[:2], f"{LINES[2]}  {comment}", *LINES[3:]])[0]
)(
    ("# migrate: ignore[FT152]", False),
    ("# why # migrate:ignore[FT151, FT152]", False),
    ("# migrate: ignore[FT1]", False),
    ("# migrate: ignore [ft152]", False),
    ("# migrate: ignore[visible_checkpoints]", False),
    ("# migrate: ignore[saving_session]", True),
    ("# migrate: ignore[FT151]", True),
    ("# migrate: ignored", False),
    ("# do not migrate", True),
)


@each("settings")({"ignore": ("FT152",)}, {"select": ("FT151",)}, {"ignore": ("FT151",)}, {"select": ("FT2",)})
def test_a_program_that_needs_a_rule_that_is_not_selected_is_left(settings):
    is_rewritten, findings = migrated(LINES, **settings)
    assert not is_rewritten
    assert all(finding.code.startswith(settings.get("select", "FT")) for finding in findings)


@pytest.mark.parametrize("code", ["FT151", "FT152"])
def test_the_sites_of_a_selected_rule_are_reported_whatever_becomes_of_them(code):
    _, findings = migrated(LINES, select=(code,))
    assert {finding.code for finding in findings} == {code}
    assert {finding.cause.obstacle for finding in findings if finding.cause} == {Obstacle.UNSELECTED}
    assert all("is not selected, and its program needs it" in finding.message for finding in findings)


def test_an_ignored_code_that_no_rule_has_is_told_with_the_nearest_one():
    lines = [*LINES[:2], f"{LINES[2]}  # migrate: ignore[FT1S2, FT151]", *LINES[3:]]
    _, findings = migrated(lines)
    [unknown] = [finding for finding in findings if finding.code == "FT008"]
    assert unknown.error
    assert unknown.message.startswith("`migrate: ignore[FT1S2]` ignores nothing: unknown rule 'FT1S2'")
    assert "FT152" in unknown.message
    assert LINES[2] in body("\n".join(LINES) + "\n").splitlines()[unknown.span.line - 1]
