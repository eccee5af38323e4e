"""What to write into one file: edits at positions, and the runtime names and imports that the new code needs."""

from collections.abc import Iterable
from typing import NamedTuple

from migrate.findings.finding import Span
from migrate.records import dataclass, field


@dataclass(frozen=True)
class ReplaceStatement:
    """Replaces a simple statement by ``statements``, or removes it if there are none."""

    span: Span
    statements: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReplaceExpression:
    """Replaces one expression by the source ``expression``."""

    span: Span
    expression: str


@dataclass(frozen=True)
class LoopOver:
    """Makes a ``while`` loop a ``for`` loop."""

    span: Span
    target: str
    iterable: str


@dataclass(frozen=True)
class Decorate:
    """Adds a decorator to a function that has none."""

    span: Span
    decorator: str


@dataclass(frozen=True)
class SetArgument:
    """Adds, removes, renames or replaces one argument of a call; the other arguments stay.

    Attributes:
      span: the call.
      name: the parameter.
      value: the new value as source text; None removes the argument.
      position: the parameter's index in the signature; None if the call cannot pass it by position.
      fits: whether to lay the call out as black does where its line becomes too long or it then fits on one line.
      called: a new keyword for the argument, which keeps its value; "" to leave the keyword.
    """

    span: Span
    name: str
    value: str | None
    position: int | None = None
    fits: bool = False
    called: str = ""


@dataclass(frozen=True)
class InsertBefore:
    """Inserts ``statements``, "" for none, above a statement, and the comments of the removed ones in ``absorbs``."""

    span: Span
    statements: str
    absorbs: tuple[Span, ...] = ()


Edit = ReplaceStatement | ReplaceExpression | LoopOver | Decorate | SetArgument | InsertBefore


class RuntimePlace(NamedTuple):
    """Where the files of one program import the runtime files from.

    Attributes:
      directory: the parent directory of the runtime folder; None where the files cannot all import from one directory.
      root: the absolute directory from which the program's files import one another; None where they use only
        relative imports, which do not name their package.
    """

    directory: str | None
    root: str | None


@dataclass
class Plan:
    """Everything to change in one file.

    Attributes:
      edits: the edits, each once, even if two programs that share a statement both need it.
      runtime_names: names of the runtime package that the new code uses.
      imports: import statements that the new code may need; one whose name it does not use is not added.
      statements: statements to insert below the imports.
      shared: where the runtime files are if the program has several files; None for a program of one file.
      is_imported: whether another file of the program imports this one.
      aliases: the names to import runtime classes and functions as, where the file uses their own names otherwise.
    """

    edits: list[Edit] = field(default_factory=list)
    runtime_names: set[str] = field(default_factory=set)
    imports: set[str] = field(default_factory=set)
    statements: list[str] = field(default_factory=list)
    shared: RuntimePlace | None = None
    is_imported: bool = False
    aliases: dict[str, str] = field(default_factory=dict)
    _known: set[Edit] = field(default_factory=set, init=False, repr=False, compare=False)

    @property
    def deletions(self) -> list[Span]:
        """The removed statements whose comments no other edit takes over: their comments are removed too."""
        kept = {span for edit in self.edits if isinstance(edit, InsertBefore) for span in edit.absorbs}
        kept |= {edit.span for edit in self.edits if isinstance(edit, ReplaceStatement) and edit.statements}
        return [edit.span for edit in self.edits if isinstance(edit, ReplaceStatement) and edit.span not in kept]

    def add(self, edits: Iterable[Edit], runtime_names: set[str], imports: set[str]) -> None:
        """Adds what one program changes; an edit that another program asked for already is not added again."""
        new = self.missing(edits)
        self.edits += new
        self._known.update(new)
        self.runtime_names |= runtime_names
        self.imports |= imports

    def missing(self, edits: Iterable[Edit]) -> list[Edit]:
        """Those of some edits that are not in it."""
        if len(self._known) < len(self.edits):
            self._known.update(self.edits)
        return [edit for edit in edits if edit not in self._known]

    def __bool__(self) -> bool:
        return bool(self.edits)
