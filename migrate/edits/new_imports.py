"""Adds the imports that new code needs below the file's own imports."""

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TypeGuard

from migrate.edits.lines import format_source
from migrate.edits.statements import Layout, Source, Statement, is_comment
from migrate.files.text import CELL_BORDER

_TENSORFLOW = {"tensorflow", "keras", "tf_keras"}


def bound_names(imports: Iterable[str]) -> set[str]:
    """Returns the names that import statements bind."""
    return {name for statement in imports for name in _bound_names(statement)}


def add_imports(source: Source, imports: Iterable[str], statements: Sequence[str] = ()) -> None:
    """Adds the imports whose names the code uses and the file does not bind yet, and statements below all imports.

    Args:
      imports: import statements, each of one module, or a ``try`` of such statements.
    """
    body = source.statements
    layout = source.layout
    uses = _NameUses(body)
    bound = {text: _bound_names(text) for text in dict.fromkeys(imports)}
    names = {name for some in bound.values() for name in some}
    own = _names_read(node for text in statements for node in ast.walk(ast.parse(text)))
    used = source.used_names(names) | (names & own)
    needed = [text for text in bound if bound[text] & used]
    wanted = [text for text in needed if not _is_present(text, body[: uses.first_index(bound[text])])]
    formatted = [format_source(_keep_used_names(text, used), 0, layout.indent) for text in wanted]
    new = [Statement([], text.replace("\n", layout.newline)) for text in formatted]
    limit = uses.first_index({name for text in wanted for name in bound[text]} | own)
    top = 1 if body and _is_docstring(body[0]) else 0
    last = _index_below_imports(body[:limit]) or top
    is_block = len(new) == 1 and _is_package_test(new[0].nodes[0])
    if new and "tensorflow" not in new[0].code and (is_block or not _are_one_group(body[:last])):
        new[0].above = [layout.newline]
    added = [*new, *(Statement([layout.newline], f"{text}{layout.newline}") for text in statements)]
    if new and top and last == top:  # directly below the docstring
        _set_apart(new[0], 1, layout)
    if added and last < len(body) and not _is_import(body[last].nodes):
        _set_apart(body[last], 2 if isinstance(body[last].nodes[0], _DEFINITIONS) else 1, layout)
    body[last:last] = added


def _index_below_imports(statements: Sequence[Statement]) -> int:
    """Returns the index below the last import; in a notebook, below those of the last cell that imports TensorFlow.

    A reader may leave out any other cell. Returns 0 if nothing is imported.
    """
    cell, last, below = 0, 0, dict[int, int]()
    for index, one in enumerate(statements, start=1):
        cell += one.code.startswith(CELL_BORDER)
        if _is_import(one.nodes):
            last = index
            below |= {cell: index} if cell in below or one.words & _TENSORFLOW else {}
    return max(below.values(), default=last)


def _are_one_group(statements: Sequence[Statement]) -> bool:
    """Whether several imports follow one another without blank lines, as the new ones then do."""
    below = [one for one in statements if _is_import(one.nodes)][1:]
    return bool(below) and all(is_comment(line) for one in below for line in one.above)


def _set_apart(statement: Statement, blanks: int, layout: Layout) -> None:
    """Gives a statement at least ``blanks`` blank lines above it and its comments."""
    lines = statement.above
    has = next((index for index, line in enumerate(lines) if is_comment(line)), len(lines))
    missing = 0 if has or (lines and blanks == 1) else blanks
    statement.above = [layout.newline] * missing + lines


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class _NameUses:
    """Finds the first statement of a file that uses a name when it runs, also inside a function that it calls."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self._statements = [_StatementNames(statement) for statement in statements]

    def first_index(self, names: Collection[str]) -> int:
        """Returns the index of the first statement that uses one of ``names``; the number of all if none does."""
        reached = set(names)
        while more := {name for name, inside in self._definitions_using(reached) if inside & reached} - reached:
            reached |= more
        using = (i for i, one in enumerate(self._statements) if one.words & reached and one.names_read & reached)
        return next(using, len(self._statements))

    def _definitions_using(self, names: set[str]) -> Iterator[tuple[str, set[str]]]:
        """Yields the functions and classes that may use some names, each with all names that it reads."""
        return (pair for one in self._statements if one.words & names for pair in one.definitions)


class _StatementNames:
    def __init__(self, statement: Statement) -> None:
        self.words = statement.words
        self._nodes = statement.nodes

    @cached_property
    def definitions(self) -> list[tuple[str, set[str]]]:
        """Each function and class that it defines, with the names that it reads."""
        return [(node.name, _names_read(ast.walk(node))) for node in self._nodes if isinstance(node, _DEFINITIONS)]

    @cached_property
    def names_read(self) -> set[str]:
        """The names that the statement reads when it runs."""
        return {name for node in self._nodes for name in _names_read(_nodes_run(node))}


def _names_read(nodes: Iterable[ast.AST]) -> set[str]:
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _nodes_run(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes that run with a statement: all but the bodies of functions."""
    yield node
    body = node.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else []
    for child in ast.iter_child_nodes(node):
        if child not in body:
            yield from _nodes_run(child)


def _is_present(wanted: str, above: Sequence[Statement]) -> bool:
    """Whether the statements above the first use contain an import, or one that binds the same module name."""
    lines = [statement for statement in above if _is_import(statement.nodes)]
    if any(line.code.strip() == wanted for line in lines):
        return True
    bound = {name for line in lines for name in _imported_names(line.nodes)}
    return wanted.startswith("import ") and _bound_names(wanted) <= bound


def _imported_names(nodes: Iterable[ast.stmt]) -> Iterator[str]:
    """Yields the names that imports bind, also inside ``try`` and ``if __package__``."""
    for node in nodes:
        if isinstance(node, ast.Try) or _is_package_test(node):
            yield from _imported_names(node.body)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name).split(".")[0] for alias in node.names)


def _keep_used_names(statement: str, used: set[str]) -> str:
    """Returns ``from x import a, b`` without unused names; of a block, each line."""
    if "\n" in statement:
        lines = [_keep_used_names(line, used) for line in statement.split("\n")]
        return "\n".join(line for line in lines if not line.endswith(" import "))
    head, keyword, names = statement.partition(" import ")
    if not statement.lstrip().startswith("from"):
        return statement
    kept = [name for name in names.split(", ") if name.rpartition(" as ")[2] in used]
    return f"{head}{keyword}{', '.join(sorted(kept))}"


@lru_cache(maxsize=1024)
def _bound_names(statement: str) -> frozenset[str]:
    return frozenset(_imported_names(ast.parse(statement).body))


def _is_import(nodes: Sequence[ast.stmt]) -> bool:
    """Whether a statement is an import, or a ``try`` or ``if __package__`` of imports."""
    if isinstance(nodes[0], ast.Try) or _is_package_test(nodes[0]):
        return all(_is_import([node]) for node in nodes[0].body)
    return isinstance(nodes[0], ast.Import | ast.ImportFrom)


def _is_package_test(node: ast.stmt) -> TypeGuard[ast.If]:
    """Whether a statement is ``if __package__``, by which imports of the runtime tell a script from a module."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "__package__"


def _is_docstring(statement: Statement) -> bool:
    node = statement.nodes[0]
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
