"""The links of the documentation lead somewhere, and so do the names of docstrings."""

import ast
import builtins
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").glob("*.md"))]
_RAISED = re.compile(r"\b[Rr]aises:?\s+([A-Z]\w+)")
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_to_a_heading_or_an_anchor_in_it(page):
    for target, anchor in _LINK.findall(page.read_text(encoding="utf-8")):
        file = page.parent / target if target else page
        assert file.exists(), target
        if anchor:
            text = file.read_text(encoding="utf-8")
            headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
            places = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in places | set(re.findall(r'<a id="([^"]+)">', text)), f"{target}#{anchor}"


def test_a_docstring_names_only_exceptions_that_there_are():
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "migrate").rglob("*.py")]
    known = {*re.findall(r"(?m)^\s*class (\w+)", "".join(texts)), *dir(builtins)}
    nodes = [node for text in texts if _RAISED.search(text) for node in ast.walk(ast.parse(text))]
    docs = [ast.get_docstring(node) or "" for node in nodes if isinstance(node, ast.FunctionDef)]
    named = {name for text in docs for name in _RAISED.findall(text)}
    assert named
    assert named <= known
