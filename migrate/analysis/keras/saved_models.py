"""The calls that save a whole model, and the strings of their paths."""

import ast
import os
from collections.abc import Collection, Iterator

from migrate.analysis.source.module import Module
from migrate.analysis.source.names import Names
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.symbols import symbol_of
from migrate.records import dataclass

LOADERS = ("keras.models.load_model", "keras.saving.load_model")
_SAVERS = ("keras.models.save_model", "keras.saving.save_model")
_JOIN_FUNCTIONS = ("os.path.join", "tensorflow.io.gfile.join")
_LOGGING_FUNCTIONS = ("print", "info", "debug", "warning")


@dataclass(frozen=True)
class Save:
    """A call that saves a whole model.

    Attributes:
      others: the names of the other arguments.
    """

    call: ast.Call
    model: ast.expr
    path: ast.expr
    others: tuple[str, ...]


def model_saves(module: Module) -> Iterator[Save]:
    """Yields the calls ``model.save(path)`` and ``save_model(model, path)`` of a file, for any kind of object."""
    for call in module.names.nodes(ast.Call):
        found = symbol_of(module.names, call.func)
        is_function = found is not None and found.tail in _SAVERS
        if not is_function and not (isinstance(call.func, ast.Attribute) and call.func.attr == "save"):
            continue
        given = [*call.args] if is_function else [call.func.value, *call.args]  # type: ignore[attr-defined]
        named = {one.arg: one.value for one in call.keywords if one.arg is not None}
        model = given[0] if given else named.get("model")
        path = given[1] if len(given) > 1 else named.get("filepath")
        others = [name for name in named if name not in ("model", "filepath")]
        others += ["*"] * (len(given) > 2 or len(named) < len(call.keywords))
        if model is not None and path is not None:
            yield Save(call, model, path, tuple(others))


class SavedPath:
    """The string literal of a path, found through variables and through functions that keep the path's ending.

    Attributes:
      literal: the literal; None if the path is joined from parts, or may change.
      text: its value; "" for none.
      steps: the expressions from the path to the literal.
    """

    def __init__(self, names: Names, path: ast.expr) -> None:
        self.steps: list[ast.expr] = []
        following: ast.expr | None = path
        while following is not None and following not in self.steps and not isinstance(following, ast.Constant):
            self.steps.append(following)
            if isinstance(following, ast.Call) and _keeps_end(names, following):
                following = following.args[0]
            else:
                following = names.only_value(following)
        is_text = isinstance(following, ast.Constant) and isinstance(following.value, str)
        self.literal = following if is_text else None
        self.text = str(following.value) if is_text else ""  # type: ignore[union-attr]

    def other_uses(self, names: Names, steps: Collection[ast.expr]) -> Iterator[ast.Name]:
        """Yields the other uses of the path's variables, which would see a different path if its ending changed."""
        for name in [node for node in self.steps if isinstance(node, ast.Name)]:
            for use in names.reads_of(name):
                above = names.parent(use)
                is_folder = isinstance(above, ast.Call) and names.qualified(above.func) == "os.path.dirname"
                if use not in steps and not is_folder and not is_printed(names, use):
                    yield use


def _keeps_end(names: Names, call: ast.Call) -> bool:
    """Whether a function of the file returns a path with the ending of its first argument."""
    function = names.definition(call.func) if isinstance(call.func, ast.Name) and call.args else None
    if not isinstance(function, ast.FunctionDef) or not function.args.args or function.decorator_list:
        return False
    parameter = function.args.args[0].arg
    returned = [one.value for one in names.returns(function)]
    uses = names.uses(parameter, names.scope_of(function.args.args[0]))
    is_whole = {node for value in returned if value is not None for node in ast.walk(value)}
    are_parts = all(use in is_whole or _is_part(names, use) for use in uses)
    return bool(returned) and are_parts and all(_is_end(names, one, parameter) for one in returned)


def _is_part(names: Names, use: ast.AST) -> bool:
    above = names.parent(use)
    return isinstance(above, ast.Call) and names.qualified(above.func) in ("os.path.dirname", "os.path.basename")


def _is_end(names: Names, value: ast.expr | None, parameter: str) -> bool:
    """Whether a path ends with a parameter or its base name."""
    if isinstance(value, ast.Name):
        held = names.only_value(value)
        return value.id == parameter or (held is not None and _is_end(names, held, parameter))
    if isinstance(value, ast.IfExp):
        return _is_end(names, value.body, parameter) and _is_end(names, value.orelse, parameter)
    if isinstance(value, ast.Call) and value.args and not value.keywords:
        called = names.qualified(value.func)
        return (called in _JOIN_FUNCTIONS or called == "os.path.basename") and _is_end(names, value.args[-1], parameter)
    return False


def is_printed(names: Names, use: ast.AST) -> bool:
    for above in names.ancestors(use):
        if isinstance(above, ast.Call):
            return name_of(above.func) in _LOGGING_FUNCTIONS
        if isinstance(above, ast.stmt):
            return False
    return False


def is_after(names: Names, save: ast.Call, load: ast.Call) -> bool:
    """Whether a load follows a save in its block, so that it reads the file that the same run saved."""
    block = names.parent(names.statement_of(save))
    is_later = (save.lineno, save.col_offset) < (load.lineno, load.col_offset)
    return is_later and names.scope_of(save) is names.scope_of(load) and block in names.ancestors(load)


def siblings(path: str) -> Iterator[str]:
    """Yields the absolute paths of the other Python files and notebooks in a file's directory."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.exists(path):
        for name in sorted(os.listdir(folder)):
            if name.endswith((".py", ".ipynb")) and name != os.path.basename(path):
                yield os.path.join(folder, name)
