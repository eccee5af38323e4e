"""FT516 · an initial file, restored in place of the job's own newest checkpoint

A scheduler passes the same arguments at each start. ``if init_from: checkpoint.restore(init_from)``, with the job's own
checkpoint under ``else``, begins at the initial file after each interruption, and later saves delete the job's own
checkpoints.

Instead: the job's own newest first, ``if manager.latest_checkpoint: checkpoint.restore(manager.latest_checkpoint)``,
then ``elif init_from:``.

Fidelity: manual. Found where one function restores both before it saves, and no test looks for the newest checkpoint
first. A flag whose name says that it resumes is not reported.

See: tf.train.CheckpointManager.
"""

import ast
from collections.abc import Iterator
from itertools import product

from migrate.analysis.keras.checkpoints import Checkpoint
from migrate.analysis.keras.own_checkpoints import is_own_path
from migrate.analysis.source.path_searches import path_argument
from migrate.analysis.source.places import key_of
from migrate.analysis.values.values import iter_parts
from migrate.rules.hazards.chosen_file import RESUME_WORDS, call_chain, chosen_files, tests_newest
from migrate.rules.rule import Example, Fix, Workbench, manual, site_rule

_JOB = """\
import tensorflow as tf

checkpoint = tf.train.Checkpoint(model=model, step=step)
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=2)
if args.init_from:
    checkpoint.restore(args.init_from).expect_partial()
else:
    checkpoint.restore(manager.latest_checkpoint).expect_partial()
for batch in batches:
    train(batch)
    manager.save()
"""


@site_rule("FT516", "manual", Example(_JOB, None, "module"))
def other_file_first(bench: Workbench) -> Iterator[Fix]:
    for checkpoint in bench.checkpoints.all:
        own = [*checkpoint.calls("restore_or_initialize"), *_restores(bench, checkpoint, is_of_job=True)]
        found = [(call, path) for call, path in chosen_files(bench, checkpoint) if checkpoint.save_calls]
        for other in _reads_of_other_files(bench, checkpoint) if own and checkpoint.save_calls else ():
            if any(_replaces_own(bench, checkpoint, other, one) for one in own):
                found.append((other, path_argument(other) or other.args[0]))
        for call, path in found[:1]:
            shown = bench.module.source.text(path)
            message = f"each start that is given `{shown}` begins there, not at the job's own newest checkpoint"
            help = "Restore manager.latest_checkpoint first where there is one, and the other file under `elif`."
            yield Fix((manual(call, message, help),))


def _replaces_own(bench: Workbench, checkpoint: Checkpoint, other: ast.Call, own: ast.Call) -> bool:
    """Whether one function restores another file in place of the job's own checkpoint, and saves later."""
    names, saves = bench.module.names, checkpoint.save_calls
    for first, second in product(call_chain(bench, other), call_chain(bench, own)):
        scope = names.scope_of(first).node
        here = [one for one in saves if names.scope_of(one).node is scope]
        is_early = len(here) < len(saves) or any(one.lineno > first.lineno for one in here)
        if first is not second and names.scope_of(second).node is scope:
            return is_early and _takes_precedence(bench, first, second)
    return False


def _restores(bench: Workbench, checkpoint: Checkpoint, *, is_of_job: bool) -> Iterator[ast.Call]:
    for call in checkpoint.calls("restore", "read"):
        if call.args and is_own_path(bench.checkpoints, checkpoint, bench.values, call.args[0]) is is_of_job:
            yield call


def _reads_of_other_files(bench: Workbench, checkpoint: Checkpoint) -> Iterator[ast.Call]:
    """Yields the calls that read another file into objects that a checkpoint tracks."""
    names = bench.module.names
    tracked = bench.checkpoints.keys(checkpoint)
    found = [*_restores(bench, checkpoint, is_of_job=False)]
    for one in bench.checkpoints.all:
        if one is not checkpoint and bench.checkpoints.keys(one) & tracked:
            found += [call for call in one.calls("restore") if call.args]
    loads = (call for call in names.nodes(ast.Call) if isinstance(call.func, ast.Attribute))
    found += [c for c in loads if c.func.attr == "load_weights" and key_of(names, c.func.value) in tracked]  # type: ignore[attr-defined]
    for call in found:
        path = path_argument(call)
        asked = {getattr(one, "attr", "") for one in iter_parts(names, path)} if path is not None else set()
        is_searched = path in bench.module.calls_of("train.latest_checkpoint")
        is_chosen = is_searched and any(isinstance(one, ast.If) for one in names.ancestors(call))
        is_other = is_chosen or "latest_checkpoint" not in asked
        if path is not None and is_other and not RESUME_WORDS.search(ast.unparse(path)):
            yield call


def _takes_precedence(bench: Workbench, other: ast.Call, own: ast.Call) -> bool:
    """Whether another file is read in place of the job's own checkpoint, or after it."""
    names = bench.module.names
    above = [own, *names.ancestors(own)]
    child: ast.AST = other
    is_over = (other.lineno, other.col_offset) > (own.lineno, own.col_offset)
    for around in names.ancestors(other):
        if isinstance(around, ast.If | ast.IfExp) and child is not around.test:
            if tests_newest(bench, around.test):
                return False
            if around in above:
                beside = above[above.index(around) - 1]
                return child in getattr(around, "body", ()) and beside in getattr(around, "orelse", ())
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef | ast.For | ast.While):
            break
        child = around
    return is_over
