"""FT503 · a checkpoint that is saved and never restored

The job saves its state and starts over each time: it does not recover. Or it reads the first epoch from the name of the
newest checkpoint without restoring it: it skips those epochs, and trains the rest on new weights.

Instead: ``manager.restore_or_initialize()`` before the loop, and a loop that begins at the restored step or epoch. It
is not rewritten, because only the program knows where its loop should begin.

Fidelity: manual. Not found: a checkpoint or manager that is passed to unknown code, or that may be read before a save.
Loading another program's weights by their path does not count as a restore. A checkpoint without a manager is found if
a training loop saves it. Saves and restores in another file count if one program runs both files.

See: tf.train.CheckpointManager.restore_or_initialize.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.calls.calls_before import calls_before
from migrate.analysis.calls.reach import FunctionNode
from migrate.analysis.keras.checkpoints import Checkpoint
from migrate.analysis.keras.optimizers import is_unused
from migrate.analysis.keras.own_checkpoints import READERS, loads_other_weights, only_reads, reads_elsewhere
from migrate.analysis.keras.restarted_loops import is_loop, loops_around
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import name_of
from migrate.rules.rule import Example, Fix, Workbench, manual, site_rule

_NEVER_RESTORED = "it is saved, and nothing in this file restores it before it trains: each start begins from scratch"
_ONLY_NUMBER_READ = "the newest checkpoint's number is where it begins, but it is not restored: new weights are trained"
_HELP = "Call manager.restore_or_initialize() before the loop, and begin the loop at the restored step."
_LOGGERS, _TRAINS = ("print", "info", "debug", "warning"), {"apply_gradients", "minimize", "train_on_batch"}
_READ_TAILS = ("train.latest_checkpoint", "train.load_checkpoint", "train.get_checkpoint_state")
_SAVING_PROGRAM = """\
import tensorflow as tf

checkpoint = tf.train.Checkpoint(step=tf.Variable(0))
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=2)
for batch in batches:
    train(batch)
    manager.save()
"""
_COUNTED_PROGRAM = _SAVING_PROGRAM.replace(
    "for batch in batches:", 'first = int(manager.latest_checkpoint.split("-")[-1])\nfor batch in batches[first:]:'
)


@site_rule("FT503", "manual", Example(_SAVING_PROGRAM, None, "module"), Example(_COUNTED_PROGRAM, None, "module"))
def never_restored(bench: Workbench) -> Iterator[Fix]:
    checkpoints, names = bench.checkpoints, bench.module.names
    for checkpoint in checkpoints.all:
        saves = [(bench.module, call) for call in checkpoint.save_calls]
        saves += checkpoints.calls_elsewhere(checkpoint, "save", "write")
        is_seen = checkpoints.is_followed(checkpoint) and all(map(checkpoints.is_followed, checkpoint.managers))
        if not is_seen or not _saves_in_training(bench, checkpoint, saves) or _may_be_read(bench, checkpoint, saves):
            continue
        made, reads = (checkpoint.managers[0] if checkpoint.managers else checkpoint).call, [*_reads(bench, checkpoint)]
        inside = [one for one in reads if names.scope_of(one) is names.scope_of(made)]
        counted = [one for one in inside if _is_only_passed_to(bench, checkpoint, one, "int")]
        reads = inside if counted else reads  # it resumes only by the reads of its own scope
        if all(_is_only_passed_to(bench, checkpoint, one, "int", *_LOGGERS) for one in reads):
            yield Fix((manual(made, _ONLY_NUMBER_READ if counted else _NEVER_RESTORED, _HELP),))


def _may_be_read(bench: Workbench, checkpoint: Checkpoint, saves: list[tuple[Module, ast.Call]]) -> bool:
    """Whether another file of a program that saves a checkpoint may restore it."""
    attributes = [one for one in checkpoint.targets if isinstance(one, ast.Attribute)]
    words = [f"{one.attr}.{way}" for one in attributes for way in ("restore", "latest")]
    has_flag = bool(words) and any("restor" in text for text in bench.module.names.strings)  # for the file to restore
    others = [one for one in (bench.reach.files_with(*words) if words else ()) if _restores(bench, checkpoint, one)]
    others += [where for where, _ in bench.checkpoints.calls_elsewhere(checkpoint, *READERS)]
    before = [one for module, call in saves for one in calls_before(bench.reach, module, call)]
    read = [where for where, call in before if name_of(call.func) in READERS - {"read"}]
    read += [where for where, save in saves if reads_elsewhere(where, save)]
    read += [one for one in others if any(bench.reach.may_run_together(one, where) for where, _ in saves)]
    return has_flag or any(one is not bench.module for one in read)


def _restores(bench: Workbench, checkpoint: Checkpoint, where: Module) -> bool:
    """Whether a file restores an attribute of an object that may own a checkpoint."""
    family, names = bench.checkpoints.owners(checkpoint), where.names
    reads = (one for way in READERS for one in names.attributes.get(way, ()))
    return any(not ast.unparse(one).startswith("self.") or family & {*names.ancestors(one)} for one in reads)


def _saves_in_training(bench: Workbench, checkpoint: Checkpoint, saves: list[tuple[Module, ast.Call]]) -> bool:
    """Whether a loop saves a checkpoint, by a manager or in a training, so that a start could resume from it."""
    saves = [one for one in saves if not (checkpoint.calls("restore") and is_unused(bench.reach, *one))]
    trained = {name for module in (bench.module, *(one for one, _ in saves)) for name in module.names.attributes}
    is_trained, is_looped = bool(_TRAINS & trained), any(loops_around(bench.reach, *save) for save in saves)
    scopes = [module.names.scope_of(call).node for module, call in saves]
    is_called = any(isinstance(one, FunctionNode) and not any(map(is_loop, ast.walk(one))) for one in scopes)
    return is_looped or (is_called and is_trained) if checkpoint.managers else is_looped and is_trained


def _reads(bench: Workbench, checkpoint: Checkpoint) -> Iterator[ast.expr]:
    """Yields the reads that may restore a checkpoint and that a save follows."""
    names, own = bench.module.names, bench.checkpoints.keys(checkpoint)
    others = (one for one in bench.checkpoints.all if one is not checkpoint and not own & bench.checkpoints.keys(one))
    apart = {call for one in others for call in one.calls("restore", "read")} - {*checkpoint.calls("restore", "read")}
    reads: list[ast.expr] = [node for name in READERS - {"read"} for node in names.attributes.get(name, ())]
    reads += [node for node in names.attributes.get("read", ()) if bench.checkpoints.checkpoints_in(node.value)]
    reads += [call.func for tail in _READ_TAILS for call in bench.module.calls_of(tail)]
    for node in reads:
        is_other = not apart.isdisjoint(names.ancestors(node)) or loads_other_weights(bench.module, node, own)
        if not is_other and not only_reads(bench.reach, [checkpoint], node):
            yield node


def _is_only_passed_to(bench: Workbench, checkpoint: Checkpoint, read: ast.expr, *calls: str) -> bool:
    """Whether a read is ``manager.latest_checkpoint``, and only tested or passed to functions of these names."""
    names = bench.module.names
    if not isinstance(read, ast.Attribute) or read.attr != "latest_checkpoint" or read not in names.parents:
        return False
    around = [read, *names.ancestors(read)]
    within = around[: around.index(names.statement_of(read))]
    is_given = any(isinstance(one, ast.Call) and name_of(one.func) in calls for one in within)
    value, parent = around[1:3] if isinstance(around[1], ast.Compare | ast.UnaryOp) else around[:2]
    is_tested = _LOGGERS[0] in calls and getattr(parent, "test", None) is value
    return (is_given or is_tested) and checkpoint in bench.checkpoints.managed_checkpoints(read.value)
