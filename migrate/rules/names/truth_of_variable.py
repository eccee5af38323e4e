"""FT195 · the truth of a variable

TensorFlow 1 takes each variable for true, whatever it holds: ``average if average else value`` asks whether
``ExponentialMovingAverage.average`` gave a variable or None. The variables of TensorFlow 2 are tensors there, whose
truth nobody knows while a graph is made: ``Using a symbolic `tf.Tensor` as a Python `bool` is not allowed``.

Instead: ``is not None``, and ``is None`` for ``not``. So it is for what ``ExponentialMovingAverage.average``,
``tf.get_variable``, ``tf.Variable`` and ``tf.train.get_global_step`` return, also through a function of the program
that returns it, or that is given it in all of its calls.

Fidelity: exact. ``average or value`` blocks the program: what it gives is written out better by hand.

See: tf.compat.v1.train.ExponentialMovingAverage.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.symbols import symbol_of
from migrate.analysis.tree import Tree
from migrate.analysis.values.values import End, Values
from migrate.edits.plan import ReplaceExpression
from migrate.rules.rule import ObjectFile, Verdict, exact, file_rule, line, manual

_AVERAGES = "train.ExponentialMovingAverage"
_VARIABLES = {
    "Variable", "get_variable", "train.create_global_step", "train.get_global_step",
    "train.get_or_create_global_step",
}  # fmt: skip
_VARIABLE, _OTHER = "variable", "other"
_BRANCHES = (ast.IfExp, ast.If, ast.While, ast.Assert)


@file_rule(
    "FT195",
    "exact",
    line("s = tf1.train.get_global_step(); print(1 if s else 2)", "print(1 if s is not None else 2)"),
    line(
        "e = tf1.train.ExponentialMovingAverage(1); a = e.average(x); print(1 if not a else 2)",
        "print(1 if a is None else 2)",
    ),
    line(
        "def shown(one): return 1 if one else 2\n    print(shown(tf1.train.get_global_step()))",
        "return 1 if one is not None else 2",
    ),
    line("print(tf1.train.get_global_step() or 2)", None),
)
def truth_of_variable(file: ObjectFile) -> Iterator[Verdict]:
    module, values = file.module, Values(file.tree)
    for node in _asked(module):
        if not _is_variable(file.tree, values, module, node):
            continue
        parent = module.names.parent(node)
        negated = isinstance(parent, ast.UnaryOp)
        asked = parent if isinstance(parent, ast.UnaryOp) else node
        if isinstance(parent, ast.BoolOp) and not _is_branch(module.names, parent):
            message = "a variable of TensorFlow 2 has no truth while a graph is made"
            yield manual(node, message, "Write `x if x is not None else y`.", module)
            continue
        text = f"{module.source.text(node, file.renamed)} is {'' if negated else 'not '}None"
        file.edits.append(ReplaceExpression(module.span(asked), text))
        yield exact(asked, f"becomes `{text}`: a variable of TensorFlow 2 has no truth while a graph is made", module)


def _asked(module: Module) -> Iterator[ast.expr]:
    """The expressions whose truth a file asks for."""
    names = module.names
    for test in (
        *(node.test for node in names.nodes(ast.IfExp)),
        *(node.test for node in names.nodes(ast.If)),
        *(node.test for node in names.nodes(ast.While)),
        *(node.test for node in names.nodes(ast.Assert)),
    ):
        yield from _operands(test)
    for choice in names.nodes(ast.BoolOp):
        if not _is_branch(names, choice):
            yield from (operand for value in choice.values[:-1] for operand in _operands(value))


def _operands(test: ast.expr) -> Iterator[ast.expr]:
    """The single questions that a test is made of."""
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _operands(value)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _operands(test.operand)
    else:
        yield test


def _is_branch(names: Names, node: ast.expr) -> bool:
    """Whether an ``and`` or ``or`` only settles which way is taken, so that its value is nobody's."""
    parent = names.parent(node)
    if isinstance(parent, ast.BoolOp | ast.UnaryOp):
        return isinstance(parent, ast.UnaryOp) or _is_branch(names, parent)
    return isinstance(parent, _BRANCHES) and parent.test is node


def _is_variable(tree: Tree, values: Values, module: Module, node: ast.expr) -> bool:
    """Whether an expression is seen to give a variable, or None."""
    asked = "variable", node
    if asked not in tree.answers:
        kinds = set[str | None]()
        for end in values.followed(module, node):
            kinds.add(_kind(end))
            if _OTHER in kinds:  # most ask for something else: nothing further is looked for
                break
        tree.answers[asked] = _VARIABLE in kinds and _OTHER not in kinds
    return tree.answers[asked]  # type: ignore[no-any-return]


def _kind(end: End) -> str | None:
    """What an expression gives: a variable, None or something else."""
    names, value = end.module.names, end.node
    if isinstance(value, ast.Constant) and value.value is None:
        return None
    found = symbol_of(names, value.func) if isinstance(value, ast.Call) else None
    if found is not None:
        return _VARIABLE if found.tail in _VARIABLES else _OTHER
    is_method = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
    # Which object has the method is hidden where a function is given it; one of another kind has a truth of its own.
    is_average = is_method and value.func.attr == "average" and names.qualified(value.func) is None  # type: ignore[attr-defined]
    return _VARIABLE if is_average and _AVERAGES in end.module.uses else _OTHER
