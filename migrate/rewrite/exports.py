"""What stands for the exporters of an ``EvalSpec``: a function that evaluates, then exports."""

import ast

from migrate.analysis.arguments import Unbindable, bind, is_none, literal
from migrate.analysis.symbols import symbol_of
from migrate.rewrite.draft import Draft
from migrate.rewrite.precedence import OR

_LATEST = ("name", "serving_input_receiver_fn", "assets_extra", "as_text", "exports_to_keep")
_FINAL = ("name", "serving_input_receiver_fn", "assets_extra", "as_text")
_BEST = (
    "name", "serving_input_receiver_fn", "event_file_pattern", "compare_fn", "assets_extra", "as_text",
    "exports_to_keep",
)  # fmt: skip

_PARAMETERS = {"LatestExporter": _LATEST, "BestExporter": _BEST, "FinalExporter": _FINAL}


def evaluate_and_export(
    draft: Draft, evaluation: str, eval_dir: str, exporters: ast.expr, max_steps: ast.expr | None
) -> tuple[list[str], str]:
    """The statements that define the function, and its name.

    Args:
      draft: the program's draft.
      evaluation: the expression that evaluates.
      eval_dir: the name of the directory that the metrics go to, below ``model_dir``.
      exporters: the ``exporters`` argument of the ``EvalSpec``.
      max_steps: the total number of steps, or None.

    Raises:
      Unbindable: for anything but the exporters of ``tf.estimator``, written out.
    """
    elements = exporters.elts if isinstance(exporters, ast.List | ast.Tuple) else [exporters]
    join = f"{draft.vocabulary.standard('os')}.path.join"
    before: list[str] = []
    body = [f"metrics = {evaluation}"]
    for element in elements:
        kind, arguments = _exporter(draft, element)
        name = draft.text(arguments["name"]) if "name" in arguments else '"best_exporter"'
        draft.pieces |= set() if kind == "FinalExporter" else {"keep_newest_exports"}
        directory = f'{join}({draft.model_dir}, "export", {name})'
        keep = draft.text(arguments["exports_to_keep"]) if "exports_to_keep" in arguments else "5"
        export = _export(draft, arguments, directory, keep)
        if kind == "LatestExporter":
            body += export
            continue
        if kind == "FinalExporter":
            body += [f"if {_is_final(draft, max_steps)}:", *(f"    {line}" for line in export[:-1])]
            continue
        best = draft.fresh("best")
        compare = f", {draft.text(arguments['compare_fn'])}" if "compare_fn" in arguments else ""
        before.append(f'{best} = BestResult({join}({draft.model_dir}, "{eval_dir}"){compare})')
        draft.pieces.add("BestResult")
        body += [f"if {best}.improves(metrics):", *(f"    {line}" for line in export)]
    function = draft.fresh("evaluate_and_export")
    return [*before, f"def {function}():", *(f"    {line}" for line in body)], function


def _is_final(draft: Draft, max_steps: ast.expr | None) -> str:
    """The condition for the evaluation that ends a training; none does where there is no bound."""
    if max_steps is None or is_none(max_steps):
        return "False"
    if isinstance(literal(max_steps), int):
        return f'metrics["global_step"] >= {draft.text(max_steps)}'
    return f'0 < ({draft.text(max_steps, OR)} or 0) <= metrics["global_step"]'


def _export(draft: Draft, arguments: dict[str, ast.expr], directory: str, keep: str) -> list[str]:
    draft.pieces.add("export_model_fn")
    given = [draft.model_fn, "export_dir", draft.text(arguments["serving_input_receiver_fn"]), draft.model_dir]
    given += [f"{name}={value}" for name, value in draft.shared_arguments("export").items()]
    extra = arguments.get("assets_extra")
    given += [f"assets_extra={draft.text(extra)}"] if extra is not None and not is_none(extra) else []
    return [
        f"export_dir = {directory}",
        f"export_model_fn({', '.join(given)})",
        f"keep_newest_exports(export_dir, {keep})",
    ]


def _exporter(draft: Draft, element: ast.expr) -> tuple[str, dict[str, ast.expr]]:
    names = draft.module.names
    made = names.only_value(element) if isinstance(element, ast.Name) else element
    found = symbol_of(names, made.func) if isinstance(made, ast.Call) else None
    kind = found.tail.removeprefix("estimator.") if found is not None else ""
    if not isinstance(made, ast.Call) or kind not in _PARAMETERS:
        raise Unbindable(f"the exporter `{ast.unparse(element)[:60]}` is not carried over yet")
    arguments = bind(made, _PARAMETERS[kind], no_others=True)
    pattern, as_text = arguments.get("event_file_pattern"), arguments.get("as_text")
    if "serving_input_receiver_fn" not in arguments or pattern is not None:
        raise Unbindable(f"a {kind} without serving_input_receiver_fn, or with event_file_pattern, is not carried over")
    if as_text is not None and literal(as_text) is not False:
        raise Unbindable(f"a {kind} with as_text is not carried over")
    if isinstance(element, ast.Name):
        found_name = names.scope_of(element).lookup(element.id)
        if found_name is not None and len(names.uses(element.id, found_name[0])) == 1:
            draft.absorbed.append(names.statement_of(made))
    return kind, arguments
