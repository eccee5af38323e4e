"""The documentation of all rules; ``python -m tests.rules_page`` writes it into ``docs/rules.md``."""

from functools import cache
from itertools import dropwhile, groupby
from pathlib import Path

from migrate.cli.explain import difference, example_diff, shown_example
from migrate.report.pages import pages
from migrate.rules import RULES
from migrate.rules.example import program

PAGE = Path(__file__).parent.parent / "docs" / "rules.md"
_MARK = "@@"
_SHORT = {"diff": 2, "python": 1}
"""So many lines of an example need no empty line around them."""
_REPEATED = 3
"""So many lines on end may stand in a section again."""


@cache
def text():
    """The whole page."""
    return "\n".join(_lines())


def _lines():
    yield "# The rules"
    yield ""
    yield "Each rule, with an example. `estimator-migrate explain CODE` prints the same."
    yield "`exact`: a test shows that training resumes as before."
    yield "`noted`: rewritten, and the page says what differs."
    yield "`manual`: skipped, and the page says why."
    yield "Most examples are a part of a program, which stands whole, before and after, at [FT151](#ft151)."
    yield "`…` stands for lines that the section has already."
    yield ""
    yield "| code | at best | what it is about |"
    yield "|---|---|---|"
    for page in pages().values():
        title = page.title.replace("|", "\\|")
        fidelity = page.fidelity.value if page.code in RULES else "error"
        yield f"| [{page.code}](#{page.code.lower()}) | {fidelity} | {title} |"
    for page in pages().values():
        yield from _section(page)


def _section(page):
    yield ""
    yield f'## <a id="{page.code.lower()}"></a>{page.code}: {page.title}'
    _, _, rest = page.text.partition("\n")
    rule = RULES.get(page.code)
    what, fidelity, differs = rest.replace("``", "`").partition("\nFidelity:")
    if what:
        yield what.rstrip("\n")
    if rule is None:
        return
    shown = shown_example(rule)
    seen = set[str]()
    if shown is not None:
        lines = difference(rule).splitlines()
        seen.update(map(_bare, lines))
        yield from ("", "```diff", *lines, "```")
    yield f"{fidelity}{differs}"
    others = [example for example in rule.examples if example is not shown]
    yield from _block("Further examples:", "diff", [one for one in others if one.after is not None], example_diff, seen)
    yield from _block("Skipped:", "python", [one for one in others if one.after is None], _before, seen)


def _block(title, language, examples, lines_of, seen):
    """Examples in one block; what is longer than a line, or a pair of an old and a new one, has empty lines around."""
    if not examples:
        return
    yield from ("", title, "", f"```{language}")
    longer = False
    for number, example in enumerate(examples):
        own = lines_of(example)
        if not own:
            continue
        lines = [*_options(example), *(_unseen(own, seen, language) if example.slot == "module" else own)]
        is_longer = len(lines) > _SHORT[language]
        yield from [""] if number and (longer or is_longer) else []
        yield from lines
        longer = is_longer
    yield "```"


def _unseen(lines, seen, language):
    """Some lines of code or of a diff, with an ellipsis for several on end that the section has already."""
    shown = []
    if language == "python":  # imports that the section has are none of an example's own
        lines = [*dropwhile(lambda line: not line or (line in seen and "import " in line), lines)]
    for known, group in groupby(lines, lambda line: _bare(line) in seen and not line.startswith("-")):
        run = [*group]
        short = f"{run[0][:1]}…" if language == "diff" else "# …"
        shown += [short] if known and len(run) > _REPEATED else run
    seen.update(map(_bare, lines))
    return shown


def _bare(line):
    return line.lstrip("+ ").rstrip()


def _options(example):
    """The options that an example is rewritten with, as a comment."""
    chosen = [f"--recovery {example.recovery}"] if example.recovery != "auto" else []
    chosen += [f"--target {example.target}"] if example.target != "portable" else []
    return [f"# with {' '.join(chosen)}"] if chosen else []


def _before(example):
    """What the example puts into its program, with the line around it."""
    lines = program(example.kind, **{example.slot: _MARK}).splitlines()
    line = next((line.strip() for line in lines if _MARK in line), _MARK)
    return line.replace(_MARK, example.before.rstrip()).splitlines()


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(text(), encoding="utf-8")
