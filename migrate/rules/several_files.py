"""FT194 · a program over several files

The ``model_fn``, its builder or what they call are in other modules of the tree, which use ``EstimatorSpec``,
``ModeKeys`` and names of TensorFlow 1 too.

Instead: all files of the program are rewritten together, or none is. Only files that were named on the command line, or
are below a directory that was, are written; the rest of the tree is read.

Where a file is imported by two names (``modeling`` and ``pkg.modeling``), what is generated for it is in the file
itself.

Fidelity: exact. A program is skipped where one of its files is not among those named, cannot be read, or may be one of
two of the same name, and where a file that is not named makes an estimator with it; also where one of its files names
what means another thing in TensorFlow 2, and a program for TensorFlow 2 imports that file too.

A notebook counts as a file, and all files of its program change with it. A module that a cell writes by ``%%writefile``
is rewritten alone. What a notebook installs by ``pip`` and imports (``bert`` of ``bert-tensorflow``) is no file of the
tree.

See: sys.path, and the last lines of the report.
"""

import os
from collections.abc import Iterator, Sequence

from migrate.analysis.facts import facts
from migrate.analysis.module import Module
from migrate.analysis.program import Program
from migrate.analysis.tree import Link, Tree
from migrate.files.walk import NOTEBOOK
from migrate.invocation import program
from migrate.rewrite.draft import Draft
from migrate.rules.rule import CUSTOM, Verdict, manual, rule


@rule("FT194", "exact", kinds=CUSTOM)
def several_files(program: Program, draft: Draft) -> Iterator[Verdict]:
    tree, site = program.tree, program.site.node
    missing = [tree.name(link.target.path) for link in program.others if link.target.path not in tree.given]
    for link in program.others:
        path = link.target.path
        name = tree.name(path)
        reason, help = _why_left(program, link)
        if reason:
            yield manual(site, f"its program needs {name}, imported at {_place(program, link)}, {reason}", help)
        elif is_written_by_a_cell(program.module, tree):
            yield manual(site, f"its program needs {name}, {WRITTEN}", f"Put the module into a file beside {name}.")
        elif path not in tree.given:
            message = f"its program needs {name}, which is not among the given files"
            yield manual(site, message, _together([program.module.path, *missing]))
        user_on_2 = tree.user_on_2(path)
        if user_on_2 is not None:
            yield manual(site, *shared_with_2(tree.name(user_on_2), name))
        users = [tree.name(user) for user in tree.users.get(path, ()) if facts(path).ties]
        if users:
            message = f"{users[0]}, which is not among the given files, makes an estimator with {name} too"
            yield manual(site, message, _together([program.module.path, *missing, *users]))


WRITTEN = "and a module that a notebook's cell writes is rewritten alone"


def is_written_by_a_cell(module: Module, tree: Tree) -> bool:
    """Whether a program stands in a module that a notebook writes: its own is judged with the files that it needs."""
    return module.path.endswith(NOTEBOOK) and not tree.given


def shared_with_2(user: str, name: str) -> tuple[str, str]:
    """Why a program is left that shares a file with one for TensorFlow 2, with what to do about it."""
    reason = f"its program needs {name} with TensorFlow 1's meaning of its names, and {user} with TensorFlow 2's"
    return reason, f"Give the program a copy of {name} of its own, then migrate again."


def _why_left(program: Program, link: Link) -> tuple[str, str]:
    tree, found = program.tree, link.target
    problem = facts(found.path).problem
    if problem:
        return f"which {problem}", "Fix the file, then migrate again."
    if found.other is not None:
        reason = f"or {tree.name(found.other)}, according to how the program is started"
        return reason, "Give one of the two files another name, or import it by its whole name."
    return "", ""


def _place(program: Program, link: Link) -> str:
    importer = program.tree.name(link.importer)
    is_own = link.importer == os.path.abspath(program.module.path)
    return f"line {link.line}" + ("" if is_own else f" of {importer}")


def _together(paths: Sequence[str]) -> str:
    return f"Migrate them together: {program()} {' '.join(sorted(set(paths)))}"
