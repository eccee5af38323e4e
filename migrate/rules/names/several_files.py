"""FT194 · a program over several files

The ``model_fn``, its builder or functions that they call are in other modules of the tree, which also use
``EstimatorSpec``, ``ModeKeys`` and names of TensorFlow 1.

Instead: all files of the program are rewritten together, or none is. Only files that were named on the command line, or
are below a directory that was, are written; the rest of the tree is only read.

If a file is imported by two names (``modeling`` and ``pkg.modeling``), the generated code is put into the file itself.

Fidelity: exact. A program is skipped if one of its files was not named, cannot be read, or is one of two that its
import may find; if a file that was not named makes an estimator with it; and if one of its files has names that mean
something else in TensorFlow 2, and a program for TensorFlow 2 imports that file too.

A notebook counts as a file, and all files of its program change with it. A module that a cell writes by ``%%writefile``
is rewritten alone. A package that a notebook installs by ``pip`` (``bert`` of ``bert-tensorflow``) does not count.

See: sys.path, and the last lines of the report.
"""

import os
from collections.abc import Iterator, Sequence

from migrate.analysis.program.facts import facts
from migrate.analysis.program.links import Link, links_at
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.imports import Target
from migrate.analysis.source.module import Module
from migrate.files.sources import NOTEBOOK
from migrate.findings.invocation import program
from migrate.rules.rule import EstimatorProgram, Verdict, manual, unit_rule


@unit_rule("FT194", "exact")
def several_files(unit: EstimatorProgram) -> Iterator[Verdict]:
    for reason, help in _obstacles(unit.tree, unit.roots, unit.links):
        yield manual(unit.site, reason, help, unit.roots[0])


def _obstacles(tree: Tree, roots: Sequence[Module], links: Sequence[Link]) -> Iterator[tuple[str, str]]:
    """Yields the reasons why not all files can be changed, each with advice."""
    paths = [os.path.abspath(root.path) for root in roots]
    own = [Link(path, Target(path, "", ()), 1) for path in paths]
    needed = [*links, *(own if tree.given else [])]  # without given paths, the file itself is known to exist
    missing = [tree.name(link.target.path) for link in needed if link.target.path not in tree.given]
    for link in needed:
        path, name = link.target.path, tree.name(link.target.path)
        if facts(path).problem:
            help = (facts(path).remedy or "Fix the file, then migrate again.").replace(path, name)
            yield f"its program needs {name}, which {facts(path).problem}", help
        elif link.target.other is not None and not _is_script(link.importer):
            reason = (
                f"its program needs {name}, or {tree.name(link.target.other)}, according to how the program is started"
            )
            yield reason, "Give one of the two files another name, or import it by its whole name."
        elif any(module.path.endswith(NOTEBOOK) and not tree.given for module in roots):
            reason = (
                f"its program needs {name}, but a module that a notebook's cell writes is rewritten without other files"
            )
            yield reason, f"Save the cell's module as a file beside {name}."
        elif path not in tree.given:
            yield f"its program needs {name}, which is not among the given files", _command_for_all(roots, missing)
    for path in dict.fromkeys(link.target.path for link in [*links, *own] if not facts(link.target.path).problem):
        name, found = tree.name(path), tree.users.get(path, ()) if facts(path).ties else ()
        users = [tree.name(user) for user in [*found, *_importers(tree, path, found)]]
        if (tf2_importer := tree.tf2_importer(path)) is not None:
            user = tree.name(tf2_importer)
            reason = (
                f"its program needs {name} with TensorFlow 1's meaning of its names, and {user} with TensorFlow 2's"
            )
            yield reason, f"Give the program a copy of {name} of its own, then migrate again."
        elif users:
            reason = f"{users[0]}, which is not among the given files, works with {name} too"
            yield reason, _command_for_all(roots, [*missing, *users])


def _is_script(importer: str) -> bool:
    """Whether all imports of a file lead to its own directory, one of them only there: the file runs as a script."""
    targets = [link.target for link in links_at(importer)]
    is_alone = any(target.other is None and target.package is None for target in targets)
    return is_alone and {target.root for target in targets} == {os.path.dirname(importer)}


def _importers(tree: Tree, path: str, known: Sequence[str]) -> list[str]:
    """Returns further files that are not given, name the Estimator API and import a file of the unit."""
    if not tree.given or not facts(path).ties:
        return []
    importers = tree.importers(tree.module(path), "estimator")
    return [user for user in importers if user not in tree.given and user not in known and facts(user).names_api]


def _command_for_all(roots: Sequence[Module], others: Sequence[str]) -> str:
    return f"Migrate them together: {program()} {' '.join(sorted({*(root.path for root in roots), *others}))}"
