"""Models that a program saves whole: the literals in which their paths end, and what else reads those paths."""

import ast
import os
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field

from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.path_searches import name_of
from migrate.analysis.paths import only_given, template
from migrate.analysis.resume.branches import are_alternatives
from migrate.analysis.symbols import symbol_of

LOADS = ("keras.models.load_model", "keras.saving.load_model")
_SAVES = ("keras.models.save_model", "keras.saving.save_model")
_JOINS = ("os.path.join", "tensorflow.io.gfile.join")
_SAME = ("str", "pathlib.Path", "pathlib.PurePath", "os.fspath", "os.path.abspath", "os.path.expanduser")
_TOLD = ("print", "info", "debug", "warning")
_DEEPEST = 8


@dataclass
class PathEnd:
    """What a path ends in.

    Attributes:
      literals: the constants and f-strings that end it, each once; several, where branches give several.
      paths: by how ``paths.template`` spells it, each path that one of them ends.
      chain: all expressions that led to them.
      problem: why its end is not known, in words; "" where it is.
    """

    literals: list[ast.expr] = field(default_factory=list)
    paths: dict[str, ast.expr] = field(default_factory=dict)
    chain: set[ast.AST] = field(default_factory=set)
    problem: str = ""


@dataclass(frozen=True)
class Save:
    """A call that saves a model whole.

    Attributes:
      call: the call.
      model: what is saved.
      path: where.
      others: the names of the other arguments.
    """

    call: ast.Call
    model: ast.expr
    path: ast.expr
    others: tuple[str, ...]


def saves(module: Module) -> Iterator[Save]:
    """The calls ``model.save(path)`` and ``save_model(model, path)`` of a file, whatever the model is."""
    for call in module.names.nodes(ast.Call):
        found = symbol_of(module.names, call.func)
        is_function = found is not None and found.tail in _SAVES
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


def end_of(names: Names, path: ast.expr) -> PathEnd:
    """What a path ends in, through variables, parameters and functions of the file that keep the end."""
    found = PathEnd()
    _follow(names, path, path, found, 0)
    return found


def _follow(names: Names, path: ast.expr, whole: ast.expr, found: PathEnd, depth: int) -> None:
    found.chain.add(path)
    if depth > _DEEPEST:
        found.problem = "what it ends in is not seen"
    elif (isinstance(path, ast.Constant) and isinstance(path.value, str)) or _is_ended_f_string(path):
        known = template(names, whole)
        if known is None:
            found.problem = "it may change as the program runs"
            return
        found.literals += [path] if path not in found.literals else []
        found.paths[known] = whole
    elif isinstance(path, ast.Name):
        values = _given_to(names, path)
        found.problem = found.problem or ("" if values else f"what `{path.id}` ends in is not seen")
        for value in values:
            _follow(names, value, value if whole is path or len(values) > 1 else whole, found, depth + 1)
    elif isinstance(path, ast.IfExp):
        for one in (path.body, path.orelse):
            _follow(names, one, one if whole is path else whole, found, depth + 1)
    elif isinstance(path, ast.BinOp) and isinstance(path.op, ast.Add | ast.Div):
        _follow(names, path.right, whole, found, depth + 1)
    elif isinstance(path, ast.Call) and path.args and not path.keywords:
        called = names.qualified(path.func) or name_of(path.func)
        if called in _JOINS or called in _SAME:
            _follow(names, path.args[-1], whole, found, depth + 1)
        elif keeps_end(names, path):
            _follow(names, path.args[0], path.args[0], found, depth + 1)
        else:
            found.problem = f"what `{name_of(path.func)}` makes of a path is not seen"
    else:
        found.problem = "what it ends in is not seen"


def _is_ended_f_string(path: ast.expr) -> bool:
    return isinstance(path, ast.JoinedStr) and bool(path.values) and isinstance(path.values[-1], ast.Constant)


def _given_to(names: Names, name: ast.Name) -> list[ast.expr]:
    """What a variable may hold: its only value, what branches of a test give it, or the one call its parameter."""
    value = names.only_value(name) or only_given(names, name)
    return [value] if value is not None else given_in_branches(names, name)


def given_in_branches(names: Names, path: ast.expr) -> list[ast.expr]:
    """What the two branches of a test above give a variable that nothing else gives later; none for another one."""
    given = [one for one in names.bound(path) if one.value is not None] if isinstance(path, ast.Name) else []
    above = sorted((one for one in given if one.node.lineno < path.lineno), key=lambda one: one.node.lineno)  # type: ignore[attr-defined]
    others = [one for one in above[:-1] if are_alternatives(names, one.node, above[-1].node)]
    return [one.value for one in [*others, above[-1]] if one.value is not None] if others else []


def keeps_end(names: Names, call: ast.Call) -> bool:
    """Whether a function of the file gives a path that ends as its first argument: ``write_filepath``."""
    function = names.definition(call.func) if isinstance(call.func, ast.Name) else None
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
    """Whether a path ends as a parameter does, the base name of it included."""
    if isinstance(value, ast.Name):
        held = names.only_value(value)
        return value.id == parameter or (held is not None and _is_end(names, held, parameter))
    if isinstance(value, ast.IfExp):
        return _is_end(names, value.body, parameter) and _is_end(names, value.orelse, parameter)
    if isinstance(value, ast.Call) and value.args and not value.keywords:
        called = names.qualified(value.func)
        return (called in _JOINS or called == "os.path.basename") and _is_end(names, value.args[-1], parameter)
    return False


def other_uses(names: Names, chain: set[ast.AST], *, keeps_folder: bool) -> Iterator[ast.Name]:
    """The uses of a path's variables for which another end of it is another path.

    Args:
      names: the module's names.
      chain: the expressions that make the path.
      keeps_folder: whether its folder stays what ``os.path.dirname`` says it is.
    """
    for name in [node for node in chain if isinstance(node, ast.Name)]:
        for use in names.reads_of(name):
            above = names.parent(use)
            is_folder = isinstance(above, ast.Call) and names.qualified(above.func) == "os.path.dirname"
            if use not in chain and not (is_folder and keeps_folder) and not is_told(names, use):
                yield use


def is_told(names: Names, use: ast.AST) -> bool:
    """Whether a value is only printed or logged."""
    for above in names.ancestors(use):
        if isinstance(above, ast.Call):
            return name_of(above.func) in _TOLD
        if isinstance(above, ast.stmt):
            return False
    return False


def is_behind(names: Names, save: ast.Call, load: ast.Call) -> bool:
    """Whether a load of the same file reads what a save of the same start wrote: it stands behind it, in its block."""
    block = names.parent(names.statement_of(save))
    is_later = (save.lineno, save.col_offset) < (load.lineno, load.col_offset)
    return is_later and names.scope_of(save) is names.scope_of(load) and block in names.ancestors(load)


def name_in(path: str) -> str:
    """The last part of a path as ``paths.template`` spells it; "" where it is not known."""
    name = posixpath.basename(path.rstrip("/"))
    return "" if "⟨" in name or "⟩" in name else name


def beside(path: str) -> Iterator[str]:
    """The other Python files and notebooks of a file's directory, absolute."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.exists(path):
        for name in sorted(os.listdir(folder)):
            if name.endswith((".py", ".ipynb")) and name != os.path.basename(path):
                yield os.path.join(folder, name)
