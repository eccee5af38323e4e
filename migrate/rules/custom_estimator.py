"""FT140 · tf.estimator.Estimator(model_fn, …)

Most Estimators in public code are built from a custom ``model_fn``, a function that builds a TF1 graph.

Instead: the ``model_fn`` stays as it is. ``ModelFnTraining``, an emitted class, has it build its graph once and runs
that graph on ``tf.Variable`` objects with the old names, so that a ``tf.train.CheckpointManager`` continues the
Estimator's own checkpoint in the old ``model_dir``. ``EstimatorSpec`` and ``ModeKeys`` are emitted too, because
TensorFlow 2.16 removed them.

Fidelity: exact: the losses after a continued checkpoint are equal to the last bit. ``tf.compat.v1.layers`` needs
``tf_keras`` and ``TF_USE_LEGACY_KERAS=1`` from TensorFlow 2.16 on. A ``model_fn`` from another file, one that takes
``config``, ``WarmStartSettings``, contrib names and ``--recovery backup-and-restore`` leave the program.

See: tf.estimator.Estimator, tf.train.CheckpointManager.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import is_none
from migrate.analysis.names import FunctionNode
from migrate.analysis.program import Program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import CUSTOM, Example, Verdict, exact, manual, noted, rule


@rule(
    "FT140",
    "exact",
    Example("model_fn=model_fn", "ModelFnTraining(\n model_fn,", "estimator", kind="custom"),
    Example("model_fn=model_fn, params={'rate': 0.1}", "params = {", "estimator", kind="custom"),
    Example("model_fn=builder(3)", "model_fn_2 = builder(3)", "estimator", kind="custom"),
    Example("model_fn=args.model_fn", None, "estimator", kind="custom"),
    Example("model_fn=with_config", None, "estimator", kind="custom"),
    kinds=CUSTOM,
)
def custom_estimator(program: Program, draft: Draft) -> Iterator[Verdict]:
    arguments, site = program.arguments, program.site.node
    model_fn = arguments.get("model_fn")
    if model_fn is None:
        yield manual(site, "model_fn is missing", "Give model_fn.")
        return
    function = _function(program, model_fn)
    if function is None:
        yield manual(
            model_fn,
            f"`{ast.unparse(model_fn)[:60]}` is not a function of this file, so its EstimatorSpec cannot be replaced",
            "Define the model_fn in the file that makes the estimator.",
        )
        return
    if "config" in {argument.arg for argument in function.args.args + function.args.kwonlyargs}:
        yield manual(model_fn, "the model_fn takes `config`, which goes", "Hand over what it reads by params.")
    if draft.uses_backup:
        yield manual(
            site,
            "BackupAndRestore belongs to Keras's fit, and a model_fn trains in a loop of its own",
            "Use --recovery checkpoint-manager.",
        )
    warm_start = arguments.get("warm_start_from")
    if isinstance(warm_start, ast.Call) or (
        isinstance(warm_start, ast.Name) and program.module.names.only_value(warm_start)
    ):
        yield manual(warm_start, "WarmStartSettings are not carried over yet", "Give the path of a checkpoint.")
    for node, found in program.module.tf1_only:
        if found.qualified.startswith("tensorflow.contrib."):
            yield manual(node, f"`{found.qualified}` exists in no TensorFlow 2", "Replace it, then migrate again.")
            return
    draft.model_fn = draft.repeatable(model_fn, "model_fn")
    params = arguments.get("params")
    if params is not None and not is_none(params):
        draft.common["params"] = draft.repeatable(params, "params")
    if draft.seed:
        draft.common["seed"] = draft.seed
    if warm_start is not None and not is_none(warm_start):
        draft.warm_start = draft.repeatable(warm_start, "warm_start_from")
    message = "the model_fn stays, and trains on TF2 variables that a CheckpointManager saves"
    if any(found.tail.startswith("layers.") for _, found in [*program.module.v1, *program.module.tf1_only]):
        yield noted(site, f"{message}; tf.compat.v1.layers needs tf_keras and TF_USE_LEGACY_KERAS=1 from 2.16 on")
    else:
        yield exact(site, message)


def _function(program: Program, expression: ast.expr) -> FunctionNode | None:
    """The function behind ``model_fn=``: a name, a lambda, or what a builder of this file returns."""
    names = program.module.names
    if isinstance(expression, ast.Lambda):
        return expression
    if isinstance(expression, ast.Name):
        definition = names.definition(expression)
        if isinstance(definition, FunctionNode):
            return definition
        value = names.only_value(expression)
        return _function(program, value) if isinstance(value, ast.Call) else None
    if isinstance(expression, ast.Call):
        if names.qualified(expression.func) == "functools.partial" and expression.args:
            return _function(program, expression.args[0])
        builder = _function(program, expression.func) if isinstance(expression.func, ast.Name) else None
        last = builder.body[-1] if isinstance(builder, ast.FunctionDef) else None
        return _function(program, last.value) if isinstance(last, ast.Return) and last.value is not None else None
    return None
