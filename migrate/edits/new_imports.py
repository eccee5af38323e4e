"""The imports that new code needs, put where the file's own imports stand."""

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TypeGuard

from migrate.edits.lines import format_source
from migrate.edits.statements import Layout, Source, Statement, is_comment


def bound_by(imports: Iterable[str]) -> set[str]:
    """The names that import statements bind."""
    return {name for statement in imports for name in _names(statement)}


def add_imports(source: Source, imports: Iterable[str], statements: Sequence[str] = ()) -> None:
    """Adds the imports whose names the code uses before any import binds them, and what stands below all imports.

    Args:
      imports: import statements, each of one module, or a ``try`` of such.
    """
    body = source.statements
    layout = source.layout
    uses = _Uses(body)
    bound = {text: _names(text) for text in dict.fromkeys(imports)}
    names = {name for some in bound.values() for name in some}
    own = _names_read(node for text in statements for node in ast.walk(ast.parse(text)))
    used = source.used_names(names) | (names & own)
    needed = [text for text in bound if bound[text] & used]
    wanted = [text for text in needed if not _is_present(text, body[: uses.first(bound[text])])]
    new = [_statement(_only(text, used), layout) for text in wanted]
    limit = uses.first({name for text in wanted for name in bound[text]} | own)
    places = [index for index, statement in enumerate(body[:limit]) if _is_import(statement.nodes)]
    top = 1 if body and _is_docstring(body[0]) else 0
    last = places[-1] + 1 if places else top
    if new and "tensorflow" not in new[0].code:
        new[0].above = [layout.newline]
    added = [*new, *(Statement([layout.newline], f"{text}{layout.newline}") for text in statements)]
    if new and top and not places:  # nothing stands between them and the docstring
        _set_apart(new[0], 1, layout)
    if added and last < len(body) and not _is_import(body[last].nodes):
        _set_apart(body[last], 2 if isinstance(body[last].nodes[0], _DEFINITIONS) else 1, layout)
    body[last:last] = added


def _statement(text: str, layout: Layout) -> Statement:
    return Statement([], format_source(text, 0, layout.indent).replace("\n", layout.newline))


def _set_apart(statement: Statement, blanks: int, layout: Layout) -> None:
    """Gives a statement at least so many blank lines above it, and above its comments."""
    lines = statement.above
    has = next((index for index, line in enumerate(lines) if is_comment(line)), len(lines))
    missing = 0 if lines and blanks == 1 else max(blanks - has, 0)
    statement.above = [layout.newline] * missing + lines


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class _Uses:
    """Where the statements of a file, as they run, first use a name: themselves, or by what they call."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self._statements = [_StatementNames(statement) for statement in statements]

    def first(self, names: Collection[str]) -> int:
        """Returns the index of the first statement that uses one of ``names``, or their number."""
        reached = set(names)
        while more := {name for name, inside in self._inside(reached) if inside & reached} - reached:
            reached |= more
        using = (i for i, one in enumerate(self._statements) if one.words & reached and one.when_run & reached)
        return next(using, len(self._statements))

    def _inside(self, names: set[str]) -> Iterator[tuple[str, set[str]]]:
        """By the functions and classes that may use some names, what they use."""
        return (pair for one in self._statements if one.words & names for pair in one.inside)


class _StatementNames:
    def __init__(self, statement: Statement) -> None:
        self.words = statement.words
        self._nodes = statement.nodes

    @cached_property
    def inside(self) -> list[tuple[str, set[str]]]:
        """What each function and class uses, by its name."""
        return [(node.name, _names_read(ast.walk(node))) for node in self._nodes if isinstance(node, _DEFINITIONS)]

    @cached_property
    def when_run(self) -> set[str]:
        """What the statement itself uses."""
        return {name for node in self._nodes for name in _names_read(_nodes_run(node))}


def _names_read(nodes: Iterable[ast.AST]) -> set[str]:
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _nodes_run(node: ast.AST) -> Iterator[ast.AST]:
    """What runs with a statement: all of it but the bodies of functions."""
    yield node
    body = node.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else []
    for child in ast.iter_child_nodes(node):
        if child not in body:
            yield from _nodes_run(child)


def _is_present(wanted: str, above: Sequence[Statement]) -> bool:
    """Whether the statements above the first use hold an import, or another one of the module by that name."""
    lines = [statement for statement in above if _is_import(statement.nodes)]
    if any(line.code.strip() == wanted for line in lines):
        return True
    return wanted.startswith("import ") and _names(wanted) <= {name for line in lines for name in _binds(line.nodes)}


def _binds(nodes: Iterable[ast.stmt]) -> Iterator[str]:
    """The names that imports bind, also behind ``try`` and ``if __package__``."""
    for node in nodes:
        if isinstance(node, ast.Try) or _asks_package(node):
            yield from _binds(node.body)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name).split(".")[0] for alias in node.names)


def _only(statement: str, used: set[str]) -> str:
    """``from x import a, b`` without the names that nothing uses, also each line of a block."""
    if "\n" in statement:
        lines = [_only(line, used) for line in statement.split("\n")]
        return "\n".join(line for line in lines if not line.endswith(" import "))
    head, keyword, names = statement.partition(" import ")
    if not statement.lstrip().startswith("from"):
        return statement
    kept = [name for name in names.split(", ") if name.rpartition(" as ")[2] in used]
    return f"{head}{keyword}{', '.join(sorted(kept))}"


@lru_cache(maxsize=1024)
def _names(statement: str) -> frozenset[str]:
    return frozenset(_binds(ast.parse(statement).body))


def _is_import(nodes: Sequence[ast.stmt]) -> bool:
    """An import at the top of the file, ``from __future__`` included, also behind ``try`` and ``if __package__``."""
    if isinstance(nodes[0], ast.Try) or _asks_package(nodes[0]):
        return all(_is_import([node]) for node in nodes[0].body)
    return isinstance(nodes[0], ast.Import | ast.ImportFrom)


def _asks_package(node: ast.stmt) -> TypeGuard[ast.If]:
    """Whether a statement tells a file that is started from one that is imported, as imports of the runtime do."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "__package__"


def _is_docstring(statement: Statement) -> bool:
    node = statement.nodes[0]
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
