"""What a user says at the start about a resumption: a flag that asks for it, or a file by its name."""

import ast
import operator
import re
from collections.abc import Callable, Iterator, Sequence, Set
from itertools import permutations
from typing import Any

from migrate.analysis.arguments import literal
from migrate.analysis.checkpoints import only_stored
from migrate.analysis.module import Module
from migrate.analysis.names import FARTHEST
from migrate.analysis.path_searches import SEARCHES, name_of
from migrate.analysis.paths import only_given
from migrate.analysis.resume.origins import added, bindings_before
from migrate.analysis.resume.reach import Reach

_SETTINGS = re.compile(r"pars|arg|conf|cfg|setting|option|hparam|namespace|yaml|json", re.IGNORECASE)
"""What the calls are named that give what the user has set."""
_READS = {"bool", "int", "str", "os.environ.get", "os.getenv", "getboolean"}
"""Calls that give what the user has said."""
_OF_TEXT = {"lower", "upper", "casefold", "strip", "startswith"}
"""Methods of a text that the user has given, which say as much."""
_TESTS = ast.BoolOp | ast.UnaryOp | ast.Compare | ast.Attribute | ast.Subscript | ast.Name
_COMPARES: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
_DEEPEST = 3
"""How many variables stand between a test and what the user says."""


class Flags:
    """Reads the tests around a load.

    Args:
      module: the file.
      around_training: what stands around the training too, and so decides on more than a resumption.
    """

    def __init__(self, module: Module, around_training: Set[ast.AST] = frozenset()) -> None:
        self.module, self.names, self.around_training = module, module.names, around_training

    def around(self, load: ast.AST, depth: int = 0) -> list[ast.expr]:
        """What only the user settles of the tests around a load, or around what gives their variables their values."""
        found: list[ast.expr] = []
        child = load
        for node in self.names.ancestors(load):
            if node in self.around_training and not isinstance(node, ast.FunctionDef | ast.Module):
                break
            if isinstance(node, ast.If | ast.IfExp) and child is not node.test:
                must_hold = child in node.body if isinstance(node, ast.If) else child is node.body
                found += self._settled(node.test, must_hold, depth)
            for test in _left_before(node, child):
                found += self._settled(test, False, depth)
            child = node
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                break
        return sorted(found, key=lambda flag: (flag.lineno, flag.col_offset))  # one asks what those after it read

    def _settled(self, test: ast.expr, must_hold: bool, depth: int) -> list[ast.expr]:
        """What of a test only the user settles, if it comes out so."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._settled(test.operand, not must_hold, depth)
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And if must_hold else ast.Or):
            return [flag for part in test.values for flag in self._settled(part, must_hold, depth)]
        if self.is_flag(test):
            return [test if must_hold else ast.copy_location(ast.UnaryOp(ast.Not(), test), test)]
        return self.behind(test, must_hold, depth + 1) if depth < _DEEPEST else []

    def behind(self, test: ast.expr, must_hold: bool = True, depth: int = 0) -> list[ast.expr]:
        """What the user settles of a test of variables: ``last > 0`` of ``last = newest() if args.resume else 0``."""
        asked = test.args if isinstance(test, ast.Call) else [test]
        asked = [test.left, *test.comparators] if isinstance(test, ast.Compare) else asked
        found: list[ast.expr] = []
        for name in (one for one in asked if isinstance(one, ast.Name)):
            ways: list[list[ast.expr]] = []
            for binding in bindings_before(self.module, self.names.bound(name), name):
                value = binding.value
                for way in (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value or binding.node,):
                    inner = self._settled(way, must_hold, depth) if name is test and isinstance(way, _TESTS) else []
                    may_be = _may_be(test, way, must_hold) or any(added(self.module, name))
                    ways += [[*self.around(way, depth), *inner]] if may_be else []
            found += either(ways)
        return found

    def is_flag(self, test: ast.expr) -> bool:
        """Whether a test is settled by the user alone: ``args.resume``, ``not FORCE``, ``config["resume"] == 1``."""
        if isinstance(test, ast.BoolOp) or (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
            return all(map(self.is_flag, test.values if isinstance(test, ast.BoolOp) else [test.operand]))
        left, right = (test.left, test.comparators[0]) if isinstance(test, ast.Compare) else (None, None)
        counted = left.args[0] if isinstance(left, ast.Call) and name_of(left.func) == "len" else None
        if self._is_all_said(right if isinstance(left, ast.Constant) else counted):  # "resume" in args
            return True
        if left is not None and literal(right) is not ...:
            return self.is_flag(left)
        return self.is_users(test) or (isinstance(test, ast.Name) and self._is_of_settings_file(test))

    def _is_of_settings_file(self, name: ast.Name) -> bool:
        """Whether another file gives a variable: ``from settings import RESUME``."""
        bindings = self.names.bound(name)
        return all(one.imported is not None for one in bindings) if bindings else bool(self.names.stars)

    def is_users(self, value: ast.expr, depth: int = 0) -> bool:
        """Whether a value is the user's own: a flag, a parameter, a constant, an item of the settings."""
        if self.names.qualified(value) in ("sys.argv", "os.environ"):
            return True
        if isinstance(value, ast.Attribute | ast.Subscript):
            if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id == "self":
                given = only_stored(self.names, value)
                return given is not None and depth < FARTHEST and self.is_users(given, depth + 1)
            base: ast.expr = value
            while isinstance(base, ast.Attribute | ast.Subscript):
                base = base.value
            return isinstance(base, ast.Name) and self._is_settings(base)
        if isinstance(value, ast.Name):
            bindings = self.names.bound(value)
            if len(bindings) != 1:
                return False
            binding = bindings[0]
            if isinstance(binding.node, ast.arg):
                asked = only_given(self.names, value) if depth < FARTHEST else None
                return asked is None or self.is_users(asked, depth + 1)
            if binding.value is None or depth >= FARTHEST:
                return False
            return isinstance(binding.value, ast.Constant) or self.is_users(binding.value, depth + 1)
        if isinstance(value, ast.Compare):
            return all(self.is_users(part, depth) for part in (value.left, *value.comparators))
        if isinstance(value, ast.Call):  # bool(…), os.environ.get(…), args.get(…), args.mode.lower()
            held = getattr(value.func, "value", None)
            is_read = (self.names.qualified(value.func) or name_of(value.func)) in _READS
            is_read |= name_of(value.func) == "get" and self._is_all_said(held)
            is_read |= name_of(value.func) in _OF_TEXT and held is not None and self.is_users(held, depth)
            return is_read and all(self.is_users(part, depth) for part in value.args)
        return isinstance(value, ast.Constant)

    def _is_all_said(self, value: ast.expr | None) -> bool:
        """Whether a value is all that the user has said: ``sys.argv``, ``args``, ``params``."""
        is_named = isinstance(value, ast.Name) and ("param" in value.id or _SETTINGS.search(value.id) is not None)
        is_said = value is not None and self.names.qualified(self.names.value(value)) in ("sys.argv", "os.environ")
        return is_said or (isinstance(value, ast.Name) and is_named and self._is_settings(value))

    def _is_settings(self, base: ast.Name) -> bool:
        """Whether a name holds parsed arguments or settings, and not what was found among the files."""
        bindings = self.names.bound(base)
        for binding in bindings:
            if isinstance(binding.node, ast.arg) or binding.imported is not None:
                continue
            made = binding.value
            if isinstance(made, ast.Subscript) and self.names.qualified(made.value) == "sys.argv":
                continue
            if not isinstance(made, ast.Call | ast.Attribute | ast.Dict | ast.Name):
                return False
            while isinstance(made, ast.Call) and name_of(made.func) == "vars" and made.args:
                made = made.args[0]
            if isinstance(made, ast.Call) and _SETTINGS.search(ast.unparse(made.func)) is None:
                return False
        return True  # also of a name that another file gives: from settings import *

    def names_file(self, path: ast.expr | None) -> bool:
        """Whether the user names a file at the start, so that no other must be loaded in its place."""
        if isinstance(path, ast.Call) and path.args:
            return name_of(path.func) not in SEARCHES and self.names_file(path.args[-1])  # os.path.join, str
        is_place = isinstance(path, ast.Name | ast.Attribute | ast.Subscript)
        if path is None or not is_place or not self.is_users(path):
            return False
        return not isinstance(self.names.value(path), ast.Constant)

    def is_known_at(self, flag: ast.expr, there: ast.AST) -> bool:
        """Whether a flag means the same at another place."""
        for node in ast.walk(flag):
            if isinstance(node, ast.Name) and not is_same_name(self.module, node, there):
                return False
        return True


def _may_be(test: ast.expr, value: Any, must_hold: bool) -> bool:
    """Whether a test of a variable may come out so where that has a value."""
    known = literal(value)
    if known is ... or not isinstance(test, ast.Compare):
        return known is ... or bool(known) == must_hold
    sides = [known if (one := literal(side)) is ... else one for side in (test.left, test.comparators[0])]
    try:
        return _COMPARES[type(test.ops[0])](*sides) == must_hold
    except (KeyError, TypeError):
        return True


def either(ways: Sequence[Sequence[ast.expr]], *, are_all: bool = False) -> list[ast.expr]:
    """What must hold where one of several ways is gone, each where some flags hold; of all those that no flag parts."""
    each = [{_said(flag): flag for flag in way} for way in ways]
    are_apart = any((text, not holds) in other for way in each for text, holds in way for other in each)
    if are_all and not are_apart:
        return list({said: flag for way in each for said, flag in way.items()}.values())
    for one, other in permutations(each, 2):
        for text, holds in one:  # A, or B without it, is A or B
            if (text, not holds) in other and one.keys() - {(text, holds)} <= other.keys():
                del other[text, not holds]
    least = [list(one.values()) for one in each if not any(other.keys() < one.keys() for other in each)]
    parts = [one[0] if len(one) == 1 else ast.BoolOp(ast.And(), one) for one in least if one]
    unlike = list({ast.dump(one): one for one in parts}.values())
    if len(unlike) > 1:
        return [ast.copy_location(ast.BoolOp(ast.Or(), unlike), least[0][0])]
    return least[0] if least else []


def _said(flag: ast.expr) -> tuple[str, bool]:
    """What a flag asks, and whether it must hold."""
    is_not = isinstance(flag, ast.UnaryOp) and isinstance(flag.op, ast.Not)
    return ast.dump(flag.operand if isinstance(flag, ast.UnaryOp) and is_not else flag), not is_not


def _left_before(block: ast.AST, child: ast.AST) -> Iterator[ast.expr]:
    """The tests above a statement that return where they hold."""
    for _, value in ast.iter_fields(block):
        if isinstance(value, list) and child in value:
            for one in value[: value.index(child)]:
                if isinstance(one, ast.If) and any(isinstance(part, ast.Return) for part in ast.walk(one)):
                    yield one.test


def is_same_name(module: Module, name: ast.Name, there: ast.AST) -> bool:
    """Whether a name stands for the same variable at another place, which is bound before that."""
    names = module.names
    scope = names.scope_of(there)
    own, other = names.scope_of(name).lookup(name.id), scope.lookup(name.id)
    if own is None or other is None:
        return own is other
    if name.id == "self":
        classes = [
            next((n for n in names.ancestors(node) if isinstance(n, ast.ClassDef)), None) for node in (name, there)
        ]
        return classes[0] is classes[1]
    if own[0] is not other[0]:
        return False
    if own[0] is not scope:
        return True
    first = min((getattr(binding.node, "lineno", 0) for binding in own[1]), default=0)
    return first < getattr(there, "lineno", 0)


def needed_in_turns(reach: Reach, loop: ast.For | ast.While, trainings: Sequence[ast.Call]) -> list[ast.expr]:
    """What the user must have asked for, so that a loop of the program's file trains in any of its turns.

    Args:
      reach: the calls of the program.
      loop: the loop.
      trainings: the calls in it that train.
    """
    flags = Flags(reach.module, {loop, *reach.module.names.ancestors(loop)})
    each = [{ast.dump(flag): flag for flag in flags.around(call, _DEEPEST)} for call in trainings]
    first = each[0] if each else {}
    asked = [flag for text, flag in first.items() if all(text in other for other in each)]
    return [flag for flag in asked if flags.is_known_at(flag, loop) and not _changes(reach, flag)]


def _changes(reach: Reach, flag: ast.expr) -> bool:
    """Whether a method or a function may give what a flag reads another value in a turn of a loop."""
    for part in (_part(one) for one in ast.walk(flag) if isinstance(one, ast.Attribute | ast.Subscript)):
        for module in reach.holding(part.strip("'")):
            stores = (one for one in module.names.stores if _part(one) == part)
            around = (getattr(module.names.scope_of(one).node, "name", "__init__") for one in stores)
            methods = (one for one in module.names.nodes(ast.FunctionDef) if one.name == part)
            if any(name != "__init__" for name in around) or any(methods):
                return True
    return False


def _part(node: ast.Attribute | ast.Subscript) -> str:
    """The attribute or the item of an object that is read or assigned."""
    return node.attr if isinstance(node, ast.Attribute) else ast.unparse(node.slice)


def is_said(module: Module, number: ast.expr, depth: int = 0) -> bool:
    """Whether a number is what the user or the settings say, and not what was found among the files.

    Args:
      module: the file.
      number: what a loop begins at.
      depth: how many variables lead to it.
    """
    names = module.names
    if isinstance(number, ast.BinOp):
        return all(is_said(module, side, depth) for side in (number.left, number.right))
    if isinstance(number, ast.UnaryOp | ast.Constant) or depth > FARTHEST:
        return depth <= FARTHEST
    if isinstance(number, ast.Name):
        bindings = names.bound(number)
        values = [one.value for one in bindings if one.value is not None]
        others = [one for one in bindings if one.value is None]
        is_open = all(isinstance(one.node, ast.arg) or one.imported is not None for one in others)
        return bool(bindings) and is_open and all(is_said(module, value, depth + 1) for value in values)
    return Flags(module).is_users(number)


def is_constant(module: Module, number: ast.expr) -> bool:
    """Whether a number is one that the file gives, whatever the user says: ``first = 0``."""
    parts = [one for one in ast.walk(number) if isinstance(one, ast.Name | ast.Attribute)]
    values = [module.names.only_value(one) if isinstance(one, ast.Name) else None for one in parts]
    return all(isinstance(value, ast.Constant) for value in values)
