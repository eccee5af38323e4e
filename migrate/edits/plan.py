"""What is to be written into one file: edits at positions, the runtime files and the imports that they need."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from migrate.findings.finding import Span


@dataclass(frozen=True)
class ReplaceStatement:
    """Puts ``statements`` in the place of a simple one; none removes it."""

    span: Span
    statements: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReplaceExpression:
    """Puts ``expression`` in the place of one expression."""

    span: Span
    expression: str


@dataclass(frozen=True)
class Decorate:
    """Puts a decorator on a function that has none."""

    span: Span
    decorator: str


@dataclass(frozen=True)
class SetArgument:
    """Gives a call one argument, takes it away, or puts another value in its place; the other arguments stay.

    Attributes:
      span: the call.
      name: the parameter.
      value: the new value as source text; None takes the argument away.
      position: where the argument stands in the signature, if the call may give it by position; else None.
      fits: whether the call is laid out anew, as black does, where its line becomes too long or a bracket too much.
      called: a name that the argument gets in place of its own, or of its position, and keeps its value; else "".
    """

    span: Span
    name: str
    value: str | None
    position: int | None = None
    fits: bool = False
    called: str = ""


@dataclass(frozen=True)
class InsertBefore:
    """Puts ``statements`` above one statement; "" only puts the comments there of the removed ones that it absorbs."""

    span: Span
    statements: str
    absorbs: tuple[Span, ...] = ()


Edit = ReplaceStatement | ReplaceExpression | Decorate | SetArgument | InsertBefore


class RuntimePlace(NamedTuple):
    """Where the files of one program find the runtime files.

    Attributes:
      directory: the directory of the folder that holds them; None where no one directory is found by all imports.
      root: the directory, absolute, from which the program's files import one another; None where they do it by
        relative imports alone, so that none tells their package's name.
    """

    directory: str | None
    root: str | None


@dataclass
class Plan:
    """All that is to be done to one file.

    Attributes:
      edits: the edits; two programs that share a statement ask for the same edit of it.
      pieces: names of the runtime package that the new code uses.
      imports: import statements that it may need; one whose name nothing uses is not added.
      statements: what stands below the imports.
      shared: where the runtime files stand if the program has several files; None for one file.
      is_imported: whether another file of the program imports this one.
      aliases: other names for those of the runtime's whose own names stand for something else in the file.
    """

    edits: list[Edit] = field(default_factory=list)
    pieces: set[str] = field(default_factory=set)
    imports: set[str] = field(default_factory=set)
    statements: list[str] = field(default_factory=list)
    shared: RuntimePlace | None = None
    is_imported: bool = False
    aliases: dict[str, str] = field(default_factory=dict)
    _known: set[Edit] = field(default_factory=set, init=False, repr=False, compare=False)

    @property
    def deletions(self) -> list[Span]:
        """The statements that go, and whose comments nothing takes over: these go with them."""
        kept = {span for edit in self.edits if isinstance(edit, InsertBefore) for span in edit.absorbs}
        kept |= {edit.span for edit in self.edits if isinstance(edit, ReplaceStatement) and edit.statements}
        return [edit.span for edit in self.edits if isinstance(edit, ReplaceStatement) and edit.span not in kept]

    def add(self, edits: Iterable[Edit], pieces: set[str], imports: set[str]) -> None:
        """Takes in one program; two programs that share a statement ask for the same edit once."""
        new = self.missing(edits)
        self.edits += new
        self._known.update(new)
        self.pieces |= pieces
        self.imports |= imports

    def missing(self, edits: Iterable[Edit]) -> list[Edit]:
        """Those of some edits that are not in it."""
        if len(self._known) < len(self.edits):
            self._known.update(self.edits)
        return [edit for edit in edits if edit not in self._known]

    def __bool__(self) -> bool:
        return bool(self.edits)
