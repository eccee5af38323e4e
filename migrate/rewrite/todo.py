"""``# TODO(migrate): FT194 …`` above what is left, once.

The comments go into a text when all else in it is rewritten: where its own statements stand then, a second run looks
for them.
"""

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from migrate.findings.finding import Finding
from migrate.findings.printable import printable

_MARK = "# TODO(migrate): "
Texts = Mapping[str, str]


def add_comments(texts: Texts, find: Callable[[Texts], Mapping[str, list[Finding]]]) -> dict[str, str]:
    """Files that belong together with the comments in them; the lines that these name are those of the new texts.

    Args:
      texts: the texts by the files' paths.
      find: tells what is found in such texts.
    """
    found = find(texts)
    once = {path: add_todos(text, found[path]) for path, text in texts.items()}
    if once == texts:
        return once
    moved = find(once)
    return {path: add_todos(text, _worded(found[path], moved[path])) for path, text in texts.items()}


def _worded(found: list[Finding], moved: list[Finding]) -> list[Finding]:
    """What was found before the comments were there, in the words of what is found with them there."""
    if [(one.code, one.symbol) for one in found] != [(one.code, one.symbol) for one in moved]:
        return found
    return [replace(one, message=other.message) for one, other in zip(found, moved, strict=True)]


def add_todos(text: str, findings: Iterable[Finding]) -> str:
    """The text with a comment above the statement of each finding that is left for a reason of its own.

    Args:
      text: a file's text, with its own newlines.
      findings: what was found in it.
    """
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text)  # the lines that Python counts
    starts = _statement_starts(text)
    wanted: dict[int, list[str]] = {}
    for finding in findings:
        if finding.is_own_reason and finding.span.line in starts:
            todo = printable(f"{_MARK}{finding.code} {finding.message}")
            above = wanted.setdefault(starts[finding.span.line], [])
            if todo not in above:
                above.append(todo)
    for line in sorted(wanted, reverse=True):
        code = lines[line - 1]
        indent = code[: len(code) - len(code.lstrip())]
        newline = code[len(code.rstrip("\r\n")) :] or "\n"
        new = [f"{indent}{todo}{newline}" for todo in wanted[line] if not _stands_above(lines, line, todo)]
        lines[line - 1 : line - 1] = new
    return "".join(lines)


def _statement_starts(text: str) -> dict[int, int]:
    """For each line, the first line of the innermost statement that it belongs to, decorators included."""
    starts: dict[int, int] = {}
    simple: set[int] = set()
    for node in ast.walk(ast.parse(text)):  # outer statements come before those inside them
        if isinstance(node, ast.stmt):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            for line in range(first, max(last, node.lineno) + 1):
                if starts.get(line) not in simple:  # `a; b` and the like: above both
                    starts[line] = first
            if not body:
                simple.add(first)
    return starts


def _stands_above(lines: list[str], line: int, todo: str) -> bool:
    """Whether the comment is there already, perhaps with the line numbers of an earlier run."""
    above = line - 2
    while above >= 0 and lines[above].lstrip().startswith("#"):
        if _without_numbers(lines[above].strip()) == _without_numbers(todo):
            return True
        above -= 1
    return False


def _without_numbers(todo: str) -> str:
    code, _, message = todo.removeprefix(_MARK).partition(" ")
    return f"{code} {re.sub(r'[0-9]+', '0', message)}"
