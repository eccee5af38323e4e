"""What a rule is: one file that finds one kind of site in a program and decides what becomes of it."""

import ast
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from migrate.analysis.calls.reach import Reach
from migrate.analysis.keras.checkpoints import Checkpoints
from migrate.analysis.program.links import Link
from migrate.analysis.program.sessions import EagerCode
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.libraries import libraries_in
from migrate.analysis.source.module import Module
from migrate.analysis.source.nodes import root_of
from migrate.analysis.values.values import Values
from migrate.findings.finding import Fidelity
from migrate.rewrite.changed_file import ChangedFile
from migrate.rewrite.vocabulary import Vocabulary
from migrate.rules.example import Example as Example
from migrate.rules.example import line as line
from migrate.rules.verdict import Mend as Mend
from migrate.rules.verdict import Verdict as Verdict
from migrate.rules.verdict import exact as exact
from migrate.rules.verdict import manual as manual
from migrate.rules.verdict import noted as noted
from migrate.rules.verdict import without_counterpart as without_counterpart
from migrate.settings import Settings


@dataclass(frozen=True)
class Workbench:
    """What a rule for single sites works with."""

    module: Module
    settings: Settings
    vocabulary: Vocabulary
    tree: Tree

    @cached_property
    def reach(self) -> Reach:
        """The calls of the program around the file."""
        return Reach(self.module, self.tree)

    @cached_property
    def values(self) -> Values:
        """What the expressions of the file may be."""
        return Values(self.tree)

    @cached_property
    def checkpoints(self) -> Checkpoints:
        return Checkpoints(self.module, self.values, self.reach)

    def tf_at(self, node: ast.expr) -> str:
        """A name of plain ``tensorflow`` where an old name stands: the one that it is spelled with, if there is one."""
        root = root_of(node)
        if isinstance(root, ast.Name) and self.module.names.qualified(root) == "tensorflow":
            return root.id
        return self.vocabulary.tf


@dataclass(kw_only=True)
class ObjectFile(ChangedFile):
    """A file of a program in object form, in which names change and the calls stay.

    Attributes:
      files: those of them that change, by their paths.
      eager: what runs eagerly in the program; None where no file of it has a session.
      is_tf1: whether its programs are for TensorFlow 1.
      need: what the program needs beside TensorFlow from 2.16 on; "" for nothing.
    """

    settings: Settings
    tree: Tree
    modules: Sequence[Module]
    files: "Mapping[str, ObjectFile]"
    eager: EagerCode | None
    is_tf1: bool
    need: str


class ObjectUnit(NamedTuple):
    """All files of a program in object form.

    Attributes:
      roots: those of the run that name the Estimator API; the first is where a reason is told.
      links: all others, each with an import that leads to it.
      files: those that change, by their paths.
    """

    tree: Tree
    roots: Sequence[Module]
    links: Sequence[Link]
    modules: Sequence[Module]
    files: Mapping[str, ObjectFile]
    settings: Settings

    @property
    def site(self) -> ast.expr:
        """Where the first root makes an estimator; else its first name of the API."""
        root = self.roots[0]
        made = next((site.node for site in root.sites if site.kind == "estimator"), None)
        named = [node for node, _ in root.estimator_uses] or [one[0] for one in libraries_in(root.names)]
        return made or named[0]


FileCheck = Callable[[ObjectFile], Iterator[Verdict]]
UnitCheck = Callable[[ObjectUnit], Iterator[Verdict]]
SiteCheck = Callable[[Workbench], Iterator[Mend]]
_Check = TypeVar("_Check", bound=Callable[..., object])


@dataclass(frozen=True)
class Rule:
    """One rule: ``check_sites``, ``check_file`` or ``check_unit`` is its function.

    Attributes:
      fidelity: the closest that its rewrite can be.
      examples: programs that tests and documentation share.
      check_sites: finds the sites of a file that stand by themselves, yields what becomes of each.
      check_file: finds the names of a file in object form, yields what becomes of each.
      check_unit: finds what is to be said of all files of a program in object form together.
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
"""The rules that are imported."""


def site_rule(code: str, fidelity: str, *examples: Example) -> Callable[[SiteCheck], SiteCheck]:
    """Registers a rule for sites that stand by themselves under its code."""
    return _registrar(code, fidelity, examples, "check_sites")


def file_rule(code: str, fidelity: str, *examples: Example) -> Callable[[FileCheck], FileCheck]:
    """Registers a rule for the files of programs in object form under its code."""
    return _registrar(code, fidelity, examples, "check_file")


def unit_rule(code: str, fidelity: str, *examples: Example) -> Callable[[UnitCheck], UnitCheck]:
    """Registers a rule for all files of a program in object form under its code."""
    return _registrar(code, fidelity, examples, "check_unit")


def _registrar(code: str, fidelity: str, examples: tuple[Example, ...], kind: str) -> Callable[[_Check], _Check]:
    def register(check: _Check) -> _Check:
        assert code not in REGISTERED, f"{code} is taken by {REGISTERED[code].name}"
        given: dict[str, Any] = {kind: check}
        REGISTERED[code] = Rule(code, check.__name__, Fidelity(fidelity), examples, **given)
        return check

    return register
