"""The tests that settle whether a load is made."""

import ast
from collections.abc import Set

from migrate.analysis.arguments import literal
from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.path_searches import SEARCHES, name_of
from migrate.analysis.resume.called_names import COUNTING, EXISTS
from migrate.analysis.resume.flags import Flags

_CLEARS = {"rmtree", "remove", "unlink", "rmdir", "system", "check_call", "Popen", "rename", "move"}

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class Conditions:
    """Reads the tests around the loads of one file.

    Args:
      module: the file.
      around_training: what stands around the training too, and so decides on more than a load.
    """

    def __init__(self, module: Module, around_training: Set[ast.AST] = frozenset()) -> None:
        self.names, self.around_training = module.names, around_training
        self._flags = Flags(module, around_training)

    def tests(self, load: ast.AST) -> list[tuple[ast.If | ast.IfExp, bool]]:
        """The tests around a load within its function, from the inside, each with whether they must hold."""
        found: list[tuple[ast.If | ast.IfExp, bool]] = []
        child: ast.AST = load
        for node in self.names.ancestors(load):
            if isinstance(node, FunctionNode | ast.Lambda | ast.ClassDef | ast.Module) or node in self.around_training:
                break
            if isinstance(node, ast.If) and child is not node.test:
                found.append((node, child in node.body))
            if isinstance(node, ast.IfExp) and child is not node.test:
                found.append((node, child is node.body))
            child = node
        return found

    def undecided(self, load: ast.Call) -> str:
        """Why it is not seen what decides on a load, as a sentence's part; "" where files alone or flags do."""
        for test, _ in self.tests(load):
            for one in ast.walk(test.test):
                is_open = isinstance(one, ast.Call) and not self._asks(one) and not self._flags.is_users(one)
                if is_open or (isinstance(one, ast.Compare) and _is_mode(one) and not self._flags.is_flag(one)):
                    return f"`{ast.unparse(one)}` decides on it"
        return ""

    def cleared(self, load: ast.Call) -> str:
        """Why a start from scratch may remove the new checkpoints, as a sentence's part; "" where it does not."""
        for test, must_hold in self.tests(load):
            other = test.orelse if must_hold else test.body
            for node in [n for one in (other if isinstance(other, list) else [other]) for n in ast.walk(one)]:
                if isinstance(node, ast.Call) and name_of(node.func) in _CLEARS:
                    return f"line {node.lineno} is for a start from scratch alone"
        return ""

    def _asks(self, call: ast.Call) -> bool:
        """Whether a call in a test asks for files, or counts."""
        name, function = name_of(call.func), called_here(self.names, call)
        if name in EXISTS | SEARCHES | COUNTING | {"get", "endswith", "rank"}:
            return True
        inner = [one for one in ast.walk(function) if isinstance(one, ast.Call)] if function is not None else []
        return bool(inner) and all(map(self._asks, inner))


def _is_mode(test: ast.Compare) -> bool:
    """Whether a test asks whether something has a name: ``mode == "resume"``."""
    name = literal(test.comparators[0])
    return isinstance(test.ops[0], ast.Eq) and isinstance(name, str) and bool(name)


def called_here(names: Names, call: ast.Call) -> FunctionNode | None:
    """The function or method of a file that a call in it calls."""
    if isinstance(call.func, ast.Name):
        found = names.definition(call.func)
        return found if isinstance(found, FunctionNode) else None
    held = call.func.value if isinstance(call.func, ast.Attribute) else None
    if isinstance(call.func, ast.Attribute) and isinstance(held, ast.Name) and held.id in ("self", "cls"):
        owner = next((node for node in names.ancestors(call) if isinstance(node, ast.ClassDef)), None)
        methods = [n for n in owner.body if isinstance(n, FunctionNode)] if owner is not None else []
        return next((one for one in methods if one.name == call.func.attr), None)
    return None
