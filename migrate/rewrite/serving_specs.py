"""The ``TensorSpec`` that a placeholder becomes where it only tells a serving input its type and shape."""

import ast

from migrate.analysis.source.arguments import Unbindable, bind, is_none
from migrate.analysis.source.names import Names
from migrate.analysis.source.symbols import tail_called
from migrate.rewrite.changed_file import ChangedFile


def spec_of_feature(file: ChangedFile, node: ast.expr) -> str | None:
    """The ``TensorSpec`` for a placeholder in a dict that ``build_raw_serving_input_receiver_fn`` alone is given."""
    names, call = file.module.names, file.module.names.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node:
        return None
    fed = _only_use(names, call)
    display = names.parent(fed) if fed is not None else None
    if not isinstance(display, ast.Dict):
        return None
    taker, uses = names.parent(display), list[ast.expr]([display])
    if isinstance(taker, ast.Assign) and len(taker.targets) == 1 and isinstance(taker.targets[0], ast.Name):
        variable = taker.targets[0]
        uses = [*names.reads_of(variable)] if len(names.bound(variable)) == 1 else []
    if not uses or not all(_is_receiver(names, use) for use in uses):
        return None
    try:
        given = bind(call, ("dtype", "shape", "name"))
    except Unbindable:
        return None
    if not given.keys() <= {"dtype", "shape", "name"} or is_none(given.get("shape")) or "dtype" not in given:
        return None
    text = file.module.source.text
    written = [f"{name}={text(given[name], file.renamed)}" for name in ("shape", "dtype", "name") if name in given]
    return f"{file.vocabulary.v1_or_tf}.TensorSpec({', '.join(written)})"


def _only_use(names: Names, value: ast.expr) -> ast.expr | None:
    """Returns the only use of a value, also through a variable."""
    statement = names.parent(value)
    if not isinstance(statement, ast.Assign):
        return value
    target = statement.targets[0] if len(statement.targets) == 1 else None
    uses = names.reads_of(target)
    return uses[0] if len(names.bound(target)) == len(uses) == 1 else None


def _is_receiver(names: Names, use: ast.expr) -> bool:
    """Whether an expression is the dict of features that raw requests feed."""
    parent = names.parent(use)
    call = names.parent(parent) if isinstance(parent, ast.keyword) and parent.arg == "features" else parent
    is_first = isinstance(call, ast.Call) and use not in call.args[1:]
    return is_first and tail_called(names, call) == "estimator.export.build_raw_serving_input_receiver_fn"
