"""FT513 · shutil.rmtree(directory) of the checkpoints before the training

The program removes its checkpoints each time that it starts. An interrupted job starts over, and one that is
interrupted often enough never ends.

Instead: nothing is rewritten. Remove the line, or run it only with a flag that no scheduler passes.

Fidelity: manual. Found where the removed path is written like the ``model_dir`` of an Estimator, the directory of a
``CheckpointManager`` or ``BackupAndRestore``, the path that a ``Checkpoint`` is saved to, or a directory above one of
them; outside of loops, under no test but whether the directory exists, and before the training in its function and in
those that call it. In notebooks, where a person runs the cell, it is not reported.

See: shutil.rmtree, tf.io.gfile.rmtree.
"""

import ast
import re
from collections.abc import Iterator

from migrate.analysis.calls.reach import MAX_DEPTH, FunctionNode
from migrate.analysis.source.module import Module
from migrate.analysis.source.paths import normalize, template
from migrate.analysis.values.values import iter_parts
from migrate.files.sources import NOTEBOOK
from migrate.rules.hazards.backup_settings import BACKUPS, argument_of
from migrate.rules.rule import Example, Fix, Workbench, manual, site_rule

_REMOVING = re.compile(r"shutil\.rmtree|tensorflow\..*\b(gfile\.(DeleteRecursively|rmtree)|delete_recursively)")
_TRAINING = {"train", "train_and_evaluate", "fit", "evaluate", "predict", "apply_gradients"}
_IS_THERE = {"exists", "Exists", "isdir", "IsDirectory", "is_dir", "file_exists", "is_directory"}
_SETTING = re.compile(r"⟨(?:[\w.]+\.|\w+\[')(\w+)(?:'\])?⟩")
_JOB = """\
import shutil

import tensorflow as tf

shutil.rmtree("/tmp/job", ignore_errors=True)
checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
manager = tf.train.CheckpointManager(checkpoint, "/tmp/job/ckpt", max_to_keep=2)
"""
_Spelled = tuple[ast.AST | None, str]


@site_rule("FT513", "manual", Example(_JOB, None, "module"))
def removed_model_dir(bench: Workbench) -> Iterator[Fix]:
    module = bench.module
    calls = [one for one in module.names.nodes(ast.Call) if one.args and not module.path.endswith(NOTEBOOK)]
    removing = [one for one in calls if _REMOVING.fullmatch(module.names.qualified(one.func) or "")]
    removing = [one for one in removing if _is_at_each_start(bench, module, one)]
    words = ("model_dir", "CheckpointManager", "Checkpoint", "BackupAndRestore")
    others = bench.reach.files_with(*words) if removing else []
    saved = {spelled for one in others for path in _paths(bench, one) for spelled in _spellings(bench, one, path)}
    for call in removing:
        removed = _spelling(module, call.args[0])
        inside = [text for scope, text in saved if removed is not None and scope is removed[0]]
        if removed is not None and any(f"{text}/".startswith(f"{removed[1]}/") for text in inside):
            message = f"`{ast.unparse(call.args[0])}` is removed at each start: an interrupted job starts over"
            help = "Remove the line, or put it behind a flag, so that a job resumes after an interruption."
            yield Fix((manual(call, message, help),))


def _paths(bench: Workbench, module: Module) -> Iterator[ast.expr]:
    """Yields the paths that estimators, configs, managers, backups and checkpoints of a file save to."""
    yield from (one.value for site in module.sites for one in site.node.keywords if one.arg == "model_dir")
    given = [argument_of(one, "directory", 1) for one in module.calls_of("train.CheckpointManager")]
    given += [argument_of(one, "backup_dir", 0) for one in module.calls_of(*BACKUPS)]
    saves = [one for each in bench.checkpoints.all for one in each.save_calls] if module is bench.module else []
    given += [argument_of(one, "file_prefix", 0) for one in saves]
    yield from (one for one in given if one is not None)


def _spellings(bench: Workbench, module: Module, path: ast.expr) -> Iterator[_Spelled]:
    """Yields the spelling of a path, and those of the values of its parts, also of returned ones."""
    parts = [one for one in iter_parts(module.names, path) if isinstance(one, ast.Name | ast.Call)]
    cases = [(case.module, case.node) for part in parts for case in bench.values.of(module, part)]
    for where, node in [(module, path), *cases]:
        text = _spelling(where, node) if isinstance(node, ast.expr) else None
        if text is not None:
            yield text


def _spelling(module: Module, path: ast.expr) -> _Spelled | None:
    """Returns the spelling of a path, with ``args.out`` like ``args["out"]``, and the scope of its variables."""
    text = template(module.names, path)
    if text is None:
        return None
    has_variable = re.search(r"⟨\w+⟩", text) is not None
    return module.names.scope_of(path).node if has_variable else None, _SETTING.sub(r"⟨\1⟩", normalize(text))


def _is_at_each_start(bench: Workbench, module: Module, call: ast.Call, depth: int = 0) -> bool:
    """Whether a call always runs, before the training in its function and in those that call it."""
    names, scope = module.names, module.names.scope_of(call)
    around = [*names.ancestors(call)]
    tests = [one.test for one in around if isinstance(one, ast.If)]
    is_again = any(isinstance(one, ast.For | ast.While | ast.ExceptHandler) for one in around)
    if is_again or not all(map(_is_harmless, tests)):
        return False
    before = (one for one in names.nodes(ast.Call) if one.lineno < call.lineno and names.scope_of(one) is scope)
    if any(isinstance(one.func, ast.Attribute) and one.func.attr in _TRAINING for one in before):
        return False
    if not isinstance(scope.node, FunctionNode) or depth > MAX_DEPTH:
        return True
    callers = bench.reach.callers(scope.node, module)
    runs = [one for one in names.attributes.get("run", ()) if scope.node.name == "main" and "app" in ast.unparse(one)]
    is_run = runs or callers or names.variables.get(scope.node.name)  # a test is only called by its name
    return bool(is_run) and all(_is_at_each_start(bench, bench.reach.module_of(one), one, depth + 1) for one in callers)


def _is_harmless(test: ast.expr) -> bool:
    """Whether a test only checks that the directory exists, or that the file is the started program."""
    if isinstance(test, ast.UnaryOp):
        return _is_harmless(test.operand)
    if isinstance(test, ast.Compare):
        return isinstance(test.left, ast.Name) and test.left.id == "__name__"
    return isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute) and test.func.attr in _IS_THERE
