"""Recovery by hand around ``fit``: weights or a model loaded before it from where its ``ModelCheckpoint`` writes."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from migrate.analysis.arguments import Unbindable, bind, literal
from migrate.analysis.checkpoints import key
from migrate.analysis.module import Module
from migrate.analysis.names import Binding, Names
from migrate.analysis.paths import directory, is_written_to, normal, template
from migrate.analysis.symbols import symbol_of

FIT = (
    "x", "y", "batch_size", "epochs", "verbose", "callbacks", "validation_split", "validation_data", "shuffle",
    "class_weight", "sample_weight", "initial_epoch", "steps_per_epoch",
)  # fmt: skip
FIT_GENERATOR = (
    "x", "steps_per_epoch", "epochs", "verbose", "callbacks", "validation_data", "validation_steps", "validation_freq",
    "class_weight", "max_queue_size", "workers", "use_multiprocessing", "shuffle", "initial_epoch",
)  # fmt: skip
_SAVER = ("filepath", "monitor", "verbose", "save_best_only", "save_weights_only", "mode", "save_freq")
_SEARCHES = {"glob", "iglob", "listdir", "scandir", "latest_checkpoint", "list_directory", "get_checkpoint_state"}
_EXISTS = {"exists", "isfile", "isdir", "is_file", "is_dir", "file_exists", "Exists"}
_TELLS = {"print", "info", "warning", "debug", "warn", "write", "error", "exception", "summary"}
_LOADS = {"load_weights", "load_model"}
_COUNTING = {
    "int", "max", "min", "sorted", "len", "list", "str", "float", "filter", "map", "reversed", "split", "search",
    "match", "findall", "group", "groups", "replace", "strip", "rstrip", "lstrip", "join", "basename", "dirname",
    "splitext", "get_value", "numpy", "format", "compile", "sub", "endswith", "startswith", "partition", "rpartition",
    "getctime", "getmtime", "stat", "sort", "rsplit", "isdigit",
}  # fmt: skip


@dataclass
class Saver:
    """A ``ModelCheckpoint`` among the callbacks of a ``fit``.

    Attributes:
      call: the constructor's call.
      arguments: its arguments by parameter name.
      path: the path that it writes, as ``paths.template`` gives it.
      subclass: the user's own class, if it is one.
      element: the call or the variable that stands in the list of callbacks, or the statement that appends it.
    """

    call: ast.Call
    arguments: dict[str, ast.expr]
    path: str
    subclass: ast.ClassDef | None
    element: ast.expr


@dataclass
class Fit:
    """A call of ``fit`` or ``fit_generator`` with a ``ModelCheckpoint``.

    Attributes:
      call: the call.
      receiver: the model.
      statement: the statement of the call.
      arguments: the arguments by parameter name.
      callbacks: what its callbacks are made of.
      display: the list that holds them, if it stands in the file.
      savers: the ``ModelCheckpoint`` callbacks.
    """

    call: ast.Call
    receiver: ast.expr
    statement: ast.stmt
    arguments: dict[str, ast.expr]
    callbacks: list[ast.expr] = field(default_factory=list)
    display: ast.List | None = None
    savers: list[Saver] = field(default_factory=list)


@dataclass
class Resume:
    """One resumption by hand.

    Attributes:
      fit: the training that it resumes.
      saver: the callback whose file is loaded.
      load: the call that loads it; the callback itself where that does.
      guard: the statement that holds the load; None where the callback loads.
      kept: the statements of the guard that do not belong to the resumption.
      condition: what else must hold for a resumption, such as a flag; None for nothing.
      removed: further statements that go with it.
      problem: why it cannot be rewritten; "" where it can.
    """

    fit: Fit
    saver: Saver
    load: ast.Call
    guard: ast.stmt | None
    kept: list[ast.stmt] = field(default_factory=list)
    condition: ast.expr | None = None
    removed: list[ast.stmt] = field(default_factory=list)
    problem: str = ""

    @property
    def gone(self) -> set[ast.AST]:
        """The code of the resumption itself."""
        statements = [*([self.guard] if self.guard is not None else []), *self.removed]
        kept = {node for statement in self.kept for node in ast.walk(statement)}
        return {node for statement in statements for node in ast.walk(statement)} - kept


def fits(module: Module) -> Iterator[Fit]:
    """Every training call of a module that has a ``ModelCheckpoint`` of this file among its callbacks."""
    return (fit for fit in trainings(module) if fit.savers)


def trainings(module: Module) -> Iterator[Fit]:
    """Every training call of a module whose callbacks are a list of this file."""
    names = module.names
    for node in list(names.parents):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr not in ("fit", "fit_generator") or key(names, node.func.value) is None:
            continue
        try:
            arguments = bind(node, FIT if node.func.attr == "fit" else FIT_GENERATOR)
        except Unbindable:
            continue
        fit = Fit(node, node.func.value, names.statement_of(node), arguments)
        _read_callbacks(module, fit)
        if fit.display is not None:
            yield fit


def _read_callbacks(module: Module, fit: Fit) -> None:
    names, given = module.names, fit.arguments.get("callbacks")
    value = names.only_value(given) if isinstance(given, ast.Name) else given
    if not isinstance(value, ast.List):
        return
    fit.display = value
    fit.callbacks = list(value.elts)
    if isinstance(given, ast.Name):
        found = names.scope_of(given).lookup(given.id)
        for use in names.uses(given.id, found[0]) if found is not None else ():
            method = names.parent(use)
            call = names.parent(method)
            if isinstance(method, ast.Attribute) and method.attr == "append" and isinstance(call, ast.Call):
                fit.callbacks += call.args
    for element in fit.callbacks:
        saver = _saver(module, element)
        if saver is not None:
            fit.savers.append(saver)


def made_by(names: Names, element: ast.expr) -> ast.Call | None:
    """The call that makes a callback which stands in a list itself or as a variable."""
    made = names.only_value(element) if isinstance(element, ast.Name) else element
    return made if isinstance(made, ast.Call) else None


def _saver(module: Module, element: ast.expr) -> Saver | None:
    names = module.names
    made = made_by(names, element)
    if made is None:
        return None
    subclass = None
    found = symbol_of(names, made.func)
    if found is None and isinstance(made.func, ast.Name):
        definition = names.definition(made.func)
        bases = definition.bases if isinstance(definition, ast.ClassDef) else []
        found = next((base for base in (symbol_of(names, base) for base in bases) if base is not None), None)
        subclass = definition if isinstance(definition, ast.ClassDef) else None
    if found is None or found.tail != "keras.callbacks.ModelCheckpoint":
        return None
    try:
        arguments = bind(made, _SAVER)
    except Unbindable:
        return None
    path = template(names, arguments.get("filepath"))
    return Saver(made, arguments, path, subclass, element) if path is not None else None


def resumptions(module: Module) -> Iterator[Resume]:
    """Every resumption by hand of a module, whether it can be rewritten or not."""
    names = module.names
    all_fits = list(fits(module))
    loads = [
        node
        for node in names.parents
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name) and _name(node.func) in _LOADS
    ]
    known = set[ast.Call]()
    for fit in all_fits:
        by_itself = next((saver for saver in fit.savers if _loads_itself(module, saver)), None)
        if by_itself is not None and by_itself.call not in known:
            known.add(by_itself.call)
            alone = Resume(fit, by_itself, by_itself.call, None)
            _Dissolver(module, alone).run()
            yield alone
            continue
        for load in sorted(loads, key=lambda call: call.lineno):
            resume = _resume(module, fit, load)
            if resume is None or load in known:
                continue
            known.add(load)
            shared = [other for other in all_fits if other is not fit and _same_model(names, other, fit)]
            if shared and not resume.problem:
                resume.problem = "the model is trained by more than one call of fit"
            yield resume


def _loads_itself(module: Module, saver: Saver) -> bool:
    """Whether a callback is asked to load what it saved, as TensorFlow 2.0 could."""
    asked = saver.arguments.get("load_weights_on_restart")
    return asked is not None and literal(asked) is not False and not is_on_workers(module)


def is_on_workers(module: Module) -> bool:
    """Whether a module trains under the strategy of several workers, whose ``fit`` has a rule of its own."""
    return any(tail.endswith("MultiWorkerMirroredStrategy") for tail in module.uses)


def counted(module: Module) -> Iterator[ast.Call]:
    """The training calls whose ``initial_epoch`` is worked out, in a module that saves by ``ModelCheckpoint``."""
    if "keras.callbacks.ModelCheckpoint" not in module.uses:
        return
    for node in module.names.parents:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr not in ("fit", "fit_generator"):
            continue
        first = next((keyword.value for keyword in node.keywords if keyword.arg == "initial_epoch"), None)
        found = module.names.scope_of(first).lookup(first.id) if isinstance(first, ast.Name) else None
        if found is not None and any(_is_worked_out(module.names, b) for b in found[1]):
            yield node


def _is_worked_out(names: Names, binding: Binding) -> bool:
    """Whether a variable gets a number from a file's name or from what a function of the user's returns."""
    if isinstance(binding.node, ast.arg) or binding.imported is not None:
        return False
    statement = names.statement_of(binding.node)
    if not isinstance(statement, ast.Assign):
        return False
    if binding.value is None:  # one of several that a function returns
        return isinstance(statement.value, ast.Call)
    return any(isinstance(node, ast.Call) for node in ast.walk(binding.value)) and "arg" not in ast.unparse(statement)


def _same_model(names: Names, one: Fit, other: Fit) -> bool:
    return key(names, one.receiver) == key(names, other.receiver)


def _resume(module: Module, fit: Fit, load: ast.Call) -> Resume | None:
    """What ``load`` resumes before ``fit``; None where it is something else: a selection, weights from elsewhere."""
    names = module.names
    if load.lineno >= fit.call.lineno or names.scope_of(load) is not names.scope_of(fit.call) or not load.args:
        return None
    if not _into_model(names, fit, load):
        return None
    saver = next((saver for saver in fit.savers if _is_own_file(module, load.args[0], saver)), None)
    guard = _guard(names, load, fit.statement)
    if saver is None or guard is None or not isinstance(guard, ast.If | ast.Try):
        return None
    before = [node for node in names.parents if isinstance(node, ast.Call) and _is_fit(node)]
    if any(node.lineno < load.lineno and names.scope_of(node) is names.scope_of(load) for node in before):
        return None  # loaded between two trainings: a selection of the first one's best
    first = fit.arguments.get("initial_epoch")
    if first is not None and isinstance(literal(first), int) and literal(first) != 0:
        return None  # the second stage of a training in two stages
    resume = Resume(fit, saver, load, guard)
    _Dissolver(module, resume).run()
    return resume


def _is_fit(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr in ("fit", "fit_generator", "train_on_batch")


def _into_model(names: Names, fit: Fit, load: ast.Call) -> bool:
    own = key(names, fit.receiver)
    if _name(load.func) == "load_weights":
        return isinstance(load.func, ast.Attribute) and key(names, load.func.value) == own
    statement = names.parent(load)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    return key(names, statement.targets[0]) == own


def _guard(names: Names, load: ast.Call, training: ast.stmt) -> ast.stmt | None:
    """The statement around ``load`` that stands in one block with the one around ``training``, before it."""
    around = [names.statement_of(load), *(n for n in names.ancestors(load) if isinstance(n, ast.stmt))]
    beside = {training, *(node for node in names.ancestors(training) if isinstance(node, ast.stmt))}
    for node in around:
        if node in beside:
            return None
        for block in _blocks(names.parent(node)):
            if node in block and any(other in beside for other in block[block.index(node) + 1 :]):
                return node
    return None


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for _, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value


def _is_own_file(module: Module, path: ast.expr, saver: Saver) -> bool:
    """Whether a loaded path is the one that a ``ModelCheckpoint`` writes, or the newest in its directory."""
    own = template(module.names, path)
    if own is not None and is_written_to(own, saver.path):
        return True
    if isinstance(path, ast.Call) and isinstance(path.func, ast.Attribute) and path.func.attr == "format":
        base = template(module.names, path.func.value)  # path.format(epoch=n)
        return base is not None and normal(base) == normal(saver.path)
    return any(where in _places(saver.path) for where in _searched(module, path, 0))


def _places(path: str) -> set[str]:
    """What a search for a path's file may be given: its directory, or the beginning of its name."""
    return {directory(path), normal(path.partition("{")[0].rstrip("._-/") or "."), normal(path)}


def _searched(module: Module, expression: ast.expr, depth: int) -> Iterator[str]:
    """The directories in which an expression looks for the newest file, through its variables and functions."""
    names = module.names
    for node in ast.walk(expression):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and depth < 4:
            found = names.scope_of(node).lookup(node.id)
            for binding in found[1] if found is not None else ():
                if binding.value is not None:
                    yield from _searched(module, binding.value, depth + 1)
        if not isinstance(node, ast.Call):
            continue
        if _name(node.func) in _SEARCHES:
            given = template(names, node.args[0]) if node.args else None
            if given is not None:
                yield directory(given) if "*" in given else normal(given or ".")
                if "*" in given:
                    yield normal(given.partition("*")[0].rstrip("._-/") or ".")
        elif isinstance(node.func, ast.Name):
            function = names.definition(node.func)
            if isinstance(function, ast.FunctionDef) and _searches(function):
                for argument in node.args:
                    given = template(names, argument)
                    if given is not None:
                        yield normal(given or ".")
                if not node.args:
                    returns = [n.value for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None]
                    for value in returns if depth < 4 else ():
                        yield from _searched(module, value, depth + 1)


def _searches(function: ast.AST) -> bool:
    return any(isinstance(node, ast.Call) and _name(node.func) in _SEARCHES for node in ast.walk(function))


def _name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


class _Dissolver:
    """Takes a guarded load apart: what belongs to the resumption goes, the rest is kept."""

    def __init__(self, module: Module, resume: Resume) -> None:
        self.module = module
        self.names = module.names
        self.resume = resume
        self.assigned: dict[str, list[ast.stmt]] = {}
        self.conditions: list[ast.expr] = []
        self.scope = module.names.scope_of(resume.load)

    def run(self) -> None:
        resume = self.resume
        if any(isinstance(node, ast.For | ast.While) for node in self._around()):
            resume.problem = "fit stands in a loop"
            return
        if resume.guard is not None:
            resume.kept = self._of_guard(resume.guard)
        if resume.problem:
            return
        self._remove_names()
        if len(self.conditions) > 1 or any(not _is_flag(condition) for condition in self.conditions):
            resume.problem = "what decides on a resumption is more than a flag and a file that exists"
        elif self.conditions:
            resume.condition = self.conditions[0]
        if not resume.problem:
            self._check_model()

    def _around(self) -> Iterator[ast.AST]:
        for node in self.names.ancestors(self.resume.fit.call):
            if node is self.scope.node:
                return
            yield node

    def _of_guard(self, guard: ast.stmt) -> list[ast.stmt]:
        """The statements of a guard that are no part of the resumption."""
        if isinstance(guard, ast.Try):
            if guard.orelse or guard.finalbody or len(guard.handlers) != 1:
                self.resume.problem = "the load stands in a try with more than one way out"
                return []
            self._drop_all(guard.body)
            return self._fresh(guard.handlers[0].body)
        assert isinstance(guard, ast.If)
        is_first = any(node is self.resume.load for statement in guard.body for node in ast.walk(statement))
        loading, fresh = (guard.body, guard.orelse) if is_first else (guard.orelse, guard.body)
        test = guard.test
        if not is_first:
            if not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
                self.resume.problem = "the load stands in an else"
                return []
            test = test.operand
        self._read_test(test)
        kept = self._fresh(fresh)
        inner = [s for s in loading if isinstance(s, ast.If | ast.Try) and self._holds_load(s)]
        self._drop_all([statement for statement in loading if statement not in inner])
        for statement in inner:
            kept += self._of_guard(statement)
        return kept

    def _holds_load(self, statement: ast.stmt) -> bool:
        return any(node is self.resume.load for node in ast.walk(statement))

    def _read_test(self, test: ast.expr) -> None:
        parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
        self.conditions += [part for part in parts if not self._asks_for_file(part)]

    def _asks_for_file(self, test: ast.expr) -> bool:
        """Whether a test only asks whether there is something to load."""
        if any(isinstance(node, ast.Call) and _name(node.func) in _EXISTS | _SEARCHES for node in ast.walk(test)):
            return not any(isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) for node in ast.walk(test))
        read = [node for node in ast.walk(test) if isinstance(node, ast.Name)]
        return bool(read) and all(self._is_found(node) or node.id == "len" for node in read)

    def _is_found(self, name: ast.Name) -> bool:
        """Whether a variable holds what a search has found, or the file that is loaded."""
        found = self.names.scope_of(name).lookup(name.id)
        values = [binding.value for binding in found[1] if binding.value is not None] if found is not None else []
        return any(
            isinstance(node, ast.Call)
            and (_name(node.func) in _SEARCHES or (isinstance(node.func, ast.Name) and self._is_search(node.func)))
            for value in values
            for node in ast.walk(value)
        ) or any(bool(list(_searched(self.module, value, 0))) for value in values)

    def _is_search(self, name: ast.Name) -> bool:
        function = self.names.definition(name)
        return isinstance(function, ast.FunctionDef) and _searches(function)

    def _fresh(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """What a start from scratch does beside telling so and counting from 0."""
        return [statement for statement in statements if not self._goes(statement)]

    def _drop_all(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if not self._goes(statement):
                self.resume.problem = f"line {statement.lineno} does more than load what was saved"

    def _goes(self, statement: ast.stmt) -> bool:
        if isinstance(statement, ast.Pass):
            return True
        if isinstance(statement, ast.If):
            return all(self._goes(inner) for inner in [*statement.body, *statement.orelse])
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call | ast.Constant):
            call = statement.value
            if isinstance(call, ast.Constant):
                return True
            sets_steps = _name(call.func) in ("assign", "set_value") and "iterations" in ast.unparse(call)
            expected = call.func.value if isinstance(call.func, ast.Attribute) else None
            is_load = call is self.resume.load or expected is self.resume.load
            return is_load or sets_steps or _name(call.func) in _TELLS
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            if statement.value is self.resume.load:
                return True
            target = statement.targets[0]
            if isinstance(target, ast.Name) and self._is_count(statement.value):
                self.assigned.setdefault(target.id, []).append(statement)
                return True
        return False

    def _is_count(self, value: ast.expr) -> bool:
        """Whether an expression only searches for a file or works out an epoch or a step."""
        return all(
            _name(node.func) in _COUNTING | _SEARCHES | _EXISTS
            or (isinstance(node.func, ast.Name) and self._is_helper(node.func))
            for node in ast.walk(value)
            if isinstance(node, ast.Call)
        )

    def _is_helper(self, name: ast.Name) -> bool:
        function = self.names.definition(name)
        if not isinstance(function, ast.FunctionDef):
            return False
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        return all(_name(node.func) in _COUNTING | _SEARCHES | _EXISTS | _TELLS for node in calls)

    def _remove_names(self) -> None:
        """Takes the variables away that nothing but the resumption uses."""
        resume = self.resume
        first = resume.fit.arguments.get("initial_epoch")
        going: set[ast.AST] = set(ast.walk(resume.guard)) if resume.guard is not None else set()
        for statement in resume.kept:
            going -= set(ast.walk(statement))
        if first is not None:
            going |= set(ast.walk(first))
        again = True
        while again:
            again = False
            read = {n.id: n for n in going if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
            for name in read.values():
                for statement in self._bound_for(name, going):
                    if statement not in resume.removed and statement not in going:
                        resume.removed.append(statement)
                        going |= set(ast.walk(statement))
                        again = True
        self._check_left(going)

    def _bound_for(self, name: ast.Name, going: set[ast.AST]) -> list[ast.stmt]:
        """The statements that bind a variable, if nothing outside ``going`` reads it and all they do is count."""
        found = self.names.scope_of(name).lookup(name.id)
        if found is None or any(use not in going for use in self.names.uses(name.id, found[0])):
            return []
        nodes = [binding.node for binding in found[1]]
        if found[0].node is not self.scope.node and not isinstance(found[0].node, ast.Module):
            return []
        for node, binding in zip(nodes, found[1], strict=True):
            if isinstance(node, ast.FunctionDef):
                continue
            if not isinstance(node, ast.Assign) or binding.value is None or not self._is_count(binding.value):
                return []
        return [node for node in nodes if isinstance(node, ast.stmt)]

    def _check_left(self, going: set[ast.AST]) -> None:
        """Whether a variable that the resumption sets is read by code that stays."""
        for name in self.assigned:
            found = self.scope.lookup(name)
            uses = self.names.uses(name, found[0]) if found is not None else []
            stays = next((use for use in uses if use not in going), None)
            if stays is not None:
                self.resume.problem = f"`{name}` is used at line {stays.lineno} too"
        first = self.resume.fit.arguments.get("initial_epoch")
        for node in ast.walk(first) if first is not None else ():
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not self.resume.problem:
                found = self.names.scope_of(node).lookup(node.id)
                statements = [binding.node for binding in found[1]] if found is not None else []
                if any(statement not in going for statement in statements):
                    self.resume.problem = f"initial_epoch comes from `{node.id}`, which is set elsewhere"
            if isinstance(node, ast.Attribute) and not self.resume.problem and "optimizer" not in ast.unparse(node):
                self.resume.problem = f"initial_epoch comes from `{ast.unparse(node)}`"

    def _check_model(self) -> None:
        """Whether there is a model without the one that is loaded."""
        resume = self.resume
        if _name(resume.load.func) != "load_model":
            return
        own = key(self.names, resume.fit.receiver)
        others = [
            node
            for node in self.names.parents
            if isinstance(node, ast.Assign)
            and node.lineno < resume.fit.call.lineno
            and node.value is not resume.load
            and any(key(self.names, target) == own for target in node.targets)
        ]
        if not others:
            resume.problem = "no model is made where there is nothing to load"


def _is_flag(condition: ast.expr) -> bool:
    """Whether a condition is one word of the user's: ``args.resume``, ``RESUME``."""
    return all(isinstance(node, ast.Name | ast.Attribute | ast.expr_context) for node in ast.walk(condition))
