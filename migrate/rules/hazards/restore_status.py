"""FT502 · checkpoint.restore(path), what it returns dropped, or its failure

``restore`` matches a checkpoint to the objects in silence: a layer that was renamed keeps its first weights, and with
``path`` None nothing is read. What it returns can tell.

Instead: ``.assert_existing_objects_matched()`` where ``path`` is seen to be one that this file saves from the same
checkpoint, so that each of its variables must be there; behind ``if path:`` where ``path`` may be None, because the
assertion then fails. Where the file only reads the checkpoint and it holds no optimizer, ``.expect_partial()``, which
says that the rest is not wanted. Elsewhere, as for a path of a flag, which may be another model's to begin with, the
finding asks for one of the two. Slots that an optimizer makes at its first step are restored then, unseen by the
assertion: to refuse a checkpoint of another optimizer, ``optimizer.build(variables)`` before and ``assert_consumed()``.

A ``restore`` under ``try`` whose ``except`` goes on is told: a job that cannot read its checkpoint begins anew, and its
next saves delete what it could not read. A test for the path is what tells the first start.

Fidelity: noted. A checkpoint that does not fit is an error now, and was none before.

See: tf.train.Checkpoint.restore.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.checkpoints import Checkpoint, Checkpoints
from migrate.analysis.names import Names
from migrate.analysis.paths import directory, normal, template
from migrate.edits.plan import Part, ReplaceExpression, ReplaceStatement
from migrate.rules.rule import Example, Mend, Workbench, manual, noted, site_rule

_ANY = ("Exception", "BaseException")
_HELP = "Call assert_existing_objects_matched() on what it returns where a path is given, or expect_partial()."
_TRAINING = """\
import tensorflow as tf

checkpoint = tf.train.Checkpoint(model=model, step=step)
manager = tf.train.CheckpointManager(checkpoint, "/tmp/c", max_to_keep=2)
checkpoint.restore(manager.latest_checkpoint)
manager.save()
"""
_GUARDED = _TRAINING.replace("checkpoint.restore", "if manager.latest_checkpoint:\n    checkpoint.restore")
_SWALLOWED = _TRAINING.replace(
    "checkpoint.restore(manager.latest_checkpoint)",
    "try:\n    checkpoint.restore(manager.latest_checkpoint).assert_existing_objects_matched()\n"
    "except Exception as error:\n    print(error)",
)
_READING = """\
import tensorflow as tf

checkpoint = tf.train.Checkpoint(model=model)
checkpoint.restore("/tmp/c/ckpt-3")
"""


@site_rule(
    "FT502",
    "noted",
    Example(
        _TRAINING,
        "if manager.latest_checkpoint:\n    checkpoint.restore(manager.latest_checkpoint)"
        ".assert_existing_objects_matched()",
        "module",
    ),
    Example(_GUARDED, "checkpoint.restore(manager.latest_checkpoint).assert_existing_objects_matched()", "module"),
    Example(_READING, 'checkpoint.restore("/tmp/c/ckpt-3").expect_partial()', "module"),
    Example(_READING.replace("(model=model)", "(model=model, optimizer=o)"), None, "module"),
    Example(_TRAINING.replace("restore(manager.latest_checkpoint", "restore(args.begin_with"), None, "module"),
    Example(_SWALLOWED, None, "module"),
)
def restore_status(bench: Workbench) -> Iterator[Mend]:
    checkpoints = Checkpoints(bench.module)
    names = bench.module.names
    for checkpoint in checkpoints.all:
        for call in checkpoint.methods.get("restore", []):
            is_own = isinstance(call.func, ast.Attribute) and checkpoints.of(call.func.value) is checkpoint
            if is_own and checkpoint.managers and _is_swallowed(names, call):
                message = "a restore that fails is passed over: the job begins anew, and its saves delete the old ones"
                yield Mend((manual(call, message, "Restore under `if manager.latest_checkpoint:`, without the try."),))
            elif is_own and isinstance(names.parent(call), ast.Expr) and len(call.args) == 1:
                yield _judge(bench, checkpoints, checkpoint, call)


def _is_swallowed(names: Names, call: ast.Call) -> bool:
    """Whether the program goes on after any error of a call, under the ``try`` around it."""
    below: ast.AST = call
    for around in names.ancestors(call):
        if isinstance(around, ast.FunctionDef):
            return False
        if isinstance(around, ast.Try) and below in around.body:
            caught = [one for one in around.handlers if one.type is None or ast.unparse(one.type) in _ANY]
            ends = (part for one in caught for statement in one.body for part in ast.walk(statement))
            if caught and not any(isinstance(part, ast.Raise | ast.Return | ast.Call) and _ends(part) for part in ends):
                return True
        below = around
    return False


def _ends(part: ast.AST) -> bool:
    return not isinstance(part, ast.Call) or ast.unparse(part.func).rpartition(".")[2] in ("exit", "_exit", "restore")


def _judge(bench: Workbench, checkpoints: Checkpoints, checkpoint: Checkpoint, call: ast.Call) -> Mend:
    module, path = bench.module, call.args[0]
    text = module.source.text(call)
    message = "restore() does not say what it did not find"
    span = module.span(call)
    if checkpoint.managers or {"save", "write"} & checkpoint.methods.keys():
        if not _is_own(bench, checkpoints, checkpoint, path):
            return Mend((manual(call, message, _HELP),))
        new = f"{text}.assert_existing_objects_matched()"
        message += "; now a variable that is not in the checkpoint is an error"
        if not _may_be_none(bench, path) or _is_guarded(bench, call, path):
            return Mend((noted(call, message),), (ReplaceExpression(span, new),))
        if isinstance(path, ast.Attribute | ast.Name):
            block = f"if {module.source.text(path)}:\n    {new}"
            return Mend((noted(call, message),), (ReplaceStatement(span, (Part(block),)),))
    elif "optimizer" not in checkpoint.tracked():
        return Mend((noted(call, message, ""),), (ReplaceExpression(span, f"{text}.expect_partial()"),))
    return Mend((manual(call, "restore() does not say what it did not find", _HELP),))


def _is_own(bench: Workbench, checkpoints: Checkpoints, checkpoint: Checkpoint, path: ast.expr) -> bool:
    """Whether a path is one that the file saves from the same checkpoint, and none of another model."""
    if checkpoints.of_path(path) is checkpoint:
        return True
    names = bench.module.names
    saved = [template(names, manager.arguments.get("directory")) for manager in checkpoint.managers]
    for call in (call for name in ("save", "write") for call in checkpoint.methods.get(name, [])):
        if call.args and checkpoints.of(call.func.value) is checkpoint:  # type: ignore[attr-defined]
            prefix = template(names, call.args[0])
            saved.append(prefix and directory(prefix))
    value = names.value(path)
    if isinstance(value, ast.Call) and value in bench.module.calls_of("train.latest_checkpoint"):
        searched = template(names, value.args[0]) if value.args else None
        made = [manager.arguments.get("directory") for manager in checkpoint.managers]
        if value.args and any(_is_made_of(bench, each, value.args[0]) for each in made):
            return True  # a worker's own directory beside the chief's
        return searched is not None and normal(searched) in {normal(str(each)) for each in saved}
    given = template(names, path)
    return given is not None and directory(given) in {normal(str(each)) for each in saved}


def _is_made_of(bench: Workbench, made: ast.expr | None, part: ast.expr) -> bool:
    """Whether an expression, or the one behind a variable, holds another: ``own(directory)`` holds ``directory``."""
    value = made and bench.module.names.value(made)
    inside = ast.walk(value) if value is not None else ()
    return any(isinstance(node, ast.expr) and ast.unparse(node) == ast.unparse(part) for node in inside)


def _may_be_none(bench: Workbench, path: ast.expr) -> bool:
    """Whether a path is one that was searched for, and so may not be there."""
    names = bench.module.names
    value = names.value(path)
    if isinstance(value, ast.Constant | ast.JoinedStr | ast.BinOp):
        return False
    return not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "save")


def _is_guarded(bench: Workbench, call: ast.Call, path: ast.expr) -> bool:
    """Whether the call stands behind a test of its path."""
    wanted = ast.unparse(path)
    tests = [node.test for node in bench.module.names.ancestors(call) if isinstance(node, ast.If)]
    return any(ast.unparse(part) == wanted for test in tests for part in ast.walk(test) if isinstance(part, ast.expr))
