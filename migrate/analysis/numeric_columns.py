"""Feature columns that are all numeric_columns, read off the source."""

import ast
from dataclasses import dataclass, field

from migrate.analysis.arguments import Unbindable, bind, is_none
from migrate.analysis.movable import why_not_movable
from migrate.analysis.names import Names
from migrate.analysis.program import Program
from migrate.analysis.symbols import symbol_of

_PARAMETERS = ("key", "shape", "default_value", "dtype", "normalizer_fn")


@dataclass
class NumericColumns:
    """Columns by key and shape.

    Attributes:
      columns: the keys and shapes.
      statements: what exists only to make the columns.
      sources: the expressions that the rewrite moves.
    """

    columns: list[tuple[ast.expr, ast.expr | None]]
    statements: list[ast.stmt] = field(default_factory=list)
    sources: list[ast.expr] = field(default_factory=list)


def numeric_columns(program: Program, expression: ast.expr) -> NumericColumns:
    """The columns behind an estimator's ``feature_columns``.

    Raises:
      Unbindable: they are not seen to be plain numeric columns, or to be the same where the estimator is made.
    """
    columns = _read(program.module.names, expression)
    _hold_at(program, columns)
    return columns


def _hold_at(program: Program, columns: NumericColumns) -> None:
    """Refuses columns that the place of the estimator may see otherwise."""
    names, statement = program.module.names, program.statement
    for source in columns.sources:
        reason = why_not_movable(names, source, statement) if statement is not None else None
        if reason is not None:
            raise Unbindable(reason)


def _read(names: Names, expression: ast.expr) -> NumericColumns:
    if isinstance(expression, ast.List | ast.Tuple):
        all_of_them = NumericColumns([])
        for element in expression.elts:
            _add_column(names, all_of_them, element)
        if not all_of_them.columns:
            raise Unbindable("the list of feature columns is empty here")
        return all_of_them
    if isinstance(expression, ast.Name):
        return _read_name(names, expression)
    raise Unbindable("the feature columns come from an expression that cannot be followed")


def _read_name(names: Names, name: ast.Name) -> NumericColumns:
    value, found = names.only_value(name), names.scope_of(name).lookup(name.id)
    if value is None or found is None or isinstance(found[0].node, ast.ClassDef) or isinstance(value, ast.Name):
        raise Unbindable(f"`{name.id}` is not assigned once in this file")
    statement, uses = names.statement_of(value), names.uses(name.id, found[0])
    for use in uses:
        if use is not name and _may_change(names, use):
            raise Unbindable(f"`{name.id}` may be changed after it was made (line {use.lineno})")
    columns = _read(names, value)
    # Where something else reads the list it stays, and what it is made of stays with it.
    columns.statements = [*columns.statements, statement] if uses == [name] else []
    return columns


def _may_change(names: Names, use: ast.Name) -> bool:
    """Whether a use of a list may change it: a method, an item, another name, a function other than TensorFlow's."""
    parent = names.parent(use)
    call = names.parent(parent) if isinstance(parent, ast.keyword) else parent
    if isinstance(call, ast.Call):
        return symbol_of(names, call.func) is None
    return isinstance(parent, ast.Attribute | ast.Assign | ast.AugAssign | ast.Subscript)


def _add_column(names: Names, columns: NumericColumns, element: ast.expr) -> None:
    value: ast.expr | None = element
    if isinstance(element, ast.Name):
        value, found = names.only_value(element), names.scope_of(element).lookup(element.id)
        if value is None or found is None:
            raise Unbindable(f"`{element.id}` is not assigned once in this file")
        if names.uses(element.id, found[0]) == [element] and not isinstance(found[0].node, ast.ClassDef):
            columns.statements.append(names.statement_of(value))
    assert value is not None
    columns.columns.append(_numeric(names, value))
    columns.sources.append(value)


def _numeric(names: Names, value: ast.expr) -> tuple[ast.expr, ast.expr | None]:
    found = symbol_of(names, value.func) if isinstance(value, ast.Call) else None
    if not isinstance(value, ast.Call) or found is None or found.tail != "feature_column.numeric_column":
        raise Unbindable(f"`{ast.unparse(value)[:60]}` is no numeric_column")
    arguments = bind(value, _PARAMETERS, no_others=True)
    if not is_none(arguments.get("normalizer_fn")):
        raise Unbindable("a numeric_column with normalizer_fn is not supported")
    if "key" not in arguments:
        raise Unbindable("a numeric_column has no key")
    return arguments["key"], arguments.get("shape")
