"""FT502 · the status of checkpoint.restore(path) is not checked, or its failure is ignored

``restore`` does not report objects that are missing in the checkpoint: a renamed layer keeps its initial weights, and
with ``path`` None nothing is read. The status that it returns can check this.

Instead: ``.assert_existing_objects_matched()`` where this file saves the same checkpoint to ``path``, under ``if
path:`` where ``path`` may be None, because the assertion fails then. Other paths, such as those of a flag or of another
manager, may be of another model: there the finding asks for the assertion or for ``expect_partial()``.

A restore or ``load_weights`` under ``try`` whose ``except`` continues is reported too: a job that cannot read its
checkpoint starts over, and overwrites it.

Fidelity: noted. A checkpoint that does not fit is now an error. A program that neither saves nor trains the restored
objects is not reported, nor is a restore without a later save.

See: tf.train.Checkpoint.restore.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.keras.checkpoints import Checkpoint, assignment_target
from migrate.analysis.keras.optimizers import is_trained, names_training, runs_training
from migrate.analysis.keras.own_checkpoints import (
    ends_loop,
    is_latest,
    is_own_path,
    is_path_tested,
    is_saved,
    may_be_none,
    only_reads,
)
from migrate.analysis.source.names import Names
from migrate.analysis.source.path_searches import name_of
from migrate.edits.plan import ReplaceExpression, ReplaceStatement
from migrate.rules.hazards.swallowed_restore import is_swallowed, swallowed_restores
from migrate.rules.rule import Example, Fix, Workbench, manual, noted, site_rule

_TRAINING_METHODS = {"apply_gradients", "minimize", "fit"}
_HELP = "Call assert_existing_objects_matched() on what it returns where a path is given, or expect_partial()."
_TRAINING = """\
import tensorflow as tf

checkpoint = tf.train.Checkpoint(model=model, step=step)
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=2)
checkpoint.restore(manager.latest_checkpoint)
manager.save()
"""
_SWALLOWED_PROGRAM = _TRAINING.replace(
    "checkpoint.restore(manager.latest_checkpoint)",
    "try:\n    checkpoint.restore(manager.latest_checkpoint).assert_existing_objects_matched()\n"
    "except Exception as error:\n    print(error)",
)


@site_rule(
    "FT502",
    "noted",
    Example(_TRAINING, "checkpoint.restore(manager.latest_checkpoint).assert_existing_objects_matched()", "module"),
    Example(_TRAINING.replace("restore(manager.latest_checkpoint", "restore(args.begin_with"), None, "module"),
    Example(_SWALLOWED_PROGRAM, None, "module"),
)
def restore_status(bench: Workbench) -> Iterator[Fix]:
    names = bench.module.names
    yield from swallowed_restores(bench)
    for call in dict.fromkeys(call for one in bench.checkpoints.all for call in one.calls("restore")):
        each = bench.checkpoints.checkpoints_of_call(call)
        # A checkpoint that is made only to predict may share the saves of the others.
        saved = each if any(one.save_calls for one in each) else bench.checkpoints.all
        is_used = _is_unchecked(names, call) and all(_is_used(bench, one) for one in each)
        if is_used and not only_reads(bench.reach, saved, call):
            yield _judge(bench, each, call)
    for call, checkpoint in bench.checkpoints.restores_of_others.items():
        if _is_unchecked(names, call) and checkpoint.save_calls and not only_reads(bench.reach, [checkpoint], call):
            yield _judge(bench, [checkpoint], call)


def _is_used(bench: Workbench, checkpoint: Checkpoint) -> bool:
    """Whether the file saves or trains the objects of a checkpoint."""
    called = {name_of(call.func) for call in bench.module.names.nodes(ast.Call)}
    trains = any(map(names_training, called)) or runs_training(bench.reach, *_TRAINING_METHODS)
    is_used = trains and any(is_trained(bench.module, one, reach=bench.reach) for one in checkpoint.objects())
    return is_used or is_saved(bench.checkpoints, checkpoint)


def _is_unchecked(names: Names, call: ast.Call) -> bool:
    """Whether the status of a restore is not used, its failure is not ignored, and it does not end a loop."""
    target = assignment_target(names, call)
    is_dropped = isinstance(names.parent(call), ast.Expr) or (
        isinstance(target, ast.Name) and not names.reads_of(target)
    )
    return len(call.args) == 1 and is_dropped and not is_swallowed(names, call) and not ends_loop(names, call)


def _judge(bench: Workbench, each: list[Checkpoint], call: ast.Call) -> Fix:
    module, path = bench.module, call.args[0]
    span, message = module.span(call), "restore() does not say what it did not find"
    is_alone = isinstance(module.names.parent(call), ast.Expr) and len(each) == 1
    is_kept = is_alone and is_saved(bench.checkpoints, each[0])
    if is_kept and is_own_path(bench.checkpoints, each[0], bench.values, path):
        new = f"{module.source.text(call)}.assert_existing_objects_matched()"
        noted_message = f"{message}; now a variable that is not in the checkpoint is an error"
        if not may_be_none(bench.checkpoints, bench.values, path) or is_path_tested(bench.module.names, call, path):
            return Fix((noted(call, noted_message),), (ReplaceExpression(span, new),))
        if isinstance(path, ast.Attribute | ast.Name):
            suffix = "" if is_latest(bench.checkpoints, bench.values, path) else " is not None"  # "" must stay an error
            block = f"if {module.source.text(path)}{suffix}:\n    {new}"
            return Fix((noted(call, noted_message),), (ReplaceStatement(span, (block,)),))
    return Fix((manual(call, message, _HELP),))
