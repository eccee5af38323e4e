"""The call that trains a custom model_fn, with its visible ``CheckpointManager``."""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import is_none
from migrate.analysis.inputs import Input
from migrate.edits.indent import hung
from migrate.rewrite.draft import Draft, Loop
from migrate.rewrite.precedence import CALLED

_DEFAULTS = {"log_every": "100", "save_summary_steps": "100"}
"""Arguments that the emitted functions have without being given them."""


def training_loop(draft: Draft, loop: Loop) -> str:
    """The statements that stand for one call of ``train`` or ``train_and_evaluate``.

    Args:
      draft: the program's draft, which all rules have filled: one that is left lacks settings of its RunConfig.
      loop: the call.
    """
    text = "\n".join(_training(draft, loop))
    if loop.evaluator:
        is_evaluator = f"{draft.piece('is_evaluator')}({draft.strategy})"
        text = f"if {is_evaluator}:\n    {loop.evaluator}\nelse:\n    {hung(text, 4)}"
    return "\n".join([*loop.before, text])


def _training(draft: Draft, loop: Loop) -> Iterator[str]:
    names, policy = draft.loop_names, draft.policy
    assert names is not None
    training, dataset, manager = draft.model, names.dataset, names.manager
    kind = "ReplicatedTraining" if draft.strategy else "ModelFnTraining"
    if draft.has_workers:
        kind = "WorkersTraining"
    arguments = {
        **draft.shared_arguments("train"),
        "summary_dir": draft.model_dir,
        "save_summary_steps": draft.or_none(policy.summary_steps),
    }
    if policy.warm_start is not None:
        arguments["warm_start_from"] = draft.repeatable(policy.warm_start, "warm_start_from")
    # An Estimator seeds the graph that holds the input, so that a resumed job shuffles as the first one did.
    seed = [f"{draft.tf}.compat.v1.set_random_seed({draft.seed})"] if draft.seed else []
    yield from seed
    yield f"{dataset} = {_dataset(draft, loop.input)}"
    yield f"{training} = {draft.piece(kind)}({_given(draft)}, {dataset}, {_written(arguments)})"
    run = {"max_steps": loop.max_steps, "steps": loop.steps}
    settings = {name: draft.text(value) for name, value in run.items() if value is not None and not is_none(value)}
    if policy.save_secs is not None:
        settings["save_secs"] = draft.or_none(policy.save_secs)
    settings["log_every"] = draft.or_none(policy.log_steps)
    hooks = None if is_none(loop.hooks) else loop.hooks
    listeners = None if is_none(loop.listeners) else loop.listeners
    if hooks is not None or listeners is not None or draft.returns_hooks:
        own = "" if hooks is None else f", {draft.text(hooks)}"
        settings["hooks"] = f"{draft.piece('TrainingHooks')}({training}{own})"
    heard = _listeners(draft, listeners, loop.evaluation, loop.throttle)
    if heard:
        settings["saving_listeners"] = heard
    if draft.continues_input:
        # An input_fn that may return tensors draws through a generator, whose place no checkpoint can hold.
        if not _is_dataset(loop.input):
            skip = f"{dataset}.skip"
            replicas = f"lambda step: {skip}(step * {draft.strategy}.num_replicas_in_sync)"
            settings["resume_input"] = replicas if draft.strategy else skip
        else:
            yield f"{training}.checkpoint.batches = iter({dataset})"
    # Without an interval the clock decides, and no step is saved twice.
    interval = "1" if policy.save_steps is None else draft.or_none(policy.save_steps)
    saved = f"{training}, {draft.model_dir}, {_written({**draft.kept, 'checkpoint_interval': interval})}"
    yield f"{manager} = {draft.piece('ModelFnCheckpointManager')}({saved})"
    yield f"{draft.piece('run_training')}({training}, {manager}, {_written(settings)})".replace(", )", ")")


def _listeners(draft: Draft, own: ast.expr | None, evaluation: str, throttle: str) -> str:
    """Who hears of the saves: the user's listeners, and what evaluates."""
    if not evaluation:
        return "" if own is None else draft.text(own)
    given = evaluation if throttle == "600" else f"{evaluation}, {throttle}"
    listener = f"{draft.piece('EvaluationListener')}({given})"
    if isinstance(own, ast.List | ast.Tuple):
        listener = ", ".join([*map(draft.text, own.elts), listener])
    elif own is not None:
        listener = f"*{draft.text(own, CALLED)}, {listener}"
    # Of several workers none evaluates.
    return f"[{listener}] if {draft.model}.is_alone else []" if draft.has_workers else f"[{listener}]"


def _given(draft: Draft) -> str:
    return f"{draft.strategy}, {draft.model_fn}" if draft.strategy else draft.model_fn


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


def _written(arguments: dict[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in arguments.items() if _DEFAULTS.get(name) != value)
