"""A number of steps that may be None is known by what its file shows."""

import ast

import pytest

from migrate.analysis.module import Module
from migrate.analysis.tree import Tree
from migrate.analysis.values.required_flags import is_given_flag
from migrate.analysis.values.values import Values
from tests.codemod.bodies import rewritten
from tests.codemod.programs import migrate, program

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
    train({value})
"""


@pytest.mark.parametrize(
    ("value", "is_optional"),
    [
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
    ],
)
def test_a_flag_or_a_parameter_without_a_value_of_its_own_may_be_none(value: str, is_optional: bool) -> None:
    text = PROGRAM.replace("{value}", value)
    module = Module("job.py", text, ast.parse(text))
    call = module.tree.body[-1].body[0].value  # type: ignore[attr-defined]
    assert Values(Tree()).may_be_none(module, call.args[0]) is is_optional


DIRECTORIES = """
parser.add_argument("--must", required=True)
parser.add_argument("--usual", default="/tmp/job")
parser.add_argument("place")
parser.add_argument("--empty", default="")
parser.add_argument("--free")
parser.add_argument("maybe", nargs="?")
flags.DEFINE_string("marked", None, "")
flags.mark_flags_as_required(["marked"])
flags.DEFINE_string("known", "/tmp/job", "")
flags.DEFINE_string("open", None, "")
train({value})
"""


@pytest.mark.parametrize(
    ("value", "is_given"),
    [
        ("args.must", True),
        ("args.usual", True),
        ("args.place", True),
        ("FLAGS.marked", True),
        ("FLAGS.known", True),
        ("args.empty", False),
        ("args.free", False),
        ("args.maybe", False),
        ("FLAGS.open", False),
        ("self.must", False),
        ("args.elsewhere", False),
    ],
)
def test_a_flag_that_is_required_or_has_a_default_is_given(value: str, is_given: bool) -> None:
    text = DIRECTORIES.format(value=value)
    module = Module("program.py", text, ast.parse(text))
    call = module.tree.body[-1].value  # type: ignore[attr-defined]
    assert is_given_flag(module, call.args[0]) is is_given


def test_a_directory_that_is_always_given_has_no_other_in_its_place() -> None:
    head = 'parser.add_argument("--model_dir"{})'
    for options, expected in ((", required=True", False), (', default="/tmp/m"', False), ("", True)):
        after, _ = migrate(program(head=head.format(options), config="RunConfig(model_dir=args.model_dir)"))
        assert ("mkdtemp" in after) is expected


@pytest.mark.parametrize(
    ("given", "expected"), [("args.most", "math.inf if n is None else n"), ("9 / 2", "math.ceil(")]
)
def test_a_number_that_a_caller_gives_is_known_where_the_estimator_is_trained(given: str, expected: str) -> None:
    head = 'parser.add_argument("--most", type=int)\n'
    after = rewritten(f"{head}def f(n):\n    est = DNN()\n    est.train(data, max_steps=n)\nf({given})\n")
    assert expected in after
    assert "math." not in rewritten(f"{head}def f(n):\n    est = DNN()\n    est.train(data, max_steps=n)\nf(9)\n")
