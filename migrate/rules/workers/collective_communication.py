"""FT402 · tf.distribute.experimental.CollectiveCommunication

How the workers talk to one another, under its first name.

Instead: ``tf.distribute.experimental.CommunicationImplementation``, whose members have the same names.

Fidelity: exact. Both names mean one class (TensorFlow 2.15 and 2.21).

See: tf.distribute.experimental.CommunicationImplementation.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.symbols import symbol_of
from migrate.edits.plan import ReplaceExpression
from migrate.rules.rule import Example, Mend, Workbench, exact, site_rule

_MEMBERS = ("AUTO", "RING", "NCCL")
_OLD = "distribute.experimental.CollectiveCommunication"
_RING = """\
import tensorflow as tf

ring = tf.distribute.experimental.CollectiveCommunication.RING
"""


@site_rule(
    "FT402",
    "exact",
    Example(_RING, "ring = tf.distribute.experimental.CommunicationImplementation.RING", "module"),
)
def collective_communication(bench: Workbench) -> Iterator[Mend]:
    for node, text in renamed(bench, bench.module.tree).items():
        verdict = exact(node, "CollectiveCommunication has the name CommunicationImplementation")
        yield Mend((verdict,), (ReplaceExpression(bench.module.span(node), text),))


def renamed(bench: Workbench, inside: ast.AST) -> dict[ast.expr, str]:
    """The uses of the old name inside a node, and what stands for each."""
    module = bench.module
    tails = [(_OLD, ""), *((f"{_OLD}.{member}", f".{member}") for member in _MEMBERS)]
    found = [(node, member) for tail, member in tails for node in module.uses.get(tail, [])]
    found = [(node, member) for node, member in found if node is inside or inside in module.names.ancestors(node)]
    # compat.v1's strategy, which takes them, is left.
    found = [(node, member) for node, member in found if getattr(symbol_of(module.names, node), "api", "") != "v1"]
    new = "distribute.experimental.CommunicationImplementation"
    return {node: f"{bench.tf_at(node)}.{new}{member}" for node, member in found}
