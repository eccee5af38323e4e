"""FT193 · tf.estimator in code around the program

TensorFlow 2.16 removed the module ``tf.estimator``: a name of it that stays in a rewritten file fails there, an alias
or an annotation as soon as the file is imported.

Instead: an alias (``e = tf.estimator``) that nothing uses any more goes. Any other name that would stay in a file of
canned estimators leaves the program.

Fidelity: exact.

See: tf.estimator.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.analysis.symbols import symbol_of
from migrate.rewrite.draft import Draft
from migrate.rules.rule import REWRITTEN, Example, Verdict, exact, manual, rule


@rule(
    "FT193",
    "exact",
    Example("e = tf1.estimator", "model = tf.keras.Model(", "head"),
    Example("Config = tf1.estimator.RunConfig; print(Config)", None, "head"),
    Example("print(tf1.estimator.ModeKeys.TRAIN)", None, "head"),
    kinds=REWRITTEN,
)
def estimator_left_over(program: Program, draft: Draft) -> Iterator[Verdict]:
    while aliases := list(_unused_aliases(program, draft)):  # one alias may be the only use of another
        draft.absorbed += aliases
        for alias in aliases:
            yield exact(alias, "the alias goes: nothing uses it any more")
    if any(other.program.kind != "dnn" for other in draft.all):
        return
    known = {part for other in draft.all for part in _parts(other.program)}
    for node, found in program.module.estimator:
        if not _goes(draft, node) and known.isdisjoint([node, *program.module.names.ancestors(node)]):
            yield manual(
                node,
                f"`{found.qualified}` would stay here, and TensorFlow 2.16 does not have it any more",
                "Take it out, or move it to a file of its own.",
            )
            return


def _unused_aliases(program: Program, draft: Draft) -> Iterator[ast.stmt]:
    """The assignments of a name of ``tf.estimator`` to a variable whose every use is rewritten."""
    names = program.module.names
    for scope in [names.top] if program.scope in (None, names.top) else [names.top, program.scope]:
        for name, bindings in scope.bindings.items() if scope is not None else ():
            statement, value = bindings[0].node, bindings[0].value
            if len(bindings) != 1 or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                continue
            found = symbol_of(names, value) if isinstance(value, ast.Name | ast.Attribute) else None
            if found is None or not f"{found.tail}.".startswith("estimator."):
                continue
            uses = names.uses(name, scope)
            is_own = not uses or any(draft.goes(use) for use in uses)
            if is_own and statement not in draft.absorbed and all(_goes(draft, use) for use in uses):
                yield statement


def _parts(program: Program) -> Iterator[ast.AST]:
    """What belongs to a program, and stays with it where it is left."""
    yield program.site.node
    yield from program.config.calls
    for call in program.calls:
        yield call.node
        yield from (hook.node for hook in call.hooks)
        if call.input is not None and call.input.helper is not None:
            yield call.input.helper


def _goes(draft: Draft, node: ast.expr) -> bool:
    return any(other.goes(node) for other in draft.all)
