"""Trainings in a graph of TensorFlow 1, where no recovery can work, since it reads the values of variables.

A session that only configures GPU memory, or exports a model in another function, does not count (see FT204).
"""

import ast
import os

from migrate.analysis.calls.reach import Reach
from migrate.analysis.resume.loads_before import LoadsBefore, TrainingNode
from migrate.analysis.source.guards import is_guarded, root_imports
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import name_of

_TF1 = ("enable_eager_execution", "AdamOptimizer", "GradientDescentOptimizer", "MomentumOptimizer", "RMSPropOptimizer")
"""Functions of TensorFlow 1 for training."""
_MODES = ("disable_eager_execution", "disable_v2_behavior")


def is_of_graph(reach: Reach, training: TrainingNode) -> bool:
    """Whether a training runs in graph mode of TensorFlow 1, or in a session."""
    for where, call in ((reach.module_of(call), call) for mode in _MODES for call in reach.calls_of(mode)):
        is_at_top = where.names.parent(where.names.statement_of(call)) is where.names.module
        if where is reach.module or (is_at_top and _is_linked(reach, where)):
            return True
    frames = reach.search(LoadsBefore).frames(training)
    scopes = {(where, one) for where, scope, _ in frames for one in (scope, where.names.module)}
    named = ("run", "get_session", "placeholder")
    calls = [(where, call) for where, scope in scopes for call in reach.calls_named(where, scope, *named)]
    around = {one for where, _, node in frames for one in where.names.ancestors(node)}
    for where, call in calls:
        if any(isinstance(one, ast.If) and one not in around for one in where.names.ancestors(call)):
            continue  # in a branch that this training does not need
        held = call.func.value if isinstance(call.func, ast.Attribute) else None
        given = where.names.value(call.args[0]) if call.args else None
        is_begun = isinstance(given, ast.Call) and name_of(given.func).endswith("initializer")
        is_run = name_of(call.func) == "run" and held is not None and name_of(held) in ("sess", "session")
        is_asked = name_of(call.func) in ("get_session", "placeholder") and not reach.functions(call)
        if (is_run and not is_begun) or is_asked:
            return True
    return False


def is_of_tensorflow_1(reach: Reach) -> bool:
    """Whether a program trains with names that only TensorFlow 1 has, so that it cannot start on TensorFlow 2."""
    calls = ((reach.module_of(call), call) for name in _TF1 for call in reach.calls_of(name))
    names = (where.names.qualified(call.func) or "" for where, call in calls if _is_linked(reach, where))
    is_trained = any(name.startswith("tensorflow.") and ".compat.v1." not in name for name in names)
    return is_trained or needs_package(reach, "tensorflow.contrib.keras")


def needs_package(reach: Reach, package: str) -> bool:
    """Whether a program uses a package, outside a ``try`` or another guard."""
    for where in reach.files_with(package.rpartition(".")[2]):
        if _is_linked(reach, where):
            names = where.names
            uses: list[tuple[str, tuple[ast.AST, ...]]]
            uses = [(name, (use, *root_imports(names, use))) for use, name in names.package_uses((package,))]
            uses += [(one.imported or "", (one.node,)) for each in names.top.bindings.values() for one in each]
            used = [nodes for name, nodes in uses if f"{name}.".startswith(f"{package}.")]
            if not all(any(is_guarded(names, one) for one in nodes) for nodes in used):
                return True
    return False


def _is_linked(reach: Reach, module: Module) -> bool:
    """Whether a module is the program's own file, imports it or is imported with it."""
    return module is reach.module or os.path.abspath(module.path) in reach.linked_paths
