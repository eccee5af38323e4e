"""FT154 · the truth of a moving average, ``if ema.average(x)``

``ExponentialMovingAverage.average`` returns a variable or None. In TensorFlow 1 a variable is true, like any object. In
TensorFlow 2 its truth is that of its value, which raises in a graph: ``Using a symbolic tf.Tensor as a Python bool is
not allowed``.

Instead: ``if ema.average(x) is not None``, in a program for TensorFlow 1, if the object is known to be a moving
average, also through variables and arguments. ``ema.average(x) or x``, which also uses the value, is reported.

Fidelity: exact.

See: tf.compat.v1.train.ExponentialMovingAverage.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.source.names import Names
from migrate.analysis.values.values import Value, Values
from migrate.edits.plan import ReplaceExpression
from migrate.rules.rule import EstimatorFile, Verdict, exact, example, file_rule, manual

_AVERAGE = "train.ExponentialMovingAverage"


@file_rule(
    "FT154",
    "exact",
    example(
        "ema = tf1.train.ExponentialMovingAverage(0.9); mean = ema.average(x)\n    print(mean if mean else x)",
        "print(mean if mean is not None else x)",
    ),
    example("ema = tf1.train.ExponentialMovingAverage(0.9)\n    if not ema.average(x): pass", "average(x) is None:"),
    example("ema = tf1.train.ExponentialMovingAverage(0.9)\n    print(ema.average(x) or x)", None),
)
def average_truth(file: EstimatorFile) -> Iterator[Verdict]:
    names, values = file.module.names, Values(file.tree)
    for node in names.attributes.get("average", ()):
        call = names.parent(node)
        tested = [one for one in _results(names, call) if _is_tested(names, one)] if isinstance(call, ast.Call) else []
        if tested and all(_is_average(file, case) for case in values.of(file.module, node.value)):
            yield from (_compare_with_none(file, one) for one in tested)


def _compare_with_none(file: EstimatorFile, tested: ast.expr) -> Verdict:
    """Compares a tested average with None; reports it in an ``or`` whose value is used."""
    module, parent = file.module, file.module.names.parent(tested)
    if isinstance(parent, ast.BoolOp) and not _is_tested(module.names, parent):
        message = "takes a moving average for its truth, which is the variable's value in TensorFlow 2"
        return manual(tested, message, "Write `is not None` in a conditional expression.", module)
    is_negated = isinstance(parent, ast.UnaryOp)
    place = parent if isinstance(parent, ast.UnaryOp) else tested
    text = f"{module.source.text(tested, file.renamed)} {'is' if is_negated else 'is not'} None"
    file.edits.append(ReplaceExpression(module.span(place), text))
    return exact(tested, "is compared with None: the truth of a variable is its value in TensorFlow 2", module)


def _results(names: Names, call: ast.Call) -> list[ast.expr]:
    """Returns the call itself and the reads of the variable that only it is assigned to."""
    parent = names.parent(call)
    targets = parent.targets if isinstance(parent, ast.Assign) else []
    return [call, *(one for target in targets if names.only_value(target) is call for one in names.reads_of(target))]


def _is_tested(names: Names, node: ast.expr) -> bool:
    """Whether an expression is used as a condition."""
    parent = names.parent(node)
    if isinstance(parent, ast.If | ast.IfExp | ast.While | ast.Assert):
        return parent.test is node
    if isinstance(parent, ast.comprehension):
        return node in parent.ifs
    return isinstance(parent, ast.BoolOp) or (isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not))


def _is_average(file: EstimatorFile, case: Value) -> bool:
    made = case.module.names.qualified(case.node.func) if isinstance(case.node, ast.Call) else None
    return made == f"tensorflow.compat.v1.{_AVERAGE}" or (file.is_tf1 and made == f"tensorflow.{_AVERAGE}")
