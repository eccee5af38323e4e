"""A load by hand taken apart: what belongs to the resumption goes, the rest is kept."""

import ast
import os
from collections.abc import Iterator
from itertools import takewhile

from migrate.analysis.checkpoints import key
from migrate.analysis.module import Module
from migrate.analysis.names import Binding
from migrate.analysis.resume.once import runs_again
from migrate.analysis.resume.resumption import LoadingFunction, Resume
from migrate.analysis.resume.statements import ResumeCode, shows
from migrate.analysis.searches import name_of, value_of
from migrate.analysis.tree import Tree


def dissolve(module: Module, resume: Resume) -> None:
    """Fills in what goes and what is kept of a resumption, or why it cannot be rewritten."""
    _Dissolver(module, resume).run()


class _Dissolver:
    def __init__(self, module: Module, resume: Resume) -> None:
        self.module = module
        self.names = module.names
        self.resume = resume
        self.code = ResumeCode(module, resume)
        self.conditions: list[ast.expr] = []
        self.scope = module.names.scope_of(resume.loading)

    def run(self) -> None:
        resume = self.resume
        resume.problem = runs_again(self.module, resume.fit)
        if resume.problem:
            return
        if resume.guard is not None:
            resume.kept = self._of_guard(resume.guard)
        if resume.function is not None and not resume.function.is_maker:
            self._drop_function(resume.function.node)
        if resume.problem:
            return
        if len(self.conditions) > 1 or any(not self._is_flag(condition) for condition in self.conditions):
            resume.problem = "what decides on a resumption is more than a flag and a file that exists"
            return
        resume.condition = self.conditions[0] if self.conditions else None
        self._remove_names()
        if not resume.problem:
            self._check_model()

    def _of_guard(self, guard: ast.stmt) -> list[ast.stmt]:
        """The statements of a guard that are no part of the resumption."""
        if isinstance(guard, ast.Try):
            ways = [self._fresh(handler.body) for handler in guard.handlers]
            if guard.finalbody or len({tuple(map(ast.dump, way)) for way in ways}) != 1:
                self.resume.problem = "the load is in a try with more than one way out"
                return []
            self._drop_all([*guard.body, *guard.orelse])
            return ways[0]
        if not isinstance(guard, ast.If):
            self._drop_all([guard])
            return []
        is_first = any(node is self.resume.loading for statement in guard.body for node in ast.walk(statement))
        loading, fresh = (guard.body, guard.orelse) if is_first else (guard.orelse, guard.body)
        test = guard.test
        if not is_first:
            if not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
                self.resume.problem = "the load is in an else"
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
        return any(node is self.resume.loading for node in ast.walk(statement))

    def _read_test(self, test: ast.expr) -> None:
        parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
        self.conditions += [part for part in parts if not self.code.asks_for_file(part)]

    def _fresh(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """What a start from scratch does beside telling so and counting from 0; from now on each start does it."""
        kept = [statement for statement in statements if shows(statement) or not self.code.goes(statement)]
        once = next((statement for statement in kept if not self.code.may_be_done_again(statement)), None)
        if once is not None and not self.resume.problem:
            self.resume.problem = f"line {once.lineno} is for a start from scratch alone"
        return kept

    def _drop_function(self, function: ast.FunctionDef) -> None:
        """Takes away a function that does nothing but resume; what it returns is an epoch, or the model."""
        self._drop_all([s for s in function.body if not isinstance(s, ast.Return)])
        for statement in ast.walk(function):
            if isinstance(statement, ast.Return) and not self.code.goes(statement):
                self.resume.problem = f"line {statement.lineno} does more than load what was saved"
            if isinstance(statement, ast.If) and not self.code.is_about_files(statement.test):
                self.resume.problem = f"line {statement.lineno} decides on more than a file that exists"
            if isinstance(statement, ast.Global | ast.Nonlocal):
                self.resume.problem = f"line {statement.lineno} hands on more than it returns"
        self.code.assigned = {
            n: s for n, s in self.code.assigned.items() if self.names.scope_of(s[0]).node is not function
        }

    def _drop_all(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if not self.code.goes(statement):
                self.resume.problem = f"line {statement.lineno} does more than load what was saved"

    def _remove_names(self) -> None:
        """Takes the variables away that nothing but the resumption uses."""
        resume = self.resume
        first = resume.fit.arguments.get("initial_epoch")
        going: set[ast.AST] = set(ast.walk(resume.guard)) if resume.guard is not None else set()
        for stays in [*resume.kept, *([resume.condition] if resume.condition is not None else [])]:
            going -= set(ast.walk(stays))
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
        if found is None or (found[0].node is not self.scope.node and not isinstance(found[0].node, ast.Module)):
            return []
        nodes = [self._statement(binding) for binding in found[1]]
        inside = going | {part for node in nodes for part in ast.walk(node)}
        others = [use for use in self.names.uses(name.id, found[0]) if use not in inside]
        ordered = [self.names.statement_of(use) for use in others if self.code.orders(self._method_of(use))]
        if len(ordered) < len(others):
            return []
        inside |= {part for statement in ordered for part in ast.walk(statement)}
        for node, binding in zip(nodes, found[1], strict=True):
            if isinstance(node, ast.FunctionDef) and not node.decorator_list:
                if is_used_elsewhere(self.module, node):
                    return []
                continue
            value = value_of(self.names, binding)
            if value is self.resume.loading:
                continue
            if not isinstance(node, ast.Assign | ast.For) or value is None or not self.code.is_count(value):
                return []
            if isinstance(node, ast.For) and not self.code.goes(node):
                return []
            if any(use not in inside for use in self._uses_of_all(node)):
                return []
        return [*ordered, *(node for node in nodes if isinstance(node, ast.stmt))]

    def _method_of(self, use: ast.Name) -> ast.Call:
        """The call of a method of what a variable holds, ``files.sort()``; of nothing where it is none."""
        call = self.names.parent(self.names.parent(use))
        return call if isinstance(call, ast.Call) else ast.Call(use, [], [])

    def _statement(self, binding: Binding) -> ast.AST:
        """What binds a name: the whole statement where it binds several, the whole loop that looks for a file."""
        if not isinstance(binding.node, ast.stmt | ast.Tuple):
            return binding.node
        statement = self.names.statement_of(binding.node)
        own = self.names.scope_of(statement).node
        around = takewhile(lambda node: node is not own, self.names.ancestors(statement))
        loops = [node for node in [statement, *around] if isinstance(node, ast.For)]
        return loops[-1] if loops else statement

    def _uses_of_all(self, statement: ast.stmt) -> Iterator[ast.Name]:
        """Where the names are read that a statement binds, one or several: ``path, epoch = newest(folder)``."""
        for name in ast.walk(statement):
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                yield from self.names.reads_of(name)

    def _check_left(self, going: set[ast.AST]) -> None:
        """Whether a variable that the resumption sets is read by code that stays."""
        for name in self.code.assigned:
            found = self.scope.lookup(name)
            uses = self.names.uses(name, found[0]) if found is not None else []
            stays = next((use for use in uses if use not in going), None)
            if stays is not None:
                self.resume.problem = f"`{name}` is used at line {stays.lineno} too"
        first = self.resume.fit.arguments.get("initial_epoch")
        for node in ast.walk(first) if first is not None else ():
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not self.resume.problem:
                found = self.names.scope_of(node).lookup(node.id)
                statements = [self._statement(binding) for binding in found[1]] if found is not None else []
                if any(statement not in going for statement in statements):
                    self.resume.problem = f"initial_epoch comes from `{node.id}`, which is set elsewhere"
            if isinstance(node, ast.Attribute) and not self.resume.problem and "optimizer" not in ast.unparse(node):
                self.resume.problem = f"initial_epoch comes from `{ast.unparse(node)}`"

    def _check_model(self) -> None:
        """Whether there is a model without the one that is loaded."""
        resume = self.resume
        function = resume.function
        if function is not None and function.is_maker:
            self._check_maker(function)
            return
        if name_of(resume.load.func) != "load_model":
            return
        own = key(self.names, resume.fit.receiver)
        others = [
            node
            for node in self.names.nodes(ast.Assign)
            if node.lineno < resume.fit.call.lineno
            and node.value is not resume.load
            and any(key(self.names, target) == own for target in node.targets)
        ]
        if not others:
            resume.problem = "no model is made where there is nothing to load"

    def _check_maker(self, function: LoadingFunction) -> None:
        """Whether a function makes a model without the load, and whether it does so for this file alone."""
        resume, last = self.resume, function.node.body[-1]
        is_last = any(node is resume.guard for node in ast.walk(last))
        end = (resume.kept[-1] if resume.kept else None) if is_last else last
        above = self.names.parent(resume.load)
        made = above.targets[0] if isinstance(above, ast.Assign) else None
        others = [
            node
            for node in ast.walk(function.node)
            if made is not None
            and isinstance(node, ast.Assign)
            and node is not above
            and any(key(self.names, target) == key(self.names, made) for target in node.targets)
        ]
        if not isinstance(end, ast.Return) or end.value is None or (made is not None and not others):
            resume.problem = "no model is made where there is nothing to load"
        elif is_used_elsewhere(self.module, function.node):
            resume.problem = f"another file uses `{function.node.name}`"

    def _is_flag(self, condition: ast.expr) -> bool:
        """Whether a condition is one word of the user's that ``fit`` can read as well: ``args.resume``, ``RESUME``."""
        scope = self.names.scope_of(self.resume.fit.call)
        for node in ast.walk(condition):
            if not isinstance(node, ast.Name | ast.Attribute | ast.expr_context):
                return False
            if isinstance(node, ast.Name):
                own, there = self.names.scope_of(node).lookup(node.id), scope.lookup(node.id)
                if (own and own[0]) is not (there and there[0]):
                    return False
        return True


def is_used_elsewhere(module: Module, function: ast.FunctionDef) -> bool:
    """Whether another file of the repository imports a module and speaks of its function."""
    return os.path.exists(module.path) and bool(Tree().importers(module, function.name))
