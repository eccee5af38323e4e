"""A loop that counts from 0 at each start, though its function restores the newest checkpoint before it."""

import ast

from migrate.analysis.checkpoints import Checkpoint, Checkpoints
from migrate.analysis.module import Module


def loop_begun_anew(module: Module, checkpoints: Checkpoints, checkpoint: Checkpoint) -> ast.For | None:
    """The loop that counts from 0 and saves a checkpoint, after a restore of it in the same function.

    Args:
      module: the file.
      checkpoints: all of its checkpoints.
      checkpoint: one of them.
    """
    names = module.names
    restores = list(checkpoint.methods.get("restore_or_initialize", []))
    restores += [call for call in checkpoint.methods.get("restore", []) if _is_newest(module, checkpoints, call)]
    for save in checkpoint.methods.get("save", []):
        loop = _counting_loop(module, save)
        scope = names.scope_of(save)
        if loop is not None and any(names.scope_of(one) is scope and one.lineno < loop.lineno for one in restores):
            return loop
    return None


def _is_newest(module: Module, checkpoints: Checkpoints, call: ast.Call) -> bool:
    """Whether ``restore`` is given the newest of the checkpoints that are saved, not one to begin with."""
    if not call.args:
        return False
    path = call.args[0]
    value = module.names.value(path)
    is_searched = isinstance(value, ast.Call) and value in module.calls_of("train.latest_checkpoint")
    return is_searched or checkpoints.of_path(path) is not None


def _counting_loop(module: Module, save: ast.Call) -> ast.For | None:
    """The outermost loop around a save in its function, if it counts from 0 and skips no turn."""
    names, scope = module.names, module.names.scope_of(save).node
    loops = []
    for node in names.ancestors(save):
        if node is scope:
            break
        if isinstance(node, ast.For | ast.While | ast.AsyncFor):
            loops.append(node)
    loop = loops[-1] if loops else None
    if not isinstance(loop, ast.For) or any(isinstance(part, ast.Continue) for part in ast.walk(loop)):
        return None
    made = loop.iter
    counts = isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id in ("range", "enumerate")
    return loop if counts and isinstance(made, ast.Call) and len(made.args) == 1 and not made.keywords else None
