"""A program whose estimator is handed on: an emitted ``TrainingJob`` stands for it, and its loops read that."""

from migrate.analysis.program import MethodCall
from migrate.edits.plan import ReplaceExpression
from migrate.rewrite.draft import Draft

_JOB = "__training_job__"
"""Stands for the expression that holds the job, which each call has its own one for."""


def hand_on(draft: Draft) -> None:
    """Puts the job where the estimator is made, and its attributes where the loops need values.

    A canned estimator has other arguments than its job, which is written where its model_fn is.
    """
    call = draft.program.site.node
    if draft.program.kind != "model-fn":
        draft.renamed[call.func] = draft.piece("TPUTrainingJob" if draft.program.kind == "tpu" else "TrainingJob")
        draft.edits.append(ReplaceExpression(draft.module.span(call.func), draft.renamed[call.func]))
    for part in (draft, *draft.elsewhere):
        _read_job(part)


def _read_job(draft: Draft) -> None:
    config = f"{_JOB}.config"
    draft.model_fn, draft.model_dir = f"{_JOB}.model_fn", f"{_JOB}.model_dir"
    modes = ("train", "eval", "infer", "export")
    by_mode = draft.program.may_be_tpu
    draft.params = {mode: f'{_JOB}.params_of("{mode}")' if by_mode else f"{_JOB}.params" for mode in modes}
    draft.common = {"config": config, "seed": f"{config}.tf_random_seed"}
    draft.seed = draft.common["seed"]
    draft.warm_start = f"{_JOB}.warm_start_from"
    draft.manager = {
        "max_to_keep": f"{config}.keep_checkpoint_max or None",
        "keep_checkpoint_every_n_hours": f"{config}.keep_checkpoint_every_n_hours",
        "step_counter": draft.step_counter,
        "checkpoint_interval": f"{config}.save_checkpoints_steps or 1",
    }
    draft.interval = f"{config}.save_checkpoints_steps"
    draft.recovery_arguments = {"save_secs": f"{config}.save_checkpoints_secs"}
    draft.log_arguments = {
        "summary_steps": f"{config}.save_summary_steps",
        "log_steps": f"{config}.log_step_count_steps",
    }


def of_call(text: str, call: MethodCall) -> str:
    """The text of one call's rewrite, with the expression that holds its job."""
    return of_job(text, call.estimator)


def of_job(text: str, job: str) -> str:
    """The text of a rewrite, with the expression that holds its job."""
    return text.replace(_JOB, job)
