"""FT132 · estimator.predict(input_fn)

Loads the newest checkpoint and yields one dict an example.

Instead: ``predict_classes(recovery, dataset)`` or ``predict_values(recovery, dataset)``, generators that restore at
their first element and yield the same keys.

Fidelity: exact. ``predict_keys``, ``hooks``, ``checkpoint_path`` and ``yield_single_examples`` block the program.

See: tf.estimator.Estimator.predict.
"""

from collections.abc import Iterator

from migrate.analysis.arguments import literal
from migrate.analysis.program import MethodCall, Program
from migrate.edits.plan import ReplaceExpression
from migrate.rewrite.draft import Draft
from migrate.rules.keras_form.judged_calls import left
from migrate.rules.rule import Example, Verdict, exact, manual, rule


@rule(
    "FT132",
    "exact",
    Example("", "predict_classes(recovery, test_dataset)", "predict"),
    Example("predict_keys=['logits']", None, "predict"),
)
def predict(program: Program, draft: Draft) -> Iterator[Verdict]:
    for call in program.calls:
        if call.method == "predict":
            yield _rewrite(program, draft, call)


def _rewrite(program: Program, draft: Draft, call: MethodCall) -> Verdict:
    problem = left(draft, call, "Predict", "prediction", "predict_keys", "hooks", "checkpoint_path")
    if problem is not None:
        return problem
    single = call.arguments.get("yield_single_examples")
    if single is not None and literal(single) is not True:
        return manual(single, "yield_single_examples=False is not supported", "Take it out.")
    if program.kind == "keras":
        piece = "predict_outputs"
    else:
        piece = "predict_classes" if program.name.endswith("Classifier") else "predict_values"
    source = call.estimator if draft.uses_backup else draft.recovery
    text = f"{draft.piece(piece)}({source}, {draft.dataset(call)})"
    draft.edits.append(ReplaceExpression(program.module.span(call.node), text))
    return exact(call.node, "yields the same keys for each example, from the newest checkpoint")
