"""What the statements around a load do: whether they may be passed by, or left as they are, at a start that goes on."""

import ast
import re
from collections.abc import Iterator, Sequence

from migrate.analysis.arguments import literal
from migrate.analysis.checkpoints import key
from migrate.analysis.names import Names
from migrate.analysis.path_searches import name_of
from migrate.analysis.resume.called_names import TELLS
from migrate.analysis.resume.conditions import called_here
from migrate.analysis.resume.reach import DEEPEST, LOADS

_ONCE = {
    "rmtree", "remove", "unlink", "rmdir", "save", "save_weights", "fit", "fit_generator", "train_on_batch", "exit",
    "truncate", "system", "check_call", "Popen", "dump", "to_csv", "rename", "move",
}  # fmt: skip
"""Calls that a start which goes on must not make, where only one from scratch made them."""
_READS = re.compile(r"_?(re)?load_\w*(weights|state|optimizer)")
"""What a function is called that reads more of what was saved: the optimizer's weights."""

_RESTORES = re.compile(r"restore|resume|load_?(the_|last_|latest_|best_)?(model|weights|checkpoint|ckpt)")


class OldCode:
    """Reads the statements around the loads of one file.

    Args:
      names: the names of the file.
      model: the place of the model that is trained.
    """

    def __init__(self, names: Names, model: object) -> None:
        self.names, self.model = names, model

    def is_skippable(self, node: ast.If | ast.IfExp, must_hold: bool) -> bool:
        """Whether a whole ``if`` may be passed by: what it binds has a value without it, and its else does no harm."""
        if not isinstance(node, ast.If) or not must_hold:
            return False
        if any(not self.only_resumes(statement) for statement in node.body):
            return False
        if any(self.once(statement) for statement in node.orelse):
            return False
        bound = {
            n.id for s in node.body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        return all(self._is_bound_without(name, node) for name in bound)

    def only_resumes(self, statement: ast.stmt) -> bool:
        """Whether a statement loads, counts, reads or tells, and changes nothing that stays."""
        inner = [*getattr(statement, "body", []), *getattr(statement, "orelse", [])]
        if isinstance(statement, ast.If | ast.For | ast.With | ast.Try):
            handled = [one for handler in getattr(statement, "handlers", []) for one in handler.body]
            return all(self.only_resumes(one) for one in [*inner, *handled])
        if isinstance(statement, ast.Expr):
            call = statement.value
            name = name_of(call.func) if isinstance(call, ast.Call) else ""
            is_read = name == "expect_partial" or _READS.match(name) is not None
            return isinstance(call, ast.Constant) or name in TELLS | LOADS | {"sort", "reverse"} or is_read
        if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names = [part for target in targets for part in _parts(target)]
            is_model = any(key(self.names, part) == self.model for part in names)
            loads = isinstance(statement.value, ast.Call) and name_of(statement.value.func) in LOADS
            return all(isinstance(part, ast.Name) for part in names) and (loads or not is_model)
        return isinstance(statement, ast.Pass | ast.Break | ast.Continue | ast.Import | ast.ImportFrom)

    def _makes_loaded(self, statement: ast.stmt, other: Sequence[ast.stmt]) -> bool:
        """Whether a statement is part of making a model out of a file, or makes it as other statements do too."""
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and name_of(call.func) == "compile":
            return True
        if isinstance(statement, ast.Assign) and any(isinstance(n, ast.Call) for n in ast.walk(statement.value)):
            parts = [part for target in statement.targets for part in _parts(target)]
            own = [part for part in parts if key(self.names, part) == self.model]
            if own:
                loads = [n for n in ast.walk(statement.value) if isinstance(n, ast.Call) and self._is_load(n)]
                return bool(loads) or any(ast.dump(n) == ast.dump(statement) for one in other for n in ast.walk(one))
        inner = [*getattr(statement, "body", []), *getattr(statement, "orelse", [])]
        if isinstance(statement, ast.If | ast.For | ast.With | ast.Try):
            return all(self._makes_loaded(one, other) for one in inner)
        return self.only_resumes(statement)

    def _is_bound_without(self, name: str, guard: ast.If) -> bool:
        """Whether a variable that an ``if`` binds has a value without it, or is read in it alone."""
        found = self.names.scope_of(guard).lookup(name)
        if found is None:
            return False
        inside = {part for statement in guard.body for part in ast.walk(statement)}
        outside = [use for use in self.names.uses(name, found[0]) if use not in inside]
        lines = [getattr(b.node, "lineno", 0) for b in found[1] if b.node not in inside]
        is_other = any(
            part not in inside and line <= (guard.end_lineno or 0)
            for part, line in ((b.node, getattr(b.node, "lineno", 0)) for b in found[1])
        )
        return not outside or (bool(lines) and is_other)

    def other_way(self, load: ast.Call, node: ast.If | ast.IfExp, must_hold: bool) -> str | None:
        """Whether the other way of a test makes the model: "" for yes, None for no, else why it must not be taken."""
        if isinstance(node, ast.IfExp):
            return ""
        other = node.orelse if must_hold else node.body
        own = next(iter(self._assigned(load)), None)
        way = node.body if must_hold else node.orelse
        makes = any(
            isinstance(part, ast.Assign)
            and any(key(self.names, t) == own for target in part.targets for t in _parts(target))
            for statement in other
            for part in ast.walk(statement)
        )
        if not makes and (own is None or not self._is_made_before(own, node)):
            return None
        more = next((one.lineno for one in way if not self._makes_loaded(one, other)), 0)
        if more:
            return f"line {more} does more than load what was saved"
        once = next((line for statement in other if (line := self.once(statement))), 0)
        return f"line {once} is for a start from scratch alone" if once else ""

    def _is_made_before(self, own: object, node: ast.If) -> bool:
        scope = self.names.scope_of(node)
        return any(
            part.lineno < node.lineno
            and self.names.scope_of(part) is scope
            and any(key(self.names, t) == own for target in part.targets for t in _parts(target))
            and not is_nothing(part.value)
            for part in self.names.nodes(ast.Assign)
        )

    def _assigned(self, call: ast.Call) -> Iterator[object]:
        """The variables that what a call gives is assigned to."""
        statement = self.names.parents.get(call)
        while isinstance(statement, ast.IfExp):
            statement = self.names.parents.get(statement)
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                for part in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
                    place = key(self.names, part)
                    if place is not None:
                        yield place

    def _is_load(self, call: ast.Call, depth: int = 0) -> bool:
        """Whether a call loads, itself or in a function of the file, or is called after that."""
        function = called_here(self.names, call)
        if function is None:
            return name_of(call.func) in LOADS or _RESTORES.search(name_of(call.func).lower()) is not None
        inner = (node for node in ast.walk(function) if isinstance(node, ast.Call))
        return depth < DEEPEST and any(self._is_load(one, depth + 1) for one in inner)

    def _is_unseen(self, call: ast.Call) -> bool:
        """Whether a call may do anything: nothing of it is used, and its function stands elsewhere."""
        is_alone = isinstance(self.names.parent(call), ast.Expr)
        package = (self.names.qualified(call.func) or "").partition(".")[0]
        return (
            is_alone
            and package not in ("keras", "tensorflow", "tf_keras")
            and called_here(self.names, call) is None
            and name_of(call.func) != "print"
        )

    def once(self, statement: ast.stmt, depth: int = 0) -> int:
        """The line of what only a start from scratch may do; 0 for none."""
        for node in ast.walk(statement):
            if isinstance(node, ast.Raise) and not (depth and self._refuses_argument(node)):
                return node.lineno
            if isinstance(node, ast.Call):
                name, function = name_of(node.func), called_here(self.names, node)
                if name in _ONCE or (name == "open" and any("w" in str(literal(one)) for one in node.args[1:])):
                    return node.lineno
                if function is not None and depth < DEEPEST:
                    if any(self.once(one, depth + 1) for one in function.body):
                        return node.lineno
                elif isinstance(node.func, ast.Name) and self._is_unseen(node):
                    return node.lineno
        return 0

    def _refuses_argument(self, node: ast.Raise) -> bool:
        """Whether a function raises for what it is given alone, and asks for nothing that an earlier start has left."""
        around = [one.test for one in self.names.ancestors(node) if isinstance(one, ast.If)]
        return bool(around) and not any(isinstance(n, ast.Call) for test in around for n in ast.walk(test))


def _parts(target: ast.expr) -> list[ast.expr]:
    return list(target.elts) if isinstance(target, ast.Tuple | ast.List) else [target]


def is_nothing(value: ast.expr) -> bool:
    """Whether an expression is None, or begins with it: ``None, 0``."""
    first = value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value
    return isinstance(first, ast.Constant) and first.value is None
