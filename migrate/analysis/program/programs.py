"""The other files that the programs of a module consist of."""

import ast
import os
from functools import reduce
from operator import or_

from migrate.analysis.program.facts import facts, imported_names
from migrate.analysis.program.links import Link
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.imports import Target
from migrate.analysis.source.module import Module
from migrate.files.sources import NOTEBOOK

_IMPORTERS = {
    "__import__": "__import__",
    "import_module": "importlib.import_module",
    "SourceFileLoader": "importlib.machinery.SourceFileLoader",
    "spec_from_file_location": "importlib.util.spec_from_file_location",
    "load_source": "imp.load_source",
    "locate": "pydoc.locate",
    "resolve_name": "pkgutil.resolve_name",
}
"""Functions that import a file at run time, by the last part of their names."""


def files_of_programs(module: Module, tree: Tree) -> tuple[str, ...]:
    """Returns the absolute paths of the other files that migrating a module's programs changes or examines."""
    tree.add_module(module)
    is_maker = bool(module.estimator_uses) or module.uses_library
    paths = tree.graph.paths(tree.changing_files(module)) if is_maker else []
    if module.estimator_uses:
        users = tree.importers(module, "estimator") if module.affects_importers else []
        paths += [path for path in users if facts(path).names_api]
        # A file that trains may show, by names of TensorFlow 1, which TensorFlow the program is for.
        trainers = [path for path in tree.importers(module, "train") if facts(path).changes]
        changing = [tree.changing_files_at(path) for path in trainers if not facts(path).problem]
        paths += [*trainers, *tree.graph.paths(reduce(or_, changing, 0))]
        paths += [link.target.path for link in imported_model_fns(module, tree)]
    paths += possible_makers(module, tree)
    found = dict.fromkeys(paths)
    found.pop(os.path.abspath(module.path), None)
    return tuple(found)


def may_change_for_others(module: Module, tree: Tree) -> bool:
    """Whether other programs may need changes to a file: it has such names, and some file seems to import it."""
    known = facts(os.path.abspath(module.path))
    return (known.changes or known.has_ambiguous_names) and tree.seems_imported(module)


def imported_model_fns(module: Module, tree: Tree) -> list[Link]:
    """Returns links to the files that may define a ``model_fn`` for the estimators that a file creates.

    Its importers import them: files that use the Estimator API but create no estimator and, with these, files for
    TensorFlow 1 (the layers). An importer for TensorFlow 1 may define a ``model_fn`` itself. An import at run time may
    load any nearby file that uses the API, and ``package.model`` the ``model.py`` of the same directory.
    """
    found: list[Link] = []
    if module.names_estimator:
        own = os.path.abspath(module.path)
        unseen = tree.nearby_files(module) if _imports_at_run_time(module, tree) else _same_named_files(module, tree)
        paths = [path for path in unseen if _may_hold_model_fn(path, tree)]
        found += [Link(own, Target(path, os.path.dirname(own), ()), 1) for path in paths]
        found += tree.changing_links(*map(tree.module, paths)) if paths else []
    for path in tree.importers(module) if module.names_estimator else ():
        if not path.endswith(NOTEBOOK) and not facts(path).problem:
            links = [link for link in tree.closure_of(path) if not facts(link.target.path).problem]
            model_fns = [link for link in links if _may_hold_model_fn(link.target.path, tree)]
            found += model_fns
            if _is_tf1_helper(path, tree):
                found.append(Link(path, Target(path, os.path.dirname(path), ()), 1))
                found += tree.changing_links(tree.module(path))
            found += [link for link in links if model_fns and _is_tf1_helper(link.target.path, tree)]
    return found


def _imports_at_run_time(module: Module, tree: Tree) -> bool:
    """Whether a file, or one that it imports, imports modules by a function call."""
    linked = (link.target.path for link in tree.closure(module))
    calling = (path for path in linked if tree.contains_word(path, *_IMPORTERS))
    others = (tree.module(path) for path in calling if not facts(path).problem)
    return _calls_import_function(module) or any(map(_calls_import_function, others))


def _calls_import_function(module: Module) -> bool:
    if not any(word in module.text for word in _IMPORTERS):
        return False
    called = [call.func for call in module.names.nodes(ast.Call)]
    is_builtin = any(isinstance(name, ast.Name) and name.id == "__import__" for name in called)
    return is_builtin or any(module.names.qualified(name) in _IMPORTERS.values() for name in called)


def _same_named_files(module: Module, tree: Tree) -> list[str]:
    """Returns the files of a file's directory with the names of modules that it imports from an unknown package."""
    directory, seen = os.path.dirname(os.path.abspath(module.path)), {one.target.path for one in tree.closure(module)}
    absolute = [dotted for dotted, _ in imported_names(module.tree) if not dotted.startswith((".", "tensorflow"))]
    parts = dict.fromkeys(part for dotted in absolute for part in dotted.split(".")[1:])
    paths = [os.path.join(directory, f"{part}.py") for part in parts]
    return [path for path in paths if path not in seen and os.path.isfile(path)]


def _may_hold_model_fn(path: str, tree: Tree) -> bool:
    return facts(path).ties and not tree.module(path).names_estimator


def _is_tf1_helper(path: str, tree: Tree) -> bool:
    return facts(path).needs_tf1 and not facts(path).ties and not tree.module(path).names_estimator


def possible_makers(module: Module, tree: Tree) -> list[str]:
    """Returns the files that may create the estimator which a file configures or trains, but does not create.

    If the file imports modules at run time, they are all nearby files that use the Estimator API; else those with the
    name of a module that it imports from an unknown package.
    """
    if not module.lacks_estimator:
        return []
    linked = [path for path in tree.graph.paths(tree.changing_files(module)) if not facts(path).problem]
    if any(tree.module(path).names_estimator for path in linked):
        return []
    if _imports_at_run_time(module, tree):
        return tree.nearby_files(module)
    missing = [dotted for dotted, _ in imported_names(module.tree) if not tree.target(module, dotted)]
    parts = {part for dotted in missing if dotted.partition(".")[0] != "tensorflow" for part in dotted.split(".")}
    return [path for path in tree.nearby_files(module) if os.path.splitext(os.path.basename(path))[0] in parts]
