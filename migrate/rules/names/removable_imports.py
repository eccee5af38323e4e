"""Removes imports of missing names that are unused, or whose uses are all rewritten (FT198)."""

import ast
from collections.abc import Iterator

from migrate.analysis.source.nodes import bound_name
from migrate.edits.plan import ReplaceStatement
from migrate.rewrite.changed_file import ChangedFile
from migrate.rules.names.missing_symbols import imported_names
from migrate.rules.rule import Verdict, exact
from migrate.tensorflow.known_names import lines_without


def is_removable(file: ChangedFile, node: ast.stmt, lines: tuple[str, ...]) -> bool:
    """Whether an import of missing names can be removed, because all of its uses are rewritten."""
    assert isinstance(node, ast.Import | ast.ImportFrom)
    names = file.module.names
    for alias, path in imported_names(node):
        bound = bound_name(alias)
        uses = names.uses(bound, names.scope_of(node))
        if lines_without(path, lines) and (
            bound in ("*", "tensorflow") or not all(_is_rewritten(file, use) for use in uses)
        ):
            return False
    return True


def remove_unread(file: ChangedFile) -> Iterator[Verdict]:
    """Removes unused imports of missing names.

    In a file that changes, only names that a function binds too: the others are removed when the file is written.
    """
    names, changes = file.module.names, bool(file.edits)
    for node, unread in file.module.unread_imports.items():
        removed = [alias for alias in unread if not changes or len(names.bindings_of(bound_name(alias))) > 1]
        if removed:
            yield _remove(file, node, removed)


def remove_with_uses(file: ChangedFile, node: ast.Import | ast.ImportFrom, lines: tuple[str, ...]) -> Iterator[Verdict]:
    """Removes an import whose uses are rewritten, if a function binds its name too, so that it would stay."""
    names = file.module.names
    shadowed = [alias for alias, path in imported_names(node) if lines_without(path, lines)]
    if removed := [alias for alias in shadowed if len(names.bindings_of(bound_name(alias))) > 1]:
        yield _remove(file, node, removed)


def _remove(file: ChangedFile, node: ast.Import | ast.ImportFrom, removed: list[ast.alias]) -> Verdict:
    kept = [alias for alias in node.names if alias not in removed]
    rest = ast.Import(kept) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, kept, node.level)
    file.edits.append(ReplaceStatement(file.module.span(node), (ast.unparse(rest),) if kept else ()))
    return exact(node, "loses what nothing uses" if kept else "is removed: nothing uses it", file.module)


def _is_rewritten(file: ChangedFile, use: ast.expr) -> bool:
    while isinstance(above := file.module.names.parent(use), ast.Attribute) and use not in file.renamed:
        use = above
    return use in file.renamed
