"""A training in a graph of TensorFlow 1, where no recovery can work: it asks variables for their values.

A session for the memory of a GPU, or to export a model in another function, does not leave it: FT204 tells of it.
"""

import ast
import os
from collections.abc import Iterator

from migrate.analysis.calls.reach import Reach
from migrate.analysis.resume.loads_before import LoadsBefore, TrainingNode
from migrate.analysis.source.guards import is_guarded
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import name_of

_GONE = ("enable_eager_execution", "AdamOptimizer", "GradientDescentOptimizer", "MomentumOptimizer", "RMSPropOptimizer")
"""Calls of TensorFlow 1's own training."""
_MODES = ("disable_eager_execution", "disable_v2_behavior")


def is_of_graph(reach: Reach, training: TrainingNode) -> bool:
    """Whether a training is written for TensorFlow 1, in a graph of its own or in a session that it runs."""
    for where, call in ((reach.module_of(call), call) for mode in _MODES for call in reach.called(mode)):
        is_at_top = where.names.parent(where.names.statement_of(call)) is where.names.module
        if where is reach.module or (is_at_top and os.path.abspath(where.path) in reach.tied):
            return True
    frames = reach.one(LoadsBefore).frames(training)
    scopes = {(where, one) for where, scope, _ in frames for one in (scope, where.names.module)}
    calls = [(where, call) for where, scope in scopes for call in reach.calls_in(where, scope)]
    for where, call in calls:
        held = call.func.value if isinstance(call.func, ast.Attribute) else None
        given = where.names.value(call.args[0]) if call.args else None
        is_begun = isinstance(given, ast.Call) and name_of(given.func).endswith("initializer")
        is_run = name_of(call.func) == "run" and held is not None and name_of(held) in ("sess", "session")
        is_asked = name_of(call.func) in ("get_session", "placeholder") and not reach.functions(call)
        if (is_run and not is_begun) or is_asked:
            return True
    return False


def is_of_theano(reach: Reach) -> bool:
    """Whether a program imports Theano, without trying something else: its Keras is older than TensorFlow's."""
    for where in _tied(reach, "theano"):
        imports: list[tuple[ast.stmt, str]]
        imports = [(one, each.name) for one in where.names.nodes(ast.Import) for each in one.names]
        imports += [(one, one.module or "") for one in where.names.nodes(ast.ImportFrom) if not one.level]
        named = (one for one, name in imports if name.partition(".")[0] == "theano")
        if not all(is_guarded(where.names, one) for one in named):
            return True
    return False


def is_of_tensorflow_1(reach: Reach) -> bool:
    """Whether a program trains by what TensorFlow 1 alone has, eagerly or not: it starts on no TensorFlow 2."""
    calls = [(reach.module_of(call), call) for name in _GONE for call in reach.called(name)]
    return _has_keras_of_contrib(reach) or any(
        (where.names.qualified(call.func) or "").startswith("tensorflow.") and not _is_v1(where, call)
        for where, call in calls
    )


def _has_keras_of_contrib(reach: Reach) -> bool:
    """Whether the Keras of a program is that of ``tf.contrib``, which it does not only try."""
    for where in _tied(reach, "contrib"):
        uses = (one for nodes in where.uses.values() for one in nodes)
        of_contrib = (one for one in uses if (where.names.qualified(one) or "").startswith("tensorflow.contrib.keras."))
        if not all(is_guarded(where.names, one) for one in of_contrib):
            return True
    return False


def _tied(reach: Reach, word: str) -> Iterator[Module]:
    """The file, and those that imports tie to it, in whose text a word stands."""
    for where in reach.holding(word):
        if where is reach.module or os.path.abspath(where.path) in reach.tied:
            yield where


def _is_v1(module: Module, call: ast.Call) -> bool:
    return ".compat.v1." in (module.names.qualified(call.func) or "")
