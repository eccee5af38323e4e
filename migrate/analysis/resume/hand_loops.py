"""Loops over epochs that train by themselves, one model or several, and go on from what they save."""

import ast
import os
import re
from dataclasses import dataclass, field

from migrate.analysis.begun_anew import read_after, set_by_others
from migrate.analysis.checkpoints import Checkpoints
from migrate.analysis.module import Module
from migrate.analysis.path_searches import name_of
from migrate.analysis.resume.conditions import Conditions
from migrate.analysis.resume.counters import Counter, counter_of, counts_down, ends, is_last_before_end, of_turn
from migrate.analysis.resume.flags import needed_in_turns
from migrate.analysis.resume.graphs import is_of_graph
from migrate.analysis.resume.held_by_loop import compiled_anew, held_of
from migrate.analysis.resume.origins import Origins
from migrate.analysis.resume.reach import FunctionNode, Reach
from migrate.analysis.resume.trained_in_loop import (
    Saved,
    TrainedInLoop,
    trained_in_loop,
)
from migrate.analysis.values.made_of import made_of

_RANGES = ("range", "trange", "arange")
_IN_ORDER = re.compile(r"tqdm|prog|bar|track|^(list|tuple|iter|zip)$", re.IGNORECASE)
"""What the functions are called that give the turns of a range in their order, all of them."""
_PUTS_BACK = re.compile(r"restore|swap|unapply")
"""What the methods are called by which averages of weights make place again for those that are trained."""
_AVERAGES = re.compile(r"(^|_)(ema|avg|averages?|shadow|swap)(_|$)", re.IGNORECASE)
"""What the methods are called that give a model averages of its weights."""
_RESTORES = ("restore", "restore_or_initialize", "read")
_OF_ONE = ("MirroredStrategy", "OneDeviceStrategy", "get_strategy")
"""Strategies of one process on devices that were tried."""
_OF_WORKERS = ("MultiWorkerMirroredStrategy", "ParameterServerStrategy", "TPUStrategy", "CollectiveAllReduceStrategy")
"""Strategies under which a job has several processes, or other devices than those that were tried."""


@dataclass(frozen=True)
class SaveAt:
    """Where a recovery saves.

    Attributes:
      after: the statement that it saves after.
      number: what the loop goes on at, as source; "" for a loop that nothing counts.
    """

    after: ast.stmt
    number: str


@dataclass
class HandLoop:
    """One loop.

    Attributes:
      loop: the outermost loop of its function.
      begun: the call of ``range``; None where none counts its epochs.
      counter: what counts its turns where no ``range`` does; None for nothing.
      held: what its checkpoints hold, as source, by the name there.
      saves: where a recovery saves.
      paths: the calls that save now.
      epoch: the variable that counts; "" where the program names none.
      last: the tests that end the loop at one number alone: ``if step == steps: break``.
      asked: what the user must have asked for, so that it trains at all.
      is_read_after: whether the program reads that variable after the loop.
      is_on_choice: whether the program may also train under a strategy of several workers, or on a TPU.
      is_managed: whether a ``CheckpointManager`` of the program's own saves it.
      problem: why it cannot be rewritten; "" where it can.
    """

    loop: ast.For | ast.While
    begun: ast.Call | None
    counter: Counter | None = None
    held: dict[str, str] = field(default_factory=dict)
    saves: list[SaveAt] = field(default_factory=list)
    paths: list[Saved] = field(default_factory=list)
    epoch: str = ""
    last: list[ast.Compare] = field(default_factory=list)
    asked: list[ast.expr] = field(default_factory=list)
    is_read_after: bool = False
    is_on_choice: bool = False
    is_managed: bool = False
    problem: str = ""

    @property
    def first(self) -> ast.expr | None:
        """What the loop begins at; None for ``range(epochs)``, and where nothing counts."""
        if self.begun is None:
            return self.counter.begun if self.counter is not None else None
        return self.begun.args[0] if len(self.begun.args) > 1 else None


def hand_loop(reach: Reach, place: ast.AST) -> HandLoop | None:
    """The loop over epochs around a place of a program's file; None where nothing counts its turns.

    Args:
      reach: the calls of the program.
      place: a loop that saves, or a call in it.
    """
    module = reach.module
    scope = module.names.scope_of(place)
    around = [one for one in (place, *module.names.ancestors(place)) if isinstance(one, ast.For | ast.While)]
    inside = [one for one in around if module.names.scope_of(one) is scope]
    if not inside:
        return None
    loop = inside[-1]
    calls = [one for one in ast.walk(loop.iter) if isinstance(one, ast.Call)] if isinstance(loop, ast.For) else []
    ranges = [one for one in calls if name_of(one.func) in _RANGES]
    is_numbered = any(name_of(one.func) == "enumerate" for one in calls)
    if len(ranges) > 1 or any(one.keywords for one in ranges) or (ranges and is_numbered):
        return None
    is_counted = bool(ranges) and isinstance(loop, ast.For) and isinstance(loop.target, ast.Name)
    is_counted = is_counted and isinstance(loop, ast.For) and _is_in_order(loop.iter, ranges[0])
    if ranges and not is_counted:
        return None
    found = HandLoop(loop, ranges[0] if is_counted else None)
    reader = _Reader(reach, found)
    reader.read()
    is_known = isinstance(loop, ast.While) or is_counted or found.counter is not None or reader.is_ended_by_training()
    return found if is_known and (found.counter is None or (found.counter.call is not None) == is_numbered) else None


class _Reader:
    def __init__(self, reach: Reach, found: HandLoop) -> None:
        self.reach, self.module, self.names, self.found = reach, reach.module, reach.module.names, found
        target = found.loop.target if isinstance(found.loop, ast.For) else None
        if found.begun is not None and isinstance(target, ast.Name):
            found.epoch = target.id if target.id != "_" else ""
        self.epoch, self.trains = found.epoch or "epoch", list[ast.Call]()

    def read(self) -> None:
        found, trained = self.found, trained_in_loop(self.reach, self.found.loop)
        self.trains = trained.trains
        found.paths = [one for saved in trained.saves.values() for one in saved]
        found.asked = needed_in_turns(self.reach, found.loop, self.trains)
        if found.begun is None:
            found.counter = counter_of(self.module, found.loop, list(trained.saves))
        place = self._place if found.begun is not None else self._place_uncounted
        found.problem = self._hold(trained) or place(trained) or self._leave(trained)
        found.problem = found.problem or self._unbound() or self._shrinks()

    def is_ended_by_training(self) -> bool:
        """Whether what a step of the training gives ends the loop: ``step = train(x)``, ``if step == steps: break``."""
        for test in ends(self.found.loop):
            read = [one for one in ast.walk(test.test) if isinstance(one, ast.Name)]
            given = [self.names.statement_of(one.node) for name in read for one in self.names.bound(name)]
            if any(call in ast.walk(statement) for statement in given for call in self.trains):
                return True
        return False

    def _hold(self, trained: TrainedInLoop) -> str:
        """Settles what the checkpoints hold; gives the reason why that is not seen."""
        if is_of_graph(self.reach, self.found.loop, trained.runs):
            return "it is written for TensorFlow 1"
        if any(self._is_made(name) for name in _OF_WORKERS):
            self.found.is_on_choice = any(self._is_made(name) for name in _OF_ONE)
            if not self.found.is_on_choice:
                return "it trains under a strategy of several workers"
        own, others = Checkpoints(self.module), list[str]()
        for call in trained.saves:
            held = call.func.value if isinstance(call.func, ast.Attribute) else None
            if held is not None and own.managed_by(held) is not None and self.reach.holds(*_RESTORES):
                self.found.is_managed = True
                return "a CheckpointManager of the program's own saves it"
            if held is not None and own.of(held) is None and (given := self._given_checkpoints(held)):
                managers = (one for one in self.reach.called("CheckpointManager") if one.args)
                managed = (self._made(self.reach.module_of(one), one.args[0]) for one in managers)
                self.found.is_managed |= not given.isdisjoint(one for each in managed for one in each)
                others.append(ast.unparse(held))
            if held is not None and (checkpoint := own.of(held)) is not None:
                self.found.is_managed |= bool(checkpoint.managers)
        stored = (node for one in self.found.loop.body for node in ast.walk(one) if isinstance(node, ast.Name))
        if any(node.id == self.found.epoch and isinstance(node.ctx, ast.Store) for node in stored):
            return f"`{self.epoch}` changes within an epoch"
        if not trained.trains:
            return "what trains in it is not seen"
        if trained.unseen:
            return f"line {trained.unseen} trains what the loop does not know by a name"
        if trained.made:
            return f"line {trained.made} makes, in a turn of the loop, what it trains"
        if not trained.models or not trained.optimizers:
            return "which models and optimizers it trains is not seen"
        kept = held_of(own, trained, self.found.loop, others)
        if any("[" in text for text in kept.values()):
            return "the models have no names of their own"
        late = [
            call
            for call in compiled_anew(self.found.loop, trained).values()
            if self.names.statement_of(call) not in self.found.loop.body
        ]
        if late:
            return f"line {late[0].lineno} compiles a model again in some of its turns"
        self.found.held = kept
        return ""

    def _given_checkpoints(self, held: ast.expr) -> set[ast.Call]:
        """The calls that make the ``tf.train.Checkpoint`` which saves, in another function that gives it the loop's."""
        is_known = isinstance(held, ast.Name) and self.names.scope_of(self.found.loop).lookup(held.id) is not None
        made = self._made(self.module, held) if is_known else ()
        return {one for one in made if name_of(one.func) == "Checkpoint"}

    def _made(self, module: Module, value: ast.expr) -> set[ast.Call]:
        return {one for one in self.reach.one(Origins).of_model(module, value) if isinstance(one, ast.Call)}

    def _is_made(self, name: str) -> bool:
        """Whether the program makes a strategy, and does not only ask for its kind."""
        files = {self.reach.module_of(call).path for call in self.reach.called(name)}
        return any(path == self.module.path or os.path.abspath(path) in self.reach.tied for path in files)

    def _place(self, trained: TrainedInLoop) -> str:
        """Settles where a recovery saves; gives the reason why that is not seen."""
        body, end = self.found.loop.body, SaveAt(self.found.loop.body[-1], self._next)
        has_inner = any(isinstance(node, ast.For | ast.While) for one in body for node in ast.walk(one))
        has_inner |= trained.has_turns
        has_inner |= any(name_of(call.func) in ("fit", "fit_generator") for call in trained.trains)
        kinds = self._kinds(trained)
        saved = list(kinds)
        if not saved:
            return "what saves in it is not seen"
        if line := self._warms_up(self.found.epoch):
            return f"line {line} trains after the first turns of each start alone"
        plain = [call for call in saved if kinds[call] == ""] or [call for call in saved if kinds[call] == "interval"]
        if not plain:
            inner = [call for call in saved if kinds[call] == "within"]
            if not has_inner:
                return "how often it saves is not seen"
            if any(isinstance(one, ast.Continue) for one in of_turn(self.found.loop)):
                return "an epoch may end by `continue`"
            if inner:
                self.found.saves.append(SaveAt(self.names.statement_of(inner[-1]), self.epoch))
            self.found.saves.append(end)
            return ""
        last = self.names.statement_of(plain[-1])
        if reason := self._no_place(last):
            return reason
        above = [call for call in trained.trains if call.lineno < last.lineno or call in saved]
        if above and len(above) < len(trained.trains):
            return f"line {last.lineno} saves amid the training of an epoch"
        number = end.number if above else self.epoch
        self.found.saves.append(SaveAt(last, number))
        return ""

    def _place_uncounted(self, trained: TrainedInLoop) -> str:
        """The same of a loop that no ``range`` counts: it saves where the program does, never after each turn."""
        kinds = self._kinds(trained)
        plain = [call for call in kinds if kinds[call] in ("", "interval")]
        within = [] if plain else [call for call in kinds if kinds[call] == "within"]
        if not kinds:
            return "what saves in it is not seen"
        if not plain and not within:
            return "how often it saves is not seen"
        last = self.names.statement_of([*within, *plain][-1])
        if reason := self._no_place(last):
            return reason
        if plain and any(call.lineno > last.lineno for call in trained.trains):
            return f"line {last.lineno} saves before or amid the training of a turn"
        left = counts_down(self.module, self.found.loop)
        if left:
            return f"`{left}` counts what is left"
        if self.found.counter is not None and self._warms_up(self.found.counter.name):
            self.found.counter = None
        counter = self.found.counter
        number = "" if counter is None else counter.name if within else counter.after(last)
        if counter is not None and not number:
            return f"line {counter.counts.lineno} counts some turns alone"
        tests = [test.test for test in ends(self.found.loop)] if counter is not None else []
        read = [test for test in tests for one in ast.walk(test) if counter and ast.unparse(one) == counter.name]
        if counter is not None and counter.call is not None and not read:
            return "its data end it, of which each start has all again"
        self.found.last = [one for one in read if isinstance(one, ast.Compare) and isinstance(one.ops[0], ast.Eq)]
        self.found.saves.append(SaveAt(last, number))
        return ""

    @property
    def _next(self) -> str:
        """The number of the turn after one that a range counts."""
        args = self.found.begun.args if self.found.begun is not None else []
        return f"{self.epoch} + {ast.unparse(args[2]) if len(args) > 2 else 1}"

    def _leave(self, trained: TrainedInLoop) -> str:
        """Settles that what is saved before a turn leaves the loop is too; gives the reason why it cannot be."""
        loop, counter = self.found.loop, self.found.counter
        saves = [self.names.statement_of(one) for one in trained.saves if is_last_before_end(self.module, one, loop)]
        last = {(above := self.names.parent(one), one in getattr(above, "body", ())): one for one in saves}
        for one in (each for each in last.values() if each not in [save.after for save in self.found.saves]):
            inner = [node for node in self.names.ancestors(one) if loop in self.names.ancestors(node)]
            is_amid = any(isinstance(node, ast.For | ast.While | ast.ExceptHandler) for node in inner)
            is_amid |= any(call.lineno > one.lineno and call not in trained.saves for call in trained.trains)
            number = self.epoch if is_amid else self._next
            if self.found.begun is None:
                number = "" if counter is None else (not is_amid and counter.after(one)) or counter.name
            self.found.saves.append(SaveAt(one, number))
        return next(filter(None, map(self._no_place, last.values())), "")

    def _warms_up(self, counted: str) -> int:
        """The line that keeps the first turns of each start from training, while they fill a memory; 0 for none."""
        tests = (one for one in ast.walk(self.found.loop) if isinstance(one, ast.If) and self._trains_in(one))
        asked = (part for one in tests for part in ast.walk(one.test) if isinstance(part, ast.Compare))
        asked = (one for one in asked if isinstance(one.ops[0], ast.Gt | ast.GtE | ast.Lt | ast.LtE))
        return next((one.lineno for one in asked if counted in map(ast.unparse, (one.left, *one.comparators))), 0)

    def _kinds(self, trained: TrainedInLoop) -> dict[ast.Call, str]:
        """When each call in the loop saves; a function that saves at some of its calls alone tells no time."""
        kinds = {}
        last = [one for one in trained.saves if is_last_before_end(self.module, one, self.found.loop)]
        for call, saved in sorted(trained.saves.items(), key=lambda one: one[0] not in last):
            inside = [one for one in saved if one.call is not call]
            is_at_times = bool(inside) and all(Conditions(one.module).tests(one.call) for one in inside)
            kinds[call] = "other" if is_at_times else self._kind(call)
        return kinds

    def _kind(self, call: ast.Call) -> str:
        """When a call in the loop saves: "" in each turn, "interval", "within" an epoch, or "other" times."""
        kind = ""
        child: ast.AST = call
        around = list(self.names.ancestors(call))
        is_within = any(isinstance(node, ast.For | ast.While) for node in around[: around.index(self.found.loop)])
        for node in around:
            if node is self.found.loop:
                return "within" if is_within else kind
            if isinstance(node, FunctionNode | ast.Lambda | ast.ExceptHandler):
                return "other"
            if isinstance(node, ast.If) and child is not node.test and not self._trains_in(node):
                counts = any(isinstance(one, ast.Mod) for one in ast.walk(node.test))
                counts |= any(isinstance(one, ast.Call) and name_of(one.func) == "mod" for one in ast.walk(node.test))
                asked = [one for one in ast.walk(node.test) if isinstance(one, ast.Name)]
                is_read = any(one.id == self.epoch or self._counts_steps(one) for one in asked)
                counts &= is_read or is_within or self.found.begun is None
                if not counts or any(child is one for one in node.orelse):
                    return "other"
                kind = "interval"
            child = node
        return "other"

    def _counts_steps(self, name: ast.Name) -> bool:
        """Whether a variable of the loop is the number of steps that an optimizer has made."""
        parts = (part for one in self.names.bound(name) if one.value is not None for part in ast.walk(one.value))
        return any(isinstance(part, ast.Attribute) and part.attr == "iterations" for part in parts)

    def _no_place(self, save: ast.stmt) -> str:
        """Why nothing can be saved after a statement that saves; "" where it can."""
        if not isinstance(save, ast.Expr | ast.Assign):
            return f"line {save.lineno} does more than save"
        inside = (node for one in self.found.loop.body for node in ast.walk(one))
        calls = sorted((node for node in inside if isinstance(node, ast.Call)), key=lambda call: call.lineno)
        calls = [call for call in calls if self.names.qualified(call.func) is None]
        last = {_held(call): name_of(call.func) for call in calls if call.lineno < save.lineno}
        later = [call for call in calls if call.lineno > save.lineno]
        averaged = {held for held, name in last.items() if held and _AVERAGES.search(name)}
        puts_back = (one for one in later if _held(one) in averaged or _PUTS_BACK.match(name_of(one.func)))
        back = min((call.lineno for call in puts_back), default=0)
        return f"line {back} puts other weights back than it saves" if back else ""

    def _trains_in(self, test: ast.If) -> bool:
        """Whether a test decides on the training too, and not on the save alone."""
        return bool(self.trains) and all(test in self.names.ancestors(call) for call in self.trains)

    def _shrinks(self) -> str:
        """Why the loop may know itself how many epochs are left; "" where it does not."""
        begun = self.found.begun
        if begun is None or (self.found.first is not None and not isinstance(self.found.first, ast.Constant)):
            return ""
        for part in made_of(self.names, begun.args[:2][-1]):
            is_less = isinstance(part, ast.BinOp) and isinstance(part.op, ast.Sub)
            if isinstance(part, ast.BinOp) and is_less and not isinstance(part.right, ast.Constant):
                return f"`{ast.unparse(part)}` may be the number of epochs that are left"
        return ""

    def _unbound(self) -> str:
        """Why a start that resumes, or has nothing left to train, lacks a variable; "" where it does not."""
        counted = self.found.counter.name if self.found.counter is not None else self.found.epoch
        if self.found.begun is None and self.found.counter is None:
            return ""  # such a loop has a turn at each start
        first = self.found.first.id if isinstance(self.found.first, ast.Name) else ""
        if other := set_by_others(self.module, self.found.loop, counted, first):
            return f"line {other[1]} uses `{other[0]}`, which a start that resumes between the turns that set it lacks"
        is_begun_later = self.found.first is not None and not isinstance(self.found.first, ast.Constant)
        for name, line in read_after(self.module, self.found.loop).items():
            begun = self.found.begun
            if name == self.found.epoch and begun is not None and len(begun.args) < 3:
                self.found.is_read_after = True
            elif not is_begun_later:  # else it did so before
                return f"line {line} uses `{name}`, which a start with no epoch left does not set"
        return ""


def _is_in_order(iterated: ast.expr, counted: ast.Call) -> bool:
    """Whether a loop goes up a range: not ``reversed(range(n))``, nor ``list(range(n))[::2]``."""
    around = [one for one in ast.walk(iterated) if isinstance(one, ast.expr) and counted in list(ast.walk(one))[1:]]
    return all(isinstance(one, ast.Call) and _IN_ORDER.search(name_of(one.func)) for one in around)


def _held(call: ast.Call) -> str:
    """What a method is asked of, as source; "" where a call is of none."""
    return ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
