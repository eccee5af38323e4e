"""The imports of a rewritten file: what the new code needs comes in, what nothing uses any more goes."""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

import libcst as cst
import libcst.helpers
import libcst.matchers as m

from migrate.rewrite.format import formatted


def loaded(tree: ast.Module) -> set[str]:
    """The variables that a module names."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def bound_by(imports: Iterable[str], pieces: str) -> set[str]:
    """The names that import statements and emitted definitions bind."""
    return {name for statement in imports for name in _names(statement)} | _defined(pieces)


def drop_unused(module: cst.Module, gone: set[str], used: set[str]) -> cst.Module:
    """Removes imports that nothing uses: those that the rewrite freed, and all of ``tf.estimator``'s.

    An import of an Estimator's name fails from TensorFlow 2.16 on, used or not; one of contrib's on any TensorFlow 2.

    Args:
      module: the rewritten module.
      gone: the names that it used before.
      used: the names that it uses now.
    """
    return module.visit(_Dropper(gone, used))


# Where an import may stand; nothing else is looked into.
_HOLD_IMPORTS = (
    *(cst.Module, cst.BaseCompoundStatement, cst.BaseSuite, cst.SimpleStatementLine),
    *(cst.Else, cst.ExceptHandler, cst.ExceptStarHandler, cst.Finally, cst.MatchCase),
)


_REMOVED = {"estimator", "contrib"}
_Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement

_OF_THE_IMPORT = re.compile(
    r"#\s*(noqa|pylint|type:|pyright:|mypy:|ruff:|isort:|fmt:|yapf:|pragma|pytype:|flake8)", re.IGNORECASE
)
"""A comment that tells a tool about the line that it stands on: without the import it means nothing."""


class _Dropper(cst.CSTTransformer):
    def __init__(self, gone: set[str], used: set[str]) -> None:
        super().__init__()
        self.gone = gone
        self.used = used
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
        kept = {comment.value for small in updated.body for comment in _comments(small)}
        for small in original.body:
            yield from (c.value for c in _comments(small) if c.value not in kept and not _OF_THE_IMPORT.match(c.value))
        behind = original.trailing_whitespace.comment
        if behind is not None and not updated.body and not _OF_THE_IMPORT.match(behind.value):
            yield behind.value

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        body, footer = self._without_removed(cast(Sequence[_Statement], updated_node.body))
        return updated_node.with_changes(
            body=body or [cst.parse_statement("pass")], footer=[*footer, *updated_node.footer]
        )

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        body, footer = self._without_removed(updated_node.body)
        return updated_node.with_changes(body=body, footer=[*footer, *updated_node.footer])

    def _without_removed(self, body: Sequence[_Statement]) -> tuple[list[_Statement], list[cst.EmptyLine]]:
        """The statements that stay, and what comes below them; a comment above an import that goes stays."""
        kept: list[_Statement] = []
        above: list[cst.EmptyLine] = []
        for statement in body:
            own = list(statement.leading_lines)
            is_commented = any(line.comment is not None for line in above)
            lines = [*above, *own] if is_commented or not own else own
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
        kept = [alias for alias in aliases if not self._goes(alias, module)]
        if not kept:
            return cst.RemoveFromParent()
        if len(kept) == len(aliases):
            return node
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return node.with_changes(names=kept)

    def _goes(self, alias: cst.ImportAlias, module: str) -> bool:
        path = set(f"{module}.{alias.evaluated_name}".split("."))
        is_estimator = not path.isdisjoint(_REMOVED) and any(part.startswith("tensorflow") for part in path)
        return _bound(alias) in self.gone or (is_estimator and _bound(alias) not in self.used)


def _comments(node: cst.CSTNode) -> Iterator[cst.Comment]:
    return (found for found in m.findall(node, m.Comment()) if isinstance(found, cst.Comment))


def _bound(alias: cst.ImportAlias) -> str:
    """The name that one part of an import binds."""
    if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
        return alias.asname.name.value
    return alias.evaluated_name.split(".")[0]


def add_imports(module: cst.Module, imports: Iterable[str], pieces: str, used: set[str]) -> cst.Module:
    """Adds the imports whose names the code uses before any import binds them, and the pieces below all imports.

    Args:
      module: the rewritten module.
      imports: import statements.
      pieces: source of emitted definitions; "" for none.
      used: the names that the module uses.
    """
    used = used | loaded(ast.parse(pieces))
    body: list[_Statement] = list(module.body)
    uses = _Uses(module)
    needed = [text for text in dict.fromkeys(imports) if _names(text) & used]
    wanted = [text for text in needed if not _is_present(text, body[: uses.first(_names(text))])]
    statements = [
        cst.parse_statement(formatted(_only(statement, used), 0, module.default_indent)) for statement in wanted
    ]
    standard = [s for s, text in zip(statements, wanted, strict=True) if _root(text) in sys.stdlib_module_names]
    others = [s for s in statements if s not in standard]
    definitions = list(cst.parse_module(pieces).body) if pieces else []
    if definitions:
        definitions[0] = definitions[0].with_changes(leading_lines=[cst.EmptyLine(indent=False)] * 2)
    provided = {name for text in wanted for name in _names(text)} | _defined(pieces)
    limit = uses.first(provided)
    places = [index for index, statement in enumerate(body[:limit]) if _is_import(statement)]
    top = _after_docstring(module)
    late = [index + 1 for index in places if _is_future(body[index])]  # these must stay the first
    first = late[-1] if late else places[0] if places else top
    last = places[-1] + 1 if places else top
    new = [*_spaced(others), *definitions]
    if others and top and not places:  # nothing stands between them and the docstring
        new[0] = _apart(new[0], 1)
    if new and last < len(body) and not _is_import(body[last]):
        is_definition = isinstance(body[last], cst.FunctionDef | cst.ClassDef)
        body[last] = _apart(body[last], 2 if is_definition or pieces else 1)
    body[last:last] = new
    for statement in standard:
        _put_standard(body, statement, range(first, last))
        last += 1
    return module.with_changes(body=body)


def _apart(statement: _Statement, blanks: int) -> _Statement:
    """A statement with at least so many blank lines above it, and above its comments."""
    lines = list(statement.leading_lines)
    has = next((index for index, line in enumerate(lines) if line.comment is not None), len(lines))
    missing = 0 if lines and blanks == 1 else max(blanks - has, 0)
    return statement.with_changes(leading_lines=[*[cst.EmptyLine(indent=False)] * missing, *lines])


def _defined(pieces: str) -> set[str]:
    return {node.name for node in ast.parse(pieces).body if isinstance(node, ast.ClassDef | ast.FunctionDef)}


class _Uses:
    """Where the statements of a module, as they run, first use a name: themselves, or by what they call."""

    def __init__(self, module: cst.Module) -> None:
        bare = module.with_changes(header=(), footer=())
        # With the module's newlines and one more line, for a backslash may end a statement.
        self._trees = [ast.parse(bare.with_changes(body=[statement]).code + "\n") for statement in module.body]
        definitions = (node for tree in self._trees for node in tree.body if isinstance(node, _DEFINITIONS))
        self._inside = {node.name: _loaded(ast.walk(node)) for node in definitions}

    def first(self, names: set[str]) -> int:
        """The index of the first statement that uses one of ``names``; how many there are where none does."""
        reached = set(names)
        while more := {name for name, inside in self._inside.items() if inside & reached} - reached:
            reached |= more
        using = (index for index, tree in enumerate(self._trees) if _loaded(_run(tree)) & reached)
        return next(using, len(self._trees))


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _loaded(nodes: Iterable[ast.AST]) -> set[str]:
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """What runs with a statement: all of it but the bodies of functions."""
    yield node
    body = node.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else []
    for child in ast.iter_child_nodes(node):
        if child not in body:
            yield from _run(child)


def _is_present(wanted: str, above: Sequence[_Statement]) -> bool:
    """Whether the statements above the first use hold an import, or another one of the module by that name."""
    lines = [statement for statement in above if _is_import(statement)]
    if any(cst.Module([line.with_changes(leading_lines=[])]).code.strip() == wanted for line in lines):
        return True
    return wanted.startswith("import ") and _names(wanted) <= {name for line in above for name in _bound_in(line)}


def _bound_in(statement: cst.BaseStatement) -> Iterator[str]:
    """The names that the imports of a line bind, also behind ``try``."""
    if isinstance(statement, cst.Try):
        for inner in statement.body.body:
            yield from _bound_in(inner) if isinstance(inner, cst.BaseStatement) else ()
    elif isinstance(statement, cst.SimpleStatementLine):
        for small in statement.body:
            if isinstance(small, cst.Import | cst.ImportFrom) and not isinstance(small.names, cst.ImportStar):
                yield from map(_bound, small.names)


def _put_standard(body: list[_Statement], new: _Statement, above: range) -> None:
    """Puts an import of the standard library among its kind, in the order of the alphabet, or above all others."""
    kind = [i for i in above if _is_import(body[i]) and _module_of(body[i]) in sys.stdlib_module_names]
    smaller = [i for i in kind if _module_of(body[i]) < _module_of(new) and _is_plain(body[i])]
    if smaller:
        body.insert(smaller[-1] + 1, new)
        return
    at = kind[0] if kind else above.start
    lead: Sequence[cst.EmptyLine] = ()
    if at < len(body):
        lead = body[at].leading_lines
        body[at] = body[at].with_changes(leading_lines=[] if kind else [cst.EmptyLine(indent=False)])
    body.insert(at, new.with_changes(leading_lines=lead))


def _code(statement: _Statement) -> str:
    """A line without what stands around it."""
    return cst.Module([statement.with_changes(leading_lines=[])]).code.partition("#")[0].strip()


def _module_of(statement: _Statement) -> str:
    """The outermost package that an import names first."""
    return _root(_code(statement))


def _is_plain(statement: cst.BaseStatement) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[0], cst.Import)


def _spaced(statements: list) -> list:  # type: ignore[type-arg]
    if not statements:
        return []
    blank = cst.EmptyLine(indent=False)
    is_tensorflow = "tensorflow" in cst.Module([statements[0]]).code
    first = statements[0] if is_tensorflow else statements[0].with_changes(leading_lines=[blank])
    return [first, *statements[1:]]


def _only(statement: str, used: set[str]) -> str:
    """``from x import a, b`` without the names that nothing uses."""
    head, keyword, names = statement.partition(" import ")
    if not statement.startswith("from"):
        return statement
    kept = [name for name in names.split(", ") if name.rpartition(" as ")[2] in used]
    return f"{head}{keyword}{', '.join(sorted(kept))}"


def _names(statement: str) -> set[str]:
    node = ast.parse(statement).body[0]
    assert isinstance(node, ast.Import | ast.ImportFrom)
    return {(alias.asname or alias.name).split(".")[0] for alias in node.names}


def _root(statement: str) -> str:
    return statement.split()[1].split(".")[0] if statement.startswith(("import ", "from ")) else ""


def _is_import(statement: cst.BaseStatement) -> bool:
    """An import at the top of the file, ``from __future__`` included, also behind ``try``."""
    if isinstance(statement, cst.Try):
        return isinstance(statement.body, cst.IndentedBlock) and all(_is_import(s) for s in statement.body.body)
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[0], cst.Import | cst.ImportFrom)


def _is_future(statement: cst.BaseStatement) -> bool:
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    return (
        isinstance(small, cst.ImportFrom) and isinstance(small.module, cst.Name) and small.module.value == "__future__"
    )


def _after_docstring(module: cst.Module) -> int:
    return 1 if module.get_docstring() is not None else 0
