"""The documentation of all rules; ``python -m tests.rules_page`` writes it into ``docs/rules.md``."""

from collections.abc import Iterator
from pathlib import Path

from migrate.explain import difference, shown_example
from migrate.report.pages import Page, pages
from migrate.rules import RULES
from migrate.rules.example import Example, program

PAGE = Path(__file__).parent.parent / "docs" / "rules.md"
_MARK = "@@"


def text() -> str:
    """The whole page."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "# The rules"
    yield ""
    yield "Each rule, with an example. `estimator-migrate explain CODE` prints the same."
    yield "`exact`: a test shows that training resumes as before."
    yield "`noted`: rewritten, and the page says what differs."
    yield "`manual`: skipped, and the page says why."
    yield ""
    yield "| code | at best | what it is about |"
    yield "|---|---|---|"
    for page in pages().values():
        title = page.title.replace("|", "\\|")
        fidelity = page.fidelity.value if page.code in RULES else "error"
        yield f"| [{page.code}](#{page.code.lower()}) | {fidelity} | {title} |"
    for page in pages().values():
        yield from _section(page)


def _section(page: Page) -> Iterator[str]:
    yield ""
    yield f'## <a id="{page.code.lower()}"></a>{page.code}'
    yield ""
    title, _, rest = page.text.partition("\n")
    yield f"**{title.partition('·')[2].strip()}**"
    rule = RULES.get(page.code)
    what, fidelity, differs = rest.replace("``", "`").partition("\nFidelity:")
    if what:
        yield what
    if rule is not None:
        shown = shown_example(rule)
        yield f"\n```diff\n{difference(rule)}```\n{fidelity}{differs}" if shown else f"{fidelity}{differs}"
        for example in rule.examples:
            if example is not shown:
                yield from _example(example)


def _example(example: Example) -> Iterator[str]:
    recovery = "" if example.recovery == "auto" else f", with `--recovery {example.recovery}`"
    yield ""
    yield f"Before{recovery}:" if example.after is not None else f"Skipped{recovery}:"
    yield ""
    yield from ("```python", _before(example), "```")
    if example.after is not None:
        yield from ("", "In the output:", "", "```python", example.after, "```")


def _before(example: Example) -> str:
    """What the example puts into its program, with the line around it."""
    lines = program(example.kind, **{example.slot: _MARK}).splitlines()
    line = next((line.strip() for line in lines if _MARK in line), _MARK)
    return line.replace(_MARK, example.before)


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(text(), encoding="utf-8")
