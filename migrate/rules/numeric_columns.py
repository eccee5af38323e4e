"""FT121 · feature_columns=[numeric_column(…), …]

The canned network reads its features through feature columns, in the order of their names.

Instead: one ``tf.keras.Input`` a column, flattened and joined in the order of their names, which is the Estimator's.

Fidelity: exact for ``numeric_column`` without ``normalizer_fn``. Every other column leaves the program.

See: tf.feature_column.numeric_column, tf.keras.Input.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from migrate.analysis.arguments import Unbindable, bind, is_none, literal
from migrate.analysis.names import Names
from migrate.analysis.program import Program
from migrate.analysis.symbols import symbol_of
from migrate.rewrite.draft import Draft
from migrate.rules.rule import DNN, Example, Verdict, exact, manual, rule

_PARAMETERS = ("key", "shape", "default_value", "dtype", "normalizer_fn")


@dataclass
class _Columns:
    """Columns by key and shape; with a loop, one column for each key that the loop gives."""

    columns: list[tuple[ast.expr, ast.expr | None]]
    loop: tuple[ast.expr, ast.expr] | None
    statements: list[ast.stmt]


@rule(
    "FT121",
    "exact",
    Example('[tf1.feature_column.numeric_column("x")]', 'inputs = {"x": tf.keras.Input((1,), name="x")}', "columns"),
    Example('[tf1.feature_column.numeric_column("x", shape=[2, 3])]', "tf.keras.layers.Flatten()", "columns"),
    Example("[tf1.feature_column.numeric_column(k) for k in args.keys]", "for k in args.keys}", "columns"),
    Example('[tf1.feature_column.numeric_column("x", normalizer_fn=abs)]', None, "columns"),
    Example('[tf1.feature_column.bucketized_column("x", [1])]', None, "columns"),
    Example("args.columns", None, "columns"),
    kinds=DNN,
)
def numeric_columns(program: Program, draft: Draft) -> Iterator[Verdict]:
    given = program.arguments.get("feature_columns")
    if given is None:
        return
    try:
        columns = _read(program.module.names, given)
        shapes = [_shape(draft, shape) for _, shape in columns.columns]
    except Unbindable as reason:
        yield manual(given, str(reason), "Numeric columns are carried over; migrate others by hand for now.")
        return
    tf, inputs = draft.tf, draft.inputs
    keys = [draft.text(key) for key, _ in columns.columns]
    items = ", ".join(f"{key}: {tf}.keras.Input({shape}, name={key})" for key, shape in zip(keys, shapes, strict=True))
    if columns.loop is not None:
        variable, iterable = columns.loop
        items += f" for {draft.text(variable)} in {draft.text(iterable)}"
    draft.columns.append(f"{inputs} = {{{items}}}")
    draft.columns.append(f"{draft.net} = {_joined(draft, keys, shapes, columns.loop is not None)}")
    draft.absorbed += columns.statements
    yield exact(given, "each numeric column becomes an input of the Keras model")


def _joined(draft: Draft, keys: list[str], shapes: list[str], is_loop: bool) -> str:
    """The expression that joins the inputs, ``[batch, sum of their sizes]``."""
    layers = f"{draft.tf}.keras.layers"
    is_flat = all(shape == "(1,)" for shape in shapes)
    if len(keys) == 1 and not is_loop:
        one = f"{draft.inputs}[{keys[0]}]"
        return one if is_flat else f"{layers}.Flatten()({one})"
    key = draft.fresh("name")
    each = f"{draft.inputs}[{key}]" if is_flat else f"{layers}.Flatten()({draft.inputs}[{key}])"
    return f"{layers}.Concatenate()([{each} for {key} in sorted({draft.inputs})])"


def _shape(draft: Draft, shape: ast.expr | None) -> str:
    """The text of a shape without its batch dimension."""
    if shape is None:
        return "(1,)"
    if isinstance(shape, ast.List | ast.Tuple):
        if not shape.elts:
            return "(1,)"
        return (
            f"({', '.join(draft.text(size) for size in shape.elts)},)"
            if len(shape.elts) == 1
            else (f"({', '.join(draft.text(size) for size in shape.elts)})")
        )
    if isinstance(literal(shape), int):
        return f"({draft.text(shape)},)"
    is_part_of_shape = (
        isinstance(shape, ast.Subscript)
        and isinstance(shape.slice, ast.Slice)
        and isinstance(shape.value, ast.Attribute)
        and shape.value.attr == "shape"
    )
    if is_part_of_shape:
        return draft.text(shape)
    raise Unbindable("the shape of a numeric column is not written out")


def _read(names: Names, expression: ast.expr) -> _Columns:
    if isinstance(expression, ast.List | ast.Tuple):
        columns, statements = [], []
        for element in expression.elts:
            column, statement = _column(names, element)
            columns.append(column)
            statements += statement
        if not columns:
            raise Unbindable("the list of feature columns is empty here")
        return _Columns(columns, None, statements)
    if isinstance(expression, ast.ListComp):
        generator = expression.generators[0]
        if len(expression.generators) > 1 or generator.ifs or not isinstance(generator.target, ast.Name):
            raise Unbindable("the feature columns come from a comprehension that cannot be followed")
        return _Columns([_numeric(names, expression.elt)], (generator.target, generator.iter), [])
    if isinstance(expression, ast.Name):
        return _read_name(names, expression)
    raise Unbindable("the feature columns come from an expression that cannot be followed")


def _read_name(names: Names, name: ast.Name) -> _Columns:
    value = names.only_value(name)
    if value is None:
        raise Unbindable(f"`{name.id}` is not assigned once in this file")
    statement = names.statement_of(value)
    found = names.scope_of(name).lookup(name.id)
    assert found is not None
    uses = names.uses(name.id, found[0])
    if isinstance(value, ast.List) and not value.elts:
        others = [use for use in uses if use is not name]
        loops = [names.statement_of(use) for use in others]
        if len(loops) != 1:
            raise Unbindable(f"`{name.id}` is filled in a way that cannot be followed")
        return _read_append(names, name.id, loops[0], [statement])
    for use in uses:
        parent = names.parent(use)
        if isinstance(parent, ast.Attribute | ast.AugAssign | ast.Subscript):
            raise Unbindable(f"`{name.id}` is changed after it was made (line {use.lineno})")
    columns = _read(names, value)
    own = {id(node) for s in columns.statements for node in ast.walk(s)} | {id(name)}
    if all(id(use) in own for use in uses):
        columns.statements.append(statement)
    return columns


def _read_append(names: Names, name: str, append: ast.stmt, statements: list[ast.stmt]) -> _Columns:
    """``for key in keys: columns.append(numeric_column(key))``, the common way to make many."""
    loop = names.parent(append)
    call = append.value if isinstance(append, ast.Expr) else None
    is_append = (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "append"
        and len(call.args) == 1
    )
    plain = isinstance(loop, ast.For) and loop.body == [append] and not loop.orelse
    if not (is_append and plain and isinstance(loop, ast.For) and isinstance(loop.target, ast.Name)):
        raise Unbindable(f"`{name}` is filled in a way that cannot be followed")
    assert isinstance(call, ast.Call)
    return _Columns([_numeric(names, call.args[0])], (loop.target, loop.iter), [*statements, loop])


def _column(names: Names, element: ast.expr) -> tuple[tuple[ast.expr, ast.expr | None], list[ast.stmt]]:
    if isinstance(element, ast.Name):
        value = names.only_value(element)
        found = names.scope_of(element).lookup(element.id)
        if value is None or found is None:
            raise Unbindable(f"`{element.id}` is not assigned once in this file")
        is_only_use = len(names.uses(element.id, found[0])) == 1
        return _numeric(names, value), [names.statement_of(value)] if is_only_use else []
    return _numeric(names, element), []


def _numeric(names: Names, value: ast.expr) -> tuple[ast.expr, ast.expr | None]:
    found = symbol_of(names, value.func) if isinstance(value, ast.Call) else None
    if not isinstance(value, ast.Call) or found is None or found.tail != "feature_column.numeric_column":
        raise Unbindable(f"`{ast.unparse(value)[:60]}` is no numeric_column")
    arguments = bind(value, _PARAMETERS)
    if not is_none(arguments.get("normalizer_fn")):
        raise Unbindable("a numeric_column with normalizer_fn is not carried over yet")
    if "key" not in arguments:
        raise Unbindable("a numeric_column has no key")
    return arguments["key"], arguments.get("shape")
