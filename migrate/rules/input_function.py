"""FT124 · input_fn that returns a tf.data.Dataset

The Estimator calls ``input_fn`` itself, in a graph of its own, each time it trains or evaluates.

Instead: the call is written out, ``model.fit(train_input_fn(), …)``. A function, a lambda, a ``functools.partial`` and
a function that returns one of these are followed, within the file. One that returns the tensors of a one-shot iterator,
and is only passed to estimators, returns the iterator's dataset.

Fidelity: exact. A function that is not seen to return a Dataset (tensors that it works on, another module's function)
blocks the program.

See: tf.estimator.Estimator.train, tf.data.Dataset.
"""

from collections.abc import Iterator

from migrate.analysis.drawn import drawn
from migrate.analysis.inputs import Input
from migrate.analysis.program import Program
from migrate.edits.plan import Part, ReplaceStatement
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, exact, manual, rule


@rule(
    "FT124",
    "exact",
    Example("lambda: dataset_fn(8)", "model.fit(\n", "train_input_fn"),
    Example("args.input_fn", None, "train_input_fn"),
    Example("lambda: dataset_fn(8).make_one_shot_iterator().get_next()", None, "train_input_fn"),
    settles=("replaced",),
)
def input_function(program: Program, draft: Draft) -> Iterator[Verdict]:
    for call in program.calls:
        if call.input is None or call.input.helper is not None:
            continue
        if call.input.may_be_tensors and _returns_datasets(draft, call.input):
            yield exact(call.input.node, "returns the dataset now, of which its iterator gave the batches")
        elif call.input.problem is not None:
            yield manual(
                call.input.node,
                call.input.problem,
                "Let it return a tf.data.Dataset, in this file, without parameters that the Estimator fills in.",
            )
        else:
            yield exact(call.input.node, "the input function is called where its dataset is used")


def _returns_datasets(draft: Draft, given: Input) -> bool:
    """Lets an input function return the dataset that it draws its tensors from; False where it does more."""
    module = draft.module
    inputs = {call.input.node for other in draft.all for call in other.program.calls if call.input is not None}
    found = drawn(module.names, given.node, inputs)
    for one in (one for one in found if one.statement not in draft.shared):
        draft.shared.append(one.statement)
        draft.absorbed += one.removed
        text = f"return {draft.text(one.dataset)}"
        draft.edits.append(ReplaceStatement(module.span(one.statement), (Part(text),)))
    return bool(found)
