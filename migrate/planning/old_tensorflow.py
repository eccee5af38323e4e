"""Which TensorFlow a program runs on before it is migrated."""

from collections.abc import Iterable

from migrate.analysis.source.guards import resolves_to_v1
from migrate.analysis.source.module import Module


def of_tensorflow_1(modules: Iterable[Module]) -> str:
    """The first use of plain ``tensorflow`` that TensorFlow 2 fails on, with its place; "" where there is none.

    Names of which the file says that they are ``tensorflow.compat.v1``'s are none, also by a switch for the version.
    """
    for module in modules:
        for node, found in module.tf1_only:
            if found.api == "tf" and not resolves_to_v1(module.names, node):
                return f"{found.qualified.replace('tensorflow.', 'tf.', 1)}, {module.path}:{node.lineno}"
    return ""
