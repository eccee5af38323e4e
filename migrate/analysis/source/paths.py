"""File paths in expressions, in a normal form that makes two spellings of a path equal."""

import ast
import posixpath
import re
from collections.abc import Set
from contextlib import suppress

from migrate.analysis.source.arguments import Unbindable, bind
from migrate.analysis.source.names import Names
from migrate.files.run_cache import run_cache

_PATH_CONVERSIONS = {"str", "pathlib.Path", "pathlib.PurePath", "os.fspath", "os.path.abspath", "os.path.expanduser"}

_MODEL_FILE = re.compile(r"(?<!\.h5)(?<!\.hdf5)(?<!\.keras)\.(h5|hdf5|keras)$")


def template(
    names: Names, expression: ast.expr | None, followed: Set[ast.expr] = frozenset(), *, into_parameters: bool = True
) -> str | None:
    """Returns a path as text, with each part that is known only at run time in ``⟨`` ``⟩``; None if it may change.

    Args:
      followed: the values of the variables followed so far; a path may be computed from itself.
      into_parameters: whether to replace a parameter by the argument of its only call, and a constant that the user
        edits by its current value.
    """

    def inner(part: ast.expr, followed: Set[ast.expr] = followed) -> str | None:
        return template(names, part, followed, into_parameters=into_parameters)

    if isinstance(expression, ast.Constant):
        return expression.value if isinstance(expression.value, str) else _token(expression)
    if isinstance(expression, ast.Name):
        if not _is_assigned_once(names, expression):
            return None
        if not into_parameters and is_choice(names, expression):
            return _token(expression)
        value = names.only_value(expression) or (single_argument(names, expression) if into_parameters else None)
        text = inner(value, followed | {value}) if value is not None and value not in followed else None
        return text if text is not None else _token(expression)
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Add | ast.Div):
        sides = [inner(side) for side in (expression.left, expression.right)]
        return _join(sides, "/" if isinstance(expression.op, ast.Div) else "")
    if isinstance(expression, ast.JoinedStr):
        parts = [value.value if isinstance(value, ast.FormattedValue) else value for value in expression.values]
        return _join([inner(part) for part in parts], "")
    if isinstance(expression, ast.Call):
        return _path_of_call(names, expression, [inner(argument) for argument in expression.args])
    is_item = isinstance(expression, ast.Subscript) and isinstance(expression.slice, ast.Constant)
    if isinstance(expression, ast.Attribute) or (is_item and isinstance(expression.slice.value, str)):  # type: ignore[union-attr]
        assert isinstance(expression, ast.Attribute | ast.Subscript)
        base = expression.value
        while isinstance(base, ast.Attribute | ast.Subscript):
            base = base.value
        is_plain = isinstance(base, ast.Name) and _is_assigned_once(names, base)
        return _token(expression) if is_plain else None
    return None


def _is_assigned_once(names: Names, name: ast.Name) -> bool:
    """Whether a variable is assigned exactly once in its module."""
    return len(names.bindings(name)) == 1


def is_choice(names: Names, name: ast.Name) -> bool:
    """Whether a variable is a constant that the user edits: a file name, or one of several values that the code lists.

    ``weights = "run1.h5"``; ``model = "unet"``, where ``if model == "fcn":`` or ``MODELS[model]`` reads it.
    """
    held = names.only_value(name)
    if isinstance(held, ast.Constant) and _MODEL_FILE.search(str(held.value)):
        return True
    for use in names.reads_of(name) if isinstance(held, ast.Constant) else ():
        above = names.parent(use)
        if isinstance(above, ast.Subscript) and above.slice is use:
            return True
        if isinstance(above, ast.Compare) and any(
            isinstance(one, ast.Constant) and one.value for one in ast.walk(above)
        ):
            return True
    return False


def single_argument(names: Names, name: ast.Name) -> ast.expr | None:
    """Returns a parameter's argument if every call of the function is in the file and passes the same; else None."""
    first = next((one.node for one in names.bindings(name)), None)
    function = names.scope_of(first).node if isinstance(first, ast.arg) else None
    if not isinstance(function, ast.FunctionDef):
        return None
    uses = names.uses(function.name, names.scope_of(function))
    given = [_call_arguments(names, use, function).get(name.id) for use in uses]
    known = [one for one in given if one is not None]
    is_one = bool(known) and len({ast.unparse(one) for one in known}) == 1 and len(known) == len(given)
    return known[0] if is_one and (len(known) == 1 or all(_reads_top_level_only(names, one) for one in known)) else None


def _call_arguments(names: Names, use: ast.expr, function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Returns the arguments by parameter if a use of a function is a readable call; else {}."""
    call = names.parent(use)
    with suppress(Unbindable):
        if isinstance(call, ast.Call) and call.func is use:
            return bind(call, [argument.arg for argument in function.args.args])
    return {}


def _reads_top_level_only(names: Names, value: ast.expr) -> bool:
    """Whether an expression reads only variables of the module's top level."""
    read = (node for node in ast.walk(value) if isinstance(node, ast.Name))
    return all((found := names.scope_of(one).lookup(one.id)) is not None and found[0] is names.top for one in read)


def _path_of_call(names: Names, call: ast.Call, inner: list[str | None]) -> str | None:
    qualified = names.qualified(call.func) or (call.func.id if isinstance(call.func, ast.Name) else "")
    if call.keywords or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    if qualified in ("os.path.join", "tensorflow.io.gfile.join"):
        return _join(inner, "/")
    if qualified == "os.path.dirname" and len(inner) == 1 and inner[0] is not None:
        return posixpath.dirname(inner[0])
    return inner[0] if qualified in _PATH_CONVERSIONS and len(inner) == 1 else None


def _join(parts: list[str | None], between: str) -> str | None:
    texts = [part for part in parts if part is not None]
    if len(texts) != len(parts):
        return None
    return posixpath.join(*texts) if between and texts else "".join(texts)


def _token(node: ast.expr) -> str:
    return f"⟨{ast.unparse(node).replace('/', '∕')}⟩"


@run_cache
def normalize(path: str) -> str:
    """Returns a path without ``./`` and doubled slashes; "" stays ""."""
    return posixpath.normpath(path) if path else path


def directory(path: str) -> str:
    """Returns the directory of a path; "." for a bare file name."""
    return normalize(posixpath.dirname(path) or ".")
