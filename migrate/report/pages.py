"""The documentation pages of all codes, which reports quote: those of rules, and those of errors with a file."""

from typing import NamedTuple

from migrate.findings.finding import Fidelity


class Page(NamedTuple):
    """The documentation page of one code.

    Attributes:
      name: the rule's name in one word; "" for an error with a file.
      title: the subject in one line.
      fidelity: the closest that a rewrite can be.
    """

    code: str
    name: str
    title: str
    fidelity: Fidelity
    text: str

    @property
    def summary(self) -> str:
        """The first paragraph of the page; its title if there is no paragraph."""
        paragraph = self.text.partition("\n\n")[2].partition("\n\n")[0]
        return " ".join(paragraph.replace("``", "").split()) or self.title


def pages() -> dict[str, Page]:
    """Maps each code to its page, sorted by code."""
    from migrate.files.trouble import PAGES
    from migrate.rules import RULES

    found = {code: Page(code, "", text, Fidelity.MANUAL, f"{code} · {text}") for code, text in PAGES.items()}
    found.update((code, Page(code, rule.name, rule.title, rule.fidelity, rule.page)) for code, rule in RULES.items())
    return dict(sorted(found.items()))
