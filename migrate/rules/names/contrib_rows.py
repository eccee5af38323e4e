"""Replaces a name of contrib by a row of contrib's table, in the form that fits its call."""

import ast

from migrate.analysis.source.module import Module
from migrate.findings.finding import Fidelity
from migrate.rewrite.changed_file import ARGUMENT, precedence
from migrate.rules.rule import EstimatorFile, Verdict, exact, manual
from migrate.tensorflow.contrib import Row
from migrate.tensorflow.known_names import lines_of, lines_without


def write_row(file: EstimatorFile, node: ast.expr, row: Row) -> Verdict | None:
    """Replaces a name as a row says, and returns the verdict; None where the row does not fit the call."""
    parent = file.module.names.parent(node)
    call = parent if isinstance(parent, ast.Call) and parent.func is node else None
    if row.arguments and not (call is not None and _fits_call(row, call)):
        is_open = any(one.startswith("-") for one in row.arguments)
        if call is not None or not is_open:
            return None
    if row.kind == "tf" and not lines_without(f"tensorflow.compat.v1.{row.successor}", lines_of(file.settings.target)):
        verdict = _replace_name(file, node, f"{file.v1}.{row.successor}")
        if not row.successor.startswith(DATASET):
            return verdict
        message = f"{verdict.message}; if shuffled, in another random order"
        return verdict._replace(fidelity=Fidelity.NOTED, message=message)
    if row.kind == "piece":
        return _replace_name(file, node, file.runtime_name_at(node, row.successor))
    if row.kind == "by-name" and call is not None:
        return _write_by_name(file, node, call, row)
    if row.kind == "slim":
        text = ".".join(part for part in (file.runtime_name("slim"), row.successor) if part)
        return _replace_name(file, node, text)._replace(fidelity=Fidelity.NOTED)
    if row.kind == "rule" and row.name == "MirroredStrategy" and call is not None:
        return _mirrored_strategy(file, node, call, row)
    return None


def _fits_call(row: Row, call: ast.Call) -> bool:
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return False
    return row.takes(len(call.args), [keyword.arg for keyword in call.keywords])


def _replace_name(file: EstimatorFile, node: ast.expr, text: str) -> Verdict:
    file.rename(node, text)
    return exact(node, f"becomes {text}", file.module)


def _write_by_name(file: EstimatorFile, node: ast.expr, call: ast.Call, row: Row) -> Verdict | None:
    """Replaces a call of a function with another order of parameters, all by name; None where it cannot."""
    text = f"{file.v1}.{row.successor}"
    inside = {part for argument in call.args + call.keywords for part in ast.walk(argument)}
    changing = [part for part, _ in [*file.module.tf1_only, *file.module.estimator_uses] if part in inside]
    if not call.args:
        return _replace_name(file, node, text)
    if changing:
        return None
    given = [*zip(row.arguments, call.args, strict=False), *((k.arg, k.value) for k in call.keywords)]
    names = [name for name, _ in given]
    if twice := next((name for name in names if names.count(name) > 1), None):
        return manual(call, f"`{twice}` is passed twice here, by position and by name", "Pass it once.", file.module)
    whole = f"{text}({', '.join(f'{name}={_argument(file, value)}' for name, value in given)})"
    file.rename(call, whole)
    return exact(node, f"becomes {text}, whose arguments have another order", file.module)


def _argument(file: EstimatorFile, value: ast.expr) -> str:
    """Returns the source of a value for a keyword argument, with parentheses for ``x := 3``."""
    text = file.module.source.text(value, file.renamed)
    return text if precedence(value) >= ARGUMENT else f"({text})"


def _mirrored_strategy(file: EstimatorFile, node: ast.expr, call: ast.Call, row: Row) -> Verdict:
    """Replaces contrib's strategy by TensorFlow 2's, or by a function that takes contrib's arguments."""
    given = [keyword.arg for keyword in call.keywords]
    is_plain = not given and len(call.args) <= 1
    text = f"{file.v1}.distribute.MirroredStrategy" if is_plain else file.runtime_name(row.successor)
    file.rename(node, text)
    return Verdict(node, Fidelity.NOTED, "becomes TensorFlow 2's, which reduces on one device", module=file.module)


DATASET = "data.Dataset"


def has_old_calls(module: Module) -> bool:
    """Whether a file may use methods or arguments that only contrib's dataset, of TensorFlow 1.4, had."""
    calls = (module.names.parent(node) for node in module.names.nodes(ast.keyword) if node.arg in _OLD_MAP_ARGUMENTS)
    maps = (call.func for call in calls if isinstance(call, ast.Call))
    is_map = any(isinstance(func, ast.Attribute) and func.attr == "map" for func in maps)
    return is_map or not _OLD_METHODS.isdisjoint(module.names.attributes)


DATASETS = (DATASET, "data.FixedLengthRecordDataset", "data.TFRecordDataset", "data.TextLineDataset")


HELP = (
    "Write map's num_threads as num_parallel_calls, and d.group_by_window(…) as "
    "d.apply(tf.data.experimental.group_by_window(…)); then migrate again."
)


_OLD_MAP_ARGUMENTS = {"num_threads", "output_buffer_size"}


_OLD_METHODS = {"dense_to_sparse_batch", "group_by_window", "ignore_errors"}
"""Methods that ``tf.compat.v1.data.Dataset`` lacks, or that give another class there."""
