"""One file examined: read, parsed, and judged where it holds a site."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from migrate.files.parse import parse
from migrate.files.prefilter import may_hold_site
from migrate.files.read import read
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable, trouble
from migrate.files.walk import NOTEBOOK
from migrate.finding import Finding
from migrate.settings import Settings

if TYPE_CHECKING:
    import ast

    from migrate.rewrite.plan import Plan
    from migrate.together import Group


@dataclass
class Examined:
    """One file after analysis.

    Attributes:
      path: the file, as the user named it.
      findings: what was found in it.
      source: the file as it is, if anything was found.
      plan: what is to be done to its text; None where nothing is rewritten.
      after: the whole new text of a notebook; None for other files.
      reaches: the other files, absolute, that its programs need changed; then it is judged together with them.
      together: the files that are rewritten with it or not at all, itself included; empty for one by itself.
      group: the files that it was judged together with; None for one by itself.
    """

    path: str
    findings: list[Finding] = field(default_factory=list)
    source: SourceText | None = None
    plan: "Plan | None" = None
    after: str | None = None
    reaches: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    group: "Group | None" = None


def examine(path: str, settings: Settings, is_named: bool = False) -> Examined:
    """Reads and judges one file; what goes wrong with it becomes a finding."""
    try:
        if path.endswith(NOTEBOOK):
            from migrate.notebooks import examine_notebook

            findings, source, after = examine_notebook(path, read(path), settings, is_named)
            return Examined(path, findings, source, after=after)
        return examine_bytes(path, read(path), settings, is_named)
    except Unreadable as problem:
        return Examined(path, [problem.finding])


def examine_bytes(path: str, data: bytes, settings: Settings, is_named: bool = False) -> Examined:
    """Judges the bytes of one file.

    Args:
      path: the file, for its findings.
      data: its bytes.
      settings: the user's choices.
      is_named: whether the user named the file, and so is told what is wrong with it even if it can hold no site.

    Raises:
      Unreadable: if they cannot be decoded or parsed.
    """
    holds_site = may_hold_site(data)
    if not holds_site and not is_named:
        return Examined(path)
    source = SourceText.decode(path, data)
    tree = parse(source)
    if not holds_site:
        return Examined(path)
    try:
        return judged(path, source, tree, settings)
    except Unreadable:
        raise
    except Exception as error:  # a mistake of the tool in one file must lose no other
        return Examined(path, [failed(path, error, "examining")])


def judged(path: str, source: SourceText, tree: "ast.Module", settings: Settings) -> Examined:
    """Judges one parsed file."""
    from migrate.analysis.module import Module

    module = Module(path, source.text, tree)
    if not module.sites and not module.has_single_sites:
        return Examined(path)
    from migrate.analysis.program import reached
    from migrate.analysis.tree import Tree
    from migrate.judge import judge

    others = reached(module, Tree())
    if others:
        return Examined(path, reaches=others)
    findings, plan = judge(module, settings)
    return Examined(path, findings, source, plan or None)


def failed(path: str, error: Exception, doing: str) -> Finding:
    """The finding for a mistake of the tool in one file."""
    message = f"{doing} failed: {type(error).__name__}: {str(error)[:200]}"
    return trouble("FT009", path, message, "This is a mistake in the tool: please report it. The file is as it was.")
