"""Gives a notebook's variables that several cells assign a separate name for each assignment."""

import ast
import re

from migrate.analysis.source.names import Names

NUMBER_SIGN = "ǃ"
"""Separates a name from its number: a letter to Python that no keyboard has; the text must not contain it."""


def number_assignments(text: str, tree: ast.Module) -> str:
    """Returns the text with ``name`` renamed to ``nameǃ2`` from its second assignment on, ``nameǃ3`` from its third.

    Only names whose uses each see one known assignment are renamed: all assignments are at the top level, and no
    function or class uses the name. Line numbers do not change.
    """
    assigned = _top_level_assignments(tree)
    if NUMBER_SIGN in text or all(len(assignments) == 1 for assignments in assigned.values()):
        return text
    names = Names(tree)
    edits: list[tuple[int, int, str]] = []
    deleted = {part.id for node in names.nodes(ast.Delete) for part in ast.walk(node) if isinstance(part, ast.Name)}
    for name, assignments in assigned.items():
        if not len(names.top.bindings[name]) == len(assignments) > 1 or name in deleted:
            continue  # the name has one assignment, or another binding too
        uses = list(names.uses(name, names.top))
        if any(names.scope_of(use) is not names.top for use in uses):
            continue
        targets = [statement.targets[0] for statement in assignments]
        for use in [*uses, *targets]:
            assert isinstance(use, ast.Name)
            at = (use.lineno, use.col_offset)
            # The value is evaluated before the name is bound again.
            seen = sum((s.end_lineno or 0, s.end_col_offset or 0) <= at or s.targets[0] is use for s in assignments)
            if seen > 1:
                edits.append((use.lineno, use.end_col_offset or 0, f"{NUMBER_SIGN}{seen}"))
    lines = text.split("\n")
    for line, column, mark in sorted(set(edits), reverse=True):
        before = lines[line - 1].encode()
        lines[line - 1] = (before[:column] + mark.encode() + before[column:]).decode()
    return "\n".join(lines)


def remove_numbers(text: str) -> str:
    """Returns the text with the original names."""
    return re.sub(rf"{NUMBER_SIGN}[0-9]+", "", text)


def _top_level_assignments(tree: ast.Module) -> dict[str, list[ast.Assign]]:
    found: dict[str, list[ast.Assign]] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name):
                found.setdefault(target.id, []).append(statement)
    return found
