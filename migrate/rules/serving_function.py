"""FT127 · serving_input_receiver_fn of a premade estimator's export

A function that makes placeholders, and a ``ServingInputReceiver`` of them; an export runs it in a graph of its own.

Instead: it stays, and still runs in a graph: names of ``tf.estimator.export`` become generated ones, and names that
TensorFlow 1 alone has get their ``tf.compat.v1`` spelling. Followed within the file are a function, a lambda, a
``functools.partial``, a function that returns one of these, and ``build_parsing_serving_input_receiver_fn`` and
``build_raw_serving_input_receiver_fn``.

Fidelity: exact. A placeholder outside of the function, a sparse placeholder, ``receiver_tensors_alternatives`` and a
function of another file block the program.

See: tf.estimator.export.ServingInputReceiver, tf.estimator.export.build_parsing_serving_input_receiver_fn.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import Unbindable, is_none
from migrate.analysis.program import Program
from migrate.analysis.serving import BUILDERS, RECEIVERS, receiver_functions
from migrate.analysis.symbols import symbol_of
from migrate.edits.plan import ReplaceExpression
from migrate.rewrite.draft import Draft
from migrate.rewrite.exports import read_exporters
from migrate.rules.rule import Example, Verdict, exact, manual, rule

_SERVE = (
    "max_steps=10, hooks=[Hook()])\n    def serve():\n        fed = {'x': tf1.placeholder(tf.float32, [None])}\n"
    "        return tf1.estimator.export.ServingInputReceiver(fed, fed)\n    model.export_saved_model('/tmp/e', serve"
)
_EXPORT = "max_steps=10, hooks=[Hook()])\n    model.export_saved_model('/tmp/e', "
_BUILD = f"{_EXPORT}tf1.estimator.export.build_"


@rule(
    "FT127",
    "exact",
    Example(_SERVE, "return ServingInputReceiver(fed, fed)", "train"),
    Example(f"{_BUILD}parsing_serving_input_receiver_fn(x)", "build_parsing_serving_input_receiver_fn(x)", "train"),
    Example(
        f"{_BUILD}raw_serving_input_receiver_fn({{'x': tf1.placeholder(tf.int64, [None])}})",
        None,
        "train",
    ),
    Example(f"{_EXPORT}args.serve", None, "train"),
    settles=("serving",),
)
def serving_function(program: Program, draft: Draft) -> Iterator[Verdict]:
    for given in _given(program):
        try:
            found = receiver_functions(program.tree, program.module, given)
        except Unbindable as reason:
            help = "Write it as a function of this file that makes its own placeholders, or use --canned object."
            yield manual(given, str(reason), help)
            continue
        draft.serving += found
        for code in found:
            yield from _renamed(draft, code)


def _given(program: Program) -> Iterator[ast.expr]:
    for call in program.calls:
        if "serving_input_receiver_fn" in call.arguments:
            yield call.arguments["serving_input_receiver_fn"]
        exporters = call.evaluation.arguments.get("exporters") if call.evaluation is not None else None
        if exporters is None or is_none(exporters):
            continue
        try:
            for exporter in read_exporters(program.module.names, exporters):
                yield exporter.arguments["serving_input_receiver_fn"]
        except Unbindable:  # told where the training is
            continue


def _renamed(draft: Draft, code: ast.AST) -> Iterator[Verdict]:
    module = draft.module
    tf1_only = {node: found for node, found in module.tf1_only if not found.is_contrib}
    for node in ast.walk(code):
        found = symbol_of(module.names, node) if isinstance(node, ast.Name | ast.Attribute) else None
        if found is None or not isinstance(node, ast.expr) or node in draft.renamed:
            continue
        if found.tail in RECEIVERS:
            draft.renamed[node] = draft.piece("ServingInputReceiver")
        elif found.tail in BUILDERS:
            draft.renamed[node] = draft.piece(found.tail.rpartition(".")[2])
        elif node in tf1_only and isinstance(node, ast.Attribute):
            draft.renamed[node] = f"{draft.vocabulary.v1(becomes_v1=False)}.{found.tail}"
            continue  # reported, and replaced, with the file's other names of TensorFlow 1
        else:
            continue
        draft.edits.append(ReplaceExpression(module.span(node), draft.renamed[node]))
        yield exact(node, f"becomes {draft.renamed[node]}")
