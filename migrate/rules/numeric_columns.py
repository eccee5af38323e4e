"""FT121 · feature_columns=[numeric_column(…), …]

The canned network reads its features through feature columns, in the order of their names.

Instead: one ``tf.keras.Input`` a column, flattened and joined in the order of their names, which is the Estimator's.

Features that the model does not use are left out of a dataset whose keys are not written out: Keras 3 would take one
for another.

Fidelity: exact for ``numeric_column`` without ``normalizer_fn``. Every other column leaves the program.

See: tf.feature_column.numeric_column, tf.keras.Input.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from migrate.analysis.arguments import Unbindable, bind, is_none, literal
from migrate.analysis.moves import is_pure, why_not_movable
from migrate.analysis.names import Names
from migrate.analysis.program import Program
from migrate.analysis.symbols import symbol_of
from migrate.rewrite.draft import Draft
from migrate.rules.rule import DNN, Example, Verdict, exact, manual, rule

_PARAMETERS = ("key", "shape", "default_value", "dtype", "normalizer_fn")


@dataclass
class _Columns:
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


@rule(
    "FT121",
    "exact",
    Example('[tf1.feature_column.numeric_column("x")]', 'inputs = {"x": tf.keras.Input((1,), name="x")}', "columns"),
    Example('[tf1.feature_column.numeric_column("x", shape=[2, 3])]', "tf.keras.layers.Flatten()", "columns"),
    Example('[tf1.feature_column.numeric_column("a/b")]', 'inputs = {"a/b": tf.keras.Input((1,))}', "columns"),
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
        _hold_at(program, columns)
        shapes = [_shape(draft, shape) for _, shape in columns.columns]
    except Unbindable as reason:
        yield manual(given, str(reason), "Keras gets numeric columns alone; --canned model-fn keeps every column.")
        return
    tf, inputs = draft.tf, draft.inputs
    nodes = [key for key, _ in columns.columns]
    keys = [draft.once(key, "key") for key in nodes]
    # Keras 3 takes no slash in a name, and needs none.
    named = ["" if "/" in str(literal(key)) else f", name={text}" for key, text in zip(nodes, keys, strict=True)]
    parts = zip(keys, shapes, named, strict=True)
    items = ", ".join(f"{key}: {tf}.keras.Input({shape}{name})" for key, shape, name in parts)
    if columns.loop is not None:
        variable, iterable = columns.loop
        items += f" for {draft.text(variable)} in {draft.text(iterable)}"
    draft.columns.append(f"{inputs} = {{{items}}}")
    draft.columns.append(f"{draft.net} = {_joined(draft, keys, shapes, columns.loop is not None)}")
    known = [literal(key) for key in nodes]
    names = {key for key in known if isinstance(key, str)}
    draft.column_keys = names if columns.loop is None and all(isinstance(key, str) for key in known) else None
    if program.returned is not None and draft.column_keys is None:
        yield manual(
            given,
            "which features the model takes is known where it is made alone, and it is trained elsewhere",
            "Write the names of the columns as literals, or train where the estimator is made.",
        )
        return
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


def _hold_at(program: Program, columns: _Columns) -> None:
    """Refuses columns that the place of the estimator may see otherwise."""
    names, statement = program.module.names, program.statement
    variable = columns.loop[0].id if columns.loop is not None else ""
    for source in columns.sources:
        reason = why_not_movable(names, source, statement, variable) if statement is not None else None
        if reason is not None:
            raise Unbindable(reason)
    if columns.loop is not None and not all(is_pure(names, key) for key, _ in columns.columns):
        raise Unbindable("the keys of the feature columns are computed by calls that cannot be repeated")


def _read(names: Names, expression: ast.expr) -> _Columns:
    if isinstance(expression, ast.List | ast.Tuple):
        all_of_them = _Columns([])
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
        return _Columns([_numeric(names, expression.elt)], loop, sources=[expression])
    if isinstance(expression, ast.Name):
        return _read_name(names, expression)
    raise Unbindable("the feature columns come from an expression that cannot be followed")


def _read_name(names: Names, name: ast.Name) -> _Columns:
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


def _read_append(names: Names, name: str, append: ast.stmt, empty: ast.stmt) -> _Columns:
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
    if isinstance(column, ast.Name) and len(_uses_of(names, column)) == 1:  # column = …; columns.append(column)
        value = names.only_value(column)
        before = [names.statement_of(value)] if value is not None else []
        column = value if value is not None else column
    else:
        before = []
    if loop.body != [*before, append]:
        raise Unbindable(f"`{name}` is filled by a loop that does more")
    if not all(_is_of_a_loop(names, use, loop.target.id) for use in _uses_of(names, loop.target)):
        raise Unbindable(f"`{loop.target.id}` is used outside the loop that fills `{name}`")
    return _Columns([_numeric(names, column)], (loop.target, loop.iter), [empty, loop], [loop.iter, column])


def _uses_of(names: Names, target: ast.Name) -> list[ast.Name]:
    found = names.scope_of(target).lookup(target.id)
    return [] if found is None else names.uses(target.id, found[0])


def _is_of_a_loop(names: Names, use: ast.Name, name: str) -> bool:
    """Whether a variable is read inside a loop that sets it."""
    loops = (loop for loop in names.ancestors(use) if isinstance(loop, ast.For))
    return any(isinstance(loop.target, ast.Name) and loop.target.id == name for loop in loops)


def _add_column(names: Names, columns: _Columns, element: ast.expr) -> None:
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
    arguments = bind(value, _PARAMETERS)
    if not is_none(arguments.get("normalizer_fn")):
        raise Unbindable("a numeric_column with normalizer_fn is not carried over yet")
    if "key" not in arguments:
        raise Unbindable("a numeric_column has no key")
    return arguments["key"], arguments.get("shape")
