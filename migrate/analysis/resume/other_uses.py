"""Why a load must not be passed by: something else than the training may use the loaded model."""

import ast
import os
from collections.abc import Iterator

from migrate.analysis.module import Module
from migrate.analysis.path_searches import name_of
from migrate.analysis.paths import only_call
from migrate.analysis.resume.conditions import FunctionNode, called_here
from migrate.analysis.resume.reach import DEEPEST
from migrate.analysis.trainings import Fit
from migrate.analysis.tree import Tree


class OtherUses:
    """What a file does with a model beside one training.

    Args:
      module: the file.
      fit: the training.
    """

    def __init__(self, module: Module, fit: Fit) -> None:
        self.module, self.names, self.fit = module, module.names, fit

    def of(self, entry: ast.Call) -> str:
        """Why a load must not be passed by: something else than the training may use the loaded model."""
        names, fit = self.names, self.fit
        function = called_here(self.names, entry)
        if function is not None and self._is_shared(function):
            return f"`{function.name}` is used elsewhere too"
        node: ast.Call = fit.call
        for _ in range(DEEPEST):
            scope = names.scope_of(node).node
            if names.scope_of(entry).node is scope:
                return self._may_end_elsewhere(entry, node)
            if not isinstance(scope, FunctionNode):
                break
            owner = names.parent(scope)
            if isinstance(owner, ast.ClassDef):
                return self._of_object(owner, scope)
            call = only_call(names, scope) if isinstance(scope, ast.FunctionDef) else None
            if call is None or self._is_shared(scope):
                return f"`{scope.name}` is called elsewhere too"
            node = call
        return "it is loaded where other code may use it"

    def _of_object(self, owner: ast.ClassDef, training: FunctionNode) -> str:
        """Whether the one object of a class is made to be trained and nothing else."""
        names = self.names
        uses = names.uses(owner.name, names.scope_of(owner))
        made = names.parent(uses[0]) if len(uses) == 1 else None
        if not isinstance(made, ast.Call) or made.func is not uses[0] or self._is_imported(owner.name):
            return f"`{owner.name}` is used elsewhere too"
        for call in names.nodes(ast.Call):
            if _is_method(call, training.name) and names.scope_of(call) is names.scope_of(made):
                return self._may_end_elsewhere(made, call)
        return f"`{owner.name}` may be made for something else than training"

    def _may_end_elsewhere(self, entry: ast.Call, training: ast.Call) -> str:
        """Whether a function may do something else with the model, instead of the training, after a load."""
        names = self.names
        chain = [training, *names.ancestors(training)]
        around = [node for node in [names.statement_of(entry), *names.ancestors(entry)] if isinstance(node, ast.stmt)]
        for node in around:
            block = next((one for one in _blocks(names.parents.get(node)) if node in one), [])
            after = (
                next((one for one in block[block.index(node) + 1 :] if one in chain), None) if node in block else None
            )
            if node in chain:
                return ""  # one statement loads and trains
            if after is None:
                continue
            begin = chain.index(self.fit.statement) + 1 if self.fit.statement in chain else 0
            inside = chain[begin : chain.index(after) + 1]
            if any(isinstance(one, ast.If | ast.For | ast.While | ast.IfExp) for one in inside):
                return f"line {after.lineno} decides whether the loaded model is trained"
            for between in block[block.index(node) + 1 : block.index(after)]:
                ends = [n for n in ast.walk(between) if isinstance(n, ast.Return) or _exits(n)]
                if ends and any(ast.unparse(n) == ast.unparse(self.fit.receiver) for n in ast.walk(between)):
                    return f"line {between.lineno} may use the loaded model for something else than training"
            return ""
        return "the load does not stand before the training"

    def _is_shared(self, function: FunctionNode) -> bool:
        owner = self.names.parent(function)
        if isinstance(owner, ast.ClassDef):
            return len(self.names.attributes.get(function.name, ())) > 1
        uses = self.names.uses(function.name, self.names.scope_of(function))
        return len(uses) > 1 or self._is_imported(function.name)

    def _is_imported(self, name: str) -> bool:
        return os.path.exists(self.module.path) and bool(Tree().importers(self.module, name))


def _blocks(node: ast.AST | None) -> Iterator[list[ast.stmt]]:
    for _, value in ast.iter_fields(node) if node is not None else ():
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value


def _is_method(node: ast.AST, name: str) -> bool:
    """Whether a node calls a method by a name."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name


def _exits(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and name_of(node.func) in ("exit", "_exit", "quit")
