"""The page of all rules is what the rules say today."""

from migrate.files.trouble import PAGES
from migrate.rules import RULES
from tests import rules_page


def test_the_page_is_up_to_date() -> None:
    written = rules_page.PAGE.read_text(encoding="utf-8") if rules_page.PAGE.exists() else ""
    assert written == rules_page.text(), "docs/rules.md is not what the rules say: run `python -m tests.rules_page`"


def test_every_rule_and_every_trouble_has_a_section_that_the_table_leads_to() -> None:
    page = rules_page.text()
    for code in (*RULES, *PAGES):
        assert f'<a id="{code.lower()}"></a>{code}\n' in page
        assert f"| [{code}](#{code.lower()}) | " in page


def test_a_rule_shows_what_was_and_what_becomes_of_it() -> None:
    section = rules_page.text().partition('<a id="ft104">')[2].partition("\n## ")[0]
    assert "```python\nconfig = RunConfig(keep_checkpoint_max=3)\n```" in section
    assert "```python\nmax_to_keep=3,\n```" in section
