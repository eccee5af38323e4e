"""FT140 · tf.estimator.Estimator(model_fn, …)

Most Estimators in public code are built from a custom ``model_fn``, a function that builds a TF1 graph.

Instead: the ``model_fn`` stays as it is. ``ModelFnTraining``, a generated class, has it build its graph once and runs
that graph on ``tf.Variable`` objects with the old names, so that a ``tf.train.CheckpointManager`` continues the
Estimator's own checkpoint in the old ``model_dir``. ``EstimatorSpec`` and ``ModeKeys`` are generated too, because
TensorFlow 2.16 removed them.

Where the estimator or its config is passed to other code (assigned in branches, a parameter, an attribute, what a
function returns), the program is written in object form (FT151). The files of callers that give the ``model_fn`` change
with it.

Fidelity: exact: the losses after a continued checkpoint are equal to the last bit. ``tf.compat.v1.layers`` needs
``tf_keras`` and ``TF_USE_LEGACY_KERAS=1`` from TensorFlow 2.16 on. What a ``model_fn`` or ``input_fn`` reads from its
``config`` is in a ``types.SimpleNamespace``, where it can be seen. A ``model_fn`` that passes its ``config`` on and
``--recovery backup-and-restore`` block the program.

See: tf.estimator.Estimator, tf.train.CheckpointManager.
"""

import ast
import contextlib
from collections.abc import Iterator
from itertools import chain

from migrate.analysis.arguments import Unbindable, is_none, literal
from migrate.analysis.legacy_keras import NEEDS_TF_KERAS
from migrate.analysis.names import Names
from migrate.analysis.program import MethodCall, Program
from migrate.analysis.run_config import DEFAULTS
from migrate.analysis.specs import read_spec
from migrate.analysis.values.values import Function, Unfollowable, Values
from migrate.rewrite.draft import Draft
from migrate.rules.rule import GIVEN, Example, Verdict, exact, manual, noted, rule


@rule(
    "FT140",
    "exact",
    Example("model_fn=model_fn", "ModelFnTraining(\n model_fn,", "estimator", kind="custom"),
    Example("model_fn=model_fn, params={'rate': 0.1}", "params = {", "estimator", kind="custom"),
    Example("model_fn=builder(3)", "model_fn_2 = builder(3)", "estimator", kind="custom"),
    Example("model_fn=args.model_fn", None, "estimator", kind="custom"),
    Example("model_fn=with_config", None, "estimator", kind="custom"),
    Example("model_fn=model_fn if x else builder(3)", "model_fn if x else builder(3)", "estimator", kind="custom"),
    Example(
        "model_fn=reads_config",
        "SimpleNamespace(model_dir=model_dir, save_summary_steps=100)",
        "estimator",
        kind="custom",
    ),
    Example(
        "model_fn=model_fn, warm_start_from=tf1.estimator.WarmStartSettings('/tmp/w')",
        'warm_start_from = WarmStartSettings("/tmp/w")',
        "estimator",
        kind="custom",
    ),
    kinds=GIVEN,
    needs=("model_dir", "seed", "strategy", "names"),
    settles=("model_fn",),
)
def custom_estimator(program: Program, draft: Draft) -> Iterator[Verdict]:
    arguments, site = program.arguments, program.site.node
    model_fn = arguments.get("model_fn")
    if model_fn is None:
        yield manual(site, "model_fn is missing", "Give model_fn.")
        return
    try:
        functions = Values(program.tree).functions(program.module, model_fn)
    except Unfollowable as reason:
        yield manual(
            model_fn,
            f"{reason}, so its EstimatorSpec cannot be replaced",
            "Give a function of this tree: its name, functools.partial of it, or a call that returns it.",
        )
        return
    yield from _config(program, draft, functions)
    if draft.uses_backup:
        yield manual(
            site,
            "BackupAndRestore belongs to Keras's fit, and a model_fn trains in a loop of its own",
            "Use --recovery checkpoint-manager.",
        )
    draft.model_fn = draft.repeatable(model_fn, "model_fn")
    _params(program, draft)
    if draft.policy.warm_start is not None:
        draft.repeatable(draft.policy.warm_start, "warm_start_from")
    message = "the model_fn stays, and trains on TF2 variables that a CheckpointManager saves"
    if program.tree.needs_tf_keras(program.module, *(file.module for file in draft.others)):
        yield noted(site, f"{message}; {NEEDS_TF_KERAS}")
    else:
        yield exact(site, message)


def _params(program: Program, draft: Draft) -> None:
    """What the model_fn gets as ``params``; a TPUEstimator adds the batch size of the mode."""
    arguments = program.arguments
    params = arguments.get("params")
    given = "" if params is None or is_none(params) else draft.repeatable(params, "params")
    if isinstance(params, ast.Name) and given == params.id and _is_changed_later(program, params):
        given = draft.fresh("params")  # the Estimator had taken a copy
        draft.before.append(f"{given} = {draft.vocabulary.standard('copy')}.deepcopy({params.id})")
    if program.kind == "custom":
        draft.params = dict.fromkeys(("train", "eval", "infer", "export"), given) if given else {}
        return
    is_read = any(_reads_use_tpu(node) for file in draft.files for node in _gets(file.module.names))
    values = {"use_tpu": "False"} if is_read else {}
    made: dict[str, str] = {given: given}
    if given or values:
        draft.params = {"export": _with_values(draft, given, values)}
    for mode, name, methods in _BATCH_SIZES:
        size = arguments.get(name)
        own = {**values, "batch_size": draft.text(size)} if size is not None and not is_none(size) else values
        if not (given or own) or not any(call.method in methods for call in program.calls):
            continue
        text = _with_values(draft, given, own)
        if text not in made:
            made[text] = draft.fresh(name.replace("batch_size", "params"))
            draft.before.append(f"{made[text]} = {text}")
        draft.params[mode] = made[text]


def _with_values(draft: Draft, given: str, values: dict[str, str]) -> str:
    """The code for ``given``, a dict or, in a program that names HParams, maybe one of these, with more values."""
    if given and (not values or any("HParams" in file.module.text for file in draft.files)):
        parts = "".join(f", {name}={value}" for name, value in values.items())
        return f"{draft.piece('with_values')}({given}{parts})" if values else given
    items = [f"**{given}"] if given else []
    items += [f'"{name}": {value}' for name, value in values.items()]
    return f"{{{', '.join(items)}}}"


def _is_changed_later(program: Program, params: ast.Name) -> bool:
    """Whether something may be put into ``params`` after the estimator has got them."""
    names = program.module.names
    for use in names.reads_of(params):
        parent = names.parent(use)
        is_store = isinstance(parent, ast.Subscript | ast.Attribute) and not isinstance(parent.ctx, ast.Load)
        is_change = isinstance(parent, ast.Attribute) and parent.attr in _CHANGES
        around = {n for n in names.ancestors(use) if isinstance(n, ast.For | ast.While)}
        may_follow = use.lineno > params.lineno or not around.isdisjoint(names.ancestors(params))
        if (is_store or is_change) and (may_follow or names.scope_of(use) is not names.scope_of(params)):
            return True
    return False


_CHANGES = {
    "add_hparam",
    "clear",
    "override_from_dict",
    "parse",
    "pop",
    "popitem",
    "set_hparam",
    "setdefault",
    "update",
}
_BATCH_SIZES = (
    ("train", "train_batch_size", ("train", "train_and_evaluate")),
    ("eval", "eval_batch_size", ("evaluate", "train_and_evaluate")),
    ("infer", "predict_batch_size", ("predict",)),
)


def _gets(names: Names) -> Iterator[ast.AST]:
    return chain(names.nodes(ast.Subscript), (names.parents[node] for node in names.attributes.get("get", ())))


def _reads_use_tpu(node: ast.AST) -> bool:
    """Whether a node is ``params["use_tpu"]`` or ``params.get("use_tpu")``, which a TPUEstimator fills in."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and node.slice.value == "use_tpu"
    is_get = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get"
    return is_get and bool(node.args) and literal(node.args[0]) == "use_tpu"  # type: ignore[attr-defined]


def _config(program: Program, draft: Draft, model_fns: list[Function]) -> Iterator[Verdict]:
    """Puts what the model_fn and the input functions read from their ``config`` into a namespace of its own."""
    functions = [*model_fns, *(function for call in program.calls for function in _input_functions(program, call))]
    read: dict[str, str] = {}
    for function in functions:
        arguments, names = function.node.args, function.module.names
        parameter = next((a for a in arguments.args + arguments.kwonlyargs if a.arg == "config"), None)
        if parameter is None:
            continue
        for use in names.uses("config", names.scope_of(parameter)):
            attribute = names.parent(use)
            value = _setting(program, draft, attribute.attr) if isinstance(attribute, ast.Attribute) else None
            if value is None or not isinstance(attribute, ast.Attribute):
                yield manual(
                    use,
                    "the RunConfig is removed, and more than its plain settings is read from `config` here",
                    "Hand over what is read by params.",
                    function.module,
                )
                return
            read[attribute.attr] = value
    if read:
        draft.config = draft.fresh("config")
        types = draft.vocabulary.standard("types")
        written = ", ".join(f"{name}={value}" for name, value in sorted(read.items()))
        draft.before.append(f"{draft.config} = {types}.SimpleNamespace({written})")


def _input_functions(program: Program, call: MethodCall) -> Iterator[Function]:
    given = [call.input.node] if call.input is not None else []
    for spec, kind in (("train_spec", "TrainSpec"), ("eval_spec", "EvalSpec")):
        with contextlib.suppress(Unbindable):
            arguments = read_spec(program.module.names, call.arguments.get(spec), kind).arguments
            given += [arguments["input_fn"]] if "input_fn" in arguments else []
    for expression in given:
        with contextlib.suppress(Unfollowable):
            yield from Values(program.tree).functions(program.module, expression)


# What a RunConfig says of a job on one machine.
_ALONE = {"is_chief": "True", "master": '""', "num_ps_replicas": "0", "num_worker_replicas": "1", "task_id": "0"}


def _setting(program: Program, draft: Draft, name: str) -> str | None:
    """The value of an attribute of the RunConfig, as source text; None where it has none outside a session."""
    if name == "model_dir":
        return draft.model_dir
    if name in _ALONE:
        return None if draft.has_workers else _ALONE[name]
    value = program.config.settings.get(name)
    if name not in _READABLE:
        return None
    return draft.text(value) if value is not None else DEFAULTS[name]


_READABLE = ("keep_checkpoint_max", "log_step_count_steps", "save_summary_steps", "tf_random_seed")
