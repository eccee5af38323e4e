"""The files that a program saves its models to."""

import ast
from collections.abc import Sequence
from functools import cached_property

from migrate.analysis.calls.reach import CHECKPOINT, Reach
from migrate.analysis.resume.origins import Origins
from migrate.analysis.resume.path_parts import PathParts, may_be_of
from migrate.analysis.source.path_searches import name_of

METHODS = ("save", "save_weights", "write")
_CALLBACKS = ("ModelCheckpoint", "CheckpointManager")
_PATHS = ("filepath", "path", "filename", "file_prefix", "directory", "model_path", "checkpoint_path", "weights_path")
_OF_OTHERS = {
    *("np", "numpy", "plt", "pd", "image", "img", "fig", "figure"),
    *("torch", "joblib", "wb", "workbook", "writer"),
}
"""What is called before ``.save`` where it is no model."""


def path_argument(call: ast.Call) -> ast.expr | None:
    """Returns what a call that saves or loads is given as the file."""
    by_name = next((one.value for one in call.keywords if one.arg in _PATHS), None)
    place = 1 if name_of(call.func) == "CheckpointManager" or _is_function(call) else 0
    given = by_name if by_name is not None or len(call.args) <= place else call.args[place]
    return None if isinstance(given, ast.Starred) else given


def model_of_save(call: ast.Call) -> ast.expr | None:
    """Returns the model that a call saves: what its method is called on, or a function's first argument."""
    if _is_function(call):
        return next((one for one in call.args if not isinstance(one, ast.Starred)), None)
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def _is_function(call: ast.Call) -> bool:
    """Whether it is ``keras.models.save_model`` or ``tf.saved_model.save``, which take the model first."""
    held = call.func.value if isinstance(call.func, ast.Attribute) else None
    return name_of(call.func) == "save_model" or (held is not None and name_of(held) == "saved_model")


class ModelSaves:
    """Finds what a program saves, and where."""

    def __init__(self, reach: Reach) -> None:
        self.reach, self.origins = reach, reach.search(Origins)
        self._paths: dict[ast.Call, list[PathParts]] = {}

    @cached_property
    def calls(self) -> list[ast.Call]:
        """The calls of the program that save a model, or that make a callback which does."""
        words = (*METHODS, *_CALLBACKS, "save_model")
        found = []
        for module in self.reach.files_with(*words):
            for name, calls in self.reach.calls(module).items():
                if name.endswith("ModelCheckpoint") or name in ("CheckpointManager", "save_model"):
                    found += calls
                elif name in METHODS:
                    found += [one for one in calls if isinstance(one.func, ast.Attribute) and not _is_other(one.func)]
        return found

    def paths(self, call: ast.Call) -> list[PathParts]:
        """Returns what each path is made of that a call which saves or loads may be given."""
        path = path_argument(call)
        if call not in self._paths:
            module = self.reach.module_of(call)
            self._paths[call] = self.origins.of_paths(module, path) if path is not None else []
        return self._paths[call]

    def of(self, loaded: Sequence[PathParts]) -> list[ast.Call]:
        """Returns the calls that may save what is loaded."""
        places = [one.places for one in loaded]
        if None in places:
            near = [*range(len(self.calls))]
        else:
            known = {number for one in places for place in one or () for number in self._at_place.get(place, ())}
            near = sorted(known.union(self._at_place.get(None, ())))
        return [one for one in (self.calls[number] for number in near) if may_be_of(self.paths(one), loaded)]

    @cached_property
    def _at_place(self) -> dict[tuple[str, str] | None, list[int]]:
        """The numbers of the calls by the places of the files that they save; None for those that fit others too."""
        found: dict[tuple[str, str] | None, list[int]] = {}
        for number, call in enumerate(self.calls):
            for place in {place for one in self.paths(call) for place in one.places or (None,)}:
                found.setdefault(place, []).append(number)
        return found


def _is_other(method: ast.Attribute) -> bool:
    """Whether what a method saves is a picture, a table or a text."""
    is_text = method.attr == "write" and not CHECKPOINT.search(ast.unparse(method.value))
    return is_text or name_of(method.value) in _OF_OTHERS
