"""The loop that trains a custom model_fn, with its visible ``CheckpointManager``."""

import ast

from migrate.analysis.arguments import is_none
from migrate.analysis.inputs import Input
from migrate.analysis.optional import may_be_none
from migrate.rewrite.draft import Draft, LoopNames
from migrate.rewrite.precedence import COMPARED, SUM


def training_loop(
    draft: Draft,
    given: Input,
    hooks: ast.expr | None,
    max_steps: str = "",
    steps: ast.expr | None = None,
    evaluation: str = "",
    throttle: str = "",
    listeners: ast.expr | None = None,
) -> str:
    """The statements that stand for one call of ``train`` or ``train_and_evaluate``.

    Args:
      draft: the program's draft, which all rules have filled: one that is left lacks settings of its RunConfig.
      given: where the batches come from.
      hooks: the user's hooks, or None.
      max_steps: the total number of steps, as source text; "" for no bound.
      steps: how many more steps to make, or None.
      evaluation: what evaluates; "" for nothing.
      throttle: the seconds between two evaluations.
      listeners: the user's ``saving_listeners``, or None.
    """
    names = draft.loop_names
    assert names is not None
    training, dataset, manager = draft.model, names.dataset, names.manager
    kind = "ReplicatedTraining" if draft.strategy else "ModelFnTraining"
    if draft.has_workers:
        kind = "WorkersTraining"
    arguments = {
        **draft.shared_arguments("train"),
        "summary_dir": draft.model_dir,
        "save_summary_steps": draft.log_arguments["summary_steps"],
    }
    if draft.warm_start:
        arguments["warm_start_from"] = draft.warm_start
    # An Estimator seeds the graph that holds the input, so that a resumed job shuffles as the first one did.
    seed = [f"{draft.tf}.compat.v1.set_random_seed({draft.seed})"] if draft.seed else []
    lines = [
        *seed,
        f"{dataset} = {_dataset(draft, given)}",
        f"{training} = {draft.piece(kind)}({_given(draft)}, {dataset}, {_written(arguments)})",
    ]
    is_hooked = not is_none(hooks) or draft.returns_hooks
    if is_hooked:
        own = f", {draft.text(hooks)}" if hooks is not None and not is_none(hooks) else ""
        lines.append(f"{training} = {draft.piece('HookedTraining')}({training}{own})")
    # An input_fn that may return tensors draws through a generator, whose place no checkpoint can hold.
    is_generated = not _is_dataset(given)
    if draft.continues_input and not is_generated:
        lines.append(f"{training}.checkpoint.batches = {dataset} = iter({dataset})")
    mend = f"{draft.piece('mend_checkpoint_list')}({draft.model_dir})"
    if draft.has_workers:  # the others read the list that the chief has mended
        mend = f"if {training}.is_chief:\n    {mend}\n{training}.wait_for_all()"
    lines.append(mend)
    saved = f'{training}.checkpoint, {draft.model_dir}, checkpoint_name="model.ckpt", {_written(_manager(draft))}'
    lines.append(f"{manager} = {draft.tf}.train.CheckpointManager({saved})")
    if is_hooked and any("CheckpointSaverHook" in file.pieces for file in draft.files):
        kept = {name: value for name, value in _manager(draft).items() if name.startswith(("max_to_", "keep_"))}
        lines.append(f"{manager} = {draft.piece('saved_by_hook')}({training}, {manager}, {_written(kept)})")
    if draft.has_workers:
        lines.append(f"{manager} = {draft.piece('WorkersManager')}({manager}, {training})")
    is_heard = listeners is not None and not is_none(listeners)
    if draft.program.is_handed_on:
        needed = ", needed=True" if evaluation or is_heard else ""
        lines.append(f"{manager} = {draft.common['config']}.saving({manager}{needed})")
    if listeners is not None and is_heard:
        lines.append(f"{manager} = {draft.piece('ListenedManager')}({manager}, {training}, {draft.text(listeners)})")
    lines.append(f"{names.step} = {names.restored} = {training}.restore({manager})")
    if draft.continues_input and is_generated:
        drawn = f" * {draft.strategy}.num_replicas_in_sync" if draft.strategy else ""
        lines.append(f"{dataset} = {dataset}.skip({names.step}{drawn})")
    if steps is not None and not is_none(steps):
        max_steps = _after(draft, names.step, steps, lines)
    lines += _loop(draft, names, max_steps, evaluation, throttle, is_heard)
    if is_hooked:
        lines.append(f"    {training}.end()")
    return "\n".join(lines)


def _after(draft: Draft, step: str, steps: ast.expr, lines: list[str]) -> str:
    """The step to end at, so many steps on; what is evaluated once only is set in ``lines``."""
    if not may_be_none(draft.module, steps):
        return f"{step} + {draft.text(steps, SUM)}"
    tested, more = draft.several(steps, "steps", lines, COMPARED, SUM)
    return f"None if {tested} is None else {step} + {more}"


def _given(draft: Draft) -> str:
    return f"{draft.strategy}, {draft.model_fn}" if draft.strategy else draft.model_fn


def _loop(draft: Draft, names: LoopNames, max_steps: str, evaluation: str, throttle: str, is_heard: bool) -> list[str]:
    manager, step, restored = names.manager, names.step, names.restored
    saving, due, evaluated = names.saving, names.evaluation, names.evaluated
    seconds = draft.recovery_arguments.get("save_secs")
    save = f"{manager}.save(checkpoint_number={step})"
    every_secs = draft.piece("EverySecs") if seconds or evaluation else ""
    lines = [f"{saving} = {every_secs}({seconds})"] if seconds else []
    body = [f"if {saving}.due():", f"    {save}"] if seconds else [save]
    either = draft.program.is_handed_on  # steps or seconds: its config says as it runs
    last = [save if seconds and not either else f"{manager}.save(checkpoint_number={step}, check_interval=False)"]
    if evaluation:
        lines.append(f"{due}, {evaluated} = {every_secs}({throttle}), None")
        saved = f"{saving}.due() and {save}" if seconds else save
        # The Estimator evaluates after each save but the first; of several workers none does.
        alone = f" and {draft.model}.is_alone" if draft.has_workers else ""
        body = [
            f"if {saved} and {step} > {restored}{alone} and {due}.due():",
            f"    {evaluation}",
            f"    {evaluated} = {step}",
        ]
        last += [f"if {evaluated} != {step}{alone}:", f"    {evaluation}"]
    if is_heard:
        body += [f"if {manager}.should_stop:", "    break"]
        last.append(f"{manager}.end()")
    arguments = {
        "max_steps": max_steps,
        "pause_every": (draft.interval or "") if either else "" if seconds else draft.manager["checkpoint_interval"],
        "log_every": draft.log_arguments["log_steps"],
    }
    written = _written({name: value for name, value in arguments.items() if value})
    lines.append(
        f"for {step} in {draft.piece('training_steps')}({draft.model}, {names.dataset}, {manager}, {written}):"
    )
    lines += [f"    {line}" for line in body]
    lines.append(f"if {step} > {restored}:  # else the job was finished before")
    return [*lines, *(f"    {line}" for line in last)]


def _is_dataset(given: Input) -> bool:
    """Whether an input function is seen to return a dataset."""
    return (given.helper is not None and given.name is not None) or (given.is_function and given.problem is None)


def _dataset(draft: Draft, given: Input) -> str:
    if _is_dataset(given):
        is_helper = given.helper is not None and given.name is not None
        return f"{given.name}()" if is_helper else draft.called(given)
    shared = draft.shared_arguments("train")
    given_by_name: dict[str, str] = {name: shared[name] for name in ("params", "config") if name in shared}
    if draft.strategy and draft.takes_input_context:
        given_by_name["input_context"] = f"{draft.piece('input_context')}({draft.strategy})"
    arguments = "".join(f", {name}={value}" for name, value in given_by_name.items())
    return f"{draft.piece('dataset_from_input_fn')}({draft.text(given.node)}{arguments})"


def _manager(draft: Draft) -> dict[str, str]:
    arguments = dict(draft.manager)
    if "checkpoint_interval" not in arguments:  # the clock decides, and no step is saved twice
        arguments.update(step_counter=draft.step_counter, checkpoint_interval="1")
    order = ("max_to_keep", "keep_checkpoint_every_n_hours", "step_counter", "checkpoint_interval")
    return {name: arguments[name] for name in order if name in arguments}


def _written(arguments: dict[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in arguments.items())
