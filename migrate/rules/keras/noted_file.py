"""The line at a load by which a recovery knows the file that the user named, in whichever file of the program it is."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from migrate.analysis.module import Module
from migrate.analysis.path_searches import name_of, path_of
from migrate.analysis.resume.old_way_in import OldWayIn
from migrate.analysis.resume.origins import Origins
from migrate.analysis.resume.reach import LOADS
from migrate.edits.plan import Edit, ReplaceExpression
from migrate.files.sources import NOTEBOOK
from migrate.rewrite.recovered_fit import RecoveredFit
from migrate.rewrite.vocabulary import Vocabulary
from migrate.rules.rule import Change, Mend, Verdict, Workbench, noted

_PIECE = "begin_from"
ANEW = "; a start that loads nothing begins anew, as before"
"""What is said where the loads tell whether a training goes on."""


@dataclass
class Noted:
    """What is written at the loads of one training.

    Attributes:
      edits: the changes in the file that trains.
      elsewhere: those in other files.
      verdicts: what is said of these.
      name: what gives the file's name where the training begins, as source; "" where no load notes it.
      paths: what the loads are given.
      problem: why it cannot be written; "" where it can.
    """

    name: str = ""
    paths: Sequence[ast.expr] = ()
    edits: list[Edit] = field(default_factory=list)
    elsewhere: list[Change] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    problem: str = ""

    def mend(self, rewrite: RecoveredFit, *verdicts: Verdict) -> Mend:
        """The rewrite of a training, with what is written at its loads."""
        pieces = rewrite.pieces | ({"begun_from"} if self.name else set()) | ({_PIECE} if self.edits else set())
        edits = (*rewrite.edits, *self.edits)
        return Mend((*verdicts, *self.verdicts), edits, frozenset(pieces), tuple(self.elsewhere))


def asked_at_load(bench: Workbench, way: OldWayIn) -> Noted:
    """Has the loads tell the training that they were made, where what decides on them is known there alone."""
    if not way.is_asked_at_load:
        return Noted()
    loads = [link for link in way.links if name_of(link.call.func) in {*LOADS, "restore"}]
    own = [link for link in loads if {*bench.reach.functions(link.call)} <= {*link.module.names.ancestors(link.call)}]
    paths = [(link.module, path) for link in own if (path := path_of(link.call)) is not None]
    found = noted_at_load(bench, list(dict.fromkeys(paths)), way.fit.call)
    made = [one for where, path in paths for one in bench.reach.one(Origins).of_paths(where, path)]
    # Of the files that a loop has saved the start says one, by its number: nothing is to be restored over that.
    if any(one.is_numbered and not one.is_searched for one in made):
        way.name = found.name
    else:
        way.asked = found.name
    is_one = len({ast.dump(path) for _, path in paths}) < 2
    if not is_one or not all(one.is_seen for one in made):  # another may be no file of the program's own
        found.problem = "what names it is not seen"
    # Of a cell that is run again with another flag the process would know the old one.
    if not paths or any(one.path.endswith(NOTEBOOK) for one in (bench.module, *(link.module for link in loads))):
        found.problem = "the flag that decides is not known where fit is called"
    return found


def noted_at_load(bench: Workbench, paths: list[tuple[Module, ast.expr]], training: ast.Call) -> Noted:
    """Has each load note the path that it is given: the line runs exactly when the load does.

    Args:
      bench: the training's file.
      paths: what the loads are given, each with its file.
      training: the training that begins from them.
    """
    found = Noted(f"{bench.vocabulary.piece('begun_from')}()" if paths else "", [path for _, path in paths])
    for module, path in paths:
        if isinstance(path, ast.Call) and name_of(path.func) == _PIECE:
            continue  # another program of these files has it already
        is_here = module is bench.module
        aliases = (bench.vocabulary if is_here else Vocabulary(module)).piece(_PIECE)
        if not is_here and aliases != _PIECE:
            found.problem = f"`{_PIECE}` is a name of {module.path} already"
        edit = ReplaceExpression(module.span(path), f"{aliases}({module.source.text(path)})")
        if is_here:
            found.edits.append(edit)
            continue
        found.elsewhere.append(Change(module, (edit,), frozenset({_PIECE})))
        text = f"the file is noted where it is loaded, for the recovery of {bench.module.path}, line {training.lineno}"
        found.verdicts.append(noted(path, text, module=module))
    return found
