"""FT193 · tf.estimator in code around the program

TensorFlow 2.16 removed the module ``tf.estimator``: a name of it that stays in a rewritten file fails there, an alias
or an annotation as soon as the file is imported.

Instead: an alias (``e = tf.estimator``) that nothing uses any more is removed. Any other name that would stay in a file
of premade estimators blocks the program.

Fidelity: exact.

See: tf.estimator.
"""

import ast
from collections.abc import Iterator
from functools import lru_cache

from migrate.analysis.names import Names
from migrate.analysis.program import Program
from migrate.analysis.scopes import Scope
from migrate.analysis.symbols import Symbol, symbol_of
from migrate.files.parse import KEPT
from migrate.rewrite.draft import Draft, Drafts
from migrate.rules.rule import Example, Verdict, exact, manual, rule


@rule(
    "FT193",
    "exact",
    Example("e = tf1.estimator", "model = tf.keras.Model(", "head"),
    Example("Config = tf1.estimator.RunConfig; print(Config)", None, "head"),
    Example("print(tf1.estimator.BestExporter)", None, "head"),
    Example("RunConfig(model_dir=RunConfig().model_dir)", None),
)
def estimator_left_over(program: Program, draft: Draft) -> Iterator[Verdict]:
    while aliases := list(_unused_aliases(program, draft)):  # one alias may be the only use of another
        for alias in aliases:
            draft.delete(alias)
            yield exact(alias, "the alias is removed: nothing uses it any more")
    left = draft.all.once(_left)
    if left is not None:
        yield manual(
            left[0],
            f"`{left[1].qualified}` would stay here, and TensorFlow 2.16 does not have it any more",
            "Take it out, or use --canned object."
            if program.kind == "canned"
            else "Take it out, or move it to a file of its own.",
        )


def _left(drafts: Drafts) -> tuple[ast.expr, Symbol] | None:
    """The first name of ``tf.estimator`` that would stay in a file."""
    module, replaced = drafts[0].module, drafts.replaced
    known = {part for one in drafts for part in _parts(one.program)}
    carried = {part for one in drafts for part in _carried(one)}
    for node, found in module.estimator:
        stays = node not in replaced and known.isdisjoint([node, *module.names.ancestors(node)])
        if stays or node in carried:
            return node, found
    return None


def _carried(draft: Draft) -> Iterator[ast.AST]:
    """What the user's own expressions hold that stand in the new code, names with a new spelling aside."""
    program = draft.program
    replaced = {*program.config.calls}
    replaced |= {call.input.helper for call in program.calls if call.input is not None and call.input.helper}
    values = [*program.config.settings.values(), *program.arguments.values()]
    values += [value for call in program.calls for value in call.arguments.values()]
    others = [one for one in draft.absorbed if one not in program.config.statements]
    values += [value for call in replaced for value in (*call.args, *(keyword.value for keyword in call.keywords))]
    waiting: list[ast.AST] = [*values, *others]
    while waiting:
        node = waiting.pop()
        if node not in draft.renamed and node not in replaced:
            yield node
            waiting += ast.iter_child_nodes(node)


def _unused_aliases(program: Program, draft: Draft) -> Iterator[ast.stmt]:
    """The assignments of a name of ``tf.estimator`` to a variable whose every use is rewritten."""
    names = program.module.names
    for scope in [names.top] if program.scope in (None, names.top) else [names.top, program.scope]:
        for name, statement in _aliases(names, scope) if scope is not None else ():
            uses = names.uses(name, scope)
            is_own = not uses or any(draft.replaces(use) for use in uses)
            if is_own and not draft.replaces(statement) and all(draft.is_replaced(use) for use in uses):
                yield statement


@lru_cache(maxsize=KEPT)
def _aliases(names: Names, scope: Scope) -> list[tuple[str, ast.Assign]]:
    """The variables of a scope that stand for a name of ``tf.estimator``, with what assigns it."""
    found = list[tuple[str, ast.Assign]]()
    for name, bindings in scope.bindings.items():
        statement = bindings[0].node
        is_plain = len(bindings) == 1 and isinstance(statement, ast.Assign) and len(statement.targets) == 1
        if is_plain and isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Name | ast.Attribute):
            symbol = symbol_of(names, statement.value)
            if symbol is not None and f"{symbol.tail}.".startswith("estimator."):
                found.append((name, statement))
    return found


def _parts(program: Program) -> Iterator[ast.AST]:
    """What belongs to a program, and stays with it where it is left."""
    yield program.site.node
    yield from program.config.calls
    for call in program.calls:
        yield call.node
        yield from (hook.node for hook in call.hooks)
        if call.input is not None and call.input.helper is not None:
            yield call.input.helper
