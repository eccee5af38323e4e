"""The page of all rules is what the rules say today."""

import re

import pytest

from migrate.cli.explain import RULE_OF_WHOLE_PROGRAM, difference, program_diff, shown_example
from migrate.files.trouble import PAGES
from migrate.rules import RULES
from tests import rules_page

pytestmark = pytest.mark.usefixtures("rewritten_once")


def test_the_page_is_up_to_date():
    written = rules_page.PAGE.read_text(encoding="utf-8") if rules_page.PAGE.exists() else ""
    assert written == rules_page.text(), "docs/rules.md is not what the rules say: run `python -m tests.rules_page`"


def test_every_rule_and_every_trouble_has_a_section_that_the_table_leads_to():
    page = rules_page.text()
    for code in (*RULES, *PAGES):
        assert f'<a id="{code.lower()}"></a>{code}: ' in page
        assert f"| [{code}](#{code.lower()}) | " in page


def section(code):
    return rules_page.text().partition(f'<a id="{code.lower()}">')[2].partition("\n## ")[0]


def test_a_part_of_a_program_shows_its_line_and_what_comes_of_it_and_what_differs_behind():
    what, _, rest = section("FT152").partition("```diff\n")
    diff, _, differs = rest.partition("```\n")
    assert "Instead:" in what
    assert diff.splitlines() == [
        "-    config = RunConfig(save_checkpoints_steps=50)",
        "+    model = Estimator(",
        "+        model_fn=model_fn,",
        '+        checkpoints=ModelCheckpoints("/tmp/m", checkpoint_interval=50),',
        "+    )",
    ]
    assert differs.lstrip().startswith("Fidelity: exact.")


def test_what_is_skipped_stands_in_one_block():
    (block,) = re.findall(r"Skipped:\n\n```python\n(.*?)```", section("FT151"), re.DOTALL)
    assert "\nx = model._train_model(x, y)\n" in block


def test_code_that_a_section_has_already_is_not_shown_again():
    text = section("FT201")
    assert text.count("from tf2_recovery.keras.backup_and_restore import BackupAndRestore\n") == 1


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_what_is_shown_is_of_the_example_as_the_codemod_rewrites_it(rule):
    example, lines = shown_example(rule), difference(rule).splitlines()
    if example is None or example.after is None:
        assert not lines
        return
    every = program_diff(example)
    rest = iter(every)
    assert all(line in rest for line in lines if line != "…")
    if rule.code == RULE_OF_WHOLE_PROGRAM:
        assert lines == every
    after = "".join(line[1:] for line in lines if line[0] != "-")
    assert "".join(example.after.split()) in "".join(after.split())
