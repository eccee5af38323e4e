"""FT139 · tf.estimator.EstimatorSpec, ModeKeys, SessionRunHook and other names around a model_fn

TensorFlow 2.16 removed the module ``tf.estimator``, and with it the names that a ``model_fn`` and its hooks use.

Instead: hooks have always been in ``tf.compat.v1.train`` as well; ``EstimatorSpec``, ``ModeKeys`` and the export
outputs are generated. So is ``ProfilerHook``, by whatever name: the old one cannot even be made outside a graph.

``inputs.numpy_input_fn`` and ``pandas_input_fn`` are generated too, where no call of the file that makes them is seen
to use what they return (FT123): as in another file than the estimator's.

Fidelity: exact; ``ProfilerHook`` noted: it profiles the same steps, for another page of TensorBoard. A name without a
counterpart blocks the program.

See: tf.estimator.EstimatorSpec, tf.compat.v1.train.SessionRunHook.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.names import Names
from migrate.analysis.program import Program
from migrate.analysis.run_config_reader import FOR_TPUS
from migrate.analysis.symbols import Symbol
from migrate.edits.plan import ReplaceExpression
from migrate.finding import Fidelity
from migrate.rewrite.draft import Draft, OtherFile
from migrate.rules.rule import CUSTOM, Example, Verdict, exact, manual, rule, without_counterpart

_SPECS = {
    "estimator.TrainSpec", "estimator.EvalSpec", "estimator.LatestExporter", "estimator.BestExporter",
    "estimator.FinalExporter",
}  # fmt: skip
_PROFILERS = ("train.ProfilerHook", "estimator.ProfilerHook")
_INPUT_HELP = "Write the input as a function that returns a tf.data.Dataset."
_EMITTED = {
    "EstimatorSpec": "EstimatorSpec",
    "ModeKeys": "ModeKeys",
    "WarmStartSettings": "WarmStartSettings",
    "tpu.TPUEstimatorSpec": "TPUEstimatorSpec",
    "export.ClassificationOutput": "ClassificationOutput",
    "export.PredictOutput": "PredictOutput",
    "export.RegressionOutput": "RegressionOutput",
    "export.ServingInputReceiver": "ServingInputReceiver",
    "export.TensorServingInputReceiver": "TensorServingInputReceiver",
    "export.build_parsing_serving_input_receiver_fn": "build_parsing_serving_input_receiver_fn",
    "export.build_raw_serving_input_receiver_fn": "build_raw_serving_input_receiver_fn",
    "inputs.numpy_input_fn": "numpy_input_fn",
    "inputs.pandas_input_fn": "pandas_input_fn",
}


@rule(
    "FT139",
    "exact",
    Example("tf1.estimator.ModeKeys.TRAIN", "mode == ModeKeys.TRAIN", "mode", kind="custom"),
    Example("tf1.estimator.StepCounterHook", "mode == tf.compat.v1.train.StepCounterHook", "mode", kind="custom"),
    Example("tf1.train.ProfilerHook(9)", "mode == ProfilerHook(9)", "mode", kind="custom"),
    Example(
        "print(tf1.estimator.export.TensorServingInputReceiver)", "TensorServingInputReceiver)", "head", kind="custom"
    ),
    Example("tf1.estimator.FinalExporter", None, "mode", kind="custom"),
    kinds=CUSTOM,
    needs=("config", "strategy"),
    settles=("names",),
)
def estimator_names(program: Program, draft: Draft) -> Iterator[Verdict]:
    for file in draft.changed_files:
        yield from _renamed(program, draft, file)


def _renamed(program: Program, draft: Draft, file: Draft | OtherFile) -> Iterator[Verdict]:
    programs = [other.program for other in draft.all]
    seen = {call.input.helper for one in programs for call in one.calls if call.input is not None}
    helpers = {site.node.func: site.node for site in file.module.sites if site.kind == "input_fn"}
    unseen = {func for func, call in helpers.items() if call not in seen}
    sites = {site.node.func for site in file.module.sites} - unseen
    sites |= {stop.node.func for one in programs for stop in one.early_stops}
    sites |= {one.head.node.func for one in programs if one.head is not None}
    profilers = [node for tail in _PROFILERS for node in file.module.uses.get(tail, ())]
    for node in profilers:
        file.renamed[node] = file.piece("ProfilerHook")
        file.edits.append(ReplaceExpression(file.module.span(node), file.renamed[node]))
        message = "profiles a step for TensorBoard's profile page: there is no session that could trace it"
        yield Verdict(node, Fidelity.NOTED, message, module=file.module)
    spelled = {node for node, _ in file.module.estimator}
    for node, found in file.module.estimator:
        if node in profilers or node in file.renamed:
            continue
        if isinstance(node, ast.Name) and file.module.names.only_value(node) in spelled:
            file.renamed[node] = node.id  # what is assigned to the variable has another name
            continue
        if found.tail.startswith(FOR_TPUS) and _is_unused(file.module.names, node):
            file.delete(file.module.names.statement_of(node))
            yield exact(node, "is removed: nothing uses it", file.module)
            continue
        goes = file is draft and found.tail.startswith(FOR_TPUS) and draft.replaces(node)
        if goes or node in sites or _is_spec(program, found):
            continue
        name, rest = _name(found)
        if name in _EMITTED:
            text = file.piece(_EMITTED[name]) + rest
        elif found.other_name is not None:
            text = f"{file.tf}.compat.v1.{found.other_name}"  # compat.v1 holds itself under that name too
        else:
            yield without_counterpart(node, found, file.module)
            continue
        file.renamed[node] = text
        file.edits.append(ReplaceExpression(file.module.span(node), text))
        if node not in unseen:
            yield exact(node, f"becomes {text}", file.module)
        elif draft.continues_input:
            message = "what uses this input function is not seen, so its shuffle cannot be told to go on where it stood"
            yield manual(helpers[node], message, _INPUT_HELP, file.module)
        else:
            message = f"becomes {text}, which gives a tf.data.Dataset; if shuffled, in another random order"
            yield Verdict(helpers[node], Fidelity.NOTED, message, module=file.module)


def _name(found: Symbol) -> tuple[str, str]:
    """The name of a class of ``tf.estimator``, and what is read off it: ``ModeKeys`` and ``.TRAIN``."""
    name = found.tail.removeprefix("estimator.")
    for known in ("ModeKeys", "tpu.InputPipelineConfig"):
        if name.startswith(f"{known}."):
            return known, name.removeprefix(known)
    return name, ""


def _is_spec(program: Program, found: Symbol) -> bool:
    """Whether a name is that of a spec or exporter, which goes with its ``train_and_evaluate``."""
    return found.tail in _SPECS and any(call.method == "train_and_evaluate" for call in program.calls)


def _is_unused(names: Names, node: ast.expr) -> bool:
    """Whether all that is done with a name is to assign it to a variable that nothing reads."""
    statement = names.parent(node)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return len(targets) == 1 and bool(names.bound(targets[0])) and not names.reads_of(targets[0])
