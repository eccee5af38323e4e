"""FT153 · a dataset or tensor that is made outside of the function that reads it

TensorFlow 1 copies a dataset into the graph in which ``make_one_shot_iterator()`` reads it, with a warning. TensorFlow
2 raises, in its Estimator too: ``The graph of the iterator is different from the graph the dataset was created in``. An
Estimator makes a graph for each training, so the migrated program would not start if its input function only reads a
dataset that was made before. The same holds for a ``tf.constant`` at the top of a file: TensorFlow 1 copied it into
a function of ``Dataset.map``, but TensorFlow 2 accepts no eager tensor in such a graph.

Instead: nothing is rewritten. Make the dataset inside the function that the Estimator calls. Make the tensor there too,
or use a NumPy array or a list.

Fidelity: manual.

See: tf.compat.v1.data.Dataset.make_one_shot_iterator.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.source.module import Module
from migrate.analysis.source.scopes import FunctionNode
from migrate.analysis.source.symbols import symbol_of
from migrate.analysis.values.values import Value, Values
from migrate.rules.rule import EstimatorFile, Verdict, example, file_rule, manual


@file_rule(
    "FT153",
    "manual",
    example(
        "def once(ds): return lambda: ds.make_one_shot_iterator().get_next()\n"
        "    train = tf1.data.Dataset.range(8).batch(2); print(once(train))",
        None,
    ),
)
def dataset_made_outside(file: EstimatorFile) -> Iterator[Verdict]:
    module, values = file.module, Values(file.tree)
    for node in module.names.attributes.get("make_one_shot_iterator", ()):
        root = _root_variable(node.value)
        made = None if root is None else _calls_that_make(values, Value(module, root), set())
        if root is not None and made and (_is_from_outside(module, root) or _is_made_at_import(module, root, made)):
            message = (
                f"`{root.id}` is made outside of the function that reads it, which TensorFlow 2 refuses in a graph"
            )
            yield manual(node, message, "Make the dataset within the function that the Estimator calls.", module)
    yield from _constants(file)


def _constants(file: EstimatorFile) -> Iterator[Verdict]:
    """Reports the first tensor made at the top of a file that a function reads in a graph."""
    names = file.module.names
    for call in file.module.calls_of("constant"):
        statement = next((one for one in names.ancestors(call) if isinstance(one, ast.Assign)), None)
        target = statement.targets[0] if statement is not None else None
        if not isinstance(target, ast.Name) or names.function_around(call) is not names.module:
            continue
        uses = names.uses(target.id, names.scope_of(target))
        read = [one for one in uses if names.function_around(one) is not names.module]
        if any(file.eager is None or not file.eager.contains(file.module, one) for one in read):
            message = (
                f"`{target.id}` holds tensors made outside of the function that reads it, which TensorFlow 2 refuses"
            )
            help = "Make them within the function, or write a list or NumPy array of their values."
            yield manual(call, f"{message} in a graph", help, file.module)
            return


def _root_variable(node: ast.expr) -> ast.Name | None:
    """Returns the variable at the start of a chain of method calls; None where it starts with a function call."""
    while isinstance(node, ast.Attribute) or (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return node if isinstance(node, ast.Name) else None


def _is_from_outside(module: Module, root: ast.Name) -> bool:
    """Whether a function reads a variable of an outer scope that does not itself call the function."""
    names = module.names
    scope = names.scope_of(root)
    found = scope.lookup(root.id)
    inner = names.function_around(root)
    if found is None or found[0] is scope or inner in names.ancestors(found[1][0].node):
        return False
    if isinstance(found[0].node, ast.Module):
        return True
    if isinstance(inner, ast.Lambda):
        return isinstance(names.parent(inner), ast.Return | ast.Call | ast.keyword)
    called = (call.func for call in names.calls_in(found[0].node) if isinstance(call.func, ast.Name))
    return not any(name.id == getattr(inner, "name", "") for name in called)


def _is_made_at_import(module: Module, root: ast.Name, made: list[Value]) -> bool:
    """Whether a function reads a dataset that code outside of all functions made and passed to it."""
    outside = [isinstance(case.module.names.function_around(case.node), ast.Module) for case in made]
    return any(outside) and isinstance(module.names.function_around(root), FunctionNode)


def _calls_that_make(values: Values, value: Value, seen: set[ast.AST]) -> list[Value] | None:
    """Returns the calls that make the Dataset behind an expression; None where it may be something else."""
    assert isinstance(value.node, ast.expr)
    found = list[Value]()
    for case in values.of(value.module, value.node):
        if case.node not in seen:  # `dataset = dataset.batch(8)` is followed to the first value of `dataset`
            seen.add(case.node)
            made = _makers_of(values, case, seen)
            if made is None:
                return None
            found += made
    return found


def _makers_of(values: Values, case: Value, seen: set[ast.AST]) -> list[Value] | None:
    node = case.node
    if isinstance(node, ast.Subscript):
        dicts = values.of(case.module, node.value)
        return dicts if all(_is_tfds_load(one, has_split=False) for one in dicts) else None
    if not isinstance(node, ast.Call):
        return None
    found = symbol_of(case.module.names, node.func)
    if _is_tfds_load(case, has_split=True) or (
        found is not None and found.tail.startswith("data.") and "iterator" not in found.tail.lower()
    ):
        return [case]
    if found is not None or not isinstance(node.func, ast.Attribute):
        return None
    if "iterator" in node.func.attr or node.func.attr == "get_next":
        return None
    return _calls_that_make(values, Value(case.module, node.func.value), seen)


def _is_tfds_load(case: Value, *, has_split: bool) -> bool:
    """Whether an expression is a Dataset of TensorFlow Datasets, or, without a split, a dict of them."""
    value, names = case.node, case.module.names
    if not isinstance(value, ast.Call) or names.qualified(value.func) != "tensorflow_datasets.load":
        return False
    given = {keyword.arg: keyword.value for keyword in value.keywords}
    if len(value.args) > 1 or None in given or not given.keys().isdisjoint({"with_info", "batch_size"}):
        return False
    split = given.get("split")
    if not has_split:
        return split is None
    split = split and names.value(split)
    return isinstance(split, ast.Attribute) or (isinstance(split, ast.Constant) and isinstance(split.value, str))
