"""FT190 · an estimator whose use cannot be followed

To rewrite a program, all of it must be seen: where its config comes from, which variable holds the estimator, and
every call on it.

Instead: nothing is guessed. No Keras model is written, and the place that hides the rest is told.

Fidelity: manual. A premade estimator that is passed to another function, kept in an attribute, assigned in a branch or
returned by a function becomes no Keras model; with ``--canned auto`` or ``object`` it is written in object
form (FT151).

See: the reason beside the finding.
"""

from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, manual, rule

_HELP = "Keep config, estimator and its train, evaluate and predict calls in variables assigned once in one file."
_FOLLOWED = "Use --canned object, for which no use of an estimator has to be followed."


@rule(
    "FT190",
    "manual",
    Example("max_steps=10)\n    print(model", None, "train"),
    Example("max_steps=10)\n    model.get_variable_names(", None, "train"),
)
def unresolved(program: Program, draft: Draft) -> Iterator[Verdict]:
    for node, reason in program.problems:
        yield manual(node, reason, _FOLLOWED if program.kind == "canned" else _HELP)
