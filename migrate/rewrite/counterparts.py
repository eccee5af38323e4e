"""Maps each name of the Estimator API to the name that replaces it in the object form."""

import ast
from typing import NamedTuple

from migrate.analysis.source.module import Module
from migrate.analysis.source.symbols import Symbol
from migrate.rewrite.changed_file import ChangedFile
from migrate.runtime_files import package
from migrate.tensorflow.known_names import is_module_of_contrib

_MODULES = frozenset({"", "experimental", "export", "inputs", "predictor", "tpu", "tpu.experimental"})
"""The submodules of ``tf.estimator``, and the one of contrib that reads its exports."""

_OTHER_NAMES = {"tpu.RunConfig": "TPURunConfig"}
"""Runtime names of classes whose last part is also the name of another class."""


class Counterpart(NamedTuple):
    """What replaces a name of TensorFlow 1 in a rewritten program.

    Attributes:
      name: a class or function of the runtime package, or a name below ``tensorflow.compat.v1``.
      is_emitted: whether it is of the runtime package.
      rest: the attributes that follow it, with the dot: ``.TRAIN`` of ``ModeKeys.TRAIN``.
    """

    name: str
    is_emitted: bool
    rest: str = ""

    def words(self) -> str:
        return f"the generated {self.name}" if self.is_emitted else f"tf.compat.v1.{self.name}"


def is_module(symbol: Symbol) -> bool:
    """Whether a symbol is a module of the Estimator API, not a class or function."""
    inside = f"{symbol.tail}.".removeprefix("estimator.").rstrip(".")
    return f"{symbol.tail}.".startswith("estimator.") and inside in _MODULES


def counterpart(symbol: Symbol, is_v1: bool) -> Counterpart | None:
    """Returns the replacement of a name of ``tf.estimator``, contrib or a private module; None if there is none.

    Args:
      symbol: the symbol, whose tail begins with ``estimator.``.
      is_v1: whether a premade estimator of that name is TensorFlow 1's.
    """
    if symbol.is_contrib_learn:
        return _contrib_learn_counterpart(symbol)
    parts = symbol.tail.removeprefix("estimator.").split(".")
    for end in range(len(parts), 0, -1):
        name, rest = ".".join(parts[:end]), "".join(f".{part}" for part in parts[end:])
        if ".".join(parts[: end - 1]) not in _MODULES:
            continue
        emitted = _OTHER_NAMES.get(name, parts[end - 1])
        if not is_v1 and f"{emitted}V2" in package.public_names():
            emitted += "V2"
        if emitted in package.public_names():
            return Counterpart(emitted, True, rest)
    return Counterpart(symbol.other_name, False) if symbol.other_name is not None else None


def _contrib_learn_counterpart(symbol: Symbol) -> Counterpart | None:
    from migrate.tensorflow import contrib

    private = symbol.qualified.partition(".contrib.")[2]  # the path of a name that no public module exports
    for parts in (contrib.name_of(symbol.qualified).split("."), private.split(".")):
        for end in range(len(parts), 1, -1):
            for row in contrib.rows_of(".".join(parts[:end])):
                runtime_name, *inside = row.successor.split(".")
                if row.kind == "estimator" and runtime_name in package.public_names():
                    return Counterpart(runtime_name, True, "".join(f".{part}" for part in (*inside, *parts[end:])))
    return None


def remove_module_aliases(file: ChangedFile) -> set[ast.expr]:
    """Removes variables that only alias modules of the Estimator API; returns the other uses of the modules."""
    module = file.module
    modules = (tail for tail in module.uses if tail == "estimator" or is_module_of_contrib(tail))
    nodes = [node for tail in modules for node in module.uses[tail]]
    nodes += [node for node, found in module.estimator_uses if is_module(found)]
    kept = set[ast.expr]()
    for node in nodes:
        if _is_assigned_to_alias(module, node):
            statement = module.names.parent(node)
            assert isinstance(statement, ast.Assign)
            file.remove_assignment(statement)
            file.renamed[node] = module.source.text(node)
        else:
            kept.add(node)
    return kept


def _is_assigned_to_alias(module: Module, node: ast.expr) -> bool:
    """Whether a value is assigned to a variable of this file, and only attributes of that are read."""
    names, statement = module.names, module.names.parent(node)
    target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    if target is None or names.only_value(target) is not node or isinstance(names.scope_of(target).node, ast.ClassDef):
        return False
    return all(isinstance(names.parent(use), ast.Attribute) for use in names.reads_of(target))
