"""Why a load must not be passed by: something else than the training may use the loaded model."""

import ast
from collections.abc import Iterator

from migrate.analysis.names import Names
from migrate.analysis.resume.called_names import exits
from migrate.analysis.trainings import Fit


def other_use(names: Names, fit: Fit, load: ast.Call) -> str:
    """What else than the training may use a model that is loaded before it, as a sentence's part; "" for nothing.

    Args:
      names: the names of the file.
      fit: the training.
      load: the call that loads, or that leads to it.
    """
    if names.scope_of(load).node is not names.scope_of(fit.call).node:
        return "it is loaded where other code may use it"
    chain = [fit.call, *names.ancestors(fit.call)]
    around = [node for node in [names.statement_of(load), *names.ancestors(load)] if isinstance(node, ast.stmt)]
    for node in around:
        block = next((one for one in _blocks(names.parents.get(node)) if node in one), [])
        after = next((one for one in block[block.index(node) + 1 :] if one in chain), None) if node in block else None
        if node in chain:
            return ""  # one statement loads and trains
        if after is None:
            continue
        begin = chain.index(fit.statement) + 1 if fit.statement in chain else 0
        inside = chain[begin : chain.index(after) + 1]
        if any(isinstance(one, ast.If | ast.For | ast.While | ast.IfExp) for one in inside):
            return f"line {after.lineno} decides whether the loaded model is trained"
        for between in block[block.index(node) + 1 : block.index(after)]:
            ends = [n for n in ast.walk(between) if isinstance(n, ast.Return) or exits(n)]
            if ends and any(ast.unparse(n) == ast.unparse(fit.receiver) for n in ast.walk(between)):
                return f"line {between.lineno} may use the loaded model for something else than training"
        return ""
    return "the load does not stand before the training"


def _blocks(node: ast.AST | None) -> Iterator[list[ast.stmt]]:
    for _, value in ast.iter_fields(node) if node is not None else ():
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value
