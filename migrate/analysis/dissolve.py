"""A load by hand taken apart: what belongs to the resumption goes, the rest is kept."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from migrate.analysis.checkpoints import key
from migrate.analysis.module import Module
from migrate.analysis.searches import SEARCHES, name_of, searched, searches
from migrate.analysis.trainings import Fit, Saver

_EXISTS = {"exists", "isfile", "isdir", "is_file", "is_dir", "file_exists", "Exists"}
_TELLS = {"print", "info", "warning", "debug", "warn", "write", "error", "exception", "summary"}
_COUNTING = {
    "int", "max", "min", "sorted", "len", "list", "str", "float", "filter", "map", "reversed", "split", "search",
    "match", "findall", "group", "groups", "replace", "strip", "rstrip", "lstrip", "join", "basename", "dirname",
    "splitext", "get_value", "numpy", "format", "compile", "sub", "endswith", "startswith", "partition", "rpartition",
    "getctime", "getmtime", "stat", "sort", "rsplit", "isdigit",
}  # fmt: skip


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


def dissolve(module: Module, resume: Resume) -> None:
    """Fills in what goes and what is kept of a resumption, or why it cannot be rewritten."""
    _Dissolver(module, resume).run()


class _Dissolver:
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
        if any(isinstance(node, ast.Call) and name_of(node.func) in _EXISTS | SEARCHES for node in ast.walk(test)):
            return not any(isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) for node in ast.walk(test))
        read = [node for node in ast.walk(test) if isinstance(node, ast.Name)]
        return bool(read) and all(self._is_found(node) or node.id == "len" for node in read)

    def _is_found(self, name: ast.Name) -> bool:
        """Whether a variable holds what a search has found, or the file that is loaded."""
        found = self.names.scope_of(name).lookup(name.id)
        values = [binding.value for binding in found[1] if binding.value is not None] if found is not None else []
        return any(
            isinstance(node, ast.Call)
            and (name_of(node.func) in SEARCHES or (isinstance(node.func, ast.Name) and self._is_search(node.func)))
            for value in values
            for node in ast.walk(value)
        ) or any(bool(list(searched(self.module, value, 0))) for value in values)

    def _is_search(self, name: ast.Name) -> bool:
        function = self.names.definition(name)
        return isinstance(function, ast.FunctionDef) and searches(function)

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
            sets_steps = name_of(call.func) in ("assign", "set_value") and "iterations" in ast.unparse(call)
            expected = call.func.value if isinstance(call.func, ast.Attribute) else None
            is_load = call is self.resume.load or expected is self.resume.load
            return is_load or sets_steps or name_of(call.func) in _TELLS
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
            name_of(node.func) in _COUNTING | SEARCHES | _EXISTS
            or (isinstance(node.func, ast.Name) and self._is_helper(node.func))
            for node in ast.walk(value)
            if isinstance(node, ast.Call)
        )

    def _is_helper(self, name: ast.Name) -> bool:
        function = self.names.definition(name)
        if not isinstance(function, ast.FunctionDef) or function.decorator_list:
            return False
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        return all(name_of(node.func) in _COUNTING | SEARCHES | _EXISTS | _TELLS for node in calls)

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
            if isinstance(node, ast.FunctionDef) and not node.decorator_list:
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
        if name_of(resume.load.func) != "load_model":
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
