"""``tf.train.Checkpoint`` objects of one module, their managers, and what is done with them."""

import ast
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from migrate.analysis.source.arguments import Unbindable, bind
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import Names
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.scopes import value_beside
from migrate.analysis.values.values import Values

_MANAGER = (
    "checkpoint", "directory", "max_to_keep", "keep_checkpoint_every_n_hours", "checkpoint_name", "step_counter",
    "checkpoint_interval", "init_fn",
)  # fmt: skip
_METHODS = {"read", "restore", "restore_or_initialize", "save", "write"}


def key(names: Names, expression: ast.expr | None) -> Hashable | None:
    """What tells one variable or attribute of ``self`` from another; None for any other expression."""
    if isinstance(expression, ast.Name):
        found = names.scope_of(expression).lookup(expression.id)
        return (id(found[0]), expression.id) if found is not None else None
    if isinstance(expression, ast.Attribute) and isinstance(expression.value, ast.Name):
        if expression.value.id in ("self", "cls"):
            owner = next((node for node in names.ancestors(expression) if isinstance(node, ast.ClassDef)), None)
            return (id(owner), f"self.{expression.attr}") if owner is not None else None
        base = key(names, expression.value)
        return (base, expression.attr) if base is not None else None
    return None


def single_assignment(names: Names, attribute: ast.expr) -> ast.expr | None:
    """What the one assignment of an attribute in the file gives it; None for more of them, or for none."""
    own = key(names, attribute) if isinstance(attribute, ast.Attribute) else None
    stores = [one for one in names.stores if own is not None and key(names, one) == own]
    statement = names.parent(stores[0]) if len(stores) == 1 else None
    if isinstance(statement, ast.Assign):
        return statement.value
    return value_beside(names.parents, stores[0]) if len(stores) == 1 else None


def stores_of(names: Names, place: ast.expr) -> list[ast.expr]:
    """Where a variable or an attribute of an object is assigned; an attribute also where a derived class does."""
    own, text = key(names, place), ast.unparse(place) if isinstance(place, ast.Attribute) else None
    variables = (one for one in names.nodes(ast.Name) if isinstance(one.ctx, ast.Store))
    found = [*(one for one in names.stores if isinstance(one, ast.Attribute)), *variables]
    return [one for one in found if own and (key(names, one) == own or ast.unparse(one) == text)]


def target_of(names: Names, call: ast.Call) -> ast.expr | None:
    """The variable or attribute that a call's value is assigned to, alone or beside others."""
    statement = names.parent(call)
    if isinstance(statement, ast.Tuple | ast.List):
        around = names.parent(statement)
        targets = around.targets[0] if isinstance(around, ast.Assign) else None
        for one in targets.elts if isinstance(targets, ast.Tuple | ast.List) else ():
            if value_beside(names.parents, one) is call and isinstance(one, ast.Name | ast.Attribute):
                return one
        return None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    else:
        return None
    return target if isinstance(target, ast.Name | ast.Attribute) else None


def _item(names: Names, call: ast.Call) -> ast.expr | None:
    """The item of a dictionary or list that a call's value is assigned to, alone."""
    statement = names.parent(call)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return targets[0] if len(targets) == 1 and isinstance(targets[0], ast.Subscript) else None


def _place(names: Names, expression: ast.expr | None) -> Hashable | None:
    """As ``key``, also of an item: ``self.managers[name]``."""
    if not isinstance(expression, ast.Subscript):
        return key(names, expression)
    holder, item = key(names, expression.value), expression.slice
    part = item.value if isinstance(item, ast.Constant) else key(names, item)
    return (holder, "[]", part) if holder is not None and part is not None else None


@dataclass
class Manager:
    """One ``tf.train.CheckpointManager(…)``.

    Attributes:
      target: the variable or attribute that holds it; None for none.
    """

    call: ast.Call
    target: ast.expr | None
    arguments: dict[str, ast.expr]


@dataclass
class Checkpoint:
    """One ``tf.train.Checkpoint(…)``.

    Attributes:
      target: the variable or attribute that holds it; None for none.
      managers: the managers of it.
      methods: the calls of its methods, and of its managers', by name.
    """

    call: ast.Call
    target: ast.expr | None
    managers: list[Manager] = field(default_factory=list)
    methods: dict[str, list[ast.Call]] = field(default_factory=dict)

    def calls(self, *names: str) -> list[ast.Call]:
        """The calls of some of its methods."""
        return [call for name in names for call in self.methods.get(name, ())]

    @property
    def saves(self) -> list[ast.Call]:
        """The calls that save it."""
        return self.calls("save", "write")

    def tracked(self) -> dict[str, ast.expr]:
        """What it saves, by the names that it has in the checkpoint."""
        return {keyword.arg: keyword.value for keyword in self.call.keywords if keyword.arg is not None}

    def objects(self) -> list[ast.expr]:
        """What it saves, with the root that it may be given first."""
        return [*self.call.args[:1], *self.tracked().values()]


class Checkpoints:
    """All checkpoints of one module, with what the module does with each."""

    def __init__(self, module: Module, values: Values) -> None:
        self.module, self._values = module, values
        self.names = module.names
        self.all = [
            Checkpoint(call, target_of(self.names, call) or _item(self.names, call))
            for call in module.calls_of("train.Checkpoint")
            if self.names.qualified(call.func) is not None
        ]
        self._by_key: dict[Hashable, list[Checkpoint]] = {}
        for one in self.all:
            self._by_key.setdefault(_place(self.names, one.target), []).append(one)
        self._managed: dict[Hashable, list[tuple[ast.expr, list[Checkpoint]]]] = {}
        for call in module.calls_of("train.CheckpointManager"):
            self._read_manager(call)
        for node in self.names.nodes(ast.Call) if self.all else ():
            # tf.py_function(manager.save, [], []) saves, too
            for method in (node.func, *(one for one in node.args if getattr(one, "attr", "") == "save")):
                if not isinstance(method, ast.Attribute):
                    continue
                held = [*self._behind(method.value)]
                if not held and method.attr in _METHODS:
                    held = self._followed(method.value)
                for one in held:
                    one.methods.setdefault(method.attr, []).append(node)

    def keys(self, checkpoint: Checkpoint) -> set[Hashable]:
        """The variables and attributes that a checkpoint saves."""
        return {key(self.names, one) for one in checkpoint.objects()} - {None}

    def of(self, expression: ast.expr | None) -> Checkpoint | None:
        """The one checkpoint that a variable or attribute holds; None where it may be another."""
        found = self.each_of(expression)
        return found[0] if len(found) == 1 else None

    def each_of(self, expression: ast.expr | None) -> list[Checkpoint]:
        """The checkpoints that a variable or attribute may hold, as where two branches assign it."""
        place = _place(self.names, expression)
        if place is None or expression is None:
            return []
        return self._reaching(expression, self._by_key.get(place, [])) or self._followed(expression)

    def of_call(self, call: ast.Call) -> list[Checkpoint]:
        """The checkpoints that a call may be a method of."""
        return [one for one in self.all if call in one.methods.get(name_of(call.func), ())]

    def managed_by(self, expression: ast.expr) -> list[Checkpoint]:
        """The checkpoints behind the managers that a variable or attribute may hold."""
        made = self._managed.get(_place(self.names, expression), [])
        found = _reaching(self.names, expression, [target for target, _ in made])
        return [one for target, some in made if target in found for one in some] or self._followed(expression)

    def of_path(self, path: ast.expr) -> list[Checkpoint]:
        """The checkpoints whose manager a path may be asked of: ``manager.latest_checkpoint``."""
        for node in self._parts(path):
            if isinstance(node, ast.Attribute) and node.attr in ("latest_checkpoint", "checkpoints"):
                return [one for one in self.managed_by(node.value) if self._is_saved_by(one, node.value)]
            is_save = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "save"
            if is_save:
                assert isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
                return self.managed_by(node.func.value) or self.each_of(node.func.value)
        return []

    def _is_saved_by(self, checkpoint: Checkpoint, manager: ast.expr) -> bool:
        """Whether a manager is one that saves, where a checkpoint has another that may read what others saved."""
        savers = {_place(self.names, one.func.value) for one in checkpoint.saves if isinstance(one.func, ast.Attribute)}
        is_one = len({_place(self.names, one.target) for one in checkpoint.managers}) < 2
        return is_one or not savers or _place(self.names, manager) in savers | {None}

    def is_kept(self, target: ast.expr | None) -> bool:
        """Whether what holds a checkpoint or a manager is used for its own methods, or to make the manager, alone.

        An attribute of an object counts by whatever name the object has: ``job.train(job.checkpoint)``.
        """
        if key(self.names, target) is None or target is None:
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

    def _parts(self, path: ast.expr) -> Iterator[ast.AST]:
        """What a path is made of, through variables that are assigned once."""
        return ast.walk(self.names.value(path))

    def _behind(self, receiver: ast.expr) -> Iterator[Checkpoint]:
        place = _place(self.names, receiver)
        if place is not None:
            yield from self._reaching(receiver, self._by_key.get(place, []))
            made = self._managed.get(place, [])
            found = _reaching(self.names, receiver, [target for target, _ in made])
            yield from (one for target, some in made if target in found for one in some)

    def _followed(self, receiver: ast.expr | None) -> list[Checkpoint]:
        """The checkpoints that an object is made as, or manages, wherever the program passes it on."""
        if receiver is None or not self.all:
            return []
        if isinstance(receiver, ast.Attribute) and receiver.attr == "checkpoint":
            return self.managed_by(receiver.value)
        ends = {end.node for end in self._values.ends(self.module, receiver)}
        return [one for one in self.all if ends & {one.call, *(manager.call for manager in one.managers)}]

    def _reaching(self, use: ast.expr, made: list[Checkpoint]) -> list[Checkpoint]:
        found = _reaching(self.names, use, [one.target for one in made if one.target is not None])
        return [one for one in made if one.target in found]

    def _read_manager(self, call: ast.Call) -> None:
        target = target_of(self.names, call) or _item(self.names, call)
        try:
            arguments = bind(call, _MANAGER)
        except Unbindable:
            arguments = {}
        given = arguments.get("checkpoint")
        found = self.each_of(given) or [one for one in self.all if one.call is given] or self._followed(given)
        place = _place(self.names, target)
        if place is not None and target is not None:
            self._managed.setdefault(place, []).append((target, found))
        for checkpoint in found:
            checkpoint.managers.append(Manager(call, target, arguments))


def _reaching(names: Names, use: ast.expr, targets: list[ast.expr]) -> list[ast.expr]:
    """Which of several assignments a use reads: the last one above it in its function, where that is sure; else all."""
    if len(targets) < 2:
        return targets
    scope = names.scope_of(use)
    found = scope.lookup(use.id) if isinstance(use, ast.Name) else None
    if found is not None and found[0] is not scope:
        return targets
    around = {use: None, **dict.fromkeys(names.ancestors(use))}
    loops = [node for node in around if isinstance(node, ast.For | ast.While | ast.AsyncFor)]
    own = (names.statement_of(target) for target in targets if names.scope_of(target) is scope)
    statements = [binding.node for binding in found[1]] if found is not None else [*own]
    lines = [getattr(statement, "lineno", 0) for statement in statements]
    if any(line >= use.lineno and any(_holds(loop, line) for loop in loops) for line in lines):
        return targets  # the next turn of the loop reads it
    last = max((line for line in lines if line < use.lineno), default=0)
    # Each block around an assignment must be around the use, too: nothing goes past the assignment then.
    above = [target for target in targets if names.statement_of(target).lineno == last]
    reached = [target for target in above if _is_beside(names, names.statement_of(target), around)]
    return reached or targets


def _is_beside(names: Names, statement: ast.stmt, around: dict[ast.AST, None]) -> bool:
    """Whether a statement stands in a block that one of the nodes around a use stands in as well."""
    parent = names.parents.get(statement)
    if parent is None:
        return False
    blocks = [value for _, value in ast.iter_fields(parent) if isinstance(value, list) and statement in value]
    return any(node in block for block in blocks for node in around)


def _holds(loop: ast.AST, line: int) -> bool:
    return getattr(loop, "lineno", 0) <= line <= (getattr(loop, "end_lineno", 0) or 0)
