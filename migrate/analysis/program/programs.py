"""The files that the programs of a module reach."""

import ast
import os
from functools import reduce
from operator import or_

from migrate.analysis.program.facts import facts, imported_in
from migrate.analysis.program.links import Link
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.imports import Target
from migrate.analysis.source.module import Module
from migrate.files.sources import NOTEBOOK

_BY_CALL = {
    "__import__": "__import__",
    "import_module": "importlib.import_module",
    "SourceFileLoader": "importlib.machinery.SourceFileLoader",
    "spec_from_file_location": "importlib.util.spec_from_file_location",
    "load_source": "imp.load_source",
    "locate": "pydoc.locate",
    "resolve_name": "pkgutil.resolve_name",
}
"""What imports a file that no statement names, by its last word."""


def files_of_programs(module: Module, tree: Tree) -> tuple[str, ...]:
    """The other files, absolute, that the migration of a module's programs would change, or has to look at."""
    tree.keep(module)
    is_maker = bool(module.estimator_uses) or module.uses_library
    paths = tree.graph.paths(tree.changing_files(module)) if is_maker else []
    if module.estimator_uses:
        users = tree.importers(module, "estimator") if module.is_tied else []
        paths += [path for path in users if facts(path).names_api]
        # One that trains may say, by TensorFlow 1's names, which TensorFlow all of them are for.
        trainers = [path for path in tree.importers(module, "train") if facts(path).changes]
        changing = [tree.changing_files_at(path) for path in trainers if not facts(path).problem]
        paths += [*trainers, *tree.graph.paths(reduce(or_, changing, 0))]
        paths += [link.target.path for link in imported_model_fns(module, tree)]
    paths += trained_unseen(module, tree)
    found = dict.fromkeys(paths)
    found.pop(os.path.abspath(module.path), None)
    return tuple(found)


def may_be_reached(module: Module, tree: Tree) -> bool:
    """Whether the programs of other files may need a file changed: it holds such names, and something imports it."""
    known = facts(os.path.abspath(module.path))
    return (known.changes or known.has_ambiguous_names) and tree.seems_imported(module)


def imported_model_fns(module: Module, tree: Tree) -> list[Link]:
    """The imports by which those that import a file that makes estimators bring in what they hand to it: a model_fn.

    What they bring in names the Estimator API too and makes no estimator, or is for TensorFlow 1, beside one that does:
    the layers of the model_fn. They themselves may not name the API: those for TensorFlow 1 hand in what they define, a
    model_fn by a decorator. What a file imports by a call, its own or one of what it imports, may be any file near it
    that names the API, and ``package.model`` the file beside it where no such package is there.
    """
    found: list[Link] = []
    if module.names_estimator:
        own = os.path.abspath(module.path)
        unseen = tree.near(module) if _imports_as_it_runs(module, tree) else _files_named_like_imports(module, tree)
        paths = [path for path in unseen if _may_hold_model_fn(path, tree)]
        found += [Link(own, Target(path, os.path.dirname(own), ()), 1) for path in paths]
        found += tree.changing(*map(tree.module, paths)) if paths else []
    for path in tree.importers(module) if module.names_estimator else ():
        if not path.endswith(NOTEBOOK) and not facts(path).problem:
            links = [link for link in tree.closure_of(path) if not facts(link.target.path).problem]
            handed = [link for link in links if _may_hold_model_fn(link.target.path, tree)]
            found += handed
            if _is_helper(path, tree):
                found += [Link(path, Target(path, os.path.dirname(path), ()), 1), *tree.changing(tree.module(path))]
            found += [link for link in links if handed and _is_helper(link.target.path, tree)]
    return found


def _imports_as_it_runs(module: Module, tree: Tree) -> bool:
    calling = (link.target.path for link in tree.closure(module) if tree.holds(link.target.path, *_BY_CALL))
    others = (tree.module(path) for path in calling if not facts(path).problem)
    return _imports_by_a_call(module) or any(map(_imports_by_a_call, others))


def _imports_by_a_call(module: Module) -> bool:
    if not any(word in module.text for word in _BY_CALL):
        return False
    called = [call.func for call in module.names.nodes(ast.Call)]
    is_builtin = any(isinstance(name, ast.Name) and name.id == "__import__" for name in called)
    return is_builtin or any(module.names.qualified(name) in _BY_CALL.values() for name in called)


def _files_named_like_imports(module: Module, tree: Tree) -> list[str]:
    """The files beside a file that it imports as those of a package: the folder has another name where it is used."""
    directory, seen = os.path.dirname(os.path.abspath(module.path)), {one.target.path for one in tree.closure(module)}
    absolute = [dotted for dotted, _ in imported_in(module.tree) if not dotted.startswith((".", "tensorflow"))]
    parts = dict.fromkeys(part for dotted in absolute for part in dotted.split(".")[1:])
    paths = [os.path.join(directory, f"{part}.py") for part in parts]
    return [path for path in paths if path not in seen and os.path.isfile(path)]


def _may_hold_model_fn(path: str, tree: Tree) -> bool:
    return facts(path).ties and not tree.module(path).names_estimator


def _is_helper(path: str, tree: Tree) -> bool:
    return facts(path).needs_tf1 and not facts(path).ties and not tree.module(path).names_estimator


def trained_unseen(module: Module, tree: Tree) -> list[str]:
    """The files near one that makes no estimator and configures or trains one, which it may import unseen.

    An import by a call may lead to each of them, and one of a package that is not there to those of its name.
    """
    if not module.lacks_estimator:
        return []
    linked = [path for path in tree.graph.paths(tree.changing_files(module)) if not facts(path).problem]
    if any(tree.module(path).names_estimator for path in linked):
        return []
    if _imports_as_it_runs(module, tree):
        return tree.near(module)
    missing = [dotted for dotted, _ in imported_in(module.tree) if not tree.target(module, dotted)]
    parts = {part for dotted in missing if dotted.partition(".")[0] != "tensorflow" for part in dotted.split(".")}
    return [path for path in tree.near(module) if os.path.splitext(os.path.basename(path))[0] in parts]
