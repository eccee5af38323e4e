"""What stands for exports: the call, and for the exporters of an ``EvalSpec`` a function."""

import ast
from dataclasses import dataclass

from migrate.analysis.arguments import Unbindable, bind, is_none, literal
from migrate.analysis.names import Names
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


@dataclass(frozen=True)
class Exporter:
    """One exporter of an ``EvalSpec``.

    Attributes:
      kind: its class, ``LatestExporter``.
      arguments: the expressions by parameter; ``serving_input_receiver_fn`` is among them.
      call: what makes it.
      statement: what exists only to make it; None where it stands inline.
    """

    kind: str
    arguments: dict[str, ast.expr]
    call: ast.Call
    statement: ast.stmt | None


def export_after_evaluation(
    draft: Draft, model: str, exporters: ast.expr, max_steps: ast.expr | None
) -> tuple[list[str], str]:
    """The statements that define a function that exports an evaluated model by its metrics, and its name.

    Args:
      draft: the program's draft.
      model: the variable of the model.
      exporters: the ``exporters`` argument of the ``EvalSpec``.
      max_steps: the total number of steps, or None.

    Raises:
      Unbindable: for anything but the exporters of ``tf.estimator``, written out.
    """

    before, body = _exports(draft, model, exporters, max_steps)
    function = draft.fresh("export")
    return [*before, f"def {function}(metrics):", *(f"    {line}" for line in body)], function


def keras_export(draft: Draft, source: str, directory: str, arguments: dict[str, ast.expr]) -> str:
    """The call that exports what became of a canned estimator.

    Args:
      draft: the program's draft.
      source: the variable of the recovery, whose newest checkpoint is exported, or of the model.
      directory: the expression for the directory to export to.
      arguments: those of the Estimator's export.
    """
    kind = "export_classes" if draft.program.name.endswith("Classifier") else "export_values"
    kind = draft.piece("export_outputs" if draft.program.kind == "keras" else kind)
    given = [source, directory, draft.text(arguments["serving_input_receiver_fn"])]
    given += [draft.class_names] if draft.class_names else []
    if draft.program.kind == "canned" and not draft.reads_all_features:
        given.append(f"features={draft.keys}")
    return f"{kind}({', '.join([*given, *_assets(draft, arguments)])})"


def read_exporters(names: Names, exporters: ast.expr) -> list[Exporter]:
    """The exporters of an ``EvalSpec``.

    Raises:
      Unbindable: for anything but those of ``tf.estimator``, written out.
    """
    elements = exporters.elts if isinstance(exporters, ast.List | ast.Tuple) else [exporters]
    return [_exporter(names, element) for element in elements]


def _exports(draft: Draft, model: str, exporters: ast.expr, max_steps: ast.expr | None) -> tuple[list[str], list[str]]:
    """The statements before a function that exports by its ``metrics``, and those of its body."""
    join = f"{draft.vocabulary.standard('os')}.path.join"
    before: list[str] = []
    body: list[str] = []
    for exporter in read_exporters(draft.module.names, exporters):
        kind, arguments = exporter.kind, exporter.arguments
        draft.exporters.add(exporter.call)
        draft.absorbed += [exporter.statement] if exporter.statement is not None else []
        name = draft.text(arguments["name"]) if "name" in arguments else '"best_exporter"'
        keep = draft.text(arguments["exports_to_keep"]) if "exports_to_keep" in arguments else "5"
        export = [
            f'export_dir = {join}({draft.model_dir}, "export", {name})',
            keras_export(draft, model, "export_dir", arguments),
        ]
        if kind != "FinalExporter":
            export.append(f"{draft.piece('keep_newest_exports')}(export_dir, {keep})")
        if kind == "LatestExporter":
            body += export
            continue
        if kind == "FinalExporter":
            body += [f"if {_is_final(draft, max_steps)}:", *(f"    {line}" for line in export)]
            continue
        best = draft.fresh("best")
        compare = f", {draft.text(arguments['compare_fn'])}" if "compare_fn" in arguments else ""
        before.append(f'{best} = {draft.piece("BestResult")}({join}({draft.model_dir}, "eval"){compare})')
        body += [f"if {best}.improves(metrics):", *(f"    {line}" for line in export)]
    return before, body


def _assets(draft: Draft, arguments: dict[str, ast.expr]) -> list[str]:
    extra = arguments.get("assets_extra")
    return [] if extra is None or is_none(extra) else [f"assets_extra={draft.text(extra)}"]


def _is_final(draft: Draft, max_steps: ast.expr | None) -> str:
    """The condition for the evaluation that ends a training; none does where there is no bound."""
    if max_steps is None or is_none(max_steps):
        return "False"
    if isinstance(literal(max_steps), int):
        return f'metrics["global_step"] >= {draft.text(max_steps)}'
    return f'0 < ({draft.text(max_steps, OR)} or 0) <= metrics["global_step"]'


def _exporter(names: Names, element: ast.expr) -> Exporter:
    made = names.value(element)
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
    statement = names.statement_of(made) if len(names.reads_of(element)) == 1 else None
    return Exporter(kind, arguments, made, statement)
