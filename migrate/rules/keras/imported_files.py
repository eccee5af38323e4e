"""What is told at an import of the file that it leads to, where nothing can be written."""

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from migrate.analysis.program.reached_code import ReachedCode
from migrate.analysis.resume.loads_before import TRAINS
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import name_of
from migrate.files.sources import is_generated
from migrate.files.trouble import Unreadable
from migrate.rules.rule import Mend, Workbench, manual

_MOST = 5
"""How many files are told each by itself."""


class ImportedFinding(NamedTuple):
    """What is found in an imported file.

    Attributes:
      node: where.
      help: what to write there, as sentences.
    """

    node: ast.AST
    help: str


def reached_from(bench: Workbench, others: Iterable[Module] = ()) -> ReachedCode:
    """The code of a file, and of some that it imports, that a program runs which trains here, or imports the file."""
    module = bench.module
    trains = [call for call in module.names.nodes(ast.Call) if name_of(call.func) in TRAINS]
    started = [module, *bench.reach.importers]
    return ReachedCode(started, [*started, *others], [(module, call) for call in trains])


def findings_at_imports(
    bench: Workbench, found_in: Callable[[Module], Sequence[ImportedFinding]], what: str, remedy: str = ""
) -> Iterator[Mend]:
    """Tells at a file's first import what is found in each file that it imports, where the program runs it.

    Args:
      what: what is found, as a sentence's part: ``Keras 3 refuses calls in these lines``.
      remedy: what to do where many files hold it; "" to tell each file alone.
    """
    module, others = bench.module, dict[str, Module]()
    for link in bench.tree.closure(module):
        with suppress(Unreadable):
            others[link.target.path] = bench.tree.module(link.target.path)
    of_user = [other for other in others.values() if not is_generated(other.text)]  # The runtime has every Keras.
    found = [(other, told) for other in of_user if (told := found_in(other))]
    reached = reached_from(bench, others.values()) if found else None
    kept = ((other, [one for one in told if reached and reached.contains(other, one.node)]) for other, told in found)
    seen = [(other, told) for other, told in kept if told]
    if remedy and len(seen) > _MOST:
        named = ", ".join(other.path for other, _ in seen[:_MOST])
        message = f"in {len(seen)} files of this program {what}: {named}, …"
        yield Mend((manual(module.names.imports[0], message, remedy),))
        return
    for other, told in seen:
        lines = ", ".join(str(line) for line in sorted({getattr(one.node, "lineno", 0) for one in told}))
        message = f"the program needs {other.path}, where {what}: {lines}"
        first = module.names.imports[0]
        yield Mend((manual(first, message, " ".join(dict.fromkeys(one.help for one in told))),))
