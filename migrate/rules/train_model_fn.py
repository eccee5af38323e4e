"""FT145 · estimator.train(input_fn, hooks, steps, max_steps) of a custom model_fn

Each call builds the graph, restores the newest checkpoint, trains in a session, and saves at its end.

Instead: ``ModelFnTraining`` builds the graph, a ``tf.train.CheckpointManager`` with the RunConfig's numbers restores, and
a loop over ``training_steps`` saves. Between two saves, summaries or lines of the log the steps run inside one
``tf.function``. Hooks run unchanged around every step, in ``HookedTraining``. The input starts again at its first
element; with ``--input continue`` its iterator is in the checkpoint.

Fidelity: exact. ``mend_checkpoint_list`` keeps the manager from deleting what the Estimator wrote, and passes over a torn
newest checkpoint. ``saving_listeners`` leave the program.

See: tf.estimator.Estimator.train, tf.train.CheckpointManager.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import is_none
from migrate.analysis.program import MethodCall, Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import CUSTOM, Example, Verdict, exact, manual, rule


@rule(
    "FT145",
    "exact",
    Example("max_steps=10", "training, dataset, manager, max_steps=10, pause_every=5", "train", kind="custom"),
    Example("steps=10", "max_steps=step + 10", "train", kind="custom"),
    Example("", "for step in training_steps(", "train", kind="custom"),
    Example("hooks=[Hook()], max_steps=3", "HookedTraining(training, [Hook()])", "train", kind="custom"),
    Example("max_steps=10, saving_listeners=[x]", None, "train", kind="custom"),
    Example("RunConfig(save_checkpoints_secs=60)", "saving = EverySecs(60)", "config", kind="custom"),
    kinds=CUSTOM,
)
def train_model_fn(program: Program, draft: Draft) -> Iterator[Verdict]:
    for call in program.calls:
        if call.method == "train":
            yield _rewrite(program, draft, call)


def _rewrite(program: Program, draft: Draft, call: MethodCall) -> Verdict:
    if call.problem is not None:
        return manual(call.problem[0], call.problem[1], "Write the arguments out.")
    statement = program.module.names.parent(call.node)
    if not isinstance(statement, ast.Expr):
        return manual(call.node, "what train() returns is used here", "Call train() in a statement of its own.")
    if "input_fn" not in call.arguments:
        return manual(call.node, "train() is called without input_fn", "Give an input_fn.")
    if not is_none(call.arguments.get("saving_listeners")):
        return manual(call.node, "saving_listeners are not carried over yet", "Take them out, or migrate by hand.")
    steps, max_steps = call.arguments.get("steps"), call.arguments.get("max_steps")
    if not is_none(steps) and not is_none(max_steps):
        return manual(call.node, "steps and max_steps together are an error in the Estimator", "Give one of them.")
    draft.loops.append((statement, "\n".join(_lines(draft, call, steps, max_steps))))
    return exact(call.node, "restores the newest checkpoint, trains in a loop, saves as the RunConfig says")


def _lines(draft: Draft, call: MethodCall, steps: ast.expr | None, max_steps: ast.expr | None) -> list[str]:
    training, dataset, manager, step = draft.model, draft.dataset_name, draft.manager_name, draft.step_name
    draft.pieces |= {"ModelFnTraining", "mend_checkpoint_list", "training_steps"}
    lines = [f"{dataset} = {_dataset(draft, call)}"]
    arguments = {
        **draft.common,
        "summary_dir": draft.model_dir,
        "save_summary_steps": draft.log_arguments["summary_steps"],
    }
    if draft.warm_start:
        arguments["warm_start_from"] = draft.warm_start
    lines.append(f"{training} = ModelFnTraining({draft.model_fn}, {dataset}, {_written(arguments)})")
    hooks = call.arguments.get("hooks")
    is_hooked = not is_none(hooks) or draft.returns_hooks
    if is_hooked:
        draft.pieces.add("HookedTraining")
        given = f", {draft.text(hooks)}" if hooks is not None and not is_none(hooks) else ""
        lines.append(f"{training} = HookedTraining({training}{given})")
    if draft.continues_input:
        lines.append(f"{training}.checkpoint.batches = {dataset} = iter({dataset})")
    lines.append(f"mend_checkpoint_list({draft.model_dir})")
    lines.append(
        f"{manager} = {draft.tf}.train.CheckpointManager({training}.checkpoint, {draft.model_dir}, {_manager(draft)})"
    )
    lines.append(f"{step} = {training}.restore({manager})")
    loop = {"max_steps": "", "pause_every": "", "log_every": draft.log_arguments["log_steps"]}
    if max_steps is not None and not is_none(max_steps):
        loop["max_steps"] = draft.text(max_steps)
    elif steps is not None and not is_none(steps):
        loop["max_steps"] = f"{step} + {draft.text(steps)}"
    loop["pause_every"] = draft.manager.get("checkpoint_interval", "")
    written = _written({name: value for name, value in loop.items() if value})
    if "save_secs" in draft.recovery_arguments:
        draft.pieces.add("EverySecs")
        saving = draft.saving_name
        lines.append(f"{saving} = EverySecs({draft.recovery_arguments['save_secs']})")
        save = f"if {saving}.due():\n        {manager}.save(checkpoint_number={step})"
        last = f"{manager}.save(checkpoint_number={step})"
    else:
        save = f"{manager}.save(checkpoint_number={step})"
        last = f"{manager}.save(checkpoint_number={step}, check_interval=False)"
    lines.append(f"for {step} in training_steps({training}, {dataset}, {manager}, {written}):\n    {save}")
    lines.append(last)
    if is_hooked:
        lines.append(f"{training}.end()")
    return lines


def _dataset(draft: Draft, call: MethodCall) -> str:
    assert call.input is not None
    if call.input.helper is not None and call.input.name is not None:
        return f"{call.input.name}()"
    if call.input.helper is None and call.input.problem is None:
        return draft.dataset(call)
    draft.pieces.add("dataset_from_input_fn")
    params = f", {draft.common['params']}" if "params" in draft.common else ""
    return f"dataset_from_input_fn({draft.text(call.input.node)}{params})"


def _manager(draft: Draft) -> str:
    order = ("max_to_keep", "keep_checkpoint_every_n_hours", "step_counter", "checkpoint_interval")
    return _written({name: draft.manager[name] for name in order if name in draft.manager})


def _written(arguments: dict[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in arguments.items())
