"""FT151 · an Estimator program in object form

It can be hidden where an estimator, its config or its model_fn is used: in a list, a dictionary or an attribute, behind
branches, a parameter, another file's function, a class that derives from ``tf.estimator.Estimator``.

Instead: the names change and the calls stay. ``Estimator``, ``RunConfig``, ``TrainSpec``, ``EvalSpec``,
``train_and_evaluate``, the exporters, ``EstimatorSpec``, ``ModeKeys``, the TPU classes and the premade estimators are
imported from the generated folder, in which they train in TensorFlow's own session, saved by a
``tf.train.CheckpointManager`` that has the settings of the ``RunConfig`` and is ``estimator.checkpoints``.
``tf.estimator.tpu.RunConfig`` becomes ``TPURunConfig``, and the premade estimators of TensorFlow 2 get a ``V2``. All
files of the given paths that a program reaches change together.

Every program with a ``model_fn`` takes this form, and each of premade estimators that does not become a Keras model
(``--canned``). With ``--canned keras`` a program that becomes a Keras model stays one, and the rest of its file is
skipped. ``--input continue`` writes ``Estimator.input = "continue"`` below the imports; ``--recovery`` concerns Keras
models alone.

Fidelity: exact: the object trains, saves and resumes as the Estimator did. What can only be seen as the program runs is
settled then: a TPU is refused where one is asked for, unless ``--tpu leave`` skips such programs. A program is skipped
for a name that has no counterpart, for a part of the Estimator that is private, and for a library that takes an
Estimator itself (TensorFlow Model Analysis, TFX, AdaNet).

A file that makes no Estimator and loads its exports by ``contrib.predictor.from_saved_model`` is rewritten by itself.

What ``contrib.estimator`` had around an Estimator is written too: its heads, ``clip_gradients_by_norm``,
``add_metrics``, ``forward_features``, ``replicate_model_fn`` for one device (several GPUs are refused as it starts).
``model_to_estimator`` becomes an object over the Keras model, with the saves of its ``RunConfig``; ``fit`` trains it,
and session hooks are refused as the program runs.

``contrib.learn``'s ``Experiment``, ``learn_runner.run`` and ``make_export_strategy`` over an Estimator are written too:
they evaluate and export at the steps at which TensorFlow 1.15's did. An experiment of several workers is refused as it
starts, and so are ``checkpoint_and_export`` and ``train_steps_per_iteration``.

``contrib.learn``'s own ``Estimator``, with ``ModelFnOps`` and ``MetricSpec``, becomes one with its methods ``fit``,
``evaluate`` and ``predict``: where an input_fn gives tensors that no queue feeds, ``predict`` ends with the first
batch, as there. Arrays in place of an input_fn are left, and so is an export by ``InputFnOps``. Its premade estimators
are skipped: they have other arguments, and variables of other names.

See: tf.estimator.Estimator.
"""

import ast
from collections.abc import Iterator
from dataclasses import replace

from migrate.analysis.arguments import is_none, literal
from migrate.analysis.guards import is_guarded
from migrate.analysis.legacy_keras import NEEDS_TF_KERAS
from migrate.analysis.libraries import libraries_in
from migrate.analysis.module import Module
from migrate.analysis.run_config_reader import RUN_CONFIG_PARAMETERS
from migrate.analysis.symbols import RUN_CONFIGS, TPU, Symbol, estimator_kind, symbol_of
from migrate.edits.plan import ReplaceExpression
from migrate.findings.finding import Fidelity
from migrate.rewrite.counterparts import Counterpart, counterpart, is_module
from migrate.rewrite.module_aliases import modules_kept
from migrate.rules.rule import Example, ObjectFile, Verdict, exact, file_rule, line, manual, without_counterpart
from migrate.settings import Settings
from migrate.tensorflow.contrib import name_of, rows_of

_PROFILERS = ("train.ProfilerHook", "estimator.ProfilerHook")
_ASYNC_SAVER = "contrib.tpu.AsyncCheckpointSaverHook"
_STRATEGIES = {"eval_distribute", "experimental_distribute", "train_distribute"}
_PRIVATE = {
    "_actual_eval_mode", "_actual_train_model_distributed", "_add_meta_graph_for_mode", "_call_input_fn",
    "_call_model_fn", "_convert_eval_steps_to_hooks", "_convert_train_steps_to_hooks", "_create_and_assert_global_step",
    "_create_global_step", "_eval_distribution", "_evaluate_build_graph", "_evaluate_run", "_export_all_saved_models",
    "_extract_batch_length", "_extract_keys", "_get_features_and_labels_from_input_fn", "_get_features_from_input_fn",
    "_get_iterator_from_input_fn", "_train_distribution", "_train_model", "_train_model_default",
    "_train_model_distributed", "_train_with_estimator_spec",
}  # fmt: skip
"""Private methods of ``tf.estimator.Estimator``, by which programs reach into its training."""


@file_rule(
    "FT151",
    "exact",
    line("models = [tf1.estimator.Estimator(model_fn)]", "models = [Estimator(model_fn)]"),
    line(
        "c = tf1.estimator.RunConfig(args.folder, save_checkpoints_steps=args.steps); print(c)",
        "c = RunConfig(args.folder, save_checkpoints_steps=args.steps)",
    ),
    line("class Own(tf1.estimator.Estimator): pass", "class Own(Estimator):"),
    line("e = tf1.estimator; use(e.EvalSpec)", "    use(EvalSpec)"),
    line("mode = tf1.estimator.ModeKeys.EVAL", "mode = ModeKeys.EVAL"),
    line("hook = tf1.estimator.StepCounterHook()", "hook = tf1.train.StepCounterHook()"),
    Example("use_tpu=args.use_tpu", "model = TPUEstimator(", "estimator", kind="tpu"),
    Example("use_tpu=True", None, "estimator", kind="tpu"),
    line("nets = [tf.keras.estimator.model_to_estimator(net)]", "nets = [model_to_estimator(net)]"),
    line("tf.keras.estimator.model_to_estimator(net, metric_names_map=names)", None),
    line("use(tf1.estimator)", None),
    line("use(tf1.estimator.NoSuchName)", None),
    line("e = tf1.contrib.learn.Experiment(models[0], f, f); e.train()", "e = Experiment(models[0], f, f)"),
    line(
        "models = []; tf1.contrib.learn.learn_runner.run(make, run_config=tf1.contrib.learn.RunConfig(model_dir='d'))",
        "run_experiment(make, run_config=RunConfig(model_dir='d'))",
    ),
    line("print(tf1.contrib.learn.DNNClassifier)", None),
    line(
        "models = [tf1.contrib.learn.Estimator(model_fn)]; models[0].fit(input_fn=f, steps=3)",
        "models = [LearnEstimator(model_fn)]",
    ),
    line("models = [tf1.contrib.learn.Estimator(model_fn)]; models[0].fit(x=f)", None),
    line(
        "models = [tf1.contrib.estimator.clip_gradients_by_norm(tf1.train.AdamOptimizer(), 5.0)]",
        "models = [clip_gradients_by_norm(tf1.train.AdamOptimizer(), 5.0)]",
    ),
    line(
        "models = [tf1.estimator.Estimator(tf1.contrib.estimator.replicate_model_fn(model_fn))]",
        "models = [Estimator(replicate_model_fn(model_fn))]",
    ),
    line("x = model._call_model_fn(x, y)", None),
    line("import adanet; model = adanet.Estimator(x)", None),
)
def object_form(file: ObjectFile) -> Iterator[Verdict]:
    yield from _libraries(file.module)
    yield from _private(file.module)
    yield from _arrays(file.module)
    kept = modules_kept(file)
    if _trains_with_others(file.module):
        file.pieces.add("ClusterTraining")  # which the Estimator finds by itself
    if any(node.attr in _EXPORTS for node in file.module.names.nodes(ast.Attribute)):
        file.pieces.add("export_modes")  # likewise, whoever made the receiver
    for node in (node for tail in _PROFILERS for node in file.module.uses.get(tail, ())):
        _replace(file, node, file.piece("ProfilerHook"))
        yield exact(node, "may be made before its graph is there", file.module)
    for node in file.module.uses.get(_ASYNC_SAVER, ()):
        _replace(file, node, f"{file.v1}.train.CheckpointSaverHook")
        yield Verdict(node, Fidelity.NOTED, "a save takes its time between two steps", module=file.module)
    for node, found in file.module.estimator:
        if node in file.renamed:
            continue
        if is_module(found):
            if node in kept:
                yield _handed_on(file, node, found)
            continue
        verdict = _name(file, node, found)
        if verdict is not None:
            yield verdict
    for node in file.module.uses.get("estimator", ()):
        if node in kept and not is_guarded(file.module.names, node):
            yield manual(
                node, "the module tf.estimator itself is a value here", "Name what is used of it.", file.module
            )


_EXPORTS = frozenset(
    {
        *("export_saved_model", "export_savedmodel", "experimental_export_all_saved_models"),
        *("LatestExporter", "FinalExporter", "BestExporter", "make_export_strategy"),
    }
)
"""What writes SavedModels of an Estimator."""


def _trains_with_others(module: Module) -> bool:
    """Whether a file gives a training several devices, or speaks of the cluster that ``TF_CONFIG`` names."""
    constants = module.names.nodes(ast.Constant)
    strategies = (node.arg in _STRATEGIES for node in module.names.nodes(ast.keyword))
    return any(strategies) or any(node.value == "TF_CONFIG" for node in constants)


def _handed_on(file: ObjectFile, node: ast.expr, found: Symbol) -> Verdict:
    message = f"the module `{found.qualified}` itself is a value here"
    return manual(node, message, "Name what is used of it.", file.module)


def _name(file: ObjectFile, node: ast.expr, found: Symbol) -> Verdict | None:
    """Replaces one name of the Estimator API; None for a variable that stands for one, which is another's value."""
    module, parent = file.module, file.module.names.parent(node)
    call = parent if isinstance(parent, ast.Call) and parent.func is node else None
    if _is_of_variable(module, node):
        file.renamed[node] = module.source.text(node)
        return None
    other = counterpart(found, is_v1=found.api == "v1" or (found.api == "tf" and file.is_tf1))
    if other is None:
        return without_counterpart(node, found, module)
    if call is not None and found.is_contrib_learn and found.tail == "estimator.RunConfig":
        given = {k.arg or "**" for k in call.keywords} | {"*" for one in call.args if isinstance(one, ast.Starred)}
        if unknown := sorted(given - {*RUN_CONFIG_PARAMETERS, *_OF_LEARN_ALONE}):
            message = f"`{unknown[0]}` is no argument of tf.contrib.learn.RunConfig"
            return manual(call, message, "Take the argument out, or give it by its name.", module)
        if call.args or given.intersection(_OF_LEARN_ALONE):
            other = Counterpart("LearnRunConfig", True)
    if other.name == "load_dataset" and (call is None or not _is_mnist(call)):
        message = "another dataset than MNIST is not supported"
        return manual(node, message, "Load it with tensorflow_datasets, then migrate again.", module)
    if call is not None and other.name == "model_to_estimator":
        named = [one.value for one in call.keywords if one.arg in ("metric_names_map", "export_outputs")]
        if named:
            message = f"`{ast.unparse(named[0])}` names outputs, which is not supported"
            return manual(call, message, "Take it out.", module)
    if estimator_kind(found) == "other-canned" and file.settings.canned == "keras":
        return manual(call or node, f"{found.tail.rpartition('.')[2]} becomes no Keras model", _AS_OBJECT, module)
    if call is not None and found.tail.removeprefix("estimator.") in TPU and (reason := _runs_on_tpu(file, call)):
        return manual(call, *reason, module)
    if call is not None and (refused := _refused_strategy(file, call)) is not None:
        return refused
    text = _text(file, other)
    _replace(file, node, text)
    if estimator_kind(found) is not None and file.settings.input == "continue" and not file.statements:
        file.statements.append(f'{file.piece("Estimator")}.input = "continue"')
        file.pieces.add("continued_input")  # which the Estimator finds by itself
    if call is not None and found.tail in RUN_CONFIGS and not found.is_contrib:
        return None  # FT152 tells of it
    verdict = _said(file, node, call, found, text)
    return replace(verdict, successor=other.told()) if found.is_contrib else verdict


_AS_OBJECT = "Use --canned object, or --canned auto, with which it becomes an object of the same name."

_OF_LEARN_ALONE = ("evaluation_master", "gpu_memory_fraction", "log_device_placement", "master", "num_cores")
"""Arguments of ``tf.contrib.learn.RunConfig`` that ``tf.estimator.RunConfig`` does not have."""


def _is_mnist(call: ast.Call) -> bool:
    return len(call.args) == 1 and not call.keywords and literal(call.args[0]) == "mnist"


def _text(file: ObjectFile, other: Counterpart) -> str:
    return (file.piece(other.name) if other.is_emitted else f"{file.v1}.{other.name}") + other.rest


def _replace(file: ObjectFile, node: ast.expr, text: str) -> None:
    file.renamed[node] = text
    if text != file.module.source.text(node):  # an import gives the name another meaning
        file.edits.append(ReplaceExpression(file.module.span(node), text))


def _said(file: ObjectFile, node: ast.expr, call: ast.Call | None, found: Symbol, text: str) -> Verdict:
    module, kind = file.module, estimator_kind(found)
    if call is None:
        return exact(node, f"becomes {text}", module)
    if kind is not None:
        refused = "; it refuses a TPU as it starts" if kind == "tpu" else ""
        if kind == "keras":
            refused = "; fit trains the Keras model itself, which has the trained weights then, and hooks are refused"
        if found.is_contrib and (differs := _difference(found)):
            refused = f"; {differs}"
        refused += _other_recovery(file.settings)
        needed = f"; {NEEDS_TF_KERAS}" if file.needs_tf_keras else ""
        message = f"in object form: {text} has the Estimator's methods, and the calls stay{refused}{needed}"
        return Verdict(call, Fidelity.NOTED if refused or needed else Fidelity.EXACT, message, module=module)
    if found.tail.startswith("estimator.inputs."):
        message = f"becomes {text}, which gives a tf.data.Dataset; if shuffled, in another random order"
        return Verdict(call, Fidelity.NOTED, message, module=module)
    if found.is_contrib and (differs := _difference(found)):
        return Verdict(call, Fidelity.NOTED, f"in object form: becomes {text}: {differs}", module=module)
    return exact(call, f"in object form: becomes {text}", module)


def _other_recovery(settings: Settings) -> str:
    """What is said of a recovery that only Keras models have."""
    if settings.recovery != "backup-and-restore":
        return ""
    return "; a CheckpointManager saves, because BackupAndRestore belongs to Keras's fit"


def _difference(found: Symbol) -> str:
    """What the object form has otherwise for a name of contrib; "" for nothing."""
    return next((row.advice for row in rows_of(name_of(found.qualified)) if row.kind == "estimator"), "")


def _refused_strategy(file: ObjectFile, call: ast.Call) -> Verdict | None:
    """A strategy among a call's arguments that the object rejects when it starts, where the code shows it."""
    names = file.module.names
    for given in (keyword.value for keyword in call.keywords if keyword.arg in _STRATEGIES):
        made = names.value(given)
        found = symbol_of(names, made.func) if isinstance(made, ast.Call) else None
        kind = found.tail.rpartition(".")[2] if found is not None else ""
        if kind.startswith(("TPUStrategy", "ParameterServerStrategy", "CentralStorageStrategy")):
            return manual(given, f"{kind} is not supported", _STRATEGY_HELP, file.module)
    return None


_STRATEGY_HELP = (
    "Use tf.distribute.MirroredStrategy or MultiWorkerMirroredStrategy, or none: parameter servers that TF_CONFIG "
    "names need no strategy."
)


def _runs_on_tpu(file: ObjectFile, call: ast.Call) -> tuple[str, str] | None:
    """Why a TPUEstimator is left, with what to do: it runs on TPUs, or may do so; None where it is not."""
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
"""How many parameters of ``TPUEstimator`` stand before ``use_tpu``."""
_TPU_HELP = "Set use_tpu=False where it runs on CPU or GPU; for TPUs there is tf.distribute.TPUStrategy."


def _is_in_branch(module: Module, node: ast.expr) -> bool:
    """Whether only some runs of the function around a node come to it."""
    for around in module.names.ancestors(node):
        if isinstance(around, ast.If | ast.IfExp | ast.Try):
            return True
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            break
    return False


def _is_of_variable(module: Module, node: ast.expr) -> bool:
    """Whether a name begins with a variable that a name of the API is assigned to, which changes where that stands."""
    root = node
    while isinstance(root, ast.Attribute):
        root = root.value
    value = module.names.only_value(root)
    return value is not None and any(one is value and not is_module(found) for one, found in module.estimator)


def _libraries(module: Module) -> Iterator[Verdict]:
    """The uses of libraries that take an Estimator, the first of each."""
    seen = set[str]()
    for node, dotted, library in libraries_in(module.names):
        if library not in seen:
            seen.add(library)
            message = f"`{dotted}` is of {library}, which works with TensorFlow's own Estimator"
            yield manual(node, message, "Migrate what the library does by its own guide first.", module)


def _arrays(module: Module) -> Iterator[Verdict]:
    """The calls that give an estimator of contrib.learn arrays, where a file makes one."""
    if not any(found.is_contrib_learn and found.tail == "estimator.Estimator" for _, found in module.estimator):
        return
    for call in module.names.nodes(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in _LEARNS:
            placed = call.args if call.func.attr.endswith("fit") else []  # TensorFlow's own Estimator has no fit
            given = [*placed, *(keyword.value for keyword in call.keywords if keyword.arg in _ARRAYS)]
            if any(not is_none(value) for value in given):
                message = f"`{call.func.attr}` may take arrays here, which TensorFlow 1 shuffled and batched itself"
                yield manual(call, message, "Give it an input_fn, by that name.", module)


_LEARNS = ("fit", "partial_fit", "evaluate", "predict")
_ARRAYS = ("x", "y", "batch_size", "feed_fn")


def _private(module: Module) -> Iterator[Verdict]:
    """The first use of a private method of an Estimator, or the first one that a class of the file defines."""
    names = module.names
    found: list[tuple[ast.Attribute | ast.FunctionDef, str]] = [
        *((node, name) for name in _PRIVATE for node in names.attributes.get(name, ())),
        *((node, node.name) for node in names.nodes(ast.FunctionDef) if node.name in _PRIVATE),
    ]
    if found:
        node, name = min(found, key=lambda one: (one[0].lineno, one[0].col_offset))
        message = f"`{name}` is private to tf.estimator.Estimator, and its replacement does not have it"
        yield manual(node, message, "Use the public methods of the Estimator.", module)
