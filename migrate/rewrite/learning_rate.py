"""The learning rate of a canned estimator's optimizer, as a Keras optimizer takes it."""

import ast

from migrate.analysis.source.arguments import Unbindable
from migrate.analysis.source.names import Names
from migrate.analysis.source.scopes import FunctionNode
from migrate.analysis.source.symbols import symbol_of
from migrate.analysis.values.made_of import made_of
from migrate.rewrite.changed_file import ChangedFile


def constant(file: ChangedFile, rate: ast.expr) -> str:
    """The text for the rate of an optimizer of ``tf.compat.v1.train``.

    Raises:
      Unbindable: for one that is computed, perhaps from the global step.
    """
    if not _is_plain(file.module.names, rate):
        raise Unbindable("the learning rate is computed, perhaps from the global step")
    return file.text(rate)


def _is_plain(names: Names, value: ast.expr) -> bool:
    """Whether a learning rate is a Python number as far as the file tells: no TensorFlow, no function of the file."""
    for node in made_of(names, value):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and isinstance(names.definition(node.func), FunctionNode):
                return False
            if symbol_of(names, node.func) is not None:
                return False
    return True
