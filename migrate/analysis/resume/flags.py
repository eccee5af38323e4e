"""What a user says at the start about a resumption: a flag that asks for it, or a file by its name."""

import ast
import re
from collections.abc import Iterator, Sequence, Set

from migrate.analysis.checkpoints import key
from migrate.analysis.module import Module
from migrate.analysis.names import FARTHEST
from migrate.analysis.path_searches import SEARCHES, name_of
from migrate.analysis.paths import only_given
from migrate.analysis.resume.reach import Reach

_SETTINGS = re.compile(r"pars|arg|conf|cfg|setting|option|hparam|namespace|yaml|json", re.IGNORECASE)
"""What the calls are named that give what the user has set."""
_READS = {"bool", "int", "str", "os.environ.get", "os.getenv", "getboolean"}
"""Calls that give what the user has said."""


class Flags:
    """Reads the tests around a load.

    Args:
      module: the file.
      around_training: what stands around the training too, and so decides on more than a resumption.
    """

    def __init__(self, module: Module, around_training: Set[ast.AST] = frozenset()) -> None:
        self.module, self.names, self.around_training = module, module.names, around_training

    def around(self, load: ast.expr) -> Iterator[ast.expr]:
        """The parts of the tests around a load that only the user settles."""
        child: ast.AST = load
        for node in self.names.ancestors(load):
            if node in self.around_training and not isinstance(node, ast.FunctionDef | ast.Module):
                return
            if isinstance(node, ast.If | ast.IfExp) and child is not node.test:
                must_hold = child in node.body if isinstance(node, ast.If) else child is node.body
                yield from self._parts(node.test, must_hold)
            for test in _left_before(node, child):
                yield from self._parts(test, False)
            child = node
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                return

    def _parts(self, test: ast.expr, must_hold: bool) -> Iterator[ast.expr]:
        if not must_hold:
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                yield from self._parts(test.operand, True)
            elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
                for part in test.values:
                    yield from self._parts(part, False)
            elif self.is_flag(test):
                yield ast.copy_location(ast.UnaryOp(ast.Not(), test), test)
        elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            for part in test.values:
                yield from self._parts(part, True)
        elif self.is_flag(test):
            yield test

    def is_flag(self, test: ast.expr) -> bool:
        """Whether a test is settled by the user alone: ``args.resume``, ``not FORCE``, ``config["resume"] == 1``."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self.is_flag(test.operand)
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.comparators[0], ast.Constant):
            return self.is_flag(test.left) and not isinstance(test.left, ast.Call)
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
                stored = [one for one in self.names.stores if key(self.names, one) == key(self.names, value)]
                values = [self.names.parent(one) for one in stored]
                given = [one.value for one in values if isinstance(one, ast.Assign)]
                return len(given) == len(values) == 1 and depth < FARTHEST and self.is_users(given[0], depth + 1)
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
        if isinstance(value, ast.Call):  # bool(…), os.environ.get(…)
            is_read = (self.names.qualified(value.func) or name_of(value.func)) in _READS
            return is_read and all(self.is_users(part, depth) for part in value.args)
        return isinstance(value, ast.Constant)

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
    each = [{ast.dump(flag): flag for flag in flags.around(call)} for call in trainings]
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
