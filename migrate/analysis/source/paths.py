"""File paths as a program spells them, in one form, so that two spellings of a path are equal."""

import ast
import posixpath
import re
from collections.abc import Set
from contextlib import suppress

from migrate.analysis.source.arguments import Unbindable, bind
from migrate.analysis.source.names import Names
from migrate.files.run_cache import run_cache

_SAME = {"str", "pathlib.Path", "pathlib.PurePath", "os.fspath", "os.path.abspath", "os.path.expanduser"}

_FILE = re.compile(r"(?<!\.h5)(?<!\.hdf5)(?<!\.keras)\.(h5|hdf5|keras)$")


def template(
    names: Names, expression: ast.expr | None, followed: Set[ast.expr] = frozenset(), *, into_parameters: bool = True
) -> str | None:
    """A path as text, with each part that only the program knows between ``⟨`` and ``⟩``; None where it may change.

    Args:
      followed: what variables on the way here hold; a path may be made from itself.
      into_parameters: whether a parameter is what the one call in this file gives it, and a constant that the user
        chooses what it is now.
    """

    def inner(part: ast.expr, followed: Set[ast.expr] = followed) -> str | None:
        return template(names, part, followed, into_parameters=into_parameters)

    if isinstance(expression, ast.Constant):
        return expression.value if isinstance(expression.value, str) else _token(expression)
    if isinstance(expression, ast.Name):
        if not _is_steady(names, expression):
            return None
        if not into_parameters and is_choice(names, expression):
            return _token(expression)
        value = names.only_value(expression) or (single_argument(names, expression) if into_parameters else None)
        text = inner(value, followed | {value}) if value is not None and value not in followed else None
        return text if text is not None else _token(expression)
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Add | ast.Div):
        sides = [inner(side) for side in (expression.left, expression.right)]
        return _joined(sides, "/" if isinstance(expression.op, ast.Div) else "")
    if isinstance(expression, ast.JoinedStr):
        parts = [value.value if isinstance(value, ast.FormattedValue) else value for value in expression.values]
        return _joined([inner(part) for part in parts], "")
    if isinstance(expression, ast.Call):
        return _call(names, expression, [inner(argument) for argument in expression.args])
    is_item = isinstance(expression, ast.Subscript) and isinstance(expression.slice, ast.Constant)
    if isinstance(expression, ast.Attribute) or (is_item and isinstance(expression.slice.value, str)):  # type: ignore[union-attr]
        assert isinstance(expression, ast.Attribute | ast.Subscript)
        base = expression.value
        while isinstance(base, ast.Attribute | ast.Subscript):
            base = base.value
        is_plain = isinstance(base, ast.Name) and _is_steady(names, base)
        return _token(expression) if is_plain else None
    return None


def _is_steady(names: Names, name: ast.Name) -> bool:
    """Whether a variable has one value while the program runs, as far as its module shows."""
    return len(names.bound(name)) == 1


def is_choice(names: Names, name: ast.Name) -> bool:
    """Whether a variable holds a constant that its user edits: a file's name, or one of several that the program knows.

    ``weights = "run1.h5"``; ``model = "unet"``, where ``if model == "fcn":`` or ``MODELS[model]`` reads it.
    """
    held = names.only_value(name)
    if isinstance(held, ast.Constant) and _FILE.search(str(held.value)):
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
    """What a parameter is given, if all calls of its function are seen in the file and give it the same."""
    first = next((one.node for one in names.bound(name)), None)
    function = names.scope_of(first).node if isinstance(first, ast.arg) else None
    if not isinstance(function, ast.FunctionDef):
        return None
    given = [_given(names, use, function).get(name.id) for use in names.uses(function.name, names.scope_of(function))]
    known = [one for one in given if one is not None]
    is_one = bool(known) and len({ast.unparse(one) for one in known}) == 1 and len(known) == len(given)
    return known[0] if is_one and (len(known) == 1 or all(_is_of_file(names, one) for one in known)) else None


def _given(names: Names, use: ast.expr, function: ast.FunctionDef) -> dict[str, ast.expr]:
    """What a use of a function gives its parameters; nothing where it is no call that is seen."""
    call = names.parent(use)
    with suppress(Unbindable):
        if isinstance(call, ast.Call) and call.func is use:
            return bind(call, [argument.arg for argument in function.args.args])
    return {}


def _is_of_file(names: Names, value: ast.expr) -> bool:
    """Whether an expression means the same wherever it stands in the file."""
    read = (node for node in ast.walk(value) if isinstance(node, ast.Name))
    return all((found := names.scope_of(one).lookup(one.id)) is not None and found[0] is names.top for one in read)


def _call(names: Names, call: ast.Call, inner: list[str | None]) -> str | None:
    qualified = names.qualified(call.func) or (call.func.id if isinstance(call.func, ast.Name) else "")
    if call.keywords or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    if qualified in ("os.path.join", "tensorflow.io.gfile.join"):
        return _joined(inner, "/")
    if qualified == "os.path.dirname" and len(inner) == 1 and inner[0] is not None:
        return posixpath.dirname(inner[0])
    return inner[0] if qualified in _SAME and len(inner) == 1 else None


def _joined(parts: list[str | None], between: str) -> str | None:
    texts = [part for part in parts if part is not None]
    if len(texts) != len(parts):
        return None
    return posixpath.join(*texts) if between and texts else "".join(texts)


def _token(node: ast.expr) -> str:
    return f"⟨{ast.unparse(node).replace('/', '∕')}⟩"


@run_cache
def normal(path: str) -> str:
    """A path without ``./``, doubled slashes and the like."""
    return posixpath.normpath(path) if path else path


def directory(path: str) -> str:
    """The directory of a path, "." for a bare file name."""
    return normal(posixpath.dirname(path) or ".")
