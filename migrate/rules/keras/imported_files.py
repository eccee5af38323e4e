"""Reports findings of imported files, which are not rewritten, at the imports of a file."""

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from migrate.analysis.keras.trainings import TRAINING_METHODS
from migrate.analysis.program.reached_code import ReachedCode
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import name_of
from migrate.files.sources import is_generated
from migrate.files.trouble import Unreadable
from migrate.rules.rule import Fix, Workbench, manual

_MAX_FILES = 5
"""The most files that get a finding each."""


class ImportedFinding(NamedTuple):
    """A finding in an imported file.

    Attributes:
      node: the site.
      help: advice, as sentences.
    """

    node: ast.AST
    help: str


def reached_from(bench: Workbench, others: Iterable[Module] = ()) -> ReachedCode:
    """Returns the code in a file, its importers and ``others`` that a program which trains in the file runs."""
    module = bench.module
    trains = [call for call in module.names.nodes(ast.Call) if name_of(call.func) in TRAINING_METHODS]
    started = [module, *bench.reach.importers]
    return ReachedCode(started, [*started, *others]).with_reached((module, call) for call in trains)


def findings_at_imports(
    bench: Workbench, found_in: Callable[[Module], Sequence[ImportedFinding]], what: str, remedy: str = ""
) -> Iterator[Fix]:
    """Reports at a file's first import the findings in each imported file, in code that the program runs.

    Args:
      what: what is found, as a part of a sentence: ``Keras 3 refuses calls in these lines``.
      remedy: one help for findings in many files; "" to report each file by itself.
    """
    module, others = bench.module, dict[str, Module]()
    for link in bench.tree.closure(module):
        with suppress(Unreadable):
            others[link.target.path] = bench.tree.module(link.target.path)
    users_files = [other for other in others.values() if not is_generated(other.text)]  # The runtime has every Keras.
    found = [(other, found_there) for other in users_files if (found_there := found_in(other))]
    reached = reached_from(bench, others.values()) if found else None
    kept = ((other, [one for one in each if reached and reached.contains(other, one.node)]) for other, each in found)
    seen = [(other, each) for other, each in kept if each]
    if remedy and len(seen) > _MAX_FILES:
        named = ", ".join(other.path for other, _ in seen[:_MAX_FILES])
        message = f"in {len(seen)} files of this program {what}: {named}, …"
        yield Fix((manual(module.names.imports[0], message, remedy),))
        return
    for other, found_there in seen:
        lines = ", ".join(str(line) for line in sorted({getattr(one.node, "lineno", 0) for one in found_there}))
        message = f"the program needs {other.path}, where {what}: {lines}"
        first = module.names.imports[0]
        yield Fix((manual(first, message, " ".join(dict.fromkeys(one.help for one in found_there))),))
