"""A number that may be None is known by what its file shows, so that nothing makes a whole number of it."""

import ast

from migrate.analysis.program.tree import Tree
from migrate.analysis.source.module import Module
from migrate.analysis.values.values import Values
from tests.cases import each

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
    text = PROGRAM.replace("{value}", value)
    module = Module("job.py", text, ast.parse(text))
    call = module.tree.body[-1].body[0].value  # type: ignore[attr-defined]
    assert Values(Tree()).may_be_fraction(module, call.args[0]) is not is_optional
