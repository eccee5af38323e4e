"""FT151 · an Estimator program in object form

TensorFlow 2.16 removed ``tf.estimator``. The estimator may be in a list, an attribute, a branch, another file, or a
class that derives from it.

Instead: the names change and the calls stay. ``Estimator``, ``RunConfig``, ``TrainSpec``, ``EvalSpec``,
``train_and_evaluate``, the exporters, ``EstimatorSpec``, ``ModeKeys``, the TPU classes and the premade estimators are
imported from the generated folder. They train in a TensorFlow session and save by ``estimator.checkpoints``, a
``tf.train.CheckpointManager`` with the settings of the ``RunConfig``. ``tf.estimator.tpu.RunConfig`` becomes
``TPURunConfig``, and the premade estimators of TensorFlow 2 get the suffix ``V2``. All files of the given paths that
belong to a program change together.

``--input continue`` writes ``Estimator.input = "continue"`` below the imports.

Fidelity: exact: the object trains, saves and resumes as the Estimator did. A TPU that is only requested at run time is
rejected then; ``--tpu leave`` skips such programs. A program is skipped for a name without a counterpart, a private
part of the Estimator, and a library that takes an Estimator (TFX, AdaNet).

A file that only loads exports by ``contrib.predictor.from_saved_model`` is rewritten alone.

The functions of ``contrib.estimator`` that wrap an Estimator are replaced too.
``model_to_estimator`` becomes an object that trains the Keras model by ``fit``; hooks of a training find the global
step alone in their graph.
``contrib.learn``'s ``Experiment`` and ``learn_runner.run`` evaluate and export at the steps of TensorFlow 1.15; an
experiment of several workers is rejected when it starts. ``contrib.learn``'s own ``Estimator`` is skipped.

See: tf.estimator.Estimator.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.source.constructors import RUN_CONFIG_PARAMETERS
from migrate.analysis.source.guards import is_guarded
from migrate.analysis.source.nodes import is_annotation, root_of
from migrate.analysis.source.symbols import RUN_CONFIGS, Symbol, estimator_kind
from migrate.edits.plan import ReplaceExpression
from migrate.findings.finding import Fidelity
from migrate.rewrite.counterparts import counterpart, is_module, remove_module_aliases
from migrate.rules.names.object_refusals import STRATEGIES, unsupported_use, unsupported_uses
from migrate.rules.names.object_words import name_verdict
from migrate.rules.rule import EstimatorFile, Example, Verdict, exact, example, file_rule, manual, without_counterpart

_PROFILERS = ("train.ProfilerHook", "estimator.ProfilerHook")
_ASYNC_SAVER = "contrib.tpu.AsyncCheckpointSaverHook"


@file_rule(
    "FT151",
    "exact",
    example("models = [tf1.estimator.Estimator(model_fn)]", "models = [Estimator(model_fn)]"),
    example(
        "c = tf1.estimator.RunConfig(args.folder, save_checkpoints_steps=args.steps); print(c)",
        "c = RunConfig(args.folder, save_checkpoints_steps=args.steps)",
    ),
    example("class Own(tf1.estimator.Estimator): pass", "class Own(Estimator):"),
    example("e = tf1.estimator; use(e.EvalSpec)", "    use(EvalSpec)"),
    example("mode = tf1.estimator.ModeKeys.EVAL", "mode = ModeKeys.EVAL"),
    example("hook = tf1.estimator.StepCounterHook()", "hook = tf1.train.StepCounterHook()"),
    Example("use_tpu=args.use_tpu", "model = TPUEstimator(", "estimator", kind="tpu"),
    Example("use_tpu=True", None, "estimator", kind="tpu"),
    example("nets = [tf.keras.estimator.model_to_estimator(net)]", "nets = [model_to_estimator(net)]"),
    example("tf.keras.estimator.model_to_estimator(net, metric_names_map=names)", None),
    example("use(tf1.estimator)", None),
    example("use(tf1.estimator.NoSuchName)", None),
    example("e = tf1.contrib.learn.Experiment(models[0], f, f); e.train()", "e = Experiment(models[0], f, f)"),
    example(
        "models = []; tf1.contrib.learn.learn_runner.run(make, run_config=tf1.contrib.learn.RunConfig(model_dir='d'))",
        "run_experiment(make, run_config=RunConfig(model_dir='d'))",
    ),
    example("models = [tf1.contrib.learn.DNNClassifier([8], [])]", None),
    example("models = [tf1.contrib.learn.Estimator(model_fn)]; models[0].fit(input_fn=f, steps=3)", None),
    example(
        "models = [tf1.contrib.estimator.clip_gradients_by_norm(tf1.train.AdamOptimizer(), 5.0)]",
        "models = [clip_gradients_by_norm(tf1.train.AdamOptimizer(), 5.0)]",
    ),
    example("def f(one: tf1.estimator): return one", "def f(one: Estimator): return one"),
    example("x = model._train_model(x, y)", None),
    example("x = tf1.contrib.predictor.from_saved_model(path)", "x = from_saved_model(path)"),
    example("import adanet; model = adanet.Estimator(x)", None),
)
def object_form(file: EstimatorFile) -> Iterator[Verdict]:
    yield from unsupported_uses(file.module, file.tree)
    module_uses = remove_module_aliases(file)
    names = file.module.names
    has_strategy = any(node.arg in STRATEGIES for node in names.nodes(ast.keyword))
    if has_strategy or ("TF_CONFIG" in file.module.text and "TF_CONFIG" in names.strings):
        file.runtime_names.add("ClusterTraining")  # the Estimator finds it at run time
    if not _EXPORTS.isdisjoint(file.module.names.attributes):
        file.runtime_names.add("export_saved_model")  # likewise, for any receiver function
    for node in (node for tail in _PROFILERS for node in file.module.uses.get(tail, ())):
        _replace(file, node, file.runtime_name("ProfilerHook"))
        yield exact(node, "becomes ProfilerHook, which can be made before its graph exists", file.module)
    for node in file.module.uses.get(_ASYNC_SAVER, ()):
        _replace(file, node, f"{file.v1}.train.CheckpointSaverHook")
        yield Verdict(node, Fidelity.NOTED, "a save takes its time between two steps", module=file.module)
    for node, found in file.module.estimator_uses:
        if node in file.renamed:
            continue
        if is_module(found):
            if node in module_uses:
                message = f"the module `{found.qualified}` itself is a value here"
                yield manual(node, message, "Name what is used of it.", file.module)
            continue
        verdict = _replace_api_name(file, node, found)
        if verdict is not None:
            yield verdict
    if "train_and_evaluate" in file.runtime_names:
        file.runtime_names.add("ClusterTraining")  # train_and_evaluate may run in a cluster
    for node in file.module.uses.get("estimator", ()):
        if node not in module_uses or is_guarded(file.module.names, node):
            continue
        if is_annotation(file.module.names.parent(node), node):
            _replace(file, node, file.runtime_name("Estimator"))
            yield exact(node, "becomes Estimator, which is meant here", file.module)
        else:
            yield manual(
                node, "the module tf.estimator itself is a value here", "Name what is used of it.", file.module
            )


_EXPORTS = frozenset(
    {
        *("export_saved_model", "export_savedmodel"),
        *("LatestExporter", "FinalExporter", "BestExporter", "make_export_strategy"),
    }
)
"""The methods and classes that export an Estimator as a SavedModel."""


def _replace_api_name(file: EstimatorFile, node: ast.expr, symbol: Symbol) -> Verdict | None:
    """Replaces one name of the Estimator API; None where no verdict is needed."""
    module, parent = file.module, file.module.names.parent(node)
    call = parent if isinstance(parent, ast.Call) and parent.func is node else None
    value = module.names.only_value(root_of(node))  # of a variable, the name is replaced where it is assigned
    if value is not None and any(one is value and not is_module(found) for one, found in module.estimator_uses):
        file.renamed[node] = module.source.text(node)
        return None
    other = counterpart(symbol, is_v1=symbol.api == "v1" or (symbol.api == "tf" and file.is_tf1))
    if other is None:
        return without_counterpart(node, symbol, module)
    if call is not None and symbol.is_contrib_learn and symbol.tail == "estimator.RunConfig":
        given = [*(ast.unparse(one) for one in call.args), *(keyword.arg or "**" for keyword in call.keywords)]
        if unknown := [one for one in given if one not in RUN_CONFIG_PARAMETERS]:
            message = f"`{unknown[0]}` is no argument of tf.estimator.RunConfig, which takes them by their names"
            return manual(call, message, "Take the argument out, or give it by its name.", module)
    if (refused := unsupported_use(file, node, call, symbol, other.name)) is not None:
        return refused
    name = file.runtime_name_at(node, other.name) if other.is_emitted else f"{file.v1}.{other.name}"
    text = name + other.rest
    _replace(file, node, text)
    if estimator_kind(symbol) is not None and file.settings.input == "continue" and not file.statements:
        file.statements.append(f'{file.runtime_name("Estimator")}.input = "continue"')
        file.runtime_names.add("continued_input")  # the Estimator finds it at run time
    if call is not None and symbol.tail in RUN_CONFIGS and not symbol.is_contrib:
        return None  # FT152 reports it
    verdict = name_verdict(file, node, call, symbol, text)
    return verdict._replace(successor=other.words()) if symbol.is_contrib else verdict


def _replace(file: EstimatorFile, node: ast.expr, text: str) -> None:
    file.renamed[node] = text
    if text != file.module.source.text(node):  # the same text needs no edit: only the import changes
        file.edits.append(ReplaceExpression(file.module.span(node), text))
