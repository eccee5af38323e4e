"""FT403 · options.experimental_distribute.auto_shard = False

TensorFlow 2.0's switch for whether each worker takes a part of the input. Later TensorFlow refuses to set it.

Instead: ``options.experimental_distribute.auto_shard_policy``, ``AutoShardPolicy.AUTO`` for True and ``OFF`` for False.

Fidelity: noted. ``AUTO`` shards by files where there are enough of them and by elements where not; TensorFlow 2.0 told
the two apart in its own way.

See: tf.data.experimental.AutoShardPolicy, tf.data.experimental.DistributeOptions.
"""

import ast
from collections.abc import Iterator

from migrate.analysis.arguments import literal
from migrate.edits.plan import Part, ReplaceStatement
from migrate.rewrite.precedence import OR, stands_alone, strength
from migrate.rules.rule import Example, Mend, Workbench, noted, site_rule

_FILE = """\
import tensorflow as tf

options = tf.data.Options()
options.experimental_distribute.auto_shard = {}
"""
_NEW = """\
options.experimental_distribute.auto_shard_policy = (
    tf.data.experimental.AutoShardPolicy.{}
)"""
_CHOICE = """\
options.experimental_distribute.auto_shard_policy = (
    tf.data.experimental.AutoShardPolicy.AUTO if shards else tf.data.experimental.AutoShardPolicy.OFF
)"""


@site_rule(
    "FT403",
    "noted",
    Example(_FILE.format("False"), _NEW.format("OFF"), "module"),
    Example(_FILE.format("True"), _NEW.format("AUTO"), "module"),
    Example(_FILE.format("shards"), _CHOICE, "module"),
)
def auto_shard(bench: Workbench) -> Iterator[Mend]:
    module = bench.module
    for target in module.names.stores:
        statement = module.names.parent(target)
        if _is_switch(target) and isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            policy = f"{bench.vocabulary.tf}.data.experimental.AutoShardPolicy"
            text = f"{module.source.text(target)}_policy = {_value(bench, statement.value, policy)}"
            verdict = noted(statement, "auto_shard becomes auto_shard_policy, whose AUTO settles how by itself")
            yield Mend((verdict,), (ReplaceStatement(module.span(statement), (Part(text),)),))


def _is_switch(target: ast.expr) -> bool:
    return (
        isinstance(target, ast.Attribute)
        and target.attr == "auto_shard"
        and isinstance(target.value, ast.Attribute)
        and target.value.attr == "experimental_distribute"
    )


def _value(bench: Workbench, switch: ast.expr, policy: str) -> str:
    known = literal(switch)
    if known is not ...:
        return f"{policy}.{'AUTO' if known else 'OFF'}"
    text = bench.module.source.text(switch)
    condition = text if strength(switch) >= OR and stands_alone(text) else f"({text})"
    return f"({policy}.AUTO if {condition} else {policy}.OFF)"
