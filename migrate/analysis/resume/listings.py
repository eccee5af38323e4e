"""Whether a program that stays lists a directory in a way that a new one inside it would disturb."""

import ast

from migrate.analysis.arguments import literal
from migrate.analysis.module import Module
from migrate.analysis.paths import directory, normal, template
from migrate.analysis.searches import name_of

_LISTS = {"listdir", "scandir", "iterdir", "list_directory", "ListDirectory", "walk"}
_SELECTS = {"endswith", "isfile", "is_file", "fnmatch", "match", "fullmatch"}


def lists_all(module: Module, saved: str) -> bool:
    """Whether a file lists the directory of what it saves, and takes what it finds without a look at the names.

    Args:
      module: the file.
      saved: the path that its callback writes, as ``paths.template`` gives it; "" where that is not known.
    """
    folder = directory(saved) if saved else None
    for node in module.names.nodes(ast.Call):
        if _is_listing(node) and folder in (None, _listed(module, node)):
            around = _function(module, node)
            parts = (part for part in ast.walk(around) if isinstance(part, ast.Call) and _selects(module, part))
            if not any(_function(module, part) is around for part in parts):
                return True
    return False


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


def _is_listing(call: ast.Call) -> bool:
    if name_of(call.func) in _LISTS:
        return True
    texts = [str(literal(part)) for part in ast.walk(call) if isinstance(part, ast.Constant)]
    return name_of(call.func) in ("glob", "iglob") and any(text.rpartition("/")[2] in ("*", "**") for text in texts)


def _selects(module: Module, call: ast.Call) -> bool:
    """Whether a call tells names apart, and is not taken to have found something: ``match(…).group(1)``."""
    return name_of(call.func) in _SELECTS and not isinstance(module.names.parent(call), ast.Attribute)
