"""FT146 · evaluate, predict, export_saved_model, latest_checkpoint, eval_dir, get_variable_value of a custom model_fn

Each loads the newest checkpoint of ``model_dir`` in a graph of its own.

Instead: ``evaluate_model_fn``, ``predict_with_model_fn`` and ``export_model_fn``, generated functions that do the same
with the unchanged ``model_fn``; they read the new checkpoints and the Estimator's. ``get_variable_names`` and
``get_variable_value`` are generated likewise. ``eval_dir`` is the directory in which ``evaluate`` writes its metrics.

Fidelity: exact.

See: tf.estimator.Estimator.evaluate, tf.estimator.Estimator.predict.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import is_none, literal
from migrate.analysis.program import MethodCall, Program
from migrate.edits.plan import ReplaceExpression
from migrate.rewrite.draft import Draft
from migrate.rules.rule import CUSTOM, Example, Verdict, exact, manual, rule

_PIECES = {"evaluate": ("evaluate_model_fn", "eval"), "predict": ("predict_with_model_fn", "infer")}
_EXPORTS = ("export_saved_model", "export_savedmodel")


@rule(
    "FT146",
    "exact",
    Example("steps=3", "evaluate_model_fn(model_fn, test_input_fn, model_dir, steps=3)", "evaluate", kind="custom"),
    Example("predict_keys=['a']", 'predict_keys=["a"]', "predict", kind="custom"),
    Example(
        "max_steps=3); print(model.get_variable_value('w'), model.get_variable_names()",
        'get_variable_value(model_dir, "w"), get_variable_names(model_dir)',
        "train",
        kind="custom",
    ),
    Example("max_steps=3); print(model.eval_dir()", 'print(os.path.join(model_dir, "eval"))', "train", kind="custom"),
    Example(
        "max_steps=3); print(model.eval_dir(name='x')", 'os.path.join(model_dir, "eval_x")', "train", kind="custom"
    ),
    Example("max_steps=3); print(model.eval_dir(args.name)", None, "train", kind="custom"),
    kinds=CUSTOM,
    needs=("model_dir", "names", "model_fn"),
)
def use_model_fn(program: Program, draft: Draft) -> Iterator[Verdict]:
    for call in program.calls:
        if call.method not in ("train", "train_and_evaluate"):
            yield _rewrite(program, draft, call)


def _rewrite(program: Program, draft: Draft, call: MethodCall) -> Verdict:
    if call.problem is not None:
        return manual(call.problem[0], call.problem[1], "Write the arguments out.")
    if call.method == "latest_checkpoint":
        text = f"{draft.tf}.train.latest_checkpoint({draft.model_dir})"
    elif call.method == "eval_dir":
        given = call.arguments.get("name")
        name = "" if is_none(given) else literal(given)
        if not isinstance(name, str):
            return manual(call.node, "the evaluation's name cannot be seen", "Give eval_dir a literal name.")
        join = f"{draft.vocabulary.standard('os')}.path.join"
        text = f"{join}({draft.model_dir}, {f'eval_{name}' if name else 'eval'!r})"
    elif call.method.startswith("get_variable_"):
        text = f"{draft.piece(call.method)}({', '.join([draft.model_dir, *map(draft.text, call.arguments.values())])})"
    elif call.method in _EXPORTS:
        if "serving_input_receiver_fn" not in call.arguments or literal(call.arguments.get("as_text")) is True:
            return manual(call.node, "this form of export is not carried over yet", "Export without as_text.")
        first = [call.arguments[name] for name in ("export_dir_base", "serving_input_receiver_fn")]
        shared = draft.shared_arguments("export")
        text = _call(draft, "export_model_fn", first, call, ("assets_extra", "checkpoint_path"), shared)
    else:
        if "input_fn" not in call.arguments:
            return manual(call.node, f"{call.method}() is called without input_fn", "Give an input_fn.")
        piece, mode = _PIECES[call.method]
        others = ("steps", "predict_keys", "hooks", "checkpoint_path", "name", "yield_single_examples")
        text = _call(draft, piece, [call.arguments["input_fn"]], call, others, draft.shared_arguments(mode))
    draft.edits.append(ReplaceExpression(program.module.span(call.node), text))
    return exact(call.node, "works on the newest checkpoint in a graph of its own, as the Estimator did")


def _call(
    draft: Draft, piece: str, first: list[ast.expr], call: MethodCall, others: tuple[str, ...], shared: dict[str, str]
) -> str:
    given = {name: draft.text(call.arguments[name]) for name in others if not is_none(call.arguments.get(name))}
    if piece == "evaluate_model_fn" and "steps" in given:
        given["steps"] = draft.evaluation_steps(call.arguments["steps"])
    written = [f"{name}={value}" for name, value in {**shared, **given}.items()]
    return f"{draft.piece(piece)}({', '.join([draft.model_fn, *map(draft.text, first), draft.model_dir, *written])})"
