"""FT124 · input_fn that returns a tf.data.Dataset

The Estimator calls ``input_fn`` itself, in a graph of its own, each time it trains or evaluates.

Instead: the call is written out, ``model.fit(train_input_fn(), …)``. A function of the file and a lambda are
followed.

Fidelity: exact. A function that is not seen to return a Dataset (tensors that it works on, another module's function)
blocks the program.

See: tf.estimator.Estimator.train, tf.data.Dataset.
"""

from collections.abc import Iterator

from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, exact, manual, rule


@rule(
    "FT124",
    "exact",
    Example("lambda: dataset_fn(8)", "model.fit(\n", "train_input_fn"),
    Example("args.input_fn", None, "train_input_fn"),
    Example("lambda: dataset_fn(8).make_one_shot_iterator().get_next()", None, "train_input_fn"),
)
def input_function(program: Program, draft: Draft) -> Iterator[Verdict]:
    for call in program.calls:
        if call.input is None or call.input.helper is not None:
            continue
        if call.input.problem is not None:
            yield manual(
                call.input.node,
                call.input.problem,
                "Let it return a tf.data.Dataset, in this file, without parameters that the Estimator fills in.",
            )
        else:
            yield exact(call.input.node, "the input function is called where its dataset is used")
