"""The ``tf.train.Checkpoint`` objects of a module, their managers and the calls of their methods."""

import ast
from collections.abc import Hashable, Iterator
from functools import cached_property

from migrate.analysis.calls.given import given_values
from migrate.analysis.calls.objects import classes_of
from migrate.analysis.calls.reach import MAX_DEPTH, Reach
from migrate.analysis.keras.tracked_objects import keyword_arguments
from migrate.analysis.source.arguments import Unbindable, bind
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import Names
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.places import key_of
from migrate.analysis.source.scopes import unpacked_value
from migrate.analysis.source.symbols import symbol_of
from migrate.analysis.values.values import Values
from migrate.records import dataclass, field

_MANAGER = (
    "checkpoint", "directory", "max_to_keep", "keep_checkpoint_every_n_hours", "checkpoint_name", "step_counter",
    "checkpoint_interval", "init_fn",
)  # fmt: skip
_METHODS = {"read", "restore", "restore_or_initialize", "save", "write"}
_WORDS = ("checkpoint", "ckpt", "save", "restore", "restore_or_initialize")
"""A file that saves or restores a checkpoint of another file contains one of these words."""


def assignment_target(names: Names, call: ast.expr) -> ast.expr | None:
    """Returns the variable or attribute that a value is assigned to, also in a tuple; None for none."""
    statement = names.parent(call)
    if isinstance(statement, ast.Tuple | ast.List):
        around = names.parent(statement)
        targets = around.targets[0] if isinstance(around, ast.Assign) else None
        for one in targets.elts if isinstance(targets, ast.Tuple | ast.List) else ():
            if unpacked_value(names.parents, one) is call and isinstance(one, ast.Name | ast.Attribute):
                return one
        return None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    else:
        return None
    return target if isinstance(target, ast.Name | ast.Attribute) else None


def _visible_assignments(names: Names, use: ast.expr, targets: list[ast.expr]) -> list[ast.expr]:
    """Returns the assignments, of several, that a use may see; all of them if that is unknown."""
    assigned = [one.node for one in names.bindings(use)] if isinstance(use, ast.Name) else targets
    reached = {names.statement_of(node) for node in names.assignments_at(use, assigned)}
    return [target for target in targets if names.statement_of(target) in reached] or targets


def _item_target(names: Names, call: ast.Call) -> ast.expr | None:
    """Returns the item of a dictionary or list that a call is assigned to; None for none."""
    statement = names.parent(call)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return targets[0] if len(targets) == 1 and isinstance(targets[0], ast.Subscript) else None


def _key(names: Names, expression: ast.expr | None) -> Hashable | None:
    """Returns ``key_of`` of an expression, which may also be an item: ``self.managers[name]``."""
    if not isinstance(expression, ast.Subscript):
        return key_of(names, expression)
    holder, item = key_of(names, expression.value), expression.slice
    part = item.value if isinstance(item, ast.Constant) else key_of(names, item)
    return (holder, "[]", part) if holder is not None and part is not None else None


@dataclass
class Manager:
    """One ``tf.train.CheckpointManager(…)``.

    Attributes:
      target: the variable or attribute that it is assigned to; None for none.
    """

    call: ast.Call
    target: ast.expr | None
    arguments: dict[str, ast.expr]


@dataclass
class Checkpoint:
    """One ``tf.train.Checkpoint(…)``.

    Attributes:
      target: the variable or attribute that it is assigned to; None for none.
      managers: its managers.
      methods: the calls of its methods and of its managers' methods, by name.
      parts: the objects that it tracks, by their names in the checkpoint.
      is_whole: whether all of these objects are known.
    """

    call: ast.Call
    target: ast.expr | None
    managers: list[Manager] = field(default_factory=list)
    methods: dict[str, list[ast.Call]] = field(default_factory=dict)
    parts: dict[str, ast.expr] = field(default_factory=dict)
    is_whole: bool = True

    def calls(self, *names: str) -> list[ast.Call]:
        return [call for name in names for call in self.methods.get(name, ())]

    @property
    def targets(self) -> list[ast.expr | None]:
        """The targets of the checkpoint and of its managers."""
        return [self.target, *(manager.target for manager in self.managers)]

    @property
    def save_calls(self) -> list[ast.Call]:
        """The calls that save it."""
        return self.calls("save", "write")

    def objects(self) -> list[ast.expr]:
        """Returns the objects that it tracks, including a root object."""
        return [*self.call.args[:1], *self.parts.values()]


class Checkpoints:
    """The checkpoints of a module, with the calls of their methods in the program."""

    def __init__(self, module: Module, values: Values, reach: Reach) -> None:
        self.module, self._values, self.reach = module, values, reach
        self.names = module.names
        self.all = [
            Checkpoint(call, assignment_target(self.names, call) or _item_target(self.names, call))
            for call in module.calls_of("train.Checkpoint")
            if self.names.qualified(call.func) is not None
        ]
        self._derived = dict(self._read_classes())
        self.all += self._derived.values()
        self._by_key: dict[Hashable, list[Checkpoint]] = {}
        for one in self.all:
            one.parts, one.is_whole = keyword_arguments(reach, values, module, one.call)
            own = key_of(self.names, one.target)
            for store in (node for node in self.names.stores if isinstance(node, ast.Attribute) and own):
                statement = self.names.parent(store)
                if isinstance(statement, ast.Assign) and key_of(self.names, store.value) == own:
                    one.parts.setdefault(store.attr, statement.value)
            self._by_key.setdefault(_key(self.names, one.target), []).append(one)
        self._managed: dict[Hashable, list[tuple[ast.expr, list[Checkpoint]]]] = {}
        for call in module.calls_of("train.CheckpointManager"):
            self._read_manager(call)
        for node in self.names.nodes(ast.Call) if self.all else ():
            # tf.py_function(manager.save, [], []) saves, too
            for method in (node.func, *(one for one in node.args if getattr(one, "attr", "") == "save")):
                if not isinstance(method, ast.Attribute):
                    continue
                held = [*self._checkpoints_of(method.value)]
                if not held and method.attr in _METHODS:
                    held = self._follow_receiver(method.value) or self._checkpoint_by_attribute(method.value)
                for one in held:
                    one.methods.setdefault(method.attr, []).append(node)

    def _read_classes(self) -> Iterator[tuple[ast.ClassDef, Checkpoint]]:
        """Yields the subclasses of ``Checkpoint``, each with the checkpoint that its call of ``super()`` creates."""
        for owner in self.names.classes:
            bases = [symbol_of(self.names, base) for base in owner.bases]
            if any(base is not None and base.tail == "train.Checkpoint" for base in bases):
                calls = (node for node in ast.walk(owner) if isinstance(node, ast.Call))
                yield from [(owner, Checkpoint(one, None)) for one in calls if name_of(one.func) == "__init__"][:1]

    def calls_elsewhere(self, checkpoint: Checkpoint, *names: str) -> list[tuple[Module, ast.Call]]:
        """Returns the calls of some methods of a checkpoint and its managers in the other files of the program."""
        each: list[Checkpoint | Manager] = [checkpoint, *checkpoint.managers]
        made, owners = {one.call for one in each}, self.owners(checkpoint)
        texts = {ast.unparse(one.target) for one in each if isinstance(one.target, ast.Attribute)}
        return [
            (where, call)
            for where, call, cases in self._method_calls_elsewhere
            if isinstance(call.func, ast.Attribute)
            and call.func.attr in names
            and (
                made & cases
                or (ast.unparse(call.func.value) in texts and not owners.isdisjoint(where.names.ancestors(call)))
            )
        ]

    def owners(self, checkpoint: Checkpoint) -> set[ast.AST]:
        """Returns the classes whose objects may have a checkpoint as an attribute."""
        is_attribute = isinstance(checkpoint.target, ast.Attribute)
        owner = self.names.class_around(checkpoint.call) if is_attribute else None
        family = self.reach.family(owner, self.module)
        return {*family, *(base for one in family[:1] for base in self.reach.bases(one))}

    @cached_property
    def _method_calls_elsewhere(self) -> list[tuple[Module, ast.Call, set[ast.AST]]]:
        """The calls in other files of what may be a checkpoint's method, each with its object's values."""
        found = []
        for where in self.reach.files_with(*_WORDS) if self.all else ():
            held = [one for name in _METHODS for one in where.names.attributes.get(name, ())]
            calls = [(one.value, where.names.parent(one)) for one in held if where is not self.module]
            found += [
                (where, call, self._possible_values(where, value))
                for value, call in calls
                if isinstance(call, ast.Call)
            ]
        return found

    def _possible_values(self, where: Module, value: ast.expr, depth: int = 0) -> set[ast.AST]:
        """Returns the nodes of the values that an expression may have, also through parameters of methods."""
        found = set[ast.AST]()
        for case in self._values.of(where, value):
            is_followed = isinstance(case.node, ast.arg) and depth < MAX_DEPTH
            given = given_values(self.reach, case.module, case.node) if is_followed else []  # type: ignore[arg-type]
            found |= {one for at, part in given for one in self._possible_values(at, part, depth + 1)} or {case.node}
        return found

    @cached_property
    def restores_of_others(self) -> dict[ast.Call, Checkpoint]:
        """The restores of another file's checkpoint, each with that checkpoint and this file's calls of its methods."""
        found = dict[ast.Call, Checkpoint]()
        for restored in self.names.attributes.get("restore", ()):
            call, made = self.names.parent(restored), [*self._possible_values(self.module, restored.value)]
            is_known = isinstance(call, ast.Call) and bool(self.checkpoints_of_call(call))
            if isinstance(call, ast.Call) and made and all(map(_is_checkpoint, made)) and not is_known:
                ways = (
                    (one, self._possible_values(self.module, one.value))
                    for one in self.names.attributes.get("save", ())
                )
                saves = [self.names.parent(one) for one, cases in ways if any(map(_is_checkpoint, cases))]
                calls = {"restore": [call], "save": [one for one in saves if isinstance(one, ast.Call)]}
                found[call] = Checkpoint(made[0], None, methods=calls)  # type: ignore[arg-type]
        return found

    def keys(self, checkpoint: Checkpoint) -> set[Hashable]:
        """Returns the keys of the variables and attributes that a checkpoint tracks."""
        return {key_of(self.names, one) for one in checkpoint.objects()} - {None}

    def checkpoint_in(self, expression: ast.expr | None) -> Checkpoint | None:
        """Returns the checkpoint in a variable or attribute; None if it is unknown or may be one of several."""
        found = self.checkpoints_in(expression)
        return found[0] if len(found) == 1 else None

    def checkpoints_in(self, expression: ast.expr | None) -> list[Checkpoint]:
        """Returns the checkpoints that a variable or attribute may have: several if branches assign it."""
        place = _key(self.names, expression)
        if place is None or expression is None:
            return []
        return self._visible_checkpoints(expression, self._by_key.get(place, [])) or self._follow_receiver(expression)

    def checkpoints_of_call(self, call: ast.Call) -> list[Checkpoint]:
        """Returns the checkpoints that a method call may be on."""
        return [one for one in self.all if call in one.methods.get(name_of(call.func), ())]

    def managed_checkpoints(self, expression: ast.expr) -> list[Checkpoint]:
        """Returns the checkpoints of the managers that a variable or attribute may have."""
        made = self._managed.get(_key(self.names, expression), [])
        found = _visible_assignments(self.names, expression, [target for target, _ in made])
        return [one for target, some in made if target in found for one in some] or self._follow_receiver(expression)

    def checkpoints_of_path(self, path: ast.expr) -> list[Checkpoint]:
        """Returns the checkpoints that a path may belong to: those of the manager in ``manager.latest_checkpoint``."""
        for node in ast.walk(self.names.value(path)):
            if isinstance(node, ast.Attribute) and node.attr in ("latest_checkpoint", "checkpoints"):
                return [one for one in self.managed_checkpoints(node.value) if self._is_saved_by(one, node.value)]
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "save":
                return self.managed_checkpoints(node.func.value) or self.checkpoints_in(node.func.value)
        return []

    def _is_saved_by(self, checkpoint: Checkpoint, manager: ast.expr) -> bool:
        """Whether a manager saves a checkpoint, or is its only one; another one may read files of other programs."""
        called = (one.func for one in checkpoint.save_calls)
        savers = {_key(self.names, one.value) for one in called if isinstance(one, ast.Attribute)}
        is_one = len({_key(self.names, one.target) for one in checkpoint.managers}) < 2
        return is_one or not savers or _key(self.names, manager) in savers | {None}

    def is_not_passed_on(self, target: ast.expr | None) -> bool:
        """Whether the target of a checkpoint or manager is used only to call methods and create managers.

        An attribute counts for any object: ``job.train(job.checkpoint)`` passes on ``self.checkpoint``.
        """
        if key_of(self.names, target) is None or target is None:
            return False
        same = self.names.attributes.get(target.attr, []) if isinstance(target, ast.Attribute) else None
        uses = self.names.reads_of(target) if same is None else same
        for use in uses:
            parent = self.names.parent(use)
            call = self.names.parent(parent) if isinstance(parent, ast.keyword) else parent
            is_manager = isinstance(call, ast.Call) and call in self.module.calls_of("train.CheckpointManager")
            if not isinstance(parent, ast.Attribute) and not is_manager and isinstance(use.ctx, ast.Load):
                return False
        return True

    def is_followed(self, tracker: Checkpoint | Manager) -> bool:
        """Whether every use of a checkpoint or manager is known, since only the program's own functions get it."""
        target = tracker.target
        if isinstance(target, ast.Subscript):
            return False
        same = self.names.attributes.get(target.attr, []) if isinstance(target, ast.Attribute) else None
        uses = [tracker.call] if target is None else self.names.reads_of(target) if same is None else same
        return all(self._is_followed(use) for use in uses if isinstance(getattr(use, "ctx", ast.Load()), ast.Load))

    def _is_followed(self, use: ast.expr) -> bool:
        parent = self.names.parent(use)
        parent = self.names.parent(parent) if isinstance(parent, ast.keyword | ast.Tuple) else parent
        if isinstance(parent, ast.Call):
            is_manager = parent in self.module.calls_of("train.CheckpointManager")
            return is_manager or bool(self.reach.functions(parent))
        is_held = isinstance(parent, ast.Assign) and all(
            isinstance(t, ast.Name | ast.Attribute) for t in parent.targets
        )
        return is_held or isinstance(parent, ast.Attribute | ast.Return)

    def _checkpoints_of(self, receiver: ast.expr) -> Iterator[Checkpoint]:
        if self._derived and isinstance(receiver, ast.Name) and receiver.id == "self":
            yield from self._derived_around(receiver)
        place = _key(self.names, receiver)
        if place is not None:
            yield from self._visible_checkpoints(receiver, self._by_key.get(place, []))
            made = self._managed.get(place, [])
            found = _visible_assignments(self.names, receiver, [target for target, _ in made])
            yield from (one for target, some in made if target in found for one in some)

    def _derived_around(self, receiver: ast.Name) -> Iterator[Checkpoint]:
        """Yields the subclassed checkpoint that ``self`` is, in its ``__init__`` or in a call that saves it."""
        around = [*self.names.ancestors(receiver)]
        is_made = any(isinstance(one, ast.FunctionDef) and one.name == "__init__" for one in around)
        if is_made or name_of(self.names.parent(receiver)) in ("save", "write"):  # type: ignore[arg-type]
            yield from (made for owner, made in self._derived.items() if owner in around)

    def _follow_receiver(self, receiver: ast.expr | None) -> list[Checkpoint]:
        """Returns the checkpoints that an object may be or manage, wherever the program creates it."""
        if receiver is None or not self.all:
            return []
        if isinstance(receiver, ast.Attribute) and receiver.attr == "checkpoint":
            return self.managed_checkpoints(receiver.value)
        cases = self._possible_values(self.module, receiver)
        return [one for one in self.all if cases & {one.call, *(manager.call for manager in one.managers)}]

    def _checkpoint_by_attribute(self, receiver: ast.expr) -> list[Checkpoint]:
        """Returns the only checkpoint that is assigned to an attribute of this name, for an object of unknown class."""
        if not isinstance(receiver, ast.Attribute) or classes_of(self.reach, self.module, receiver.value) is not None:
            return []
        each = [(one, target) for one in self.all for target in one.targets]
        found = [one for one, target in each if getattr(target, "attr", "") == receiver.attr]
        return found if len(found) == 1 else []

    def _visible_checkpoints(self, use: ast.expr, made: list[Checkpoint]) -> list[Checkpoint]:
        found = _visible_assignments(self.names, use, [one.target for one in made if one.target is not None])
        return [one for one in made if one.target in found]

    def _read_manager(self, call: ast.Call) -> None:
        target = assignment_target(self.names, call) or _item_target(self.names, call)
        try:
            arguments = bind(call, _MANAGER)
        except Unbindable:
            arguments = {}
        given = arguments.get("checkpoint")
        known = self.checkpoints_in(given) or [one for one in self.all if one.call is given]
        found = known or self._follow_receiver(given)
        place = _key(self.names, target)
        if place is not None and target is not None:
            self._managed.setdefault(place, []).append((target, found))
        for checkpoint in found:
            checkpoint.managers.append(Manager(call, target, arguments))


def _is_checkpoint(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("train.Checkpoint", "CheckpointManager"))
