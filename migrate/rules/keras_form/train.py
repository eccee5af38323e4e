"""FT130 · estimator.train(input_fn, hooks, steps, max_steps)

Each call restores the newest checkpoint, trains in a session, and saves at its end.

Instead: ``recovery.restore()``, then ``model.fit`` with the callback that saves. ``max_steps`` counts from the first
step of the job, so ``fit`` gets the steps that are left and a finished job does nothing; ``steps`` counts from here. Of
a fraction (``total / batch``) the Estimator makes the step that is begun, and so does ``math.ceil``. A flag or a
parameter that may be None, as the file shows, trains to the end of the input where it is. The input starts again at its
first element, as the Estimator's did; with ``--input continue`` it continues at its place in the data.
With ``--recovery backup-and-restore``: epochs of ``save_checkpoints_steps`` steps, a
backup after each.

Fidelity: exact with ``CheckpointManager``. Keras finds the end of data whose length it cannot know (files of records,
generators, ``filter``) by a step that trains nothing but is counted in ``optimizer.iterations``: 6 after 5 batches,
measured on TensorFlow 2.15.1 and 2.21.0, with both Keras lines; ``CheckpointRecovery`` takes it back. With
``BackupAndRestore`` noted: nothing is saved before the first epoch ends; on Keras 3 its only copy is written in place,
and of 60 kills near a save 44 left a job that could not start again (4 of 60 with ``--target keras3``, which adds
``double_checkpoint=True``); an exception in the last step of an epoch comes before its backup and costs the epoch; a
clean stop inside an epoch counts as a whole one, so that the job ends early.

See: tf.estimator.Estimator.train, tf.keras.Model.fit, tf.keras.callbacks.BackupAndRestore.
"""

import ast
import re
from collections.abc import Iterator

from migrate.analysis.arguments import is_none, literal
from migrate.analysis.program import MethodCall, Program, statement_of_its_own
from migrate.analysis.values.values import Values
from migrate.edits.plan import Part, ReplaceStatement
from migrate.rewrite.draft import Draft
from migrate.rewrite.precedence import ARGUMENT, COMPARED, PRODUCT, SUM
from migrate.rules.rule import Example, Verdict, exact, manual, noted, rule

_BACKUP_COST = (
    "recovered by BackupAndRestore: nothing is saved before the first epoch ends, an exception in the last step of an"
    " epoch costs the epoch, a clean stop inside an epoch counts as a whole one, and a kill during a save on Keras 3"
    " can leave a job that cannot start again"
)


@rule(
    "FT130",
    "exact",
    Example("max_steps=10", "if recovery.restore() < 10:", "train"),
    Example("max_steps=args.every", ".take(args.every - recovery.step)", "train"),
    Example("steps=10", "recovery.restore()\n    model.fit(", "train"),
    Example("steps=total / 10", ".take(math.ceil(total / 10))", "train"),
    Example("steps={}.get('n')", ".take(-1 if steps is None else steps)", "train"),
    Example(
        "max_steps={}.get('n')", "if recovery.restore() < (math.inf if max_steps is None else max_steps):", "train"
    ),
    Example("max_steps=total / 10", ".take(math.ceil(total / 10 - recovery.step))", "train"),
    Example("", "recovery.restore()\n    model.fit(", "train"),
    Example("max_steps=10, saving_listeners=[x]", None, "train"),
    Example("max_steps=10, hooks=[tf1.train.StepCounterHook()]", None, "train"),
    Example("steps=10", None, "train", recovery="backup-and-restore"),
)
def train(program: Program, draft: Draft) -> Iterator[Verdict]:
    for call in program.calls:
        if call.method == "train":
            yield _rewrite(program, draft, call)


def _rewrite(program: Program, draft: Draft, call: MethodCall) -> Verdict:
    if call.problem is not None:
        return manual(call.problem[0], call.problem[1], "Hooks that are classes of this file become callbacks.")
    statement = statement_of_its_own(program.module.names, call)
    if statement is None:
        return manual(call.node, "what train() returns is used here", "Call train() in a statement of its own.")
    if call.input is None:
        return manual(call.node, "train() is called without input_fn", "Give an input_fn.")
    listeners = call.arguments.get("saving_listeners")
    if not is_none(listeners):
        return manual(call.node, "saving_listeners are not supported yet", "Take them out, or migrate by hand.")
    steps, max_steps = call.arguments.get("steps"), call.arguments.get("max_steps")
    if not is_none(steps) and not is_none(max_steps):
        return manual(call.node, "steps and max_steps together are an error in the Estimator", "Give one of them.")
    if draft.uses_backup:
        interval = draft.policy.save_steps
        if interval is None or max_steps is None or Values(program.tree).may_be_none(program.module, max_steps):
            return manual(
                call.node,
                "BackupAndRestore counts epochs in total, so it needs max_steps",
                "Give max_steps, and a flag of it a default, or use --recovery checkpoint-manager.",
            )
        text = _with_backup(draft, call, interval, max_steps)
        verdict = noted(call.node, _BACKUP_COST, "Use --recovery checkpoint-manager for one that survives any kill.")
    else:
        text = _with_manager(draft, call, steps, max_steps)
        verdict = exact(call.node, "restores the newest checkpoint, then fits for the steps that remain")
    draft.edits.append(ReplaceStatement(program.module.span(statement), (Part(text),)))
    return verdict


def _with_manager(draft: Draft, call: MethodCall, steps: ast.expr | None, max_steps: ast.expr | None) -> str:
    recovery, dataset, lines = draft.recovery, draft.dataset(call), list[str]()
    if draft.continues_input:
        dataset += f".skip({recovery}.step)"
    if max_steps is not None and not is_none(max_steps):
        bound, summand = draft.several(max_steps, "max_steps", lines, COMPARED, SUM)
        is_optional = Values(draft.program.tree).may_be_none(draft.module, max_steps)
        left = draft.whole(max_steps, f"{summand} - {recovery}.step")
        what = _bounded(dataset, left, bound if is_optional else "")
        if is_optional:
            bound = f"({draft.vocabulary.standard('math')}.inf if {bound} is None else {bound})"
        fit = _fit(draft, call, what, [recovery])
        return "\n".join([*lines, f"if {recovery}.restore() < {bound}:", f"    {fit}"])
    if steps is not None and not is_none(steps):
        optional, text = "", draft.text(steps)
        if Values(draft.program.tree).may_be_none(draft.module, steps):
            optional, text = draft.several(steps, "steps", lines, COMPARED, ARGUMENT)
        dataset = _bounded(dataset, draft.whole(steps, text), optional)
    fit = _fit(draft, call, dataset, [recovery])
    return "\n".join([*lines, f"{recovery}.restore()", fit])


def _bounded(dataset: str, steps: str, optional: str) -> str:
    """A dataset of so many batches, or of as many as there are where ``optional`` is None."""
    return f"{dataset}.take({f'-1 if {optional} is None else {steps}' if optional else steps})"


def _with_backup(draft: Draft, call: MethodCall, save_steps: ast.expr, max_steps: ast.expr) -> str:
    draft.has_backup_fit = True
    interval, every = draft.repeatable(save_steps, "save_checkpoints_steps"), literal(save_steps)
    lines: list[str] = []
    limit, dividend = draft.several(max_steps, "max_steps", lines, ARGUMENT, PRODUCT)
    last: list[str] = []
    whole = literal(max_steps)
    if every == 1:
        epochs = draft.whole(max_steps, limit)
    elif isinstance(whole, int) and isinstance(every, int):
        epochs = str(-(-whole // every))
        last = [] if whole % every == 0 else [_stop(draft, limit)]
    else:
        divisor = interval if re.fullmatch(r"[\w.]+", interval) else f"({interval})"
        epochs = f"{draft.vocabulary.standard('math')}.ceil({dividend} / {divisor})"
        last = [_stop(draft, limit)]
    dataset = f"{draft.dataset(call)}, steps_per_epoch={interval}, epochs={epochs}"
    return "\n".join([*lines, _fit(draft, call, dataset, [draft.backup], last)])


def _stop(draft: Draft, limit: str) -> str:
    return f"{draft.piece('StopAtStep')}({limit})"


def _fit(draft: Draft, call: MethodCall, what: str, first: list[str], last: list[str] | None = None) -> str:
    # The callback that saves comes before the hooks: one that raises at a step finds the step saved, as in the
    # Estimator. The log comes before it, so that a loss that is not a number is never saved.
    saves_by_step = [draft.log, *first] if first == [draft.recovery] else [*first, draft.log]
    callbacks = [*saves_by_step, *_hooks(draft, call), *(last or [])]
    return f"{call.estimator}.fit({what}, verbose=0, callbacks=[{', '.join(callbacks)}])"


def _hooks(draft: Draft, call: MethodCall) -> list[str]:
    given = call.arguments.get("hooks")
    if given is None or is_none(given):
        return []
    if isinstance(given, ast.List | ast.Tuple):
        return [draft.text(element) for element in given.elts]
    return [f"*{draft.text(given)}"]
