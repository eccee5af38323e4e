"""FT143 · tf.estimator.train_and_evaluate(estimator, TrainSpec(…), EvalSpec(…))

On one machine it trains to ``max_steps``, evaluates after each checkpoint but the first, at most once in
``throttle_secs``, and once at the end. A finished job that is started again does nothing.

Instead: for a custom ``model_fn`` the training loop with ``evaluate_model_fn`` after its saves. ``LatestExporter``,
``BestExporter`` and ``FinalExporter`` become a function that evaluates and exports; the last one exports at
``max_steps`` alone, and never where there is no such bound.

Fidelity: noted. Exact on one machine. Under ``TF_CONFIG`` with several tasks the Estimator trained on a cluster; the
loop trains on this machine alone, which is noted.

See: tf.estimator.train_and_evaluate, tf.estimator.EvalSpec.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import Unbindable, is_none, literal
from migrate.analysis.inputs import Inputs
from migrate.analysis.names import Names
from migrate.analysis.program import MethodCall, Program
from migrate.analysis.specs import read_spec
from migrate.rewrite.draft import Draft, Loop
from migrate.rewrite.exports import evaluate_and_export
from migrate.rules.rule import CUSTOM, Example, Verdict, manual, noted, rule

_ON_WORKERS = (
    "each worker trains in a loop, of which the chief saves; the task `evaluator` evaluates the checkpoints, and"
    " without TF_CONFIG the loop does"
)
_HELP = "Write TrainSpec, EvalSpec and their exporters out in the file, or migrate them by hand."


@rule(
    "FT143",
    "noted",
    Example(
        "TrainSpec(test_input_fn, 9), EvalSpec(test_input_fn)",
        "[EvaluationListener(\n lambda: evaluate_model_fn(",
        "both",
        kind="custom",
    ),
    Example(
        "TrainSpec(test_input_fn), EvalSpec(test_input_fn, throttle_secs=5)",
        "steps=100\n ),\n 5",
        "both",
        kind="custom",
    ),
    Example(
        "TrainSpec(test_input_fn, 9), EvalSpec(test_input_fn, exporters=[LatestExporter('a', args.serving)])",
        "keep_newest_exports(export_dir, 5)",
        "both",
        kind="custom",
    ),
    Example(
        "TrainSpec(test_input_fn, 9), EvalSpec(test_input_fn, exporters=BestExporter('b', args.serving))",
        "if best.improves(metrics):",
        "both",
        kind="custom",
    ),
    Example(
        "TrainSpec(test_input_fn, 9), EvalSpec(test_input_fn, exporters=tf1.estimator.FinalExporter('f', args.fn))",
        'if metrics["global_step"] >= 9:',
        "both",
        kind="custom",
    ),
    Example(
        "TrainSpec(test_input_fn, 9, saving_listeners=[x]), EvalSpec(test_input_fn)",
        "saving_listeners=[\n x,\n EvaluationListener(",
        "both",
        kind="custom",
    ),
    Example("TrainSpec(test_input_fn, 9), EvalSpec(test_input_fn, exporters=x)", None, "both", kind="custom"),
    Example("args.train, args.eval", None, "both", kind="custom"),
    kinds=CUSTOM,
    needs=("model_dir", "strategy", "names", "model_fn"),
    settles=("training", "replaced"),
)
def train_and_evaluate(program: Program, draft: Draft) -> Iterator[Verdict]:
    for call in program.calls:
        if call.method == "train_and_evaluate":
            try:
                yield _rewrite(program, draft, call)
            except Unbindable as reason:
                yield manual(call.node, str(reason), _HELP)


def _rewrite(program: Program, draft: Draft, call: MethodCall) -> Verdict:
    names = program.module.names
    statement = names.parent(call.node)
    if not isinstance(statement, ast.Expr):
        raise Unbindable("what train_and_evaluate() returns is used here")
    train = _spec(names, draft, call.arguments.get("train_spec"), "TrainSpec")
    evaluation = _spec(names, draft, call.arguments.get("eval_spec"), "EvalSpec")
    if "input_fn" not in train or "input_fn" not in evaluation:
        raise Unbindable("a spec has no input_fn")
    bound = train.get("max_steps")
    steps = draft.evaluation_steps(evaluation.get("steps"), "100")
    given = {name: draft.text(evaluation[name]) for name in ("hooks", "name") if not is_none(evaluation.get(name))}
    common = [f"{name}={value}" for name, value in {**draft.shared_arguments("eval"), "steps": steps, **given}.items()]
    arguments = [draft.model_fn, draft.text(evaluation["input_fn"]), draft.model_dir, *common]
    evaluate, before = f"{draft.piece('evaluate_model_fn')}({', '.join(arguments)})", list[str]()
    exporters = evaluation.get("exporters")
    if exporters is not None and not is_none(exporters):
        name = literal(evaluation.get("name"))
        eval_dir = f"eval_{name}" if isinstance(name, str) else "eval"
        before, function = evaluate_and_export(draft, evaluate, eval_dir, exporters, bound)
        evaluate = function
    else:
        evaluate = f"lambda: {evaluate}"

    throttle = draft.text(evaluation["throttle_secs"]) if "throttle_secs" in evaluation else "600"
    draft.loops.append(
        Loop(
            statement,
            Inputs(names).behind(train["input_fn"]),
            train.get("hooks"),
            max_steps=bound,
            listeners=train.get("saving_listeners"),
            evaluation=evaluate,
            throttle=throttle,
            before=tuple(before),
            evaluator=_evaluator(draft, evaluate, evaluation, bound) if draft.has_workers else "",
        )
    )
    if draft.has_workers:
        return noted(call.node, _ON_WORKERS)
    return noted(
        call.node, "trains in a loop and evaluates after its saves; this is one process, and `TF_CONFIG` is ignored"
    )


def _evaluator(draft: Draft, evaluate: str, evaluation: dict[str, ast.expr], bound: ast.expr | None) -> str:
    """What the task ``evaluator`` of a cluster does beside the workers."""
    given = [evaluate, draft.model_dir]
    given += [] if bound is None or is_none(bound) else [f"max_steps={draft.text(bound)}"]
    delays = ("start_delay_secs", "throttle_secs")
    given += [f"{name}={draft.text(evaluation[name])}" for name in delays if name in evaluation]
    return f"{draft.piece('evaluate_checkpoints')}({', '.join(given)})"


def _spec(names: Names, draft: Draft, expression: ast.expr | None, kind: str) -> dict[str, ast.expr]:
    """The arguments of a ``TrainSpec`` or ``EvalSpec``; its own statement goes where nothing else uses it."""
    spec = read_spec(names, expression, kind)
    if spec.statement is not None:
        draft.absorbed.append(spec.statement)
    return spec.arguments
