"""FT111 · RunConfig(train_distribute=…, eval_distribute=…, experimental_distribute=…)

The Estimator trains, or evaluates, under a distribution strategy. Each replica draws a batch of its own from
``input_fn``, so that a step sees batch × replicas.

Instead: for TensorFlow 1's ``DNNClassifier`` and ``DNNRegressor``, which become Keras models, the model is made inside
``strategy.scope()``, and ``fit`` gets ``strategy.distribute_datasets_from_function(…)``, from which each replica draws
a batch of its own, too. ``steps_per_epoch`` bounds the steps. ``MirroredStrategy`` and ``OneDeviceStrategy`` under
their names in ``tf.distribute``, ``tf.compat.v1.distribute`` and ``tf.contrib.distribute`` are carried over.

Any other strategy is carried by the object form (FT151), whose ``RunConfig`` stays and takes it as the program runs.

Fidelity: noted. Weights and slots are those of an Estimator on two replicas within rounding, from its own checkpoint on
(TensorFlow 2.15 and 2.21): the gradients are summed over the replicas, as its losses are. Where the input ends before
the steps do, Keras counts one step more. ``evaluate`` splits each batch among the replicas, and raises on Keras 3 where
that leaves a remainder.

No Keras model is written for TensorFlow 2's names under several replicas, whose Keras optimizer saved its slots once a
replica; for several workers; for ``ParameterServerStrategy``, with which the coordinator restores and saves; for
``predict``; for ``train`` without a number of steps, which ``fit`` asks for there; and with ``--recovery
backup-and-restore``.

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
    made_by,
    strategy_kind,
    strategy_symbol,
)
from migrate.edits.plan import ReplaceExpression
from migrate.rewrite.draft import Draft
from migrate.rules.rule import Example, Verdict, exact, manual, noted, rule

_WITHOUT = "Take it out to migrate the program"
_ONE_PROCESS = (
    f"{_WITHOUT}: trained in one process it resumes from the same checkpoint, with one worker's batch a step. For"
    " several, make a Keras model inside strategy.scope() and train it as FT404 shows."
)
_HELP = {
    "MirroredStrategy": f"{_WITHOUT}, then make the model inside strategy.scope() and batch for all replicas.",
    "MultiWorkerMirroredStrategy": _ONE_PROCESS,
    "CollectiveAllReduceStrategy": _ONE_PROCESS,
    "ParameterServerStrategy": f"{_WITHOUT}, then save and restore on the coordinator alone.",
}
_CARRIED = ("MirroredStrategy", "OneDeviceStrategy")
_MIRRORED = "tf.distribute.MirroredStrategy"
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
            yield manual(value, f"{name} {reason}", _HELP.get(kind, _HELP["MirroredStrategy"]))
            return
    train = given.get("train_distribute")
    for name, value in given.items():
        if train is None:
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
    if train is not None:
        draft.strategy = _variable(program, draft, train)
        if _is_same(given.get("eval_distribute"), train):
            draft.eval_strategy = draft.strategy


def _is_same(one: ast.expr | None, other: ast.expr | None) -> bool:
    return isinstance(one, ast.Name) and isinstance(other, ast.Name) and one.id == other.id


def _why_left(program: Program, draft: Draft, given: dict[str, ast.expr], name: str, value: ast.expr) -> str:
    """Why a strategy is not carried over; "" where it is."""
    kind = strategy_kind(program, value)
    under = (
        f"puts {'training' if name == 'train_distribute' else 'evaluation'} under a {kind or 'distribution strategy'}"
    )
    if kind in OF_WORKERS:
        return f"{under}, whose processes reduce their gradients together: the generated code trains in one process"
    if kind not in _CARRIED or _arguments(program, draft, value) is None:
        return f"{under}, whose replicas each draw a batch"
    if is_one_device(program, value) and "train_distribute" not in given:
        return ""
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
    is_plain = not found.tail.startswith("contrib.") and found.api != "v1"
    arguments = ", ".join(_arguments(program, draft, value) or ())
    text = draft.text(made) if is_plain else f"{draft.tf}.distribute.{strategy_kind(program, value)}({arguments})"
    if not isinstance(value, ast.Name):
        variable = draft.fresh("strategy")
        draft.before.append(f"{variable} = {text}")
        return variable
    if not is_plain:
        draft.edits.append(ReplaceExpression(program.module.span(made), text))
    return value.id
