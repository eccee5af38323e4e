"""Programs: which config reaches which estimator, and which train, evaluate and predict calls that estimator gets."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from migrate.analysis.arguments import Unbindable, bind
from migrate.analysis.constructors import CUSTOM_PARAMETERS, KERAS_PARAMETERS, TPU_PARAMETERS, parameters
from migrate.analysis.early_stopping import EarlyStop, early_stopping
from migrate.analysis.handed_on import HandedOn
from migrate.analysis.hooks import HookClass
from migrate.analysis.inputs import Input, Inputs
from migrate.analysis.module import Module, Site
from migrate.analysis.names import Names, Scope
from migrate.analysis.policy import Config, Configs
from migrate.analysis.specs import read_spec
from migrate.analysis.surroundings import why_not_here
from migrate.analysis.symbols import estimator_kind, symbol_of
from migrate.analysis.tree import Link, Tree

METHODS = {
    "train": ("input_fn", "hooks", "steps", "max_steps", "saving_listeners"),
    "evaluate": ("input_fn", "steps", "hooks", "checkpoint_path", "name"),
    "predict": ("input_fn", "predict_keys", "hooks", "checkpoint_path", "yield_single_examples"),
    "export_saved_model": (
        "export_dir_base",
        "serving_input_receiver_fn",
        "assets_extra",
        "as_text",
        "checkpoint_path",
    ),
    "export_savedmodel": ("export_dir_base", "serving_input_receiver_fn", "assets_extra", "as_text", "checkpoint_path"),
    "latest_checkpoint": (),
    "get_variable_names": (),
    "get_variable_value": ("name",),
}


@dataclass
class MethodCall:
    """One call of an estimator's method, such as ``estimator.train(…)``.

    Attributes:
      method: the method's name.
      node: the call.
      estimator: the variable that it is called on.
      arguments: the expressions given, by parameter name.
      input: where its examples come from.
      hooks: the user's hook classes among ``hooks=``.
      problem: the node and the reason why the call cannot be understood; None when it can.
      evaluation: how ``train_and_evaluate`` evaluates on the way, where it is read as a call of ``train``.
      statements: what exists only to make the specs of ``train_and_evaluate``.
    """

    method: str
    node: ast.Call
    estimator: str
    arguments: dict[str, ast.expr] = field(default_factory=dict)
    input: Input | None = None
    hooks: list[HookClass] = field(default_factory=list)
    problem: tuple[ast.expr | ast.stmt, str] | None = None
    evaluation: "MethodCall | None" = None
    statements: list[ast.stmt] = field(default_factory=list)


@dataclass
class Program:
    """The sites that work together around one estimator.

    Attributes:
      module: the file.
      tree: the files around it.
      site: the estimator's constructor.
      others: the imports of the other files in which the migration changes names.
      kind: ``canned``, ``custom``, ``tpu``, ``other-canned``, ``keras``, or ``model-fn`` for a canned one that becomes
        one.
      is_v1: whether the constructor has the defaults of TensorFlow 1.
      arguments: the constructor's arguments by parameter name; empty for ``other-canned``.
      config: the settings that reach it.
      variable: the name that holds the estimator where it is made; None when it has none.
      scope: where ``variable`` is bound.
      statement: the statement that makes the estimator.
      returned: the function that hands the estimator over and its ``return``; None when it stays where it is made.
      receivers: the assignments that take it from there.
      calls: its method calls, in the order of the file.
      early_stops: the calls that make early-stopping hooks from it.
      model_dirs: where ``estimator.model_dir`` is read.
      problems: what else cannot be understood: the node and the reason.
      is_handed_on: whether its config or its estimator goes where only the running program knows what it is, so that
        both stay as objects of the emitted classes.
    """

    module: Module
    tree: Tree
    site: Site
    kind: str
    is_v1: bool
    others: list[Link] = field(default_factory=list)
    arguments: dict[str, ast.expr] = field(default_factory=dict)
    config: Config = field(default_factory=Config)
    variable: str | None = None
    scope: Scope | None = None
    statement: ast.stmt | None = None
    returned: tuple[ast.FunctionDef, ast.Return] | None = None
    receivers: list[ast.Assign] = field(default_factory=list)
    calls: list[MethodCall] = field(default_factory=list)
    early_stops: list[EarlyStop] = field(default_factory=list)
    model_dirs: list[ast.Attribute] = field(default_factory=list)
    problems: list[tuple[ast.expr | ast.stmt, str]] = field(default_factory=list)
    is_handed_on: bool = False

    @property
    def name(self) -> str:
        """The estimator's class, ``DNNClassifier``."""
        return self.site.symbol.tail.rpartition(".")[2]

    @property
    def has_fit(self) -> bool:
        """Whether the estimator becomes a Keras model, which ``fit`` trains."""
        return self.kind in ("canned", "keras")

    @property
    def has_model_fn(self) -> bool:
        """Whether the estimator is made from a custom model_fn, or becomes one."""
        return self.kind in _HAVE_MODEL_FN


def programs(module: Module, tree: Tree, canned: str = "keras") -> list[Program]:
    """Every program of a module, one for each estimator that it makes; ``canned`` as in the settings."""
    reader = _Reader(module, tree, canned)
    others = _others(module, tree)
    found = [reader.read(site) for site in module.sites if site.kind == "estimator"]
    calls = {site.node for site in module.sites} | {call.node for program in found for call in program.calls}
    for program in found:
        program.others = others if program.has_model_fn else []
        for node in [program.site.node, *(call.node for call in program.calls)]:
            reason = why_not_here(module, node, calls)
            if reason is not None:
                program.problems.append((node, reason))
    return found


_HAVE_MODEL_FN = frozenset({"custom", "tpu", "model-fn"})


def reached(module: Module, tree: Tree) -> tuple[str, ...]:
    """The other files, absolute, in which the migration of a module's programs would change names."""
    return tuple(link.target.path for link in _others(module, tree))


def makes_from_model_fn(module: Module) -> bool:
    """Whether a module makes an estimator from a custom model_fn."""
    kinds = {estimator_kind(site.symbol) for site in module.sites if site.kind == "estimator"}
    return not kinds.isdisjoint(_HAVE_MODEL_FN)


def _others(module: Module, tree: Tree) -> list[Link]:
    return tree.changing(module) if makes_from_model_fn(module) else []


def loose_sites(module: Module, found: list[Program]) -> Iterator[Site]:
    """The sites that belong to no program: nothing says which estimator they reach."""
    known = {id(program.site.node) for program in found}
    known |= {id(call) for program in found for call in program.config.calls}
    known |= {id(call.node) for program in found for call in program.calls}
    known |= {id(call.input.helper) for program in found for call in program.calls if call.input is not None}
    return (site for site in module.sites if id(site.node) not in known)


class _Reader:
    def __init__(self, module: Module, tree: Tree, canned: str) -> None:
        self.module = module
        self.tree = tree
        self.canned = canned
        self.names: Names = module.names
        self.configs = Configs(module.names)
        self.inputs = Inputs(module.names)

    def read(self, site: Site) -> Program:
        kind = estimator_kind(site.symbol)
        assert kind is not None
        is_v1 = site.symbol.api == "v1" or (site.symbol.api == "tf" and self.module.is_tf1)
        program = Program(self.module, self.tree, site, kind, is_v1)
        if kind == "canned":
            is_known = parameters(program.name, is_v1=is_v1)
            program.kind = ("model-fn" if self.canned == "model-fn" else kind) if is_known else "other-canned"
        if site.symbol.is_contrib_learn:
            program.problems.append((site.node, f"`{site.symbol.qualified}` is older than tf.estimator and differs"))
        self._read_arguments(program)
        config = program.arguments.get("config") or _keyword(site.node, "config")
        program.config = self.configs.behind(config)
        self._read_variable(program)
        if program.statement is not None:
            self.configs.hold_at(program.config, program.statement)
        if (
            kind == "custom"
            and not site.symbol.is_contrib_learn
            and (program.problems or program.config.problem or program.returned)
        ):
            self._read_handed_on(program)
        program.calls.sort(key=lambda call: (call.node.lineno, call.node.col_offset))
        return program

    def _read_handed_on(self, program: Program) -> None:
        """Follows the estimator as an object, and takes that reading where it is complete."""
        call = program.site.node
        carried = Program(self.module, self.tree, program.site, program.kind, program.is_v1, is_handed_on=True)
        self._read_arguments(carried)
        handed_on = HandedOn(self.module, self.tree, lambda value: self._read_use(carried, value))
        handed_on.follow(call)
        carried.problems += handed_on.problems
        if carried.problems and program.returned is None:
            program.problems = carried.problems if program.problems else []
            return
        program.is_handed_on, program.calls, program.problems = True, carried.calls, carried.problems
        program.early_stops = carried.early_stops
        program.config, program.statement, program.scope = Config(), self.names.statement_of(call), None
        program.returned, program.receivers = None, []

    def _read_use(self, program: Program, value: ast.expr) -> bool:
        """Reads a method call on an estimator, or its use by ``train_and_evaluate``; False for another use."""
        parent, variable = self.names.parent(value), self.module.source.text(value)
        if isinstance(parent, ast.Attribute) and parent.value is value and parent.attr in METHODS:
            self._read_method(program, variable, value, parent)
            return True
        return self._is_trained_and_evaluated(program, variable, value) or self._stops_early(program, variable, value)

    def _read_arguments(self, program: Program) -> None:
        if program.kind == "other-canned":
            return
        known = {"custom": CUSTOM_PARAMETERS, "tpu": TPU_PARAMETERS, "keras": KERAS_PARAMETERS}
        canned = parameters(program.name, is_v1=program.is_v1)
        try:
            program.arguments = bind(program.site.node, known.get(program.kind, canned))
        except Unbindable as reason:
            program.problems.append((program.site.node, str(reason)))

    def _read_variable(self, program: Program) -> None:
        call = program.site.node
        statement = self.names.parent(call)
        if isinstance(statement, ast.Return):
            self._read_returned(program, statement, None)
            return
        target = _single_target(statement)
        if target is None:
            program.problems.append((call, "the estimator is not kept in a variable of its own"))
            return
        assert isinstance(statement, ast.stmt)
        program.statement, program.variable = statement, target.id
        found = self.names.scope_of(target).lookup(target.id)
        assert found is not None
        program.scope, bindings = found
        if len(bindings) != 1:
            program.problems.append((call, f"`{target.id}` is assigned in more than one place"))
            return
        if program.scope is not self.names.scope_of(target) or isinstance(program.scope.node, ast.ClassDef):
            reason = f"`{target.id}` is a global name of another scope or an attribute of a class"
            program.problems.append((call, reason))
        self._read_uses(program, target.id, program.scope)

    def _read_uses(self, program: Program, variable: str, scope: Scope) -> None:
        for use in self.names.uses(variable, scope):
            parent = self.names.parent(use)
            if isinstance(parent, ast.Attribute):
                self._read_method(program, variable, use, parent)
            elif isinstance(parent, ast.Return):
                self._read_returned(program, parent, variable)
            elif self._is_trained_and_evaluated(program, variable, use) or self._stops_early(program, variable, use):
                continue
            else:
                program.problems.append((use, f"`{variable}` is handed on here, so its training cannot be followed"))

    def _is_trained_and_evaluated(self, program: Program, variable: str, use: ast.expr) -> bool:
        """Whether a use hands the estimator to ``train_and_evaluate``, which is read as a call of a method."""
        parent = self.names.parent(use)
        call = self.names.parent(parent) if isinstance(parent, ast.keyword) else parent
        found = symbol_of(self.names, call.func) if isinstance(call, ast.Call) else None
        if not isinstance(call, ast.Call) or found is None or found.tail != "estimator.train_and_evaluate":
            return False
        method_call = MethodCall("train_and_evaluate", call, variable)
        program.calls.append(method_call)
        try:
            method_call.arguments = bind(call, ("estimator", "train_spec", "eval_spec", "executor"))
            if program.has_fit:
                self._read_specs(program, method_call)
        except Unbindable as reason:
            method_call.problem = (call, str(reason))
        return True

    def _stops_early(self, program: Program, variable: str, use: ast.expr) -> bool:
        """Whether a use makes an early-stopping hook of the estimator."""
        parent = self.names.parent(use)
        call = self.names.parent(parent) if isinstance(parent, ast.keyword) and parent.arg == "estimator" else parent
        found = symbol_of(self.names, call.func) if isinstance(call, ast.Call) else None
        name = early_stopping(found.tail) if found is not None else None
        if not program.has_model_fn or not isinstance(call, ast.Call) or name is None:
            return False
        if use in call.args[1:]:
            return False
        program.early_stops.append(EarlyStop(call, name, variable))
        return True

    def _read_specs(self, program: Program, call: MethodCall) -> None:
        """Makes of ``train_and_evaluate`` a call of ``train`` that evaluates on the way."""
        evaluation = MethodCall("evaluate_on_the_way", call.node, call.estimator)
        specs = [
            read_spec(self.names, call.arguments.get(name), kind)
            for name, kind in (("train_spec", "TrainSpec"), ("eval_spec", "EvalSpec"))
        ]
        for one, spec in zip((call, evaluation), specs, strict=True):
            one.arguments = spec.arguments
            if "input_fn" in spec.arguments:
                one.input = self.inputs.behind(spec.arguments["input_fn"])
            if spec.arguments.get("hooks") is not None:
                self._read_hooks(one, spec.arguments["hooks"])
        call.method, call.evaluation = "train", evaluation
        call.statements = [spec.statement for spec in specs if spec.statement is not None]
        program.calls.append(evaluation)

    def _read_method(self, program: Program, variable: str, use: ast.expr, attribute: ast.Attribute) -> None:
        call = self.names.parent(attribute)
        if program.has_model_fn and attribute.attr == "model_dir" and isinstance(attribute.ctx, ast.Load):
            program.model_dirs.append(attribute)
            return
        if not isinstance(call, ast.Call) or call.func is not attribute or attribute.attr not in METHODS:
            program.problems.append((use, f"`{variable}.{attribute.attr}` has no counterpart here yet"))
            return
        method_call = MethodCall(attribute.attr, call, variable)
        program.calls.append(method_call)
        try:
            method_call.arguments = bind(call, METHODS[attribute.attr])
        except Unbindable as reason:
            method_call.problem = (call, str(reason))
            return
        input_fn = method_call.arguments.get("input_fn")
        if input_fn is not None:
            method_call.input = self.inputs.behind(input_fn)
        if program.has_fit and method_call.arguments.get("hooks") is not None:
            self._read_hooks(method_call, method_call.arguments["hooks"])

    def _read_hooks(self, call: MethodCall, expression: ast.expr) -> None:
        if isinstance(expression, ast.Constant) and expression.value is None:
            return
        value = self.names.only_value(expression) if isinstance(expression, ast.Name) else expression
        if not isinstance(value, ast.List | ast.Tuple):
            call.problem = (expression, "the hooks are not a list that stands in this file")
            return
        if isinstance(expression, ast.Name) and not self._is_only_given(expression):
            call.problem = (expression, f"`{expression.id}` may be changed, or is used as something else than `hooks=`")
            return
        for element in value.elts:
            made = self.names.only_value(element) if isinstance(element, ast.Name) else element
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
        found = self.names.scope_of(name).lookup(name.id)
        for use in self.names.uses(name.id, found[0]) if found is not None else []:
            parent = self.names.parent(use)
            call = self.names.parent(parent) if isinstance(parent, ast.keyword) and parent.arg == "hooks" else parent
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in METHODS):
                return False
        return True

    def _read_returned(self, program: Program, statement: ast.Return, variable: str | None) -> None:
        """A function that makes an estimator and returns it: its callers must take it into variables."""
        function = self.names.scope_of(statement).node
        if not isinstance(function, ast.FunctionDef) or program.returned is not None:
            program.problems.append((statement, "the estimator is returned from a place that cannot be followed"))
            return
        if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function)) or function.decorator_list:
            program.problems.append((statement, f"`{function.name}` is no plain function"))
            return
        returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
        if len([node for node in returns if self.names.scope_of(node).node is function]) != 1:
            program.problems.append((statement, f"`{function.name}` returns in more than one place"))
            return
        program.returned = (function, statement)
        if variable is None:
            program.statement, program.scope = statement, self.names.scope_of(statement)
        defined_in = self.names.scope_of(function)
        if not isinstance(defined_in.node, ast.Module | ast.FunctionDef):
            program.problems.append((statement, f"`{function.name}` is a method, whose callers cannot be followed"))
            return
        uses = self.names.uses(function.name, defined_in)
        if not uses:
            program.problems.append((statement, f"nothing in this file calls `{function.name}`"))
        for use in uses:
            self._read_receiver(program, function, use)

    def _read_receiver(self, program: Program, function: ast.FunctionDef, use: ast.Name) -> None:
        call = self.names.parent(use)
        assignment = self.names.parent(call) if isinstance(call, ast.Call) and call.func is use else None
        target = _single_target(assignment) if isinstance(assignment, ast.Assign) else None
        found = self.names.scope_of(target).lookup(target.id) if target is not None else None
        is_own = found is not None and len(found[1]) == 1 and found[0] is self.names.scope_of(use)
        if target is None or found is None or not is_own or not isinstance(assignment, ast.Assign):
            reason = f"what `{function.name}` returns is not kept in a variable of its own"
            program.problems.append((use, reason))
            return
        program.receivers.append(assignment)
        self._read_uses(program, target.id, found[0])


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _single_target(statement: ast.AST) -> ast.Name | None:
    """The variable of ``name = value``."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0]
    return None
