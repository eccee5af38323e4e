"""Rules and their registration: a rule finds one kind of site in a program and decides how to rewrite it."""

import ast
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from migrate.analysis.program.links import Link
from migrate.analysis.program.sessions import EagerCode
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.libraries import libraries_in
from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import root_of
from migrate.findings.finding import Fidelity
from migrate.records import dataclass, field
from migrate.rewrite.changed_file import ChangedFile
from migrate.rewrite.vocabulary import Vocabulary
from migrate.rules.example import Example as Example
from migrate.rules.example import example as example
from migrate.rules.verdict import Fix as Fix
from migrate.rules.verdict import Verdict as Verdict
from migrate.rules.verdict import exact as exact
from migrate.rules.verdict import manual as manual
from migrate.rules.verdict import noted as noted
from migrate.rules.verdict import without_counterpart as without_counterpart
from migrate.settings import Settings

if TYPE_CHECKING:
    from migrate.analysis.calls.reach import Reach
    from migrate.analysis.keras.checkpoints import Checkpoints
    from migrate.analysis.values.values import Values


@dataclass(frozen=True)
class Workbench:
    """The file that a rule for single sites judges, with the analysis and names that the rule needs."""

    module: Module
    settings: Settings
    vocabulary: Vocabulary
    tree: Tree

    @cached_property
    def reach(self) -> "Reach":
        """The calls of the program that the file belongs to."""
        from migrate.analysis.calls.reach import Reach

        return Reach(self.module, self.tree)

    @cached_property
    def values(self) -> "Values":
        """The values that expressions of the file may have."""
        from migrate.analysis.values.values import Values

        return Values(self.tree)

    @cached_property
    def checkpoints(self) -> "Checkpoints":
        from migrate.analysis.keras.checkpoints import Checkpoints

        return Checkpoints(self.module, self.values, self.reach)

    def end_searches(self) -> None:
        """Drops what was searched in the program, if anything was."""
        if "reach" in vars(self):
            self.reach.end_searches()

    def tf_at(self, node: ast.expr) -> str:
        """Returns a name of plain ``tensorflow`` for new code at a node: the one that the node begins with, if any."""
        root = root_of(node)
        if isinstance(root, ast.Name) and self.module.names.qualified(root) == "tensorflow":
            return root.id
        return self.vocabulary.tf


@dataclass(kw_only=True)
class EstimatorFile(ChangedFile):
    """A file of an Estimator program: its calls stay, and the names in them change (the object form, FT151).

    Attributes:
      modules: all files of the program.
      files: those that change, by their paths.
      eager: the code that runs eagerly in the program; None where no file of it has a session.
      is_tf1: whether its programs are for TensorFlow 1.
      need: what the program needs in addition to TensorFlow from 2.16 on; "" for nothing.
    """

    settings: Settings
    tree: Tree
    modules: Sequence[Module]
    files: "Mapping[str, EstimatorFile]"
    eager: EagerCode | None
    is_tf1: bool
    need: str


class EstimatorProgram(NamedTuple):
    """All files of an Estimator program.

    Attributes:
      roots: the files of the run that name the Estimator API; reasons to skip it are reported in the first.
      links: an import of each other file.
      files: the files that change, by their paths.
    """

    tree: Tree
    roots: Sequence[Module]
    links: Sequence[Link]
    modules: Sequence[Module]
    files: Mapping[str, EstimatorFile]
    settings: Settings

    @property
    def site(self) -> ast.expr:
        """The call by which the first root makes an estimator; without one, its first name of the API."""
        root = self.roots[0]
        made = next((site.node for site in root.sites if site.kind == "estimator"), None)
        named = [node for node, _ in root.estimator_uses] or [one[0] for one in libraries_in(root.names)]
        return made or named[0]


FileCheck = Callable[[EstimatorFile], Iterator[Verdict]]
UnitCheck = Callable[[EstimatorProgram], Iterator[Verdict]]
SiteCheck = Callable[[Workbench], Iterator[Fix]]
_Check = TypeVar("_Check", bound=Callable[..., object])


@dataclass(frozen=True)
class Rule:
    """One rule: ``check_sites``, ``check_file`` or ``check_unit`` is its function.

    Attributes:
      fidelity: the best fidelity of its rewrites.
      examples: programs for the tests and the documentation.
      check_sites: yields fixes for the single sites of a file.
      check_file: yields verdicts on the names of a file of an Estimator program.
      check_unit: yields verdicts on all files of an Estimator program together.
    """

    code: str
    name: str
    fidelity: Fidelity
    examples: tuple[Example, ...] = field(default=())
    check_sites: SiteCheck | None = None
    check_file: FileCheck | None = None
    check_unit: UnitCheck | None = None

    @property
    def page(self) -> str:
        """The rule's documentation: the docstring of its file."""
        function = self.check_sites or self.check_file or self.check_unit
        return (sys.modules[function.__module__].__doc__ or "").strip()

    @property
    def title(self) -> str:
        """The first line of the page, without the code."""
        return self.page.splitlines()[0].partition("·")[2].strip()


REGISTERED: dict[str, Rule] = {}
"""The rules imported so far, by their codes."""


def site_rule(code: str, fidelity: str, *examples: Example) -> Callable[[SiteCheck], SiteCheck]:
    """Registers a rule for single sites under its code."""
    return _registrar(code, fidelity, examples, "check_sites")


def file_rule(code: str, fidelity: str, *examples: Example) -> Callable[[FileCheck], FileCheck]:
    """Registers a rule for the files of Estimator programs under its code."""
    return _registrar(code, fidelity, examples, "check_file")


def unit_rule(code: str, fidelity: str, *examples: Example) -> Callable[[UnitCheck], UnitCheck]:
    """Registers a rule for all files of an Estimator program under its code."""
    return _registrar(code, fidelity, examples, "check_unit")


def _registrar(code: str, fidelity: str, examples: tuple[Example, ...], kind: str) -> Callable[[_Check], _Check]:
    def register(check: _Check) -> _Check:
        assert code not in REGISTERED, f"{code} is taken by {REGISTERED[code].name}"
        given: dict[str, Any] = {kind: check}
        REGISTERED[code] = Rule(code, check.__name__, Fidelity(fidelity), examples, **given)
        return check

    return register
