"""Columns that share one embedding, which TensorFlow makes in a graph alone."""

import ast

from migrate.analysis.arguments import Unbindable, bind, is_none, literal
from migrate.analysis.names import Names
from migrate.analysis.program import Program
from migrate.edits.plan import ReplaceExpression
from migrate.rewrite.draft import Draft

_MAKER = "feature_column.shared_embedding_columns"
_UNTRAINED = "feature_column.shared_embeddings"
_COLUMNS = ("feature_columns", "dnn_feature_columns")
_PARAMETERS = (
    "categorical_columns", "dimension", "combiner", "initializer", "shared_embedding_collection_name",
    "ckpt_to_load_from", "tensor_name_in_ckpt", "max_norm", "trainable", "use_safe_embedding_lookup",
)  # fmt: skip


def shared_embeddings(draft: Draft, piece: str) -> list[tuple[ast.expr, str]]:
    """Writes an emitted function for TensorFlow's wherever the program makes such columns.

    Args:
      draft: the program's.
      piece: the emitted function, which takes the same arguments.

    Returns:
      The places that cannot be written so, each with the reason.
    """
    module, made_of = draft.module, _made_of(draft.program)
    makers, untrained = (
        [node for node in module.uses.get(tail, ()) if made_of is None or node in made_of]
        for tail in (_MAKER, _UNTRAINED)
    )
    problems = [(node, f"`{_UNTRAINED}` makes no columns outside of a graph") for node in untrained]
    for node in makers:
        problem = _problem(module.names.parent(node), node)
        if problem is not None:
            problems.append((node, problem))
            continue
        draft.renamed[node] = draft.piece(piece)
        draft.edits.append(ReplaceExpression(module.span(node), draft.renamed[node]))
        draft.shared.append(module.names.statement_of(node))
    return problems


def _problem(call: ast.AST, node: ast.expr) -> str | None:
    if not isinstance(call, ast.Call) or call.func is not node:
        return f"`{_MAKER}` is passed on here, so its arguments are not seen"
    try:
        given = bind(call, _PARAMETERS, no_others=True)
    except Unbindable as reason:
        return str(reason)
    if not is_none(given.get("ckpt_to_load_from")):
        return "the weights of a shared embedding that another checkpoint gives are not carried over"
    if literal(given.get("use_safe_embedding_lookup", ast.Constant(True))) is not True:
        return "a shared embedding without use_safe_embedding_lookup fails on examples without a value"
    return None


def _made_of(program: Program) -> set[ast.AST] | None:
    """All code that a deep network's columns are made by; None where it cannot be told."""
    names = program.module.names
    waiting: list[ast.AST] = [program.arguments[name] for name in _COLUMNS if name in program.arguments]
    reached: set[ast.AST] = set()
    while waiting:
        for node in ast.walk(waiting.pop()):
            if node in reached:
                continue
            reached.add(node)
            bindings = [binding for binding in names.bound(node) if binding.imported is None]
            if any(binding.value is None and not isinstance(binding.node, ast.FunctionDef) for binding in bindings):
                return None  # a parameter, a loop's variable, one of several that a call gives
            waiting += [binding.value or binding.node for binding in bindings]
            is_alias = all(isinstance(binding.value, ast.Attribute | ast.Name) for binding in bindings)  # of a module
            if not is_alias:
                waiting += [names.statement_of(use) for use in names.reads_of(node) if _may_add(names, use)]
    return reached


def _may_add(names: Names, use: ast.Name) -> bool:
    """Whether a use of a list may put columns into it: a method, an item, ``+=``."""
    parent = names.parent(use)
    is_changed = isinstance(parent, ast.Attribute) and isinstance(names.parent(parent), ast.Call)
    return is_changed or isinstance(parent, ast.AugAssign | ast.Subscript)
