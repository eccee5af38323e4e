"""Where a program lists a directory in a way that a new one inside it would disturb."""

import ast
from collections.abc import Collection, Iterator
from functools import lru_cache

from migrate.analysis.arguments import literal
from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.path_searches import name_of
from migrate.analysis.paths import directory, normal, template
from migrate.files.parse import KEPT

LISTS = {"listdir", "scandir", "iterdir", "list_directory", "ListDirectory", "walk"}
_SELECTS = {"endswith", "isfile", "is_file", "fnmatch", "match", "fullmatch"}


def listings(module: Module, saved: str, inside: Collection[ast.Call] = ()) -> Iterator[ast.Call]:
    """The calls that list the directory of what a program saves, where what they find is taken without a look at names.

    Args:
      module: the file.
      saved: the path that its callback writes, as ``paths.template`` gives it; "" where that is not known.
      inside: calls in whose functions any directory that is listed may be the one.
    """
    folder = directory(saved) if saved else None
    any_in = {_function(module, call) for call in inside}
    for node in _all_listings(module.names):
        around = _function(module, node)
        if folder in (None, _listed(module, node)) or around in any_in:
            parts = (part for part in ast.walk(around) if isinstance(part, ast.Call) and _selects(module, part))
            if not any(_function(module, part) is around for part in parts):
                yield node


def _function(module: Module, node: ast.AST) -> ast.AST:
    """The function that a node stands in, or the module; comprehensions and lambdas are parts of it."""
    around = module.names.scope_of(node)
    inner = ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp | ast.Lambda
    while isinstance(around.node, inner) and around.parent is not None:
        around = around.parent
    return around.node


def _listed(module: Module, call: ast.Call) -> str | None:
    """The directory that is listed."""
    held = call.func.value if isinstance(call.func, ast.Attribute) and not call.args else None
    path = template(module.names, call.args[0] if call.args else held) if call.args or held is not None else "."
    if path is None:
        return None
    return directory(path) if "*" in path else normal(path or ".")


@lru_cache(maxsize=KEPT)
def _all_listings(names: Names) -> list[ast.Call]:
    """The calls of a file that list a directory, whichever; each of its trainings asks."""
    return [call for call in names.nodes(ast.Call) if _is_listing(call)]


def _is_listing(call: ast.Call) -> bool:
    name = name_of(call.func)
    if name not in ("glob", "iglob"):
        return name in LISTS
    texts = [str(literal(part)) for part in ast.walk(call) if isinstance(part, ast.Constant)]
    return any(text.rpartition("/")[2] in ("*", "**") for text in texts)


def _selects(module: Module, call: ast.Call) -> bool:
    """Whether a call tells names apart, and is not taken to have found something: ``match(…).group(1)``."""
    return name_of(call.func) in _SELECTS and not isinstance(module.names.parent(call), ast.Attribute)
