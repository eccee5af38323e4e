"""The inputs of a Keras model whose feature columns are all plain numeric ones."""

import ast

from migrate.analysis.arguments import Unbindable, literal
from migrate.analysis.numeric_columns import numeric_columns
from migrate.rewrite.draft import Draft


def numeric_inputs(draft: Draft, given: ast.expr) -> bool:
    """Writes one ``tf.keras.Input`` for each column that ``given`` holds, and what joins them.

    Returns:
      Whether it could: False where a column is another one, or is not seen.
    """
    program = draft.program
    try:
        columns = numeric_columns(program, given)
        shapes = [_shape(draft, shape) for _, shape in columns.columns]
    except Unbindable:
        return False
    nodes = [key for key, _ in columns.columns]
    known = [literal(key) for key in nodes]
    names = {key for key in known if isinstance(key, str)}
    column_keys = names if all(isinstance(key, str) for key in known) else None
    keys = [draft.once(key, "key") for key in nodes]
    # Keras 3 takes no slash in a name, and needs none.
    named = ["" if "/" in str(literal(key)) else f", name={text}" for key, text in zip(nodes, keys, strict=True)]
    parts = zip(keys, shapes, named, strict=True)
    items = ", ".join(f"{key}: {draft.tf}.keras.Input({shape}{name})" for key, shape, name in parts)
    draft.columns.append(f"{draft.inputs} = {{{items}}}")
    draft.columns.append(f"{draft.net} = {_joined(draft, keys, shapes)}")
    draft.column_keys = column_keys
    draft.absorbed += columns.statements
    return True


def _joined(draft: Draft, keys: list[str], shapes: list[str]) -> str:
    """The expression that joins the inputs, ``[batch, sum of their sizes]``."""
    layers = f"{draft.tf}.keras.layers"
    is_flat = all(shape == "(1,)" for shape in shapes)
    if len(keys) == 1:
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
