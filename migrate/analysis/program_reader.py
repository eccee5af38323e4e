"""One program, read from the site that makes its estimator: its arguments, its config, its calls, its hooks."""

import ast
from collections.abc import Sequence

from migrate.analysis.arguments import Unbindable, bind
from migrate.analysis.constructors import KERAS_PARAMETERS, parameters
from migrate.analysis.inputs import Inputs
from migrate.analysis.module import Module, Site
from migrate.analysis.names import Names
from migrate.analysis.program import METHODS, MethodCall, Program, gives_itself
from migrate.analysis.run_config_reader import config_behind, hold_at
from migrate.analysis.symbols import Symbol, estimator_kind
from migrate.analysis.tree import Tree
from migrate.analysis.values.uses import Hidden, uses


class Reader:
    """Reads a program from the site that makes its estimator.

    Args:
      module: the file with the site.
      tree: the files around it.
    """

    def __init__(self, module: Module, tree: Tree) -> None:
        self.module = module
        self.tree = tree
        self.names: Names = module.names
        self.inputs = Inputs(module, tree)

    def read(self, site: Site) -> Program:
        """The program whose estimator ``site`` makes; what cannot be followed stands in its ``problems``."""
        kind = estimator_kind(site.symbol)
        assert kind is not None
        program = Program(self.module, self.tree, site, kind, _is_v1(self.module, site.symbol))
        if site.symbol.is_contrib_learn:
            program.problems.append((site.node, f"`{site.symbol.qualified}` is older than tf.estimator and differs"))
        self._read_arguments(program)
        config = program.arguments.get("config") or _keyword(site.node, "config")
        program.config = config_behind(self.names, config)
        self._read_variable(program)
        if program.statement is not None:
            hold_at(self.names, program.config, program.statement)
        program.calls.sort(key=lambda call: (call.node.lineno, call.node.col_offset))
        return program

    def _read_arguments(self, program: Program) -> None:
        canned = parameters(program.name, is_v1=program.is_v1)
        known = KERAS_PARAMETERS if program.kind == "keras" else canned
        try:
            program.arguments = bind(program.site.node, known)
        except Unbindable as reason:
            program.problems.append((program.site.node, str(reason)))
            return
        for name in [name for name in program.arguments if name not in known]:
            program.problems.append((program.arguments[name], f"its argument `{name}` has no counterpart here"))

    def _read_variable(self, program: Program) -> None:
        call = program.site.node
        statement = self.names.parent(call)
        target = _single_target(statement)
        if target is None:
            program.problems.append((call, "the estimator is not kept in a variable of its own"))
            return
        assert isinstance(statement, ast.stmt)
        program.statement, program.variable = statement, target.id
        found = self.names.scope_of(target).lookup(target.id)
        assert found is not None
        program.scope, bindings = found
        others = [one.node for one in bindings if one.node is not statement and not gives_itself(one.value, target.id)]
        taken = self._uses_until(others, statement, self.names.uses(target.id, program.scope))
        if taken is None:
            program.problems.append((call, f"`{target.id}` is assigned in more than one place"))
            return
        if program.scope is not self.names.scope_of(target) or isinstance(program.scope.node, ast.ClassDef):
            reason = f"`{target.id}` is a global name of another scope or an attribute of a class"
            program.problems.append((call, reason))
        self._read_uses(program, target.id, taken)
        self._read_uses_elsewhere(program, target.id)

    def _read_uses_elsewhere(self, program: Program, variable: str) -> None:
        """Sees to it that no other file uses a variable at the top of this one."""
        if program.scope is not self.names.top:
            return
        try:
            found = [where for where, _ in uses(self.tree, self.module, variable) if where is not self.module]
        except Hidden as hidden:
            program.problems.append((program.site.node, f"{hidden}, so the estimator's training cannot be followed"))
            return
        if found:
            reason = f"`{variable}` is used in {found[0].path} too, so its training cannot be followed"
            program.problems.append((program.site.node, reason))

    def _uses_until(
        self, others: Sequence[ast.AST], made: ast.stmt, uses: Sequence[ast.Name]
    ) -> Sequence[ast.Name] | None:
        """The uses of a variable from one assignment to the next in its block: two estimators may share a name.

        Args:
          others: what else assigns it.
          made: the assignment.
          uses: all uses of the variable.

        Returns:
          None where the assignments do not follow one another, or a use may see more than one of them.
        """
        if not others:
            return uses
        parent = self.names.parent(made)
        block = next(one for _, one in ast.iter_fields(parent) if isinstance(one, list) and made in one)
        if any(one not in block or not isinstance(one, ast.Assign) for one in others):
            return None
        places = {use: _place(block, [use, *self.names.ancestors(use)]) for use in uses}
        start, starts = block.index(made), sorted(block.index(one) for one in [made, *others])
        scope = self.names.scope_of(made)
        if any(
            not place or place <= starts[0] or self.names.scope_of(use) is not scope for use, place in places.items()
        ):
            return None
        end = next((one for one in starts if one > start), len(block))
        return [use for use, place in places.items() if place and start < place <= end]

    def _read_uses(self, program: Program, variable: str, uses: Sequence[ast.Name]) -> None:
        for use in uses:
            parent = self.names.parent(use)
            if isinstance(parent, ast.Attribute):
                self._read_method(program, variable, use, parent)
            else:
                program.problems.append((use, f"`{variable}` is passed on here, so its training cannot be followed"))

    def _read_method(self, program: Program, variable: str, use: ast.expr, attribute: ast.Attribute) -> None:
        call = self.names.parent(attribute)
        if not isinstance(call, ast.Call) or call.func is not attribute or attribute.attr not in METHODS:
            program.problems.append((use, f"`{variable}.{attribute.attr}` has no counterpart here yet"))
            return
        method_call = MethodCall(attribute.attr, call, variable)
        program.calls.append(method_call)
        try:
            method_call.arguments = bind(call, METHODS[attribute.attr], no_others=True)
        except Unbindable as reason:
            method_call.problem = (call, str(reason))
            return
        input_fn = method_call.arguments.get("input_fn")
        if input_fn is not None:
            method_call.input = self.inputs.behind(input_fn)
        if method_call.arguments.get("hooks") is not None:
            self._read_hooks(method_call, method_call.arguments["hooks"])

    def _read_hooks(self, call: MethodCall, expression: ast.expr) -> None:
        if isinstance(expression, ast.Constant) and expression.value is None:
            return
        value = self.names.only_value(expression) if isinstance(expression, ast.Name) else expression
        if not isinstance(value, ast.List | ast.Tuple):
            call.problem = (expression, "the hooks are not a list that is written in this file")
            return
        if isinstance(expression, ast.Name) and not self._is_only_given(expression):
            call.problem = (expression, f"`{expression.id}` may be changed, or is used as something else than `hooks=`")
            return
        for element in value.elts:
            made = self.names.value(element)
            definition = None
            if isinstance(made, ast.Call) and isinstance(made.func, ast.Name):
                definition = self.names.definition(made.func)
            hook = self.module.hooks.get(definition) if isinstance(definition, ast.ClassDef) else None
            if hook is None:
                call.problem = (element, f"the hook `{ast.unparse(element)}` is not a SessionRunHook of this file")
                return
            call.hooks.append(hook)

    def _is_only_given(self, name: ast.Name) -> bool:
        """Whether a list of hooks is used as an argument of an estimator's methods alone."""
        for use in self.names.reads_of(name):
            parent = self.names.parent(use)
            call = self.names.parent(parent) if isinstance(parent, ast.keyword) and parent.arg == "hooks" else parent
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in METHODS):
                return False
        return True


def _place(block: list[ast.stmt], around: Sequence[ast.AST]) -> int | None:
    """Which statement of a block one of some nodes is; None where none is."""
    return next((index for index, one in enumerate(block) if one in around), None)


def _is_v1(module: Module, found: Symbol) -> bool:
    return found.api == "v1" or (found.api == "tf" and module.is_tf1)


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _single_target(statement: ast.AST) -> ast.Name | None:
    """The variable of ``name = value``."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0]
    return None
