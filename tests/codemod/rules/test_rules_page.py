"""The page of all rules is what the rules say today."""

import pytest

from migrate.explain import difference, shown_example
from migrate.files.trouble import PAGES
from migrate.rules import RULES, Rule
from tests import rules_page


def test_the_page_is_up_to_date() -> None:
    written = rules_page.PAGE.read_text(encoding="utf-8") if rules_page.PAGE.exists() else ""
    assert written == rules_page.text(), "docs/rules.md is not what the rules say: run `python -m tests.rules_page`"


def test_every_rule_and_every_trouble_has_a_section_that_the_table_leads_to() -> None:
    page = rules_page.text()
    for code in (*RULES, *PAGES):
        assert f'<a id="{code.lower()}"></a>{code}\n' in page
        assert f"| [{code}](#{code.lower()}) | " in page


def test_a_rule_shows_a_whole_program_before_and_after_and_what_differs_behind_it() -> None:
    section = rules_page.text().partition('<a id="ft104">')[2].partition("\n## ")[0]
    what, _, rest = section.partition("```diff\n")
    diff, _, differs = rest.partition("```\n")
    assert "Instead:" in what
    assert "-    config = RunConfig(keep_checkpoint_max=3)\n" in diff
    assert "+            max_to_keep=3,\n" in diff
    assert differs.lstrip().startswith("Fidelity: exact.")
    assert "```python\nconfig = RunConfig(keep_checkpoint_max=0)\n```" in differs


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_what_is_shown_is_the_example_as_the_codemod_rewrites_it(rule: Rule) -> None:
    example, lines = shown_example(rule), difference(rule).splitlines()
    if example is None or example.after is None:
        assert not lines
        return
    assert [line[1:] for line in lines if line[0] != "+"] == example.source.splitlines()
    after = "".join(line[1:] for line in lines if line[0] != "-")
    assert "".join(example.after.split()) in "".join(after.split())
