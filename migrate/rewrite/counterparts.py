"""What stands for each name of the Estimator API in the object form."""

import ast
from typing import NamedTuple

from migrate.analysis.source.module import Module
from migrate.analysis.source.symbols import Symbol
from migrate.rewrite.changed_file import ChangedFile
from migrate.runtime_files import package
from migrate.tensorflow import contrib
from migrate.tensorflow.known_names import is_module_of_contrib

_MODULES = frozenset({"", "experimental", "export", "inputs", "predictor", "tpu", "tpu.experimental"})
"""The modules of ``tf.estimator``, and the one of contrib that reads its exports."""

_OTHER_NAMES = {"tpu.RunConfig": "TPURunConfig"}
"""Names whose last part is that of another class."""


class Counterpart(NamedTuple):
    """What stands for a name.

    Attributes:
      name: a class or function of the runtime package, or a name of ``tensorflow.compat.v1``.
      is_emitted: which of the two.
      rest: what the program reads off it, with its dot: ``.TRAIN`` of ``ModeKeys``.
    """

    name: str
    is_emitted: bool
    rest: str = ""

    def words(self) -> str:
        return f"the generated {self.name}" if self.is_emitted else f"tf.compat.v1.{self.name}"


def is_module(found: Symbol) -> bool:
    """Whether a symbol is a module of the Estimator API, and none of its names."""
    inside = f"{found.tail}.".removeprefix("estimator.").rstrip(".")
    return f"{found.tail}.".startswith("estimator.") and inside in _MODULES


def counterpart(found: Symbol, is_v1: bool) -> Counterpart | None:
    """What stands for a name of ``tf.estimator``, wherever contrib or a private module keeps it; None for nothing.

    Args:
      found: the symbol, whose tail begins with ``estimator.``.
      is_v1: whether a premade estimator of that name is TensorFlow 1's.
    """
    if found.is_contrib_learn:
        return _contrib_learn_counterpart(found)
    parts = found.tail.removeprefix("estimator.").split(".")
    for end in range(len(parts), 0, -1):
        name, rest = ".".join(parts[:end]), "".join(f".{part}" for part in parts[end:])
        if ".".join(parts[: end - 1]) not in _MODULES:
            continue
        emitted = _OTHER_NAMES.get(name, parts[end - 1])
        if not is_v1 and f"{emitted}V2" in package.public():
            emitted += "V2"
        if emitted in package.public():
            return Counterpart(emitted, True, rest)
    return Counterpart(found.other_name, False) if found.other_name is not None else None


def _contrib_learn_counterpart(found: Symbol) -> Counterpart | None:
    private = found.qualified.partition(".contrib.")[2]  # of what no package shows
    for parts in (contrib.name_of(found.qualified).split("."), private.split(".")):
        for end in range(len(parts), 1, -1):
            for row in contrib.rows_of(".".join(parts[:end])):
                piece, *inside = row.successor.split(".")
                if row.kind == "estimator" and piece in package.public():
                    return Counterpart(piece, True, "".join(f".{part}" for part in (*inside, *parts[end:])))
    return None


def keep_modules(file: ChangedFile) -> set[ast.expr]:
    """Removes variables that only alias a module of the Estimator API; returns the other uses of such modules."""
    module = file.module
    modules = (tail for tail in module.uses if tail == "estimator" or is_module_of_contrib(tail))
    nodes = [node for tail in modules for node in module.uses[tail]]
    nodes += [node for node, found in module.estimator if is_module(found)]
    kept = set[ast.expr]()
    for node in nodes:
        if _is_only_read(module, node):
            statement = module.names.parent(node)
            assert isinstance(statement, ast.Assign)
            file.free(statement)
            file.renamed[node] = module.source.text(node)
        else:
            kept.add(node)
    return kept


def _is_only_read(module: Module, node: ast.expr) -> bool:
    """Whether a value is assigned to one variable of this file, whose attributes alone are read."""
    names, statement = module.names, module.names.parent(node)
    target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    found = names.scope_of(target).lookup(target.id) if isinstance(target, ast.Name) else None
    if not isinstance(target, ast.Name) or found is None or len(found[1]) != 1 or found[1][0].value is not node:
        return False
    if isinstance(found[0].node, ast.ClassDef):
        return False
    return all(isinstance(names.parent(use), ast.Attribute) for use in names.uses(target.id, found[0]))
