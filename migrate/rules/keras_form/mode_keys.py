"""FT119 · tf.estimator.ModeKeys in the input functions of a premade estimator

An input function that serves several purposes is often told by a ``ModeKeys`` which one is meant.

Instead: ``ModeKeys``, a generated class with the same names and values, because TensorFlow 2.16 removed it.

Fidelity: exact.

See: tf.estimator.ModeKeys.
"""

from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.edits.plan import ReplaceExpression
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, exact, rule


@rule(
    "FT119",
    "exact",
    Example("print(tf1.estimator.ModeKeys.TRAIN)", "print(ModeKeys.TRAIN)", "head"),
    Example("max_steps={tf1.estimator.ModeKeys.TRAIN: 3}['train']", "{ModeKeys.TRAIN: 3}", "train"),
)
def mode_keys(program: Program, draft: Draft) -> Iterator[Verdict]:
    for node, found in program.module.estimator:
        if found.tail.startswith("estimator.ModeKeys"):
            name = found.tail.removeprefix("estimator.")
            text = draft.piece("ModeKeys") + name.removeprefix("ModeKeys")
            draft.renamed[node] = text
            draft.edits.append(ReplaceExpression(program.module.span(node), text))
            yield exact(node, f"becomes {name}")
