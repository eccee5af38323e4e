"""Removes the imports that a rewritten file no longer needs."""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import cast

import libcst as cst
import libcst.helpers

from migrate.edits.concrete import statement_text, statement_tree, writer_of
from migrate.edits.lines import Line, comments_of
from migrate.edits.statements import Layout, Source, Statement, is_comment
from migrate.records import dataclass, replace
from migrate.tensorflow.known_names import NEW, OLD, lines_without, needs_legacy_keras


def drop_unused_imports(source: Source, before: set[str], added: set[str]) -> None:
    """Removes unused imports: those that the rewrite made unused, and all of names that TensorFlow 2 lacks.

    Used or not, an import of an Estimator's name fails from TensorFlow 2.16 on, one of contrib on any TensorFlow 2.
    ``import tensorflow.estimator`` in a file that reads ``tensorflow.nn`` becomes ``import tensorflow``, or is removed
    if another import binds that name.

    Args:
      before: the names that the rewritten statements used before.
      added: the names that new imports and definitions will bind.
    """
    imports = {id(one): list(_imports(one.nodes)) for one in source.statements if "import" in one.words}
    bound = {_bound_name(alias) for nodes in imports.values() for node in nodes for alias in node.names}
    used = source.used_names(bound)
    plain = (node for nodes in imports.values() for node in nodes if isinstance(node, ast.Import))
    whole = {alias.name for node in plain for alias in node.names if alias.asname is None}
    rooted = {name.split(".")[0] for name in whole if not _is_missing(name)}
    unused = _UnusedImports((before & bound) - used, used - added, rooted)
    statements: list[Statement] = []
    above: list[str] = []  # the lines above removed statements
    tried = replace(unused, rooted=None)
    for statement in source.statements:
        kept: Statement | None = statement
        own = statement.above
        here = unused if all(isinstance(node, ast.Import) for node in statement.nodes) else tried
        if any(here.is_changed(alias, node) for node in imports.get(id(statement), ()) for alias in node.names):
            kept, comments = _remove_unused(statement, here, source.layout)
            own = own + comments
        if any(map(is_comment, above)) or not own:
            own = above + own
        if kept is None:
            above = own
        else:
            kept.above = own
            statements.append(kept)
            above = []
    source.statements = statements
    source.footer = "".join(filter(is_comment, above)) + source.footer


@dataclass
class _UnusedImports:
    """Decides which imports are removed: names that the rewrite freed, and unused ones that TensorFlow lacks.

    Attributes:
      rooted: the packages that ``import package.module`` statements which stay bind; None where such an import must not
        change, because the code around it may catch its failure.
    """

    freed: set[str]
    used: set[str]
    rooted: set[str] | None

    def is_changed(self, alias: ast.alias, node: ast.Import | ast.ImportFrom) -> bool:
        module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        name, path = _bound_name(alias), f"{module}.{alias.name}"
        return alias.name != "*" and (self.is_removed(name, path) or self.becomes_package(name, path))

    def is_removed(self, name: str, path: str) -> bool:
        """Whether the import of ``path`` that binds ``name`` is removed."""
        path = path.lstrip(".")
        is_package = self.rooted is not None and path.startswith(f"{name}.") and name in self.rooted
        return name in self.freed or ((name not in self.used or is_package) and _is_missing(path))

    def becomes_package(self, name: str, path: str) -> bool:
        """Whether ``import package.module`` becomes ``import package``."""
        path = path.lstrip(".")
        is_package = self.rooted is not None and path.startswith(f"{name}.")
        return is_package and not self.is_removed(name, path) and _is_missing(path)


def _is_missing(path: str) -> bool:
    return bool(lines_without(path, (OLD, NEW)) or needs_legacy_keras(path))


def _imports(nodes: Sequence[ast.AST]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yields the imports among statements and in their blocks."""
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not isinstance(node, ast.expr):
            yield from _imports(list(ast.iter_child_nodes(node)))


def _bound_name(alias: ast.alias) -> str:
    return (alias.asname or alias.name).split(".")[0]


def _remove_unused(statement: Statement, unused: _UnusedImports, layout: Layout) -> tuple[Statement | None, list[str]]:
    """Returns a statement without its unused imports, None if nothing remains, and the comments to keep."""
    writer = writer_of(layout)
    line = statement_tree(Statement([], statement.code, statement.first), writer)
    module = writer.with_changes(body=[line]).visit(_ImportRemover(unused))
    if not module.body:
        return None, [writer.code_for_node(line) for line in module.footer]
    kept = statement_text(module.body[0], writer)
    return kept, kept.above


_TOOL_COMMENT = re.compile(
    r"#\s*(noqa|pylint|type:|pyright:|mypy:|ruff:|isort:|fmt:|yapf:|pragma|pytype:|flake8)", re.IGNORECASE
)
"""A comment for a tool about the line of the import, which is removed with it."""

# The nodes that may contain an import; no others are visited.
_MAY_CONTAIN_IMPORTS = (
    *(cst.Module, cst.BaseCompoundStatement, cst.BaseSuite, cst.SimpleStatementLine),
    *(cst.Else, cst.ExceptHandler, cst.ExceptStarHandler, cst.Finally, cst.MatchCase),
)


class _ImportRemover(cst.CSTTransformer):
    def __init__(self, unused: _UnusedImports) -> None:
        super().__init__()
        self.unused = unused
        self.removed: set[cst.CSTNode] = set()

    def on_visit(self, node: cst.CSTNode) -> bool:
        return isinstance(node, _MAY_CONTAIN_IMPORTS)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        lost = [cst.EmptyLine(comment=cst.Comment(c)) for c in self._lost_comments(original_node, updated_node)]
        if lost:
            updated_node = updated_node.with_changes(leading_lines=[*updated_node.leading_lines, *lost])
        if updated_node.body:
            return updated_node
        line = updated_node.with_changes(body=[cst.Pass()])
        self.removed.add(line)
        return line

    def _lost_comments(self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine) -> Iterator[str]:
        """Yields the comments after and inside removed imports, except those for tools about that line."""
        if list(original.body) == list(updated.body):
            return
        kept = {comment for small in updated.body for comment in comments_of(small)}
        for small in original.body:
            yield from (c for c in comments_of(small) if c not in kept and not _TOOL_COMMENT.match(c))
        behind = original.trailing_whitespace.comment
        if behind is not None and not updated.body and not _TOOL_COMMENT.match(behind.value):
            yield behind.value

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        body, footer = self._drop_removed(cast(Sequence[Line], updated_node.body))
        return updated_node.with_changes(
            body=body or [cst.parse_statement("pass")], footer=[*footer, *updated_node.footer]
        )

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        body, footer = self._drop_removed(updated_node.body)
        return updated_node.with_changes(body=body, footer=[*footer, *updated_node.footer])

    def _drop_removed(self, body: Sequence[Line]) -> tuple[list[Line], list[cst.EmptyLine]]:
        """Returns the remaining statements, with the comments above removed imports."""
        kept: list[Line] = []
        above: list[cst.EmptyLine] = []
        for statement in body:
            own = list(statement.leading_lines)
            lines = [*above, *own] if any(line.comment is not None for line in above) or not own else own
            if statement in self.removed:
                above = lines
            else:
                kept.append(statement.with_changes(leading_lines=lines) if lines != own else statement)
                above = []
        return kept, [line for line in above if line.comment is not None]

    def leave_Import(
        self, original_node: cst.Import, updated_node: cst.Import
    ) -> cst.BaseSmallStatement | cst.RemovalSentinel:
        return self._remove_names(updated_node, updated_node.names, "")

    def leave_ImportFrom(
        self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom
    ) -> cst.BaseSmallStatement | cst.RemovalSentinel:
        if isinstance(updated_node.names, cst.ImportStar):
            return updated_node
        module = updated_node.module
        package = cst.helpers.get_full_name_for_node(module or "") or ""
        return self._remove_names(updated_node, updated_node.names, package)

    def _remove_names(
        self, node: cst.Import | cst.ImportFrom, aliases: Sequence[cst.ImportAlias], module: str
    ) -> cst.BaseSmallStatement | cst.RemovalSentinel:
        paths = {id(alias): (_name(alias), f"{module}.{alias.evaluated_name}") for alias in aliases}
        kept = [alias for alias in aliases if not self.unused.is_removed(*paths[id(alias)])]
        if not kept:
            return cst.RemoveFromParent()
        kept = [
            alias.with_changes(name=cst.Name(_name(alias))) if self.unused.becomes_package(*paths[id(alias)]) else alias
            for alias in kept
        ]
        if kept == [*aliases]:
            return node
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return node.with_changes(names=kept)


def _name(alias: cst.ImportAlias) -> str:
    if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
        return alias.asname.name.value
    return alias.evaluated_name.split(".")[0]
