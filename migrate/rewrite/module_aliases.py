"""Variables that stand for a module of TensorFlow: ``est = tf.estimator``."""

import ast

from migrate.analysis.source.module import Module
from migrate.rewrite.changed_file import ChangedFile
from migrate.rewrite.counterparts import is_module
from migrate.tensorflow.known_names import is_module_of_contrib


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
