"""A number of steps that is no whole one is known by what its file shows."""

import ast

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.module import Module
from migrate.analysis.values.values import Values
from tests.cases import each


@each("value", "is_fraction")(
    ("total / 10", True),
    ("2 * (total / 10) + 1", True),
    ("1e3", True),
    ("numpy.ceil(total / 10)", True),
    ("max(1, total / 10)", True),
    ("part", True),
    ("int(total / 10)", False),
    ("total // 10", False),
    ("whole", False),
    ("steps_of(total / 10)", False),
    ("args.steps", False),
    ("None if total else total / 10", False),
)
def test_a_quotient_is_followed_to_where_it_is_made_whole(value, is_fraction):
    text = f"import numpy\npart = total / 10\nwhole = int(part)\ntrain({value})\n"
    module = Module("job.py", text, ast.parse(text))
    call = module.tree.body[-1].value  # type: ignore[attr-defined]
    assert Values(Tree()).may_be_fraction(module, call.args[0]) is is_fraction
