"""FT513 · shutil.rmtree(model_dir) before the training

The program removes its checkpoints each time that it starts. A job that is interrupted begins anew, whatever it had
saved, and one that is interrupted often enough never ends; so it did on the Estimator.

Instead: nothing; the line is told. Take it out, or put it behind a flag that no scheduler gives.

Fidelity: noted. Found where what is removed is spelled as the ``model_dir`` of an Estimator or a ``RunConfig`` of the
program, or as a directory above it, in one of its files, under no test but whether it is there, in no loop, and before
what trains in its function. In notebooks a person starts the cell, and nothing is said.

See: shutil.rmtree, tf.io.gfile.rmtree.
"""

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from migrate.analysis.source.module import Module
from migrate.analysis.source.paths import normal, template
from migrate.files.sources import NOTEBOOK
from migrate.rules.rule import ObjectUnit, Verdict, line, noted, unit_rule

_REMOVING = re.compile(r"shutil\.rmtree|tensorflow\..*\b(gfile\.(DeleteRecursively|rmtree)|delete_recursively)")
_WORDS = re.compile(r"rmtree|[dD]elete_?[rR]ecursively")
"""One of these is in every file that removes a directory, whatever it calls the function."""
_TRAINING = {"train", "train_and_evaluate", "fit", "evaluate", "predict"}
_IS_THERE = {"exists", "Exists", "isdir", "IsDirectory", "is_dir", "file_exists", "is_directory"}
_READ = re.compile(r"⟨(?:[\w.]+\.|\w+\[')(\w+)(?:'\])?⟩")


@unit_rule(
    "FT513",
    "noted",
    line('import shutil; shutil.rmtree("/tmp/m")', "checkpoints=ModelCheckpoints("),
)
def removed_model_dir(unit: ObjectUnit) -> Iterator[Verdict]:
    removing = [one.module for one in unit.files.values() if _WORDS.search(one.module.text)]
    saved = {one for module in unit.modules for one in _directories(module)} if removing else set()
    for module in removing:
        for call in module.names.nodes(ast.Call) if saved and not module.path.endswith(NOTEBOOK) else ():
            if _is_at_each_start(module, call) and _is_above(_spelled(module, call.args[0]), saved):
                message = f"`{ast.unparse(call.args[0])}` is removed at each start: an interrupted job begins anew"
                help = "Take the line out, or put it behind a flag, so that a job resumes after an interruption."
                message = f"{message}, as it did on the Estimator"
                yield replace(noted(call, message, help, module), stays=True)


_Spelled = tuple[ast.AST | None, str]


def _directories(module: Module) -> Iterator[_Spelled]:
    """What the estimators and configs of a file save into."""
    for site in module.sites:
        for keyword in site.node.keywords:
            text = _spelled(module, keyword.value) if keyword.arg == "model_dir" else None
            if text is not None:
                yield text


def _spelled(module: Module, path: ast.expr) -> _Spelled | None:
    """A path in its spelling, ``args.out`` and ``args["out"]`` alike, and the scope whose variable is in it."""
    text = template(module.names, path)
    if text is None:
        return None
    has_variable = re.search(r"⟨\w+⟩", text) is not None
    return module.names.scope_of(path).node if has_variable else None, _READ.sub(r"⟨\1⟩", normal(text))


def _is_above(removed: _Spelled | None, saved: Collection[_Spelled]) -> bool:
    """Whether one of the directories is the one that is removed, or in it."""
    return removed is not None and any(
        scope is removed[0] and (path == removed[1] or path.startswith(f"{removed[1]}/")) for scope, path in saved
    )


def _is_at_each_start(module: Module, call: ast.Call) -> bool:
    """Whether a call removes a directory, whatever the user says, and before anything trains in its function."""
    names = module.names
    if not call.args or not _REMOVING.fullmatch(names.qualified(call.func) or ""):
        return False
    for above in names.ancestors(call):
        if isinstance(above, ast.For | ast.While | ast.ExceptHandler):
            return False
        if isinstance(above, ast.If) and not _is_harmless(above.test):
            return False
    scope = names.scope_of(call)
    calls = (one for one in names.nodes(ast.Call) if one.lineno < call.lineno and names.scope_of(one) is scope)
    return not any(isinstance(one.func, ast.Attribute) and one.func.attr in _TRAINING for one in calls)


def _is_harmless(test: ast.expr) -> bool:
    """Whether a test only asks if the directory is there, or if the file is the program that was started."""
    if isinstance(test, ast.UnaryOp):
        return _is_harmless(test.operand)
    if isinstance(test, ast.Compare):
        return isinstance(test.left, ast.Name) and test.left.id == "__name__"
    return isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute) and test.func.attr in _IS_THERE
