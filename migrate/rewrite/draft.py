"""The TF2 program as the rules compose it, part by part, for one Estimator program."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from migrate.analysis.arguments import literal
from migrate.analysis.inputs import Input
from migrate.analysis.module import Module
from migrate.analysis.movable import is_pure
from migrate.analysis.policy import Policy, policy_of
from migrate.analysis.program import MethodCall, Program
from migrate.analysis.scopes import Binding
from migrate.analysis.values.values import Values
from migrate.edits.plan import Edit, ReplaceExpression, ReplaceStatement
from migrate.findings.finding import Span
from migrate.rewrite.covered import Covered
from migrate.rewrite.precedence import ARGUMENT, CALLED, OR, stands_alone, strength
from migrate.rewrite.vocabulary import Vocabulary, is_users
from migrate.settings import Settings

_Answer = TypeVar("_Answer")


@dataclass(kw_only=True)
class ChangedFile:
    """A file of a program that changes.

    Attributes:
      module: the file.
      vocabulary: names for new code in it.
      absorbed: statements that become superfluous.
      renamed: names that TensorFlow 2 has elsewhere, and what stands for each.
      edits: what changes.
      pieces: the emitted classes and functions in use.
      statements: what stands below the file's imports.
    """

    module: Module
    vocabulary: Vocabulary
    absorbed: list[ast.stmt] = field(default_factory=list)
    renamed: dict[ast.expr, str] = field(default_factory=dict)
    edits: list[Edit] = field(default_factory=list)
    pieces: set[str] = field(default_factory=set)
    statements: list[str] = field(default_factory=list)

    @property
    def v1(self) -> str:
        """A name of ``tensorflow.compat.v1``: ``tf`` itself in a file that is, or becomes, one of compat.v1."""
        return self.vocabulary.v1(self.module.is_tf1)

    def piece(self, name: str) -> str:
        """The name of an emitted class or function, which the new code uses."""
        self.pieces.add(name)
        return self.vocabulary.piece(name)

    def piece_in_place(self, node: ast.expr, name: str) -> str:
        """As ``piece``, for an expression: where ``tokenizer = …`` gives it that name, the import alone does so."""
        names, statement = self.module.names, self.module.names.parent(node)
        if isinstance(statement, ast.Assign) and statement in names.module.body and names.uses(name, names.top):
            own = [one for one in names.bindings_of(name) if is_users(one)]
            if [one.value for one in own] == [node] and len(statement.targets) == 1:
                self.free(statement)
        return self.piece(name)

    def free(self, statement: ast.Assign) -> None:
        """Takes out the only statement that gives a variable its value, so that its name can stand for another."""
        self.delete(statement)
        bindings = (one for target in statement.targets for one in self._bindings(target))
        self.vocabulary.freed.update(one for one in bindings if one.value is statement.value)

    def _bindings(self, target: ast.expr) -> list[Binding]:
        return self.module.names.bindings_of(target.id) if isinstance(target, ast.Name) else []

    def text(self, node: ast.expr, place: int = ARGUMENT) -> str:
        """The user's own source of an expression, in parentheses where it spans lines or ``place`` needs them."""
        if not hasattr(node, "lineno"):
            return ast.unparse(node)
        text = self.module.source.text(node, self.renamed)
        return text if strength(node) >= place and stands_alone(text) else f"({text})"

    def delete(self, statement: ast.stmt) -> None:
        """Takes out a statement of which nothing is carried over: its comments go with it."""
        self.edits.append(ReplaceStatement(self.module.span(statement)))


class Drafts(list["Draft"]):
    """The drafts of all programs of one file."""

    def __init__(self) -> None:
        super().__init__()
        self._answers: dict[Callable[[Drafts], object], tuple[int, object]] = {}

    def once(self, question: Callable[["Drafts"], _Answer]) -> _Answer:
        """What is true of all drafts, worked out again only where one of them has grown since: programs may be many."""
        size = sum(len(one.absorbed) + len(one.edits) + len(one.renamed) for one in self)
        known, answer = self._answers.get(question, (-1, None))
        if known != size:
            answer = question(self)
            self._answers[question] = size, answer
        return answer  # type: ignore[return-value]

    @property
    def replaced(self) -> Covered:
        """The code of the file that some draft replaces or removes."""
        return self.once(_replaced)


def _replaced(drafts: Drafts) -> Covered:
    return Covered(drafts[0].module, (span for one in drafts for span in one.gone()))


@dataclass(kw_only=True)
class Draft(ChangedFile):
    """What the rules have decided so far about one program.

    Attributes:
      program: the Estimator program.
      settings: the user's choices.
      dataset_names: the variable for the dataset made from a helper, by the helper's statement; shared by the programs
        of a module.
      all: the drafts of all programs of the module.
      datasets: the expression for such a dataset where it is used.
      inline_datasets: the dataset made from a helper that stands inside a call.
      model: the Keras model's variable.
      recovery: the ``CheckpointRecovery``'s variable.
      backup: the ``BackupAndRestore``'s variable, which stands in for ``recovery`` where that is the target.
      log: the ``TrainingLog``'s variable.
      tags: what the log calls the losses, as source text; "" where they keep their names.
      model_dir: an expression for the checkpoint directory, cheap enough to be repeated.
      inputs: the variable of the model's inputs.
      net: the variable that the layers are chained through.
      before: statements that stand before the model.
      variables: those that ``before`` sets for expressions which may not stand more than once.
      columns: statements that make the inputs and join them into the first layer.
      column_keys: the names of the features, None where only the program knows them.
      layers: statements that build the rest of the model.
      compile_arguments: arguments of ``model.compile``.
      has_backup_fit: whether a ``fit`` with ``BackupAndRestore`` stands in the program.
      shared: other statements that change, which another program may use too.
    """

    program: Program
    settings: Settings
    dataset_names: dict[ast.stmt, str]
    all: "Drafts"
    datasets: dict[ast.stmt, str] = field(default_factory=dict)
    inline_datasets: dict[ast.Call, str] = field(default_factory=dict)
    model: str = "model"
    recovery: str = "recovery"
    backup: str = "backup"
    log: str = "training_log"
    tags: str = ""
    model_dir: str = ""
    inputs: str = "inputs"
    net: str = "net"
    before: list[str] = field(default_factory=list)
    variables: dict[ast.expr, str] = field(default_factory=dict)
    columns: list[str] = field(default_factory=list)
    column_keys: set[str] | None = None
    layers: list[str] = field(default_factory=list)
    compile_arguments: dict[str, str] = field(default_factory=dict)
    has_backup_fit: bool = False
    shared: list[ast.stmt] = field(default_factory=list)
    _covered: tuple[int, Covered] | None = field(default=None, init=False, repr=False)

    @cached_property
    def policy(self) -> Policy:
        return policy_of(self.program)

    @property
    def seed(self) -> str:
        """The random seed; "" for none."""
        return "" if self.policy.seed is None else self.repeatable(self.policy.seed, "seed")

    @property
    def kept(self) -> dict[str, str]:
        """The arguments of a ``CheckpointManager`` that say which checkpoints it keeps."""
        hours = self.policy.keep_hours
        given = {} if hours is None else {"keep_checkpoint_every_n_hours": self.text(hours)}
        return {"max_to_keep": self.or_none(self.policy.keep), **given}

    @property
    def tf(self) -> str:
        return self.vocabulary.tf

    def delete(self, statement: ast.stmt) -> None:
        super().delete(statement)
        self.shared.append(statement)

    def fresh(self, name: str) -> str:
        """A variable for the program's own scope, called ``name`` if nothing else is."""
        program, scope_of = self.program, self.module.names.scope_of
        is_local = all(scope_of(c.node) is program.scope for c in program.calls)
        return self.vocabulary.fresh(name, program.scope if is_local else None)

    @property
    def uses_backup(self) -> bool:
        """Whether recovery is carried out with ``BackupAndRestore``."""
        return self.settings.recovery == "backup-and-restore"

    @property
    def continues_input(self) -> bool:
        """Whether a resumed job goes on in its input where it stood."""
        return self.settings.input == "continue"

    def is_replaced(self, node: ast.expr | ast.stmt) -> bool:
        """Whether ``node`` is in code that a draft of this file replaces or removes."""
        return node in self.all.replaced

    def replaces(self, node: ast.expr | ast.stmt) -> bool:
        """Whether ``node`` is in code that this draft replaces or removes."""
        size = len(self.absorbed) + len(self.edits)
        if self._covered is None or self._covered[0] != size:
            self._covered = size, Covered(self.module, self.gone())
        return node in self._covered[1]

    def gone(self) -> list[Span]:
        """The spans of the code that this draft replaces or removes."""
        span = self.module.span
        gone = [span(statement) for statement in self.absorbed]
        gone += [edit.span for edit in self.edits if isinstance(edit, ReplaceStatement | ReplaceExpression)]
        return gone if self.program.statement is None else [*gone, span(self.program.statement)]

    def whole(self, steps: ast.expr, text: str) -> str:
        """``text``, which is ``steps`` or made of them, as a whole number: of a fraction the next one."""
        is_whole = not Values(self.program.tree).may_be_fraction(self.module, steps)
        return text if is_whole else f"{self.vocabulary.standard('math')}.ceil({text})"

    def several(self, node: ast.expr, name: str, lines: list[str], *places: int) -> list[str]:
        """An expression for each of several places; a variable, set in ``lines``, where it is evaluated once only."""
        if not any(isinstance(part, ast.Call | ast.NamedExpr | ast.Await | ast.Yield) for part in ast.walk(node)):
            return [self.text(node, place) for place in places]
        variable = self.fresh(name)
        lines.append(f"{variable} = {self.text(node)}")
        return [variable] * len(places)

    def once(self, node: ast.expr, name: str, place: int = ARGUMENT) -> str:
        """An expression for a loop's body: ``node`` itself if it does not matter how often it is evaluated."""
        return self.text(node, place) if is_pure(self.module.names, node) else self.repeatable(node, name)

    def repeatable(self, node: ast.expr, name: str) -> str:
        """An expression that may stand more than once: ``node`` itself, or a variable set in ``before``."""
        if all(isinstance(part, _CHEAP) for part in ast.walk(node)):
            return self.text(node)
        if node not in self.variables:
            self.variables[node] = self.fresh(name)
            self.before.append(f"{self.variables[node]} = {self.text(node)}")
        return self.variables[node]

    def or_none(self, node: ast.expr) -> str:
        """An expression with RunConfig's rule that 0 means None, applied now where it is known, else at run time."""
        value = literal(node)
        if value is ...:
            return f"{self.variables.get(node) or self.text(node, OR)} or None"
        return self.text(node) if value else "None"

    def dataset(self, call: MethodCall) -> str:
        """The expression for the dataset that a call trains, evaluates or predicts on, with the model's features alone.

        Keras 3 takes a dict's values in the order of its keys, so that a feature too many would be taken for another.
        """
        # Which features a model of the user's own reads is settled where it is made.
        if self.program.kind == "keras" or self.has_only_columns(call):
            return self._dataset(call)
        if call.method == "predict":
            select = f"lambda *batch: ({{key: batch[0][key] for key in {self.inputs}}}, *batch[1:])"
        else:
            select = f"lambda features, labels: ({{key: features[key] for key in {self.inputs}}}, labels)"
        return f"{self._dataset(call)}.map({select})"

    def has_only_columns(self, call: MethodCall) -> bool:
        """Whether a call's input is seen to give the model's features and no others."""
        helper = call.input.helper if call.input is not None else None
        x = next((k.value for k in helper.keywords if k.arg == "x"), None) if helper is not None else None
        if x is None and helper is not None and helper.args:
            x = helper.args[0]
        if not isinstance(x, ast.Dict) or self.column_keys is None:
            return False
        return {key.value for key in x.keys if isinstance(key, ast.Constant)} == self.column_keys

    def _dataset(self, call: MethodCall) -> str:
        assert call.input is not None
        if call.input.is_function:
            return self.called(call.input)
        if call.input.statement is not None:
            return self.datasets.get(call.input.statement, "")  # missing where the program is left
        return self.inline_datasets.get(call.input.helper, "") if call.input.helper is not None else ""

    def called(self, given: Input) -> str:
        """The call of an input function that takes no arguments."""
        if isinstance(given.node, ast.Lambda) and not any(ast.iter_child_nodes(given.node.args)):
            return self.text(given.node.body, CALLED)
        return f"{self.text(given.node, CALLED)}()"


_CHEAP = (ast.Constant, ast.Name, ast.Attribute, ast.Load, ast.BinOp, ast.operator, ast.UnaryOp, ast.unaryop)
