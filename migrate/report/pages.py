"""The page of every code, as the reports quote it: the rules' own, and those for trouble with a file."""

from typing import NamedTuple

from migrate.findings.finding import Fidelity


class Page(NamedTuple):
    """The page of one code.

    Attributes:
      name: the rule's name in one word; empty for trouble with a file.
      title: what it is about, in one line.
      fidelity: the closest that a rewrite can be.
    """

    code: str
    name: str
    title: str
    fidelity: Fidelity
    text: str

    @property
    def summary(self) -> str:
        """What the page says first, as one paragraph; its title where there is no more."""
        paragraph = self.text.partition("\n\n")[2].partition("\n\n")[0]
        return " ".join(paragraph.replace("``", "").split()) or self.title


def pages() -> dict[str, Page]:
    """All pages by code, in the order of the codes."""
    from migrate.files.trouble import PAGES
    from migrate.rules import RULES

    found = {code: Page(code, "", text, Fidelity.MANUAL, f"{code} · {text}") for code, text in PAGES.items()}
    found.update((code, Page(code, rule.name, rule.title, rule.fidelity, rule.page)) for code, rule in RULES.items())
    return dict(sorted(found.items()))
