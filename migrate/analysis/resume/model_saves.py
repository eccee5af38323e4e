"""The files that a program saves its models to."""

import ast
from collections.abc import Sequence
from functools import cached_property

from migrate.analysis.calls.reach import CHECKPOINT, Reach
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.values.origins import Origins
from migrate.analysis.values.path_parts import PathParts, may_be_of

METHODS = ("save", "save_weights", "write")
_CALLBACKS = ("ModelCheckpoint", "CheckpointManager")
_PATHS = ("filepath", "path", "filename", "file_prefix", "directory", "model_path", "checkpoint_path", "weights_path")
_NOT_MODELS = {
    *("np", "numpy", "plt", "pd", "image", "img", "fig", "figure"),
    *("torch", "joblib", "wb", "workbook", "writer"),
}
"""Names before ``.save`` of objects that are no models."""


def path_argument(call: ast.Call) -> ast.expr | None:
    """Returns the file argument of a call that saves or loads; None for none."""
    by_name = next((one.value for one in call.keywords if one.arg in _PATHS), None)
    place = 1 if name_of(call.func) == "CheckpointManager" or _is_function(call) else 0
    given = by_name if by_name is not None or len(call.args) <= place else call.args[place]
    return None if isinstance(given, ast.Starred) else given


def model_of_save(call: ast.Call) -> ast.expr | None:
    """Returns the model that a call saves: the object of the method, or the first argument of the function."""
    if _is_function(call):
        return next((one for one in call.args if not isinstance(one, ast.Starred)), None)
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def _is_function(call: ast.Call) -> bool:
    """Whether a call is ``keras.models.save_model`` or ``tf.saved_model.save``, whose first argument is the model."""
    held = call.func.value if isinstance(call.func, ast.Attribute) else None
    return name_of(call.func) == "save_model" or (held is not None and name_of(held) == "saved_model")


class ModelSaves:
    """Finds the calls of a program that save models, and their files."""

    def __init__(self, reach: Reach) -> None:
        self.reach, self.origins = reach, reach.search(Origins)
        self._paths: dict[ast.Call, list[PathParts]] = {}

    @cached_property
    def calls(self) -> list[ast.Call]:
        """The calls of the program that save a model, or create a callback which does."""
        words = (*METHODS, *_CALLBACKS, "save_model")
        found = []
        for module in self.reach.files_with(*words):
            for name, calls in self.reach.calls(module).items():
                if name.endswith("ModelCheckpoint") or name in ("CheckpointManager", "save_model"):
                    found += calls
                elif name in METHODS:
                    found += [one for one in calls if isinstance(one.func, ast.Attribute) and not _no_model(one.func)]
        return found

    def paths(self, call: ast.Call) -> list[PathParts]:
        """Returns the parts of each path that a call which saves or loads may get."""
        path = path_argument(call)
        if call not in self._paths:
            module = self.reach.module_of(call)
            self._paths[call] = self.origins.of_paths(module, path) if path is not None else []
        return self._paths[call]

    def of(self, loaded: Sequence[PathParts]) -> list[ast.Call]:
        """Returns the calls that may save one of the loaded files."""
        places = [one.places for one in loaded]
        if None in places:
            near = [*range(len(self.calls))]
        else:
            known = {number for one in places for place in one or () for number in self._indices.get(place, ())}
            near = sorted(known.union(self._indices.get(None, ())))
        return [one for one in (self.calls[number] for number in near) if may_be_of(self.paths(one), loaded)]

    @cached_property
    def _indices(self) -> dict[tuple[str, str] | None, list[int]]:
        """The indices of the calls by the places of their files; under None those whose place is not certain."""
        found: dict[tuple[str, str] | None, list[int]] = {}
        for number, call in enumerate(self.calls):
            for place in {place for one in self.paths(call) for place in one.places or (None,)}:
                found.setdefault(place, []).append(number)
        return found


def _no_model(method: ast.Attribute) -> bool:
    """Whether a method saves a picture, a table or a text."""
    is_text = method.attr == "write" and not CHECKPOINT.search(ast.unparse(method.value))
    return is_text or name_of(method.value) in _NOT_MODELS
