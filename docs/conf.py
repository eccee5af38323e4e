"""The documentation as a site, which ``tox -e docs`` builds and checks."""

import re
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent

html_show_copyright = False
project = "estimator-migrate"
extensions = ["myst_parser"]
exclude_patterns = ["_build", "rules.md"]
QUESTION = re.compile(r"^### (.*)\n((?:(?!##).*\n)*)", flags=re.M)
html_theme = "furo"
html_search_scorer = str(HERE / "search_scorer.js")
pygments_style = "default"
pygments_dark_style = "monokai"
myst_heading_anchors = 3
smartquotes = False  # a message is searched for as it was printed


def write_rules(app: Sphinx) -> None:
    """Cuts ``rules.md`` into a page for each rule, so that a search leads to the rule itself."""
    head, *rest = re.split(r'^## <a id="(ft\d+)"></a>', (HERE / "rules.md").read_text(encoding="utf-8"), flags=re.M)
    pages = HERE / "rule"
    pages.mkdir(exist_ok=True)
    sections = dict(zip(rest[::2], rest[1::2], strict=True))
    for old in pages.glob("*.md"):
        if old.stem not in (*sections, "index"):
            old.unlink()
    for name, section in sections.items():
        text = re.sub(r"\]\(#(ft\d+)\)", r"](\1.md)", section)
        _write(pages / f"{name}.md", f"# {text}")
    listed = re.sub(r"\]\(#(ft\d+)\)", r"](\1.md)", head)
    tree = "\n".join(["```{toctree}", ":hidden:", "", *sections, "```", ""])
    _write(pages / "index.md", f"{listed}\n{tree}")


def write_questions(app: Sphinx) -> None:
    """Cuts the errors of ``faq.md`` into a page for each, so that a search for a message leads to its answer."""
    pages = HERE / "question"
    pages.mkdir(exist_ok=True)
    found = {_slug(one[1]): one for one in QUESTION.finditer((HERE / "faq.md").read_text(encoding="utf-8"))}
    for old in pages.glob("*.md"):
        if old.stem not in found:
            old.unlink()
    for name, one in found.items():
        text = re.sub(r"\]\(rules\.md#(ft\d+)\)", r"](../rule/\1.md)", one[2])
        text = re.sub(r"\]\((?=\w+\.md)", "](../", text)
        _write(pages / f"{name}.md", f"# {one[1]}\n{text}")


def list_questions(app: Sphinx, name: str, source: list[str]) -> None:
    """Puts a link to its page in the place of each of the questions that have one."""
    if name == "faq":
        slugs = [f"question/{_slug(one[1])}" for one in QUESTION.finditer(source[0])]
        text = QUESTION.sub(lambda one: f"- [{one[1]}](question/{_slug(one[1])}.md)\n", source[0])
        source[0] = "\n".join([text, "```{toctree}", ":hidden:", "", *slugs, "```", ""])


def _slug(heading: str) -> str:
    return re.sub(r"\W+", "-", heading.lower()).strip("-")


def link_to_rules(app: Sphinx, name: str, source: list[str]) -> None:
    """Leads the links that a reader of the repository follows into ``rules.md`` to the rule's own page."""
    source[0] = re.sub(r"\]\(rules\.md#(ft\d+)\)", r"](rule/\1.md)", source[0]).replace("](rules.md)", "](rule/index.md)")


def _write(path: Path, text: str) -> None:
    """Writes a file that has changed; what has not is not built again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", write_rules)
    app.connect("builder-inited", write_questions)
    app.connect("source-read", list_questions)
    app.connect("source-read", link_to_rules)
