"""FT111 · RunConfig(train_distribute=…, eval_distribute=…, experimental_distribute=…)

The Estimator trains, or evaluates, under a distribution strategy. Each replica draws a batch of its own from
``input_fn``, so that a step sees batch × replicas.

Instead: for TensorFlow 1's ``DNNClassifier`` and ``DNNRegressor``, which become Keras models, the model is made inside
``strategy.scope()``, and ``fit`` gets ``strategy.distribute_datasets_from_function(…)``, from which each replica draws
a batch of its own, too. ``steps_per_epoch`` bounds the steps. ``MirroredStrategy`` and ``OneDeviceStrategy`` under
their names in ``tf.distribute``, ``tf.compat.v1.distribute`` and ``tf.contrib.distribute`` are carried over.

A custom ``model_fn`` under ``MirroredStrategy`` is trained by ``ReplicatedTraining``, a generated class that takes the
strategy: it calls the ``model_fn`` once a replica under a strategy of the same devices, each replica draws a batch of
its own, the step counts once, and losses, gradients and moving averages are joined as under the Estimator. A warm start
begins all of them alike, with the values of the Estimator's first checkpoint. The checkpoint holds each variable once,
under its plain name, so that the Estimator's checkpoint continues, with one replica too. Prediction and export are on
one replica, as they were. It comes back to Python after every step.

A custom ``model_fn`` under ``MultiWorkerMirroredStrategy``, by any of its names, is trained by ``WorkersTraining``:
each process that ``TF_CONFIG`` names runs the same loop, draws from its own ``input_fn`` (with its ``input_context``),
and adds its gradients to the others' in each step. The chief's ``CheckpointManager`` alone saves, and all workers wait
for its last save. The task ``evaluator`` of a cluster evaluates the checkpoints one by one; the workers do not
evaluate, as under the Estimator, and without ``TF_CONFIG`` the loop does.

An evaluation of a ``model_fn`` under ``eval_distribute``, whatever trains it, is on one replica, over as many batches:
``steps=n * strategy.num_replicas_in_sync``. The metrics and the loss are the Estimator's within rounding. Where the
data end with fewer batches than there are replicas, the Estimator leaves these out, and the new evaluation counts them.

A strategy of one device, ``MirroredStrategy(["/gpu:0"])``, ``MirroredStrategy(num_gpus=1)`` or ``OneDeviceStrategy``,
is removed from a custom ``model_fn``'s program: the Estimator trains the same numbers under it as without it, and keeps
the same checkpoint.

Fidelity: noted; exact for a strategy of one device. Weights and slots are those of an Estimator on two replicas within
rounding, from its own checkpoint on (TensorFlow 2.15 and 2.21): the gradients are summed over the replicas, as its
losses are. Where the input ends before the steps do, Keras counts one step more. ``evaluate`` splits each batch among
the replicas, and raises on Keras 3 where that leaves a remainder.

A custom ``model_fn`` on two replicas of a processor (Adam, SGD, Momentum, batch normalization) gives the losses,
variables and slots of the Estimator's own continuation, to the last bit, on TensorFlow 2.15 and 2.21, also when it is
killed with SIGKILL. On GPUs, where this was not run, the gradients are added on one device, whatever
``cross_device_ops`` says, which may round otherwise than NCCL's all-reduce. A checkpoint holds the mean of the
replicas' moving averages, from which all of them continue: a resumed job has other last bits there than one that never
stopped, as under the Estimator. Where the data end with a batch for one replica alone, no step is taken with it; the
Estimator takes none either, but that replica may have moved its averages before the step is stopped.

On two workers the losses, variables and slots are the Estimator's own, to the last bit, from its checkpoint on, when
worker 1 and then the chief were killed with SIGKILL, on TensorFlow 2.15 and 2.21 (processors, batch normalization,
Adam). With three or more, sums may round otherwise. The survivors of a killed worker fail within seconds; all have to
be started again, and resume at the last save. A worker that waits for one that hangs, or whose data are over, fails
with ``DeadlineExceededError`` after ``timeout_secs``, 30 minutes. ``communication`` is that of TensorFlow's default,
whatever was asked for, and metrics that a ``model_fn`` has for its summaries are the chief's own.

What the Estimator does on several workers (TensorFlow 2.15): ``train`` raises, so that only ``train_and_evaluate``
trains. Each worker calls ``input_fn`` and draws all its batches, which nothing shards. Seconds between saves become
1000 steps, and do so here; ``saving_listeners`` hear of nothing. The chief saves in ``model_dir``, worker N in
``model_dir/tmp_worker_N``, which stays there, and which the new program neither needs nor removes. An ``evaluator``
works only after ``disable_eager_execution()``. The checkpoint of a ``model_fn`` has the names that one process gives
it, under ``MirroredStrategy``, too: a program without the strategy resumes from it.

Left whole: a ``model_fn`` under several replicas with a ``Scaffold``, or of a ``TPUEstimator``; one on several workers
with ``train``, ``saving_listeners``, a ``CheckpointSaverHook`` or early stopping, that asks its config for the cluster
or its strategy for replicas, or with other arguments of the strategy than its communication;
``ParameterServerStrategy``, with which the coordinator restores and saves; ``--recovery backup-and-restore``. Of
premade estimators: TensorFlow 2's names under several replicas, whose Keras optimizer saved its slots once a replica;
several workers; ``--canned model-fn``, because the slots have other names in a checkpoint that was written under a
strategy; ``predict``; ``train`` without a number of steps, which ``fit`` asks for there.

What cannot be seen stops the new program where it starts: a Scaffold, a strategy of another class, a variable that each
replica keeps for itself and that is no mean, a generated ``RunConfig`` that is given a strategy.

See: tf.estimator.RunConfig, tf.distribute.MirroredStrategy, tf.distribute.Strategy.distribute_datasets_from_function.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import Unbindable, bind, is_none
from migrate.analysis.program import Program
from migrate.analysis.strategies import (
    OF_WORKERS,
    given_strategies,
    is_one_device,
    is_tensorflow_1,
    made_by,
    strategy_kind,
    strategy_symbol,
    why_workers_left,
)
from migrate.edits.plan import ReplaceExpression
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, exact, manual, noted, rule

_WITHOUT = "Take it out to migrate the program"
_ONE_PROCESS = (
    f"{_WITHOUT}: trained in one process it resumes from the same checkpoint, with one worker's batch a step. For"
    " several, make a Keras model inside strategy.scope() and train it as FT404 shows."
)
_OTHERWISE = "Take out what is named here, or {}, to migrate the program."
_HELP = {
    "MirroredStrategy": f"{_WITHOUT}, then make the model inside strategy.scope() and batch for all replicas.",
    "MultiWorkerMirroredStrategy": _ONE_PROCESS,
    "CollectiveAllReduceStrategy": _ONE_PROCESS,
    "ParameterServerStrategy": f"{_WITHOUT}, then save and restore on the coordinator alone.",
}
_CARRIED = ("MirroredStrategy", "OneDeviceStrategy")
_NOTE_OF_WORKERS = (
    "each worker draws its own batches, gradients are added over all of them, and the chief alone writes, where each"
    " other worker kept a directory tmp_worker_N"
)
_NOTE_OF_EVALUATION = (
    "evaluation is on one replica, over the batches that all of them drew; where the data end with fewer batches than"
    " there are replicas, those count, too, which they did not"
)
_MIRRORED = "tf.distribute.MirroredStrategy"
_ONE = f"RunConfig(train_distribute={_MIRRORED}(['/gpu:0']))"
_FILE = """\
import tensorflow as tf


def input_fn():
    return tf.data.Dataset.from_tensor_slices(({{"x": [1.0]}}, [0])).repeat().batch(8)


{0}
config = tf.estimator.RunConfig(model_dir="/tmp/m", save_checkpoints_steps=5, {1})
columns = [tf.feature_column.numeric_column("x")]
classifier = tf.compat.v1.estimator.DNNClassifier([8], columns, config=config)
classifier.train(input_fn, max_steps=10)
print(classifier.evaluate(input_fn, steps=3))
"""
_WORKERS = "tf.distribute.MultiWorkerMirroredStrategy"
_ON_WORKERS = """\
import tensorflow as tf


def input_fn(input_context=None):
    shard = (input_context.num_input_pipelines, input_context.input_pipeline_id) if input_context else (1, 0)
    return tf.data.Dataset.from_tensor_slices(({"x": [[1.0]]}, [[0.0]])).shard(*shard).repeat().batch(8)


def model_fn(features, labels, mode):
    loss = tf.compat.v1.losses.mean_squared_error(labels, tf.compat.v1.layers.dense(features["x"], 1))
    step = tf.compat.v1.train.get_global_step()
    train_op = tf.compat.v1.train.AdamOptimizer().minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
config = tf.estimator.RunConfig(model_dir="/tmp/m", train_distribute=strategy)
estimator = tf.estimator.Estimator(model_fn, config=config)
tf.estimator.train_and_evaluate(
    estimator, tf.estimator.TrainSpec(input_fn, max_steps=9), tf.estimator.EvalSpec(input_fn, steps=1)
)
"""
_NAMED = _FILE.format(f"strategy = {_MIRRORED}()", "train_distribute=strategy")
_BOTH = _FILE.format(f"strategy = {_MIRRORED}()", "train_distribute=strategy, eval_distribute=strategy")
_DRAWN = "strategy.distribute_datasets_from_function(lambda context: input_fn()"
_GPUS = 'tf.distribute.MirroredStrategy([f"/gpu:{gpu}" for gpu in range(4)])'
_CONTRIB = "tf.contrib.distribute.MirroredStrategy(num_gpus=4)"
_CONFIG = f"experimental_distribute=tf.contrib.distribute.DistributeConfig({_MIRRORED}())"


@rule(
    "FT111",
    "noted",
    Example("RunConfig(train_distribute=args.every)", None),
    Example(_NAMED, 'with strategy.scope():\n    inputs = {"x": tf.keras.Input((1,), name="x")}', "module"),
    Example(_NAMED, f"classifier.fit({_DRAWN}", "module"),
    Example(_NAMED, "steps_per_epoch=10 - recovery.step,", "module"),
    Example(_BOTH, "steps=3 * strategy.num_replicas_in_sync", "module"),
    Example(_FILE.format("", f"train_distribute={_CONTRIB}"), f"strategy = {_GPUS}", "module"),
    Example(_FILE.format("", _CONFIG), "with strategy.scope():", "module"),
    Example(_NAMED.replace("compat.v1.", ""), None, "module"),
    Example(f"RunConfig(eval_distribute={_MIRRORED}())", None),
    Example(f"RunConfig(train_distribute={_MIRRORED}())", None),
    Example(_NAMED, None, "module", recovery="backup-and-restore"),
    Example(_NAMED.replace("max_steps=10", ""), None, "module"),
    Example(f"RunConfig(train_distribute={_MIRRORED}())", "ReplicatedTraining(\n strategy, model_fn,", kind="custom"),
    Example(f"RunConfig(eval_distribute={_MIRRORED}())", "evaluate_model_fn(model_fn, test_inp", kind="custom"),
    Example(f"RunConfig(eval_distribute={_WORKERS}())", None, kind="custom"),
    Example(_ONE, "ModelFnTraining(", kind="custom"),
    Example(_ONE, None, kind="model-fn"),
    Example(f"RunConfig(train_distribute={_WORKERS}())", None, kind="custom"),
    Example(_ON_WORKERS, "WorkersTraining(\n strategy, model_fn,", "module"),
    Example(_ON_WORKERS, "] if training.is_alone else []", "module"),
    Example(_ON_WORKERS, "checkpoint_interval=1000", "module"),
    Example("RunConfig(train_distribute=tf.distribute.experimental.ParameterServerStrategy())", None),
    is_setting=True,
    needs=("model_dir", "seed"),
    settles=("strategy", "replaced"),
)
def train_distribute(program: Program, draft: Draft) -> Iterator[Verdict]:
    try:
        given = dict(given_strategies(program))
    except Unbindable as problem:
        yield manual(program.config.settings["experimental_distribute"], str(problem), _HELP["MirroredStrategy"])
        return
    for name, value in given.items():
        reason = _why_left(program, draft, given, name, value)
        if reason:
            kind = strategy_kind(program, value)
            is_custom = program.has_model_fn and (kind in _CARRIED or (kind and name == "eval_distribute"))
            help = _OTHERWISE.format(name) if is_custom else _HELP.get(kind, _HELP["MirroredStrategy"])
            yield manual(value, f"{name} {reason}", help)
            return
    train = given.get("train_distribute")
    is_replicated = program.has_model_fn and train is not None and not is_one_device(program, train)
    for name, value in given.items():
        if draft.has_workers and name == "train_distribute":
            yield noted(value, _NOTE_OF_WORKERS)
        elif is_replicated and name == "train_distribute":
            yield noted(
                value,
                "each replica draws a batch of its own, as under the Estimator; gradients are added on one device,"
                " which may round otherwise than its all-reduce did",
            )
        elif name == "eval_distribute" and program.has_model_fn and not is_one_device(program, value):
            yield noted(value, _NOTE_OF_EVALUATION)
        elif program.has_model_fn or train is None:
            _take_away(program, draft, value)
            yield exact(value, f"{name} is removed: a strategy of one device trains as none does")
        elif name == "train_distribute":
            count = "; Keras counts one step more where the input ends before the steps do"
            is_split = draft.settings.target != "keras2" and any(call.method == "evaluate" for call in program.calls)
            split = "; on Keras 3 evaluate() needs batches that the replicas can share evenly" if is_split else ""
            text = "the model is made in the strategy's scope, and each replica draws its own batch"
            yield noted(value, f"{text}{count}{split}")
        else:
            yield exact(value, f"{name}: evaluation is under the strategy of training, too")
    if train is not None and (is_replicated or not program.has_model_fn):
        draft.strategy = _variable(program, draft, train)
    evaluation = given.get("eval_distribute")
    if evaluation is None or (program.has_model_fn and is_one_device(program, evaluation)):
        return
    if _is_same(evaluation, train):
        draft.eval_strategy = draft.strategy
    elif program.has_model_fn:
        draft.eval_strategy = _variable(program, draft, evaluation)


def _is_same(one: ast.expr | None, other: ast.expr | None) -> bool:
    return isinstance(one, ast.Name) and isinstance(other, ast.Name) and one.id == other.id


def _why_left(program: Program, draft: Draft, given: dict[str, ast.expr], name: str, value: ast.expr) -> str:
    """Why a strategy is not carried over; "" where it is."""
    kind = strategy_kind(program, value)
    under = (
        f"puts {'training' if name == 'train_distribute' else 'evaluation'} under a {kind or 'distribution strategy'}"
    )
    if kind in OF_WORKERS and program.kind == "custom" and name == "train_distribute":
        return _why_model_fn_left(program, draft, name, under) or _of_workers_left(program, draft, value, under)
    if kind in OF_WORKERS and name == "eval_distribute" and program.has_model_fn:
        return f"{under}: the generated code evaluates in one process"
    if kind in OF_WORKERS:
        return f"{under}, whose processes reduce their gradients together: the generated code trains in one process"
    if kind not in _CARRIED or _arguments(program, draft, value) is None:
        return f"{under}, whose replicas each draw a batch"
    if program.kind == "model-fn":
        return f"{under}, under which the slots of a premade estimator's optimizer have other names in its checkpoint"
    if is_one_device(program, value) and (program.has_model_fn or "train_distribute" not in given):
        return ""
    if program.has_model_fn:
        return _why_model_fn_left(program, draft, name, under)
    if name == "eval_distribute":
        is_same = _is_same(value, given.get("train_distribute"))
        return "" if is_same else "evaluates under another strategy than training"
    if not program.is_v1 and not is_one_device(program, value):
        return f"{under}, whose copies of a Keras optimizer's slots in the checkpoint are not carried over yet"
    if draft.uses_backup:
        return f"{under}, whose steps BackupAndRestore counts otherwise"
    for call in program.calls:
        if call.method == "train" and is_none(call.arguments.get("steps")) and is_none(call.arguments.get("max_steps")):
            return f"{under}, where fit asks for the number of steps, and train() has none"
    if any(call.method == "predict" for call in program.calls):
        return f"{under}, under which Keras predicts one example on each replica"
    if program.returned is not None:
        return f"{under}, and the estimator is made in another function than trained"
    return ""


def _why_model_fn_left(program: Program, draft: Draft, name: str, under: str) -> str:
    """Why a model_fn under several replicas is not carried over; "" where it is."""
    if program.kind == "tpu":
        return f"{under}: a TPUEstimator's batch is not that of a replica"
    for node in (node for file in draft.files for node in file.module.names.nodes(ast.keyword)):
        if node.arg in ("scaffold", "scaffold_fn") and not is_none(node.value):
            return f"{under}, and a Scaffold (line {node.value.lineno}) is not carried over to several replicas"
    return ""


def _of_workers_left(program: Program, draft: Draft, value: ast.expr, under: str) -> str:
    reason = why_workers_left(program, [file.module for file in draft.files], value)
    return reason and f"{under}, {reason}"


def _arguments(program: Program, draft: Draft, value: ast.expr) -> list[str] | None:
    """The arguments of the strategy in ``tf.distribute``; None where they cannot be told."""
    made, text = made_by(program, value), draft.text
    assert made is not None
    if any(keyword.arg is None for keyword in made.keywords) or any(isinstance(a, ast.Starred) for a in made.args):
        return None
    found = strategy_symbol(program, value)
    if found is None or not found.tail.startswith("contrib."):
        return [*(text(a) for a in made.args), *(f"{k.arg}={text(k.value)}" for k in made.keywords)]
    given = bind(made, ("device",) if found.tail.endswith("OneDeviceStrategy") else ("devices", "num_gpus"))
    number = given.pop("num_gpus", given.pop("num_gpus_per_worker", None))
    if number is not None and not is_none(number):
        if not is_none(given.get("devices")):
            return None
        given.pop("devices", None)
        gpus = f'[f"/gpu:{{gpu}}" for gpu in range({text(number)})]'
        return None if given else [gpus]
    return None if given.keys() - {"device", "devices"} else [f"{name}={text(node)}" for name, node in given.items()]


def _take_away(program: Program, draft: Draft, value: ast.expr) -> None:
    """Removes the variable of a strategy, if nothing but the RunConfig reads it."""
    names = program.module.names
    made = made_by(program, value)
    assert made is not None
    if len(names.reads_of(value)) == 1:
        draft.absorbed.append(names.statement_of(made))


def _variable(program: Program, draft: Draft, value: ast.expr) -> str:
    """The variable that holds the strategy where the model is made."""
    made, found = made_by(program, value), strategy_symbol(program, value)
    assert made is not None
    assert found is not None
    if strategy_kind(program, value) in OF_WORKERS:
        return _of_workers(program, draft, value, made)
    is_contrib = found.tail.startswith("contrib.")
    is_plain = not is_contrib and (found.api != "v1" or program.has_model_fn)
    arguments = ", ".join(_arguments(program, draft, value) or ())
    text = draft.text(made) if is_plain else f"{draft.tf}.distribute.{strategy_kind(program, value)}({arguments})"
    if not isinstance(value, ast.Name):
        variable = draft.fresh("strategy")
        draft.before.append(f"{variable} = {text}")
        return variable
    if not is_plain:
        draft.edits.append(ReplaceExpression(program.module.span(made), text))
    return draft.repeatable(value, "strategy") if program.has_model_fn else value.id


def _of_workers(program: Program, draft: Draft, value: ast.expr, made: ast.Call) -> str:
    """The variable that holds the strategy of several workers; FT401 gives one in a variable its stable name."""
    found = strategy_symbol(program, value)
    assert found is not None
    is_stable = found.tail == "distribute.MultiWorkerMirroredStrategy"
    text = draft.text(made) if is_stable else f"{draft.vocabulary.tf2}.distribute.MultiWorkerMirroredStrategy()"
    if not isinstance(value, ast.Name):
        variable = draft.fresh("strategy")
        draft.before.append(f"{variable} = {text}")
        return variable
    if is_tensorflow_1(program, found):
        draft.edits.append(ReplaceExpression(program.module.span(made), text))
    return draft.repeatable(value, "strategy")
