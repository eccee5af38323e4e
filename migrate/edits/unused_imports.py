"""The imports that a rewritten file no longer needs."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import libcst as cst
import libcst.helpers

from migrate.edits.concrete import statement_text, statement_tree, writer_of
from migrate.edits.lines import Line, comments_of
from migrate.edits.statements import Layout, Source, Statement, is_comment
from migrate.tensorflow.known_names import NEW, OLD, lines_without, needs_legacy_keras


def drop_unused_imports(source: Source, before: set[str], added: set[str]) -> None:
    """Removes imports that nothing uses: those that the rewrite freed, and all that some TensorFlow 2 lacks.

    An import of an Estimator's name fails from TensorFlow 2.16 on, used or not; one of contrib's on any TensorFlow 2.
    ``import tensorflow.estimator`` beside code that reads ``tensorflow.nn`` becomes ``import tensorflow``, or goes
    where another import gives that name.

    Args:
      before: the names that the rewritten statements used before.
      added: the names that new imports and definitions will bind.
    """
    imports = {id(one): list(_imports(one.nodes)) for one in source.statements if "import" in one.words}
    bound = {_bound_name(alias) for nodes in imports.values() for node in nodes for alias in node.names}
    used = source.used_names(bound)
    plain = (node for nodes in imports.values() for node in nodes if isinstance(node, ast.Import))
    whole = {alias.name for node in plain for alias in node.names if alias.asname is None}
    rooted = {name.split(".")[0] for name in whole if not _is_gone(name)}
    unused = _UnusedImports((before & bound) - used, used - added, rooted)
    statements: list[Statement] = []
    above: list[str] = []  # what stood above the statements that went
    tried = replace(unused, rooted=None)
    for statement in source.statements:
        kept: Statement | None = statement
        own = statement.above
        here = unused if all(isinstance(node, ast.Import) for node in statement.nodes) else tried
        if any(here.holds(alias, node) for node in imports.get(id(statement), ()) for alias in node.names):
            kept, comments = _without(statement, here, source.layout)
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
    """The names of imports that go: those in ``freed``, and those that TensorFlow lacks and ``used`` does not hold.

    What ``import package.module`` binds is its package, which ``rooted`` holds where another import that stays does so;
    None where such an import stays as it is, because code around it may ask whether it fails.
    """

    freed: set[str]
    used: set[str]
    rooted: set[str] | None

    def holds(self, alias: ast.alias, node: ast.Import | ast.ImportFrom) -> bool:
        module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        name, path = _bound_name(alias), f"{module}.{alias.name}"
        return alias.name != "*" and (self.goes(name, path) or self.leaves_package(name, path))

    def goes(self, name: str, path: str) -> bool:
        """Whether an import is removed."""
        path = path.lstrip(".")
        is_package = self.rooted is not None and path.startswith(f"{name}.") and name in self.rooted
        return name in self.freed or ((name not in self.used or is_package) and _is_gone(path))

    def leaves_package(self, name: str, path: str) -> bool:
        path = path.lstrip(".")
        is_package = self.rooted is not None and path.startswith(f"{name}.")
        return is_package and not self.goes(name, path) and _is_gone(path)


def _is_gone(path: str) -> bool:
    return bool(lines_without(path, (OLD, NEW)) or needs_legacy_keras(path))


def _imports(nodes: Sequence[ast.AST]) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports among statements and in their blocks."""
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not isinstance(node, ast.expr):
            yield from _imports(list(ast.iter_child_nodes(node)))


def _bound_name(alias: ast.alias) -> str:
    return (alias.asname or alias.name).split(".")[0]


def _without(statement: Statement, unused: _UnusedImports, layout: Layout) -> tuple[Statement | None, list[str]]:
    """Returns a statement without its unused imports, None for nothing, and the comments that remain."""
    writer = writer_of(layout)
    line = statement_tree(Statement([], statement.code, statement.first), writer)
    module = writer.with_changes(body=[line]).visit(_Dropper(unused))
    if not module.body:
        return None, [writer.code_for_node(line) for line in module.footer]
    kept = statement_text(module.body[0], writer)
    return kept, kept.above


_OF_THE_IMPORT = re.compile(
    r"#\s*(noqa|pylint|type:|pyright:|mypy:|ruff:|isort:|fmt:|yapf:|pragma|pytype:|flake8)", re.IGNORECASE
)
"""A comment that tells a tool about the line that it stands on: without the import it means nothing."""

# Where an import may stand; nothing else is looked into.
_HOLD_IMPORTS = (
    *(cst.Module, cst.BaseCompoundStatement, cst.BaseSuite, cst.SimpleStatementLine),
    *(cst.Else, cst.ExceptHandler, cst.ExceptStarHandler, cst.Finally, cst.MatchCase),
)


class _Dropper(cst.CSTTransformer):
    def __init__(self, unused: _UnusedImports) -> None:
        super().__init__()
        self.unused = unused
        self.removed: set[cst.CSTNode] = set()

    def on_visit(self, node: cst.CSTNode) -> bool:
        return isinstance(node, _HOLD_IMPORTS)

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
        """The comments behind and inside what was taken out of a line, but for those that speak of it to a tool."""
        if list(original.body) == list(updated.body):
            return
        kept = {comment for small in updated.body for comment in comments_of(small)}
        for small in original.body:
            yield from (c for c in comments_of(small) if c not in kept and not _OF_THE_IMPORT.match(c))
        behind = original.trailing_whitespace.comment
        if behind is not None and not updated.body and not _OF_THE_IMPORT.match(behind.value):
            yield behind.value

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        body, footer = self._without_removed(cast(Sequence[Line], updated_node.body))
        return updated_node.with_changes(
            body=body or [cst.parse_statement("pass")], footer=[*footer, *updated_node.footer]
        )

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        body, footer = self._without_removed(updated_node.body)
        return updated_node.with_changes(body=body, footer=[*footer, *updated_node.footer])

    def _without_removed(self, body: Sequence[Line]) -> tuple[list[Line], list[cst.EmptyLine]]:
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
        return self._without(updated_node, updated_node.names, "")

    def leave_ImportFrom(
        self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom
    ) -> cst.BaseSmallStatement | cst.RemovalSentinel:
        if isinstance(updated_node.names, cst.ImportStar):
            return updated_node
        module = updated_node.module
        return self._without(updated_node, updated_node.names, cst.helpers.get_full_name_for_node(module or "") or "")

    def _without(
        self, node: cst.Import | cst.ImportFrom, aliases: Sequence[cst.ImportAlias], module: str
    ) -> cst.BaseSmallStatement | cst.RemovalSentinel:
        paths = {id(alias): (_name(alias), f"{module}.{alias.evaluated_name}") for alias in aliases}
        kept = [alias for alias in aliases if not self.unused.goes(*paths[id(alias)])]
        if not kept:
            return cst.RemoveFromParent()
        kept = [
            alias.with_changes(name=cst.Name(_name(alias))) if self.unused.leaves_package(*paths[id(alias)]) else alias
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
