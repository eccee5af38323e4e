"""Whether a ``ModelCheckpoint`` by which a program resumed has another use, too."""

import ast

from migrate.analysis.arguments import literal
from migrate.analysis.module import Module
from migrate.analysis.paths import directory, is_written_to, template
from migrate.analysis.resume.resumption import Resume

_READERS = {"load_weights", "load_model", "copy", "open", "latest_checkpoint"}


def saver_stays(module: Module, resume: Resume, going: set[ast.AST]) -> bool:
    """Whether the callback keeps the best model, or something else needs it or its file.

    Args:
      module: the file.
      resume: how it resumes.
      going: all that goes from the file.
    """
    names, saver = module.names, resume.saver
    best = saver.arguments.get("save_best_only")
    if best is not None and literal(best) is not False:
        return True
    element = saver.element
    if isinstance(element, ast.Name) and not all(use in resume.fit.callbacks for use in module.names.reads_of(element)):
        return True
    path = saver.arguments["filepath"]
    if isinstance(path, ast.Name):
        others = [use for use in module.names.reads_of(path) if use not in going]
        if any(_reads_file(module, resume, use) for use in others):
            return True
    for node in names.nodes(ast.Call):
        if node not in going and node.args:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            given = template(names, node.args[0])
            if name in _READERS and given is not None and _is_read_from(given, saver.path):
                return True
    return False


def _reads_file(module: Module, resume: Resume, use: ast.Name) -> bool:
    """Whether a use of the path is another than giving it to the callback or making its directory."""
    nodes = [node for node in module.names.ancestors(use) if isinstance(node, ast.Call)]
    return not any(node is resume.saver.call or ast.unparse(node.func).endswith("dirname") for node in nodes)


def _is_read_from(path: str, saved: str) -> bool:
    return is_written_to(path, saved) or directory(saved) == directory(f"{path}/x")
