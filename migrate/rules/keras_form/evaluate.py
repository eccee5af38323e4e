"""FT131 · estimator.evaluate(input_fn, steps)

Loads the newest checkpoint of ``model_dir`` in a graph of its own and returns a dict of metrics.

Instead: ``recovery.restore()`` and ``model.evaluate(…, return_dict=True)``, in one dict that has ``global_step`` too.

Fidelity: noted. ``loss`` is weighed by batch size in Keras, where the Estimator took the plain mean over batches: they
differ when the last batch is short. With ``BackupAndRestore`` the weights are those in memory, which ``fit`` has
restored; so evaluating before any training in the same run blocks the program. ``EvaluationLog`` writes the metrics
for TensorBoard under the Estimator's tags, in ``model_dir/eval`` or ``model_dir/eval_NAME``. ``hooks`` and
``checkpoint_path`` block the program.

See: tf.estimator.Estimator.evaluate, tf.keras.Model.evaluate.
"""

from collections.abc import Iterator

from migrate.analysis.arguments import is_none
from migrate.analysis.program import MethodCall, Program
from migrate.edits.plan import ReplaceExpression
from migrate.rewrite.draft import Draft
from migrate.rules.keras_form.judged_calls import left
from migrate.rules.rule import Example, Verdict, noted, rule


@rule(
    "FT131",
    "noted",
    Example("", '"global_step": recovery.restore(),', "evaluate"),
    Example("steps=3", "steps=3,", "evaluate"),
    Example("name='held_out'", 'callbacks=[EvaluationLog(training_log.directory, "held_out")]', "evaluate"),
    Example("steps=total / 10", "steps=math.ceil(total / 10),", "evaluate"),
    Example("checkpoint_path='x'", None, "evaluate"),
)
def evaluate(program: Program, draft: Draft) -> Iterator[Verdict]:
    for call in program.calls:
        if call.method == "evaluate":
            yield _rewrite(program, draft, call)


def _rewrite(program: Program, draft: Draft, call: MethodCall) -> Verdict:
    problem = left(draft, call, "Evaluate", "evaluation", "hooks", "checkpoint_path")
    if problem is not None:
        return problem
    steps = call.arguments.get("steps")
    limit = ""
    if steps is not None and not is_none(steps):
        limit = f"steps={draft.whole(steps, draft.text(steps))}, "
    step = f"int({call.estimator}.optimizer.iterations.numpy())" if draft.uses_backup else f"{draft.recovery}.restore()"
    name = "" if is_none(call.arguments.get("name")) else f", {draft.text(call.arguments['name'])}"
    text = (
        f'{{"global_step": {step}, **{call.estimator}.evaluate({draft.dataset(call)}, {limit}verbose=0,'
        f" return_dict=True, callbacks=[{draft.piece('EvaluationLog')}({draft.log}.directory{name})])}}"
    )
    draft.edits.append(ReplaceExpression(program.module.span(call.node), text))
    return noted(call.node, "the metrics keep their names; loss weighs a short last batch by its size")
