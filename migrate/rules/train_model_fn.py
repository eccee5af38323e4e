"""FT145 · estimator.train(input_fn, hooks, steps, max_steps) of a custom model_fn

Each call builds the graph, restores the newest checkpoint, trains in a session, and saves at its end.

Instead: ``ModelFnTraining`` builds the graph, ``ModelFnCheckpointManager``, a ``tf.train.CheckpointManager``, has the
RunConfig's numbers, and one call of ``run_training`` restores, trains and saves. Between two saves or lines of the log
the steps run inside one ``tf.function``. Hooks run unchanged around every step, in ``TrainingHooks``, after the save of
that step. The input starts again at its first element; with ``--input continue`` its iterator is in the checkpoint.

Fidelity: exact. The checkpoints are the Estimator's: files ``model.ckpt-N``, variables under their TensorFlow 1 names.
The old program, ``init_from_checkpoint`` and whatever reads checkpoints by name continue to work. The Estimator's
earlier ones count for ``max_to_keep`` and are deleted when their turn comes; the manager sees to that, and skips a
truncated newest one. A Saver of the model_fn's Scaffold says, as under the Estimator, under which names a
variable is saved, how many checkpoints are kept, and one of how many hours for good. Variables that it leaves out are
saved all the same, with a warning: an Estimator could not resume without them. ``saving_listeners`` hear of each save
and may end the training. Updates that an Estimator makes in no stated order are made in that of the program. Where two
``minimize`` of one Adam train the same variables, three runs of an Estimator on 2.15.1 had three losses at step 10
(8.554, 8.566, 8.591); the migrated program has 8.681 on both lines, each time, as the Estimator has whose second update
waits for the first.

See: tf.estimator.Estimator.train, tf.train.CheckpointManager.
"""

from collections.abc import Iterator

from migrate.analysis.arguments import is_none
from migrate.analysis.program import MethodCall, Program, statement_of_its_own
from migrate.rewrite.draft import Draft, Loop
from migrate.rules.rule import CUSTOM, Example, Verdict, exact, manual, rule


@rule(
    "FT145",
    "exact",
    Example("max_steps=10", "run_training(training, manager, max_steps=10)", "train", kind="custom"),
    Example("steps=10", "run_training(training, manager, steps=10)", "train", kind="custom"),
    Example("steps=total or 10", "steps=total or 10", "train", kind="custom"),
    Example("", "run_training(training, manager)", "train", kind="custom"),
    Example(
        "hooks=[tf1.estimator.StopAtStepHook(3)]",
        "hooks=TrainingHooks(training, [tf.compat.v1.train.StopAtStepHook(3)])",
        "train",
        kind="custom",
    ),
    Example(
        "max_steps=10, saving_listeners=[x]",
        "saving_listeners=[x]",
        "train",
        kind="custom",
    ),
    Example("RunConfig(save_checkpoints_secs=60)", "save_secs=60", "config", kind="custom"),
    kinds=CUSTOM,
    needs=("model_fn",),
    settles=("training",),
)
def train_model_fn(program: Program, draft: Draft) -> Iterator[Verdict]:
    for call in program.calls:
        if call.method == "train":
            yield _rewrite(program, draft, call)


def _rewrite(program: Program, draft: Draft, call: MethodCall) -> Verdict:
    if call.problem is not None:
        return manual(call.problem[0], call.problem[1], "Write the arguments out.")
    statement = statement_of_its_own(program.module.names, call)
    if statement is None:
        return manual(call.node, "what train() returns is used here", "Call train() in a statement of its own.")
    if "input_fn" not in call.arguments:
        return manual(call.node, "train() is called without input_fn", "Give an input_fn.")
    steps, max_steps = call.arguments.get("steps"), call.arguments.get("max_steps")
    if not is_none(steps) and not is_none(max_steps):
        return manual(call.node, "steps and max_steps together are an error in the Estimator", "Give one of them.")
    assert call.input is not None
    hooks, listeners = call.arguments.get("hooks"), call.arguments.get("saving_listeners")
    draft.loops.append(Loop(statement, call.input, hooks, max_steps, steps, listeners))
    return exact(call.node, "restores the newest checkpoint, trains in a loop, saves as the RunConfig says")
