"""The statements that stand where the Estimator was made, from a draft that all rules have filled."""

from migrate.edits.plan import Part, ReplaceStatement
from migrate.rewrite.draft import Draft


def compose(draft: Draft) -> None:
    """Adds the edit of the estimator's own statement."""
    program, span = draft.program, draft.module.span
    assert program.statement is not None
    made = [*draft.columns, *draft.layers]
    if draft.compile_arguments:  # else the program's own model is compiled already
        made.append(f"{draft.model}.compile({_arguments(draft.compile_arguments)})")
    model = [*draft.before, *made]
    recovery = [_backup(draft) if draft.uses_backup else _recovery(draft)]
    policy = draft.policy
    log = {"summary_steps": draft.or_none(policy.summary_steps), "log_steps": draft.or_none(policy.log_steps)}
    log = {"": draft.model_dir, **log, **({"tags": draft.tags} if draft.tags else {})}
    recovery.append(f"{draft.log} = {draft.piece('TrainingLog')}({_arguments(log)})")
    configs = [statement for statement in draft.absorbed if statement in program.config.statements]
    others = [statement for statement in draft.absorbed if statement not in configs]
    parts = (
        Part("\n".join(model), tuple(span(statement) for statement in others)),
        Part("\n".join(recovery), tuple(span(statement) for statement in configs)),
    )
    draft.edits.append(ReplaceStatement(span(program.statement), parts))


def _recovery(draft: Draft) -> str:
    """The visible ``CheckpointManager`` with the RunConfig's numbers, in the callback that obeys it."""
    policy, train, manager, further = draft.policy, f"{draft.tf}.train", draft.kept, dict[str, str]()
    if policy.save_steps is not None:
        manager["step_counter"] = f"{draft.model}.optimizer.iterations"
        manager["checkpoint_interval"] = draft.or_none(policy.save_steps)
    if policy.save_secs is not None:
        further["save_secs"] = draft.or_none(policy.save_secs)
    saved = {"model": draft.model, "optimizer": f"{draft.model}.optimizer"}
    checkpoint = f"{train}.Checkpoint({_arguments(saved)})"
    arguments = _arguments({"": f"{checkpoint}, {draft.model_dir}", **manager})
    given = _arguments({"": f"{train}.CheckpointManager({arguments})", **further})
    made = f"{draft.recovery} = {draft.piece('CheckpointRecovery')}({given})"
    return f"{draft.piece('drop_empty_checkpoint_list')}({draft.model_dir})\n{made}"


def _backup(draft: Draft) -> str:
    join = f"{draft.vocabulary.standard('os')}.path.join"
    # Kept after a successful fit, so that a finished job that is started again does nothing.
    options = {"delete_checkpoint": "False"}
    if draft.settings.target == "keras3":
        options["double_checkpoint"] = "True"
    arguments = _arguments({"": f'{join}({draft.model_dir}, "backup")', **options})
    made = f"{draft.backup} = {draft.tf}.keras.callbacks.BackupAndRestore({arguments})"
    return f"{draft.piece('refuse_old_job')}({draft.model_dir})\n{made}"


def _arguments(arguments: dict[str, str]) -> str:
    return ", ".join(value if name == "" else f"{name}={value}" for name, value in arguments.items())
