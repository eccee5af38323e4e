"""FT137 · tf.train.CheckpointSaverHook among the hooks of a training

A hook of the user's own that saves: the Estimator then makes none, so that the interval of the ``RunConfig`` does not
count. It saves at the start, every ``save_steps`` or ``save_secs``, and at the end, in its ``checkpoint_dir``, and
tells its listeners; as many checkpoints are kept as the ``RunConfig`` says. The training restores from ``model_dir``
all the same: where that is another directory, a job that is started again begins anew.

Instead: a generated ``CheckpointSaverHook`` of the same arguments, which saves by the ``tf.train.CheckpointManager`` of
the site; ``run_training`` saves nothing beside it.

Fidelity: noted. Its saves, its listeners and what is kept were compared with the Estimator's on TensorFlow 2.15, over
restarts and a SIGKILL too; in a directory other than ``model_dir`` the count of what is kept continues when a job is
started again, where the Estimator's began anew. Several hooks at once, which shared one count, raise an error as the
program starts. A hook with a ``saver``, a ``scaffold`` or another ``checkpoint_basename``, a class that derives from
it, and one beside ``train_and_evaluate`` or ``saving_listeners`` block the program.

See: tf.compat.v1.train.CheckpointSaverHook.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import Unbindable, bind, is_none
from migrate.analysis.program import Program
from migrate.analysis.symbols import symbol_of
from migrate.edits.plan import ReplaceExpression
from migrate.finding import Fidelity
from migrate.rewrite.draft import Draft, OtherFile
from migrate.rules.rule import CUSTOM, Example, Verdict, manual, rule

_HOOK = "CheckpointSaverHook"
_NAMES = ("train.CheckpointSaverHook", "estimator.CheckpointSaverHook")
_PARAMETERS = ("checkpoint_dir", "save_secs", "save_steps", "saver", "checkpoint_basename", "scaffold", "listeners")
_KNOWN = {"checkpoint_dir", "save_secs", "save_steps", "listeners", "save_graph_def"}


@rule(
    "FT137",
    "noted",
    Example(
        "hooks=[tf1.train.CheckpointSaverHook('/tmp/h', save_steps=60)]",
        "hooks=TrainingHooks(training, [CheckpointSaverHook(",
        "train",
        kind="custom",
    ),
    Example("hooks=[tf1.train.CheckpointSaverHook('/tmp/h', 60, saver=x)]", None, "train", kind="custom"),
    Example("hooks=[tf1.train.CheckpointSaverHook('/tmp/h', 60)], saving_listeners=[x]", None, "train", kind="custom"),
    Example("print(tf1.train.CheckpointSaverHook)", None, "head", kind="custom"),
    kinds=CUSTOM,
    needs=("config",),
    settles=("names",),
)
def checkpoint_saver_hook(program: Program, draft: Draft) -> Iterator[Verdict]:
    for file in draft.changed_files:
        names = file.module.names
        for node in (*names.attributes.get(_HOOK, ()), *names.variables.get(_HOOK, ())):
            if isinstance(node.ctx, ast.Load):
                yield _rewrite(program, file, node)


def _rewrite(program: Program, file: Draft | OtherFile, node: ast.Attribute | ast.Name) -> Verdict:
    found, call = symbol_of(file.module.names, node), file.module.names.parent(node)
    is_made = found is not None and found.tail in _NAMES and isinstance(call, ast.Call) and call.func is node
    reason = _why_left(program, call) if is_made and isinstance(call, ast.Call) else "is used for more than to make one"
    if reason:
        return manual(
            node,
            f"a CheckpointSaverHook saves in the Estimator's place, and {reason}",
            "Give its interval and directory to the RunConfig, and take the hook out.",
            file.module,
        )
    file.renamed[node] = file.piece("CheckpointSaverHook")
    file.edits.append(ReplaceExpression(file.module.span(node), file.renamed[node]))
    message = "saves by the site's CheckpointManager, in the place of the loop; a second such hook is an error"
    return Verdict(node, Fidelity.NOTED, message, module=file.module)


def _why_left(program: Program, call: ast.Call) -> str:
    """Why a hook is not carried over; "" where it is."""
    try:
        given = bind(call, _PARAMETERS)
    except Unbindable as reason:
        return str(reason)
    for name in sorted(given.keys() - _KNOWN):
        if not is_none(given[name]):
            return f"its `{name}` has no counterpart"
    if given.keys() - _KNOWN:
        return "its arguments name what has no counterpart"
    if len(call.args) > 3:
        return "its arguments are given by position"
    for one in program.calls:
        if one.method == "train_and_evaluate":
            return "train_and_evaluate waits for its saves"
        if not is_none(one.arguments.get("saving_listeners")):
            return "the saving_listeners of train() hear of its saves"
    return ""
