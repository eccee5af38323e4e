"""Uses of an Estimator that the migrated object does not support: TPUs, some strategies, private methods, libraries."""

import ast
from collections.abc import Iterator

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.arguments import literal
from migrate.analysis.source.libraries import libraries_in
from migrate.analysis.source.module import Module
from migrate.analysis.source.symbols import TPU, Symbol, tail_called
from migrate.rules.rule import EstimatorFile, Verdict, manual

STRATEGIES = {"eval_distribute", "experimental_distribute", "train_distribute"}
_PRIVATE = {
    "_actual_eval_mode", "_actual_train_model_distributed", "_add_meta_graph_for_mode", "_call_input_fn",
    "_convert_eval_steps_to_hooks", "_convert_train_steps_to_hooks", "_create_and_assert_global_step",
    "_create_global_step", "_eval_distribution", "_evaluate_build_graph", "_evaluate_run", "_export_all_saved_models",
    "_extract_batch_length", "_extract_keys", "_get_features_and_labels_from_input_fn", "_get_features_from_input_fn",
    "_get_iterator_from_input_fn", "_train_distribution", "_train_model", "_train_model_default",
    "_train_model_distributed", "_train_with_estimator_spec",
}  # fmt: skip
"""Private methods of ``tf.estimator.Estimator`` that the object does not have.

It has ``_call_model_fn``, by which programs wrap one estimator in another; but a class may not override it.
"""


def unsupported_uses(module: Module, tree: Tree) -> Iterator[Verdict]:
    """Yields a verdict for each unsupported use of an Estimator in a file."""
    yield from _libraries(module, tree)
    yield from _private_methods(module)
    for node in module.names.attributes.get("experimental_export_all_saved_models", ())[:1]:
        message = "an export of graphs that train or evaluate is not supported"
        yield manual(node, message, "Use export_saved_model, whose graph predicts.", module)


def unsupported_use(
    file: EstimatorFile, node: ast.expr, call: ast.Call | None, symbol: Symbol, successor: str
) -> Verdict | None:
    """Returns why a use of a supported name is skipped; None to rewrite it."""
    module = file.module
    is_mnist = call is not None and not call.keywords and [literal(one) for one in call.args] == ["mnist"]
    if successor == "load_dataset" and not is_mnist:
        message = "another dataset than MNIST is not supported"
        return manual(node, message, "Load it with tensorflow_datasets, then migrate again.", module)
    if call is not None and successor == "model_to_estimator":
        named = [one.value for one in call.keywords if one.arg in ("metric_names_map", "export_outputs")]
        if named:
            message = f"`{ast.unparse(named[0])}` names outputs, which is not supported"
            return manual(call, message, "Remove it.", module)
    if call is not None and symbol.tail.removeprefix("estimator.") in TPU and (reason := _runs_on_tpu(file, call)):
        return manual(call, *reason, module)
    return None if call is None else _strategy(file, call)


def _strategy(file: EstimatorFile, call: ast.Call) -> Verdict | None:
    """Returns a verdict on a strategy in a call's arguments that the object would reject at run time."""
    names = file.module.names
    for given in (keyword.value for keyword in call.keywords if keyword.arg in STRATEGIES):
        kind = tail_called(names, names.value(given)).rpartition(".")[2]
        if kind.startswith(("TPUStrategy", "ParameterServerStrategy", "CentralStorageStrategy")):
            from migrate.tensorflow.contrib import advice

            help = advice("distribute.ParameterServerStrategy") if kind.startswith("Param") else _STRATEGY_HELP
            return manual(given, f"{kind} is not supported", help, file.module)
    return None


_STRATEGY_HELP = "Use tf.distribute.MirroredStrategy or MultiWorkerMirroredStrategy, or none."


def _runs_on_tpu(file: EstimatorFile, call: ast.Call) -> tuple[str, str] | None:
    """Returns why a TPUEstimator is skipped, because it runs on TPUs or may do so, with advice; None to rewrite it."""
    names = file.module.names
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "use_tpu"), None)
    if any(keyword.arg is None for keyword in call.keywords) or any(isinstance(a, ast.Starred) for a in call.args):
        value: object = ...
    elif given is None:
        value = ... if len(call.args) > _USE_TPU else True
    else:
        found = literal(names.value(given))
        value = found if found is ... else bool(found)
    spec = next((keyword.value for keyword in call.keywords if keyword.arg == "embedding_config_spec"), None)
    if spec is not None and literal(spec) is not None:
        return "`embedding_config_spec` is for TPUs alone", _TPU_HELP
    if value is False:
        return None
    if file.settings.tpu == "leave":
        return "it may run on a TPU, and --tpu leave skips such programs", _TPU_HELP
    if value is True and not _is_in_branch(file.module, call):
        by_default = "" if given is not None else " by default"
        return f"use_tpu is true{by_default}, so the program runs on a TPU", _TPU_HELP
    return None


_USE_TPU = 4
"""The index of the parameter ``use_tpu`` of ``TPUEstimator``."""
_TPU_HELP = "Set use_tpu=False where it runs on CPU or GPU; for TPUs there is tf.distribute.TPUStrategy."


def _is_in_branch(module: Module, node: ast.expr) -> bool:
    """Whether a node is in a branch of its function."""
    for around in module.names.ancestors(node):
        if isinstance(around, ast.If | ast.IfExp | ast.Try):
            return True
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            break
    return False


def _libraries(module: Module, tree: Tree) -> Iterator[Verdict]:
    """Reports the first use of each library that takes an Estimator, unless its files are in the tree."""
    seen = set[str]()
    for node, dotted, library in libraries_in(module.names):
        if library not in seen and tree.target(module, dotted) is None:
            seen.add(library)
            message = f"`{dotted}` is of {library}, which works with TensorFlow's own Estimator"
            yield manual(node, message, "Migrate what the library does by its own guide first.", module)


def _private_methods(module: Module) -> Iterator[Verdict]:
    """Reports the first use or definition of a private method of an Estimator in a file."""
    names, defined = module.names, {*_PRIVATE, "_call_model_fn"}
    found: list[tuple[ast.Attribute | ast.FunctionDef, str]] = [
        *((node, name) for name in _PRIVATE for node in names.attributes.get(name, ())),
        *((node, node.name) for node in names.nodes(ast.FunctionDef) if node.name in defined),
    ]
    if found:
        node, name = min(found, key=lambda one: (one[0].lineno, one[0].col_offset))
        message = f"`{name}` is private to tf.estimator.Estimator, and its replacement does not have it"
        yield manual(node, message, "Use the public methods of the Estimator.", module)
