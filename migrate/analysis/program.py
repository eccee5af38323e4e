"""A program: which config reaches which estimator, and which train, evaluate and predict calls that estimator gets."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from migrate.analysis.arguments import is_none, literal
from migrate.analysis.hooks import HookClass
from migrate.analysis.inputs import Input
from migrate.analysis.module import Module, Site
from migrate.analysis.names import Names
from migrate.analysis.run_config_reader import Config
from migrate.analysis.scopes import Scope
from migrate.analysis.tree import Tree

METHODS = {
    "train": ("input_fn", "hooks", "steps", "max_steps", "saving_listeners"),
    "evaluate": ("input_fn", "steps", "hooks", "checkpoint_path", "name"),
    "predict": ("input_fn", "predict_keys", "hooks", "checkpoint_path", "yield_single_examples"),
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
    """

    method: str
    node: ast.Call
    estimator: str
    arguments: dict[str, ast.expr] = field(default_factory=dict)
    input: Input | None = None
    hooks: list[HookClass] = field(default_factory=list)
    problem: tuple[ast.expr | ast.stmt, str] | None = None


@dataclass
class Program:
    """The sites that work together around one estimator.

    Attributes:
      module: the file.
      tree: the files around it.
      site: the estimator's constructor.
      kind: ``canned`` or ``keras``, of which each may become a Keras model.
      is_v1: whether the constructor has the defaults of TensorFlow 1.
      arguments: the constructor's arguments by parameter name.
      config: the settings that reach it.
      variable: the name that holds the estimator where it is made; None when it has none.
      scope: where ``variable`` is bound.
      statement: the statement that makes the estimator.
      calls: its method calls, in the order of the file.
      problems: what else cannot be understood: the node and the reason.
    """

    module: Module
    tree: Tree
    site: Site
    kind: str
    is_v1: bool
    arguments: dict[str, ast.expr] = field(default_factory=dict)
    config: Config = field(default_factory=Config)
    variable: str | None = None
    scope: Scope | None = None
    statement: ast.stmt | None = None
    calls: list[MethodCall] = field(default_factory=list)
    problems: list[tuple[ast.expr | ast.stmt, str]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The estimator's class, ``DNNClassifier``."""
        return self.site.symbol.tail.rpartition(".")[2]

    @property
    def ignores_numbers_to_keep(self) -> bool:
        """Whether the Estimator keeps 5 checkpoints whatever it is told: its saver for objects is made without that."""
        given = self.arguments.get("checkpoint_format")
        is_saver = self.is_v1 if is_none(given) else literal(given) == "saver"
        return self.kind == "keras" and not is_saver


def gives_itself(value: ast.AST | None, variable: str) -> bool:
    """Whether ``variable = value`` leaves an estimator what it is: ``train`` returns the estimator itself."""
    function = value.func if isinstance(value, ast.Call) else None
    if not isinstance(function, ast.Attribute) or function.attr != "train":
        return False
    return isinstance(function.value, ast.Name) and function.value.id == variable


def statement_of_its_own(names: Names, call: MethodCall) -> ast.stmt | None:
    """The statement that a ``train`` call is, whose value goes nowhere or back into the estimator's own variable."""
    statement = names.parent(call.node)
    target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    if isinstance(statement, ast.Expr):
        return statement
    is_own = isinstance(target, ast.Name) and gives_itself(call.node, target.id)
    return statement if is_own and isinstance(statement, ast.Assign) else None


def loose_sites(module: Module, found: list[Program]) -> Iterator[Site]:
    """The sites that belong to no program: nothing says which estimator they reach."""
    known = {id(program.site.node) for program in found}
    known |= {id(call) for program in found for call in program.config.calls}
    known |= {id(call.node) for program in found for call in program.calls}
    known |= {id(call.input.helper) for program in found for call in program.calls if call.input is not None}
    return (site for site in module.sites if id(site.node) not in known)
