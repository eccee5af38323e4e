"""The calls that save what a program trains, while it trains, wherever in its files they stand."""

import ast
import re
from collections.abc import Hashable, Sequence

from migrate.analysis.module import Module
from migrate.analysis.nodes import walk
from migrate.analysis.path_searches import name_of
from migrate.analysis.resume.loads_before import TRAINS
from migrate.analysis.resume.origins import Origins
from migrate.analysis.resume.path_parts import PathParts, may_be_of
from migrate.analysis.resume.reach import FunctionNode, Reach

MODEL_SAVES = {"save", "save_weights"}
SAVES = (*sorted(MODEL_SAVES, reverse=True), "write")
_TRAINS_ONE = re.compile(r"_?train(_|$)")
PATHS = ("filepath", "path", "filename", "model_path", "checkpoint_path", "directory", "weights_path", "file_path")
_STEPS = {"apply_gradients", "minimize", "train_on_batch", "train_step", "run", "experimental_run_v2"}
_DEEPEST = 4
"""How many functions stand between a loop that trains and a call that saves."""


def path_given(call: ast.Call) -> ast.expr | None:
    """What a call that saves or loads is given as the file."""
    return next((k.value for k in call.keywords if k.arg in PATHS), call.args[0] if call.args else None)


class SavesInTraining:
    """Finds what is saved while a model is trained, and where.

    Args:
      reach: the calls of the program.
    """

    def __init__(self, reach: Reach) -> None:
        self.reach, self.origins = reach, reach.one(Origins)
        self._by_hand: dict[ast.AST, bool] = {}
        self._paths: dict[ast.Call, list[PathParts]] = {}
        self._saves: list[tuple[ast.Call, list[PathParts]]] | None = None
        self._of_names: dict[tuple[Hashable, ...], list[tuple[ast.Call, list[PathParts]]]] = {}

    def all(self) -> list[tuple[ast.Call, list[PathParts]]]:
        """Every such call of the program, with the paths that it may save to."""
        if self._saves is None:
            self._saves = []
            for module in self.reach.holding(*SAVES, "ModelCheckpoint"):
                for name, calls in self.reach.calls(module).items():
                    for call in calls:
                        path = self._path_saved(module, name, call)
                        if path is not None:
                            self._saves.append((call, self.origins.of_paths(module, path)))
        return self._saves

    def of(self, loaded: Sequence[PathParts]) -> list[tuple[ast.Call, list[PathParts]]]:
        """Those calls that may save what is loaded; asked once for files of one name."""
        names = tuple(one.name for one in loaded)
        if None in names or names not in self._of_names:
            self._of_names[names] = [one for one in self.all() if may_be_of(one[1], loaded)]
        return self._of_names[names]

    def with_path(self, call: ast.Call) -> tuple[ast.Call, list[PathParts]]:
        """A call that saves or loads, with the paths that it may be given."""
        path = path_given(call)
        if call not in self._paths:
            module = self.reach.module_of(call)
            self._paths[call] = self.origins.of_paths(module, path) if path is not None else []
        return call, self._paths[call]

    def within(self, save: ast.Call, depth: int = 0) -> list[ast.Call]:
        """The calls that save in a method of the program's own that saves, itself or by another one."""
        found = []
        for function in self.reach.functions(save) if depth < _DEEPEST else ():
            for call in self.reach.calls_in(self.reach.module_of(function), function):
                if name_of(call.func) in SAVES or name_of(call.func) in self.reach.saving:
                    found += self.within(call, depth + 1) or ([call] if name_of(call.func) in SAVES else [])
        return found

    def trains_by_hand(self, loop: ast.For | ast.While) -> bool:
        """Whether a loop applies gradients, itself or in a function that it calls."""
        if loop not in self._by_hand:
            self._by_hand[loop] = self._is_by_hand(loop)
        return self._by_hand[loop]

    def _is_by_hand(self, loop: ast.For | ast.While) -> bool:
        calls = [node for node in walk(loop) if isinstance(node, ast.Call)]
        known = set[FunctionNode]()
        for _ in range(_DEEPEST):
            if any(map(_is_step, calls)):
                return True
            functions = {function for call in calls for function in self.reach.functions(call)} - known
            known |= functions
            for function in functions:
                self.reach.calls(self.reach.module_of(function))
            calls = [node for function in functions for node in walk(function) if isinstance(node, ast.Call)]
        return False

    def _path_saved(self, module: Module, name: str, call: ast.Call) -> ast.expr | None:
        """The path that a call saves to while a model is trained."""
        path = path_given(call)
        if name.endswith("Checkpoint") and name != "Checkpoint":
            return path
        if name not in ("save", "save_weights") or not isinstance(call.func, ast.Attribute):
            return None
        for node in module.names.ancestors(call):
            if isinstance(node, FunctionNode) and node.name.endswith(("_epoch_end", "_batch_end")):
                return path
            if isinstance(node, ast.Lambda) or (isinstance(node, ast.For | ast.While) and self._trains_in(node)):
                return path
            if isinstance(node, FunctionNode):
                return path if self._is_called_in_training(node, 0) else None
        return None

    def _trains_in(self, loop: ast.For | ast.While) -> bool:
        trains = any(self._trains(node) for node in walk(loop) if isinstance(node, ast.Call))
        return trains or self.trains_by_hand(loop)

    def _is_called_in_training(self, function: FunctionNode, depth: int) -> bool:
        """Whether a loop that trains calls a function, or a callback is given it."""
        for call in self.reach.callers(function):
            names = self.reach.module_of(call).names
            for node in names.ancestors(call):
                if isinstance(node, FunctionNode):
                    if node.name.endswith(("_epoch_end", "_batch_end")):
                        return True
                    if depth < _DEEPEST and node is not function and self._is_called_in_training(node, depth + 1):
                        return True
                    break
                if isinstance(node, ast.For | ast.While) and self._trains_in(node):
                    return True
        for module in self.reach.holding(function.name):
            for some in self.reach.calls(module).values():
                for call in some:
                    if name_of(call.func).endswith("Callback") and any(
                        name_of(one) == function.name for one in call.args
                    ):
                        return True
        return False

    def _trains(self, call: ast.Call) -> bool:
        if name_of(call.func) in TRAINS or _TRAINS_ONE.match(name_of(call.func)):
            return True
        inside = (node for function in self.reach.functions(call) for node in walk(function))
        return any(isinstance(node, ast.Call) and name_of(node.func) in TRAINS for node in inside)


def _is_step(call: ast.Call) -> bool:
    return name_of(call.func) in _STEPS or _TRAINS_ONE.match(name_of(call.func)) is not None
