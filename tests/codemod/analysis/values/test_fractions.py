"""A number of steps that is no whole one, or may be None, is known by what its file shows."""

import ast

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.module import Module
from migrate.analysis.values.values import Values
from tests.cases import each


def may_be_fraction(text):
    """What is asked of the argument of the call of ``train``."""
    module = Module("job.py", text, ast.parse(text))
    [call] = [one for one in module.names.nodes(ast.Call) if ast.unparse(one.func) == "train"]
    return Values(Tree()).may_be_fraction(module, call.args[0])


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
    assert may_be_fraction(text) is is_fraction


PROGRAM = """
parser.add_argument("--open-ended", type=int)
parser.add_argument("-n", "--number", dest="count", type=int)
parser.add_argument("--usual", type=int, default=9)
parser.add_argument("--must", type=int, required=True)
parser.add_argument("--quick", action="store_true")
flags.DEFINE_integer("without", None, "")
flags.DEFINE_integer("with_one", 3, "")
ends = None if args.quick else 10
always = 10


def job(steps, most=None, *, least=None):
    train({value} if args.quick else 9 / 2)
"""


@each("value", "is_optional")(
    ("args.open_ended", True),
    ("args.count", True),
    ("FLAGS.without", True),
    ("params.get('steps')", True),
    ("params.get('steps', None)", True),
    ("ends", True),
    ("most", True),
    ("least", True),
    ("args.usual", False),
    ("args.must", False),
    ("args.quick", False),
    ("FLAGS.with_one", False),
    ("params.get('steps', 10)", False),
    ("params['steps']", False),
    ("args.open_ended or 10", False),
    ("2 * args.open_ended", False),
    ("always", False),
    ("steps", False),
)
def test_a_flag_or_a_parameter_without_a_value_of_its_own_may_be_none(value, is_optional):
    assert may_be_fraction(PROGRAM.replace("{value}", value)) is not is_optional
