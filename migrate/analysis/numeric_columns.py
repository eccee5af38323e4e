"""Feature columns that are all numeric_columns, read off the source."""

import ast
from dataclasses import dataclass, field

from migrate.analysis.arguments import Unbindable, bind, is_none
from migrate.analysis.moves import is_pure, why_not_movable
from migrate.analysis.names import Names
from migrate.analysis.program import Program
from migrate.analysis.symbols import symbol_of

_PARAMETERS = ("key", "shape", "default_value", "dtype", "normalizer_fn")


@dataclass
class NumericColumns:
    """Columns by key and shape; with a loop, one column for each key that the loop gives.

    Attributes:
      columns: the keys and shapes.
      loop: the loop's variable and what it runs over.
      statements: what exists only to make the columns.
      sources: the expressions that the rewrite moves.
    """

    columns: list[tuple[ast.expr, ast.expr | None]]
    loop: tuple[ast.Name, ast.expr] | None = None
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
    variable = columns.loop[0].id if columns.loop is not None else ""
    for source in columns.sources:
        reason = why_not_movable(names, source, statement, variable) if statement is not None else None
        if reason is not None:
            raise Unbindable(reason)
    if columns.loop is not None and not all(is_pure(names, key) for key, _ in columns.columns):
        raise Unbindable("the keys of the feature columns are computed by calls that cannot be repeated")


def _read(names: Names, expression: ast.expr) -> NumericColumns:
    if isinstance(expression, ast.List | ast.Tuple):
        all_of_them = NumericColumns([])
        for element in expression.elts:
            _add_column(names, all_of_them, element)
        if not all_of_them.columns:
            raise Unbindable("the list of feature columns is empty here")
        return all_of_them
    if isinstance(expression, ast.ListComp):
        generator = expression.generators[0]
        if len(expression.generators) > 1 or generator.ifs or not isinstance(generator.target, ast.Name):
            raise Unbindable("the feature columns come from a comprehension that cannot be followed")
        loop = generator.target, generator.iter
        return NumericColumns([_numeric(names, expression.elt)], loop, sources=[expression])
    if isinstance(expression, ast.Name):
        return _read_name(names, expression)
    raise Unbindable("the feature columns come from an expression that cannot be followed")


def _read_name(names: Names, name: ast.Name) -> NumericColumns:
    value, found = names.only_value(name), names.scope_of(name).lookup(name.id)
    if value is None or found is None or isinstance(found[0].node, ast.ClassDef) or isinstance(value, ast.Name):
        raise Unbindable(f"`{name.id}` is not assigned once in this file")
    statement, uses = names.statement_of(value), names.uses(name.id, found[0])
    if isinstance(value, ast.List) and not value.elts:
        loops = [names.statement_of(use) for use in uses if use is not name]
        if len(loops) != 1:
            raise Unbindable(f"`{name.id}` is filled in a way that cannot be followed")
        return _read_append(names, name.id, loops[0], statement)
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


def _read_append(names: Names, name: str, append: ast.stmt, empty: ast.stmt) -> NumericColumns:
    """``for key in keys: columns.append(numeric_column(key))``, the common way to make many."""
    loop = names.parent(append)
    call = append.value if isinstance(append, ast.Expr) else None
    is_append = (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "append"
        and len(call.args) == 1
    )
    if not (is_append and isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) and not loop.orelse):
        raise Unbindable(f"`{name}` is filled in a way that cannot be followed")
    assert isinstance(call, ast.Call)
    column = call.args[0]
    if isinstance(column, ast.Name) and len(names.reads_of(column)) == 1:  # column = …; columns.append(column)
        value = names.only_value(column)
        before = [names.statement_of(value)] if value is not None else []
        column = value if value is not None else column
    else:
        before = []
    if loop.body != [*before, append]:
        raise Unbindable(f"`{name}` is filled by a loop that does more")
    if not all(_is_of_a_loop(names, use, loop.target.id) for use in names.reads_of(loop.target)):
        raise Unbindable(f"`{loop.target.id}` is used outside the loop that fills `{name}`")
    return NumericColumns([_numeric(names, column)], (loop.target, loop.iter), [empty, loop], [loop.iter, column])


def _is_of_a_loop(names: Names, use: ast.Name, name: str) -> bool:
    """Whether a variable is read inside a loop that sets it."""
    loops = (loop for loop in names.ancestors(use) if isinstance(loop, ast.For))
    return any(isinstance(loop.target, ast.Name) and loop.target.id == name for loop in loops)


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
        raise Unbindable("a numeric_column with normalizer_fn is not carried over yet")
    if "key" not in arguments:
        raise Unbindable("a numeric_column has no key")
    return arguments["key"], arguments.get("shape")
