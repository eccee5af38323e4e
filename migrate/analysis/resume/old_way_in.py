"""What a program loads before ``fit``, whatever finds the file and the epoch, so that it can stay for an old job.

Nothing here asks how a file is found. It is enough to know which calls load into the model that ``fit`` trains, which
tests stand around them, and what ``fit`` gets as ``initial_epoch``.
"""

import ast
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from migrate.analysis.arguments import defaults
from migrate.analysis.checkpoints import key
from migrate.analysis.path_searches import name_of, path_of
from migrate.analysis.paths import template
from migrate.analysis.resume.conditions import Conditions, FunctionNode
from migrate.analysis.resume.flags import Flags, either
from migrate.analysis.resume.loads_before import Link, LoadsBefore
from migrate.analysis.resume.named import given_through
from migrate.analysis.resume.old_code import OldCode
from migrate.analysis.resume.once import are_alternatives
from migrate.analysis.resume.origins import Origins
from migrate.analysis.resume.other_uses import other_use
from migrate.analysis.resume.path_parts import PathParts, is_one_of, is_written_as
from migrate.analysis.resume.reach import Reach
from migrate.analysis.resume.savers import is_checkpoint, saver_among, saver_of, savers
from migrate.analysis.resume.saves_in_training import MODEL_SAVES, SavesInTraining
from migrate.analysis.trainings import Fit, Saver

_ONE_FILE = (".h5", ".hdf5", ".keras")
"""How the names of files end that the recovery puts in their place when they are whole."""

CUT_SHORT = "each start loads what a kill while it is saved can cut short"


@dataclass
class OldWayIn:
    """A resumption by hand whose code stays.

    Attributes:
      fit: the training.
      site: the call that the finding stands at.
      saver: the callback that wrote the old files.
      guards: the tests that keep the old files from being loaded again, each with one more part.
      flags: what the user must have asked for.
      over: why the old file is loaded at each start, and the new recovery restored over it; "" where guards stand.
      links: the calls that load at each start, and those that lead to them, where none of them is guarded.
      name: what gives the name of a file that the user names at the training's place, as source; "" for none.
      named: the loads whose file the user names at the start, in this file, or else the one in another.
      after: what the program saves when training has ended, and loads at the next start, as source; "" for none.
      stage: the number of a training of several that the same model goes through, from 1; 0 for the only one.
      is_last: whether no stage comes after it.
      before: the variable of the recovery of the stage before it; "" for none.
      is_asked_at_load: whether what decides on the load is known there alone.
      asked: what tells the training's place that the old file was loaded, as source; "" where the flags do.
      problem: why it cannot be rewritten; "" where it can.
    """

    fit: Fit
    site: ast.Call
    saver: Saver | None = None
    guards: list[ast.expr] = field(default_factory=list)
    flags: list[ast.expr] = field(default_factory=list)
    over: str = ""
    links: list[Link] = field(default_factory=list)
    name: str = ""
    named: list[ast.Call] = field(default_factory=list)
    after: str = ""
    stage: int = 0
    is_last: bool = True
    before: str = ""
    is_asked_at_load: bool = False
    asked: str = ""
    problem: str = ""

    @property
    def first(self) -> ast.expr | None:
        """What ``fit`` gets as ``initial_epoch``."""
        return self.fit.arguments.get("initial_epoch")


def old_way_in(
    reach: Reach,
    fit: Fit,
    site: ast.Call,
    loads: Sequence[ast.Call] = (),
    saver: Saver | None = None,
    links: Sequence[Link] = (),
    saves: Sequence[ast.Call] = (),
    is_own: bool = False,
    over: str = "",
    is_found: bool = False,
    others: Set[ast.Call] = frozenset(),
) -> OldWayIn:
    """Reads what stands before one training.

    Args:
      reach: the calls of the program, from the training's file.
      fit: the training.
      site: the call that the finding stands at.
      loads: calls that are known to load what the program saved.
      saver: what saved it, where that is known.
      links: the calls that lead to a load wherever in the program's files it stands, the load last.
      saves: the calls that are known to save what is loaded.
      is_own: whether the file at the end of the links is known to be the program's own.
      over: why the old file is loaded at each start; "" where tests may keep it from that.
      is_found: whether the file is searched for at each start, so that no user names it.
      others: the loads of what another job has made, which are made at each start as before.
    """
    return _Reader(reach, OldWayIn(fit, site, saver, over=over), loads, links, saves, is_own, is_found, others).read()


class _Reader:
    def __init__(
        self,
        reach: Reach,
        way: OldWayIn,
        loads: Sequence[ast.Call] = (),
        links: Sequence[Link] = (),
        saves: Sequence[ast.Call] = (),
        is_own: bool = False,
        is_found: bool = False,
        others: Set[ast.Call] = frozenset(),
    ) -> None:
        module = reach.module
        self.reach, self.module, self.names, self.way, self.is_found = reach, module, module.names, way, is_found
        self.loads, self.links, self.saves, self.is_own = loads, links, saves, is_own
        before = reach.one(LoadsBefore)
        started = [call for where, _, call in before.frames(way.fit.call) if where is module]
        self.around_training = {node for call in started for node in self.names.ancestors(call)}
        self.into_model: dict[ast.Call, list[ast.Call]] = {}  # By the call that leads to them.
        for found in before.into(way.fit.call, way.fit.receiver):
            if found.load not in others:
                self.into_model.setdefault(found.chain[0][1], []).append(found.load)
        self.code = OldCode(self.names, key(self.names, way.fit.receiver))
        self.flags = Flags(module, self.around_training)
        self.conditions = Conditions(module, self.around_training)
        self.asked: list[list[ast.expr]] = []  # Of the user, by each of the loads.

    def read(self) -> OldWayIn:
        way = self.way
        inner = {load for loads in self.into_model.values() for load in loads}
        entries = [*self.into_model, *(load for load in self.loads if load not in inner)]
        if not entries and not self.links:
            way.problem = "what loads it cannot be seen in this file"
            return way
        # The test that keeps a model from being loaded may keep its weights from that too.
        for entry in sorted(entries, key=lambda one: name_of(one.func) == "load_weights"):
            self._read_entry(entry)
            if not way.problem:
                way.problem = other_use(self.names, way.fit, entry)
        loads = [load for entry in entries for load in self._all_loads(entry)]
        linked = {link.call for link in self.links} if self.is_own else set()
        loads = [load for load in loads if load not in linked or self._is_asked_by_name(load) or self._picks(load)]
        far = [link for link in self.links[-1:] if link.module is not self.module and not self.is_own]
        if not self.is_found:
            way.named = [load for load in loads if self._is_named(load) or self._is_numbered(load)]
            way.named += [link.call for link in far if Flags(link.module).names_file(path_of(link.call))]
        elif any(self._is_named(load) and self._is_beside_own(load) for load in loads):
            way.problem = "beside what it searches for, the user may name a file at the start"
            return way
        if way.named:
            way.problem, way.links = "the user names the file at the start", [*self.links[-1:]]
            return way
        way.guards = [one for one in way.guards if not any(self._passes_by(guard, one) for guard in way.guards)]
        if way.problem or way.over or not entries:
            self._read_over(entries)
        self._read_flags()
        if way.is_asked_at_load and not way.over:  # no test may keep the old code from its load
            way.is_asked_at_load = False
            self._read_over(entries, "the flag that decides is not known where fit is called")
        if not way.problem:
            way.saver = way.saver or saver_of(self.module, way.fit) or saver_among(self.module, self.saves)
            if way.saver is None or (not way.saver.is_checkpoint and way.saver.path.startswith("⟨self.")):
                way.saver = self._beside([*self.loads, *loads]) or way.saver
            is_given = "callbacks" in way.fit.arguments and any(is_checkpoint(save) for save in self.saves)
            if way.saver is None and not is_given:
                way.problem = "no one ModelCheckpoint of this file tells where it saves"
            elif way.saver is None and not way.over:
                self._read_over(entries, "where it saves is known when it trains alone")
            saves = self.saves if way.saver is None else [] if way.saver.path else [way.saver.call]
            own = [way.saver.call] if way.saver is not None and not way.saver.is_checkpoint else []
            if way.over and not (all(map(self._is_whole, saves)) and all(map(self._is_of_fit, [*self.saves, *own]))):
                way.problem = way.problem or CUT_SHORT
        return way

    def _read_flags(self) -> None:
        way, before = self.way, self.reach.one(LoadsBefore)
        for links in [self.links, *(one.links for one in before.into(way.fit.call, way.fit.receiver))]:
            self._read_path(links)
        way.flags = either([[*flags, *way.flags] for flags in self.asked] or [way.flags], are_all=True)
        is_known = all(self.flags.is_known_at(flag, way.fit.call) for flag in way.flags)
        loads = {*self.loads, *(link.call for link in way.links)}
        is_other = before.other_program(way.fit.call, loads) is not None  # which would resume this one's training
        way.is_asked_at_load = not way.problem and (way.is_asked_at_load or not is_known or is_other)
        way.flags = [] if way.is_asked_at_load else way.flags

    def _read_over(self, entries: Sequence[ast.Call], why: str = "it is in another file") -> None:
        """Lets the old code load at each start: what it loads is restored over, where its tests ask for files alone."""
        way = self.way
        way.over = way.over or way.problem or why
        way.guards, way.flags, way.problem, self.asked = [], [], "", []
        calls = [dict.fromkeys([entry, load]) for entry in entries for load in self._all_loads(entry)]
        chains = [[*self.links], *([Link(self.module, one, self.around_training) for one in each] for each in calls)]
        way.links = [link for chain in chains for link in chain]
        for chain in filter(None, chains):
            self.asked.append([])
            for before, link in zip([None, *chain], chain, strict=False):
                conditions = Conditions(link.module, link.around_training)
                path = {ast.dump(part) for part in ast.walk(path_of(link.call) or ast.Pass())}
                flags = Flags(link.module, link.around_training).around(link.call)
                flags = [one for one in flags if ast.dump(one) not in path]
                flags = [one for one in flags if before is None or not is_left_true(link, one, before)]
                is_more = conditions.undecided(link.call) or conditions.cleared(link.call)
                way.is_asked_at_load |= bool(is_more or (flags and link.module is not self.module))
                self.asked[-1] += flags if link.module is self.module else []
        self._read_flags()

    def _read_path(self, links: Sequence[Link]) -> None:
        """Reads what decides on a load whose path is no file otherwise: ``path = name if args.resume else None``."""
        path, last = (path_of(links[-1].call), links[-1]) if links else (None, None)
        for where, _, given in given_through(links, last.module, last.call, path) if last and path is not None else ():
            flags = self.flags.behind(given) if where is self.module else []
            self.way.flags += flags
            self.way.is_asked_at_load |= where is not self.module and bool(Flags(where).behind(given))

    def _beside(self, loads: Sequence[ast.Call]) -> Saver | None:
        """The one file that the program loads and saves by code of its own, as the function that trains names it."""
        scope = self.names.scope_of(self.way.fit.call)
        for load in loads if self.is_own and self.saves else ():
            given, path = path_of(load), template(self.names, path_of(load)) or ""
            if given is not None and self.names.scope_of(load) is scope and path.endswith(_ONE_FILE):
                return Saver(load, {"filepath": given}, path, load, is_checkpoint=False)
        return None

    def _all_loads(self, entry: ast.Call) -> Iterator[ast.Call]:
        return iter(dict.fromkeys(self.into_model.get(entry, [entry])))

    def _is_whole(self, save: ast.Call) -> bool:
        """Whether a save leaves a whole file at each moment: one of several, or one that is put in its place."""
        _, paths = self.reach.one(SavesInTraining).with_path(save)
        return all(one.is_numbered or all(text.endswith(_ONE_FILE) for text in one.files) for one in paths)

    def _is_of_fit(self, save: ast.Call) -> bool:
        """Whether a save is of the model of ``fit``, so that the recovery puts it in its place when it is whole."""
        held = save.func.value if isinstance(save.func, ast.Attribute) and save.func.attr in MODEL_SAVES else None
        is_fit = name_of(self.way.fit.call.func) in ("fit", "fit_generator")
        if held is None or not is_fit or ast.unparse(held) == "self.model":  # a callback's
            return True
        _, paths = self.reach.one(SavesInTraining).with_path(save)
        origins, where = self.reach.one(Origins), self.reach.module_of(save)
        found = (origins.of_model(where, held), origins.of_model(self.module, self.way.fit.receiver))
        saved, own = (
            {one for one in each if isinstance(one, ast.Call) and name_of(one.func) == "Model"} for each in found
        )
        return not (saved and own and saved.isdisjoint(own)) or all(one.is_numbered for one in paths)

    def _is_named(self, load: ast.Call) -> bool:
        """Whether a load is of a file that the user names, and that is not the one that is written all the time."""
        written, loaded = self._written(load)
        is_written = any(is_written_as(one, other) for one in written for other in loaded)
        return self._picks(load) or (self.flags.names_file(path_of(load)) and not is_written)

    def _picks(self, load: ast.Call) -> bool:
        """Whether the text names one of the several files that are written, by its number."""
        written, loaded = self._written(load)
        return any(is_one_of(one, other) for one in written for other in loaded)

    def _written(self, load: ast.Call) -> tuple[list[PathParts], list[PathParts]]:
        """What the callbacks of the file write, and what a load is given."""
        saves = self.reach.one(SavesInTraining)
        written = [one for saver in savers(self.module) for one in saves.with_path(saver.call)[1]]
        return written, saves.with_path(load)[1]

    def _is_numbered(self, load: ast.Call) -> bool:
        """Whether a load is made only where its file's number is given, which training begins at: ``args.number``."""
        path, first = path_of(load), self.way.first
        if path is None or first is None:
            return False
        parts = (part for part in ast.walk(self.names.value(path)) if isinstance(part, ast.Attribute | ast.Subscript))
        numbers = {ast.dump(part) for part in parts} & {ast.dump(part) for part in ast.walk(self.names.value(first))}
        return any(ast.dump(part) in numbers for flag in self.flags.around(load) for part in ast.walk(flag))

    def _is_beside_own(self, load: ast.Call) -> bool:
        """Whether a load of another file may be made in one start with those of what the program saved."""
        own = {*self.loads, *(link.call for link in self.links if link.module is self.module)}
        is_same = any(ast.dump(path_of(one) or one) == ast.dump(path_of(load) or load) for one in own)
        return not is_same and any(not are_alternatives(self.names, load, one) for one in own)

    def _is_asked_by_name(self, load: ast.Call) -> bool:
        """Whether a load is made only where its file is named: ``if args.file: model.load_weights(args.file)``."""
        path = path_of(load)
        return path is not None and ast.dump(path) in {ast.dump(flag) for flag in self.flags.around(load)}

    def _read_entry(self, entry: ast.Call) -> None:
        """Finds what keeps one load from being made, or the call from the function of the training that leads to it."""
        loads = [*self._all_loads(entry)]
        own = self.flags.around(entry)
        self.asked += [[*own, *(self.flags.around(load) if load is not entry else [])] for load in loads]
        self.way.problem = self.way.problem or self._guard(entry, loads == [entry])

    def _guard(self, load: ast.Call, is_itself: bool) -> str:
        """Finds the guard of one load, or of a call that leads to it; gives the reason why there is none."""
        tests, each_start = self.conditions.tests(load), f"line {load.lineno} would load it at each start"
        undecided = self.conditions.undecided(load)
        if undecided:
            return undecided
        if is_itself and name_of(load.func) == "load_weights":
            for test, must_hold in tests:
                other = test.orelse if must_hold else test.body
                once = next((n for one in _statements(other) if (n := self.code.once(one))), 0)
                if once:
                    return f"line {once} is for a start from scratch alone"
            for test, must_hold in reversed(tests):
                if (must_hold and test.test in self.way.guards) or self.code.is_skippable(test, must_hold):
                    self._add(test.test)
                    return ""
            return each_start
        for test, must_hold in reversed(tests):
            problem = self.code.other_way(load, test, must_hold)
            if problem is None:
                continue
            if not problem and must_hold:
                self._add(test.test)
            return problem or ("" if must_hold else each_start)
        if any(isinstance(node, ast.Try) and node.handlers for node in self._around(load)):
            return ""  # a file that is cut short is as none
        return "no model is made where there is nothing to load" if is_itself else each_start

    def _add(self, test: ast.expr) -> None:
        if test not in self.way.guards:
            self.way.guards.append(test)

    def _passes_by(self, guard: ast.expr, one: ast.expr) -> bool:
        """Whether what one guard stands before is not run where another holds."""
        way = getattr(self.names.parents.get(guard), "body", None)
        around = {one, *self.names.ancestors(one)}
        return one is not guard and not around.isdisjoint(way if isinstance(way, list) else [way])

    def _around(self, load: ast.Call) -> Iterator[ast.AST]:
        for node in self.names.ancestors(load):
            if isinstance(node, FunctionNode | ast.Module):
                return
            yield node


def is_left_true(link: Link, flag: ast.expr, before: Link) -> bool:
    """Whether a flag is a parameter that is true by default, which the call before leaves so."""
    function = link.module.names.scope_of(flag).node if isinstance(flag, ast.Name) else None
    if not isinstance(flag, ast.Name) or not isinstance(function, FunctionNode):
        return False
    expected = [one.arg for one in [*function.args.posonlyargs, *function.args.args] if one.arg not in ("self", "cls")]
    default = defaults(function).get(flag.id)
    is_given = any(k.arg in (flag.id, None) for k in before.call.keywords)
    is_given = is_given or flag.id in expected[: len(before.call.args)] or len(before.call.args) > len(expected)
    return not is_given and isinstance(default, ast.Constant) and bool(default.value)


def _statements(branch: list[ast.stmt] | ast.expr) -> list[ast.stmt]:
    return branch if isinstance(branch, list) else []
