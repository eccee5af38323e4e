"""What the statements of a resumption by hand do: search for files, count epochs, load, tell of it, or more."""

import ast

from migrate.analysis.checkpoints import key
from migrate.analysis.module import Module
from migrate.analysis.resume.resumption import Resume
from migrate.analysis.searches import SEARCHES, name_of, searched, searches, value_of

EXISTS = {"exists", "isfile", "isdir", "is_file", "is_dir", "file_exists", "Exists"}
TELLS = {"print", "info", "warning", "debug", "warn", "write", "error", "exception", "summary"}
COUNTING = {
    "int", "max", "min", "sorted", "len", "list", "str", "float", "filter", "map", "reversed", "split", "search",
    "match", "findall", "group", "groups", "replace", "strip", "rstrip", "lstrip", "join", "basename", "dirname",
    "splitext", "get_value", "numpy", "format", "compile", "sub", "endswith", "startswith", "partition", "rpartition",
    "getctime", "getmtime", "stat", "sort", "rsplit", "isdigit", "range", "enumerate", "zip", "next", "any", "all",
    "round", "abs", "natsorted", "lower", "Path", "as_posix", "with_suffix", "fullmatch",
}  # fmt: skip
_MAKING = {"compile", "build", "add", "pop", "load_weights", "set_weights", "makedirs", "mkdir", "makedir", "MakeDirs"}
"""Methods that make a model or a directory."""
_ORDERS = {"sort", "reverse"}
_TRAINING = {"fit", "fit_generator", "train_on_batch", "rmtree", "remove", "unlink", "save", "save_weights"}


class ResumeCode:
    """Reads the statements around one load.

    Args:
      module: the file.
      resume: the resumption.

    Attributes:
      assigned: the statements that give a variable what was searched for or counted, by its name.
    """

    def __init__(self, module: Module, resume: Resume) -> None:
        self.module, self.names, self.resume = module, module.names, resume
        self.assigned: dict[str, list[ast.stmt]] = {}

    def asks_for_file(self, test: ast.expr) -> bool:
        """Whether a test only asks whether there is something to load."""
        if any(isinstance(node, ast.Call) and name_of(node.func) in EXISTS | SEARCHES for node in ast.walk(test)):
            return not any(isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) for node in ast.walk(test))
        read = [node for node in ast.walk(test) if isinstance(node, ast.Name)]
        return bool(read) and all(self.is_found(node) or node.id == "len" for node in read)

    def is_found(self, name: ast.Name) -> bool:
        """Whether a variable holds what a search has found, or the file that is loaded."""
        values = [value for one in self.names.bound(name) if (value := value_of(self.names, one)) is not None]
        return any(
            isinstance(node, ast.Call)
            and (name_of(node.func) in SEARCHES or (isinstance(node.func, ast.Name) and self._is_search(node.func)))
            for value in values
            for node in ast.walk(value)
        ) or any(any(True for _ in searched(self.module, value)) for value in values)

    def _is_search(self, name: ast.Name) -> bool:
        function = self.names.definition(name)
        return isinstance(function, ast.FunctionDef) and searches(function)

    def may_be_done_again(self, statement: ast.stmt) -> bool:
        """Whether a statement only makes a model, or a directory, so that a start which resumes can do it, too."""
        if isinstance(statement, ast.If | ast.With | ast.For):
            inside = [*statement.body, *getattr(statement, "orelse", [])]
            return all(self.goes(inner) or self.may_be_done_again(inner) for inner in inside)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            return name_of(statement.value.func) in _MAKING or shows(statement)
        if isinstance(statement, ast.Return):
            return self.resume.function is not None and self.resume.function.is_maker
        calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
        is_training = any(name_of(call.func) in _TRAINING for call in calls)
        return isinstance(statement, ast.Assign | ast.AnnAssign | ast.Import | ast.ImportFrom) and not is_training

    def is_about_files(self, test: ast.expr) -> bool:
        """Whether a test in a function that resumes asks for files and what it found itself, and for no flag."""
        asked = [
            node for node in ast.walk(test) if isinstance(node, ast.Call) and name_of(node.func) in EXISTS | SEARCHES
        ]
        inside = {part for node in asked for part in ast.walk(node)}
        read = [node for node in ast.walk(test) if isinstance(node, ast.Name) and node not in inside]
        return all(node.id == "len" or self.is_found(node) or self._is_local(node) for node in read)

    def _is_local(self, name: ast.Name) -> bool:
        bindings = self.names.bound(name)
        return bool(bindings) and all(isinstance(binding.node, ast.Assign) for binding in bindings)

    def goes(self, statement: ast.stmt) -> bool:
        """Whether a statement is part of the resumption and nothing else."""
        if isinstance(statement, ast.Pass):
            return True
        if isinstance(statement, ast.Import | ast.ImportFrom):
            return self._is_used_here_alone(statement)
        if isinstance(statement, ast.If):
            return all(self.goes(inner) for inner in [*statement.body, *statement.orelse])
        if isinstance(statement, ast.For):
            return self.is_count(statement.iter) and all(self.goes(inner) for inner in statement.body)
        if isinstance(statement, ast.Continue | ast.Break):
            return True
        if isinstance(statement, ast.Return):
            return self._is_returned(statement.value)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call | ast.Constant):
            call = statement.value
            if isinstance(call, ast.Constant):
                return True
            sets_steps = name_of(call.func) in ("assign", "set_value") and "iterations" in ast.unparse(call)
            expected = call.func.value if isinstance(call.func, ast.Attribute) else None
            loads = (self.resume.load, self.resume.loading)
            is_load = call in loads or expected in loads
            return is_load or sets_steps or name_of(call.func) in TELLS or self.orders(call)
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            named = target.elts if isinstance(target, ast.Tuple) else [target]
            if statement.value is self.resume.load:
                return True
            is_call = statement.value is self.resume.loading
            if all(isinstance(name, ast.Name) for name in named) and (is_call or self.is_count(statement.value)):
                own = key(self.names, self.resume.fit.receiver)
                for name in named:
                    assert isinstance(name, ast.Name)
                    if not is_call or key(self.names, name) != own:
                        self.assigned.setdefault(name.id, []).append(statement)
                return True
        return False

    def _is_used_here_alone(self, statement: ast.Import | ast.ImportFrom) -> bool:
        """Whether nothing outside the resumption reads what an import binds."""
        names = {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
        scope, guard = self.names.scope_of(statement), self.resume.guard
        inside = set(ast.walk(guard)) if guard is not None else set()
        return "*" not in names and all(use in inside for name in names for use in self.names.uses(name, scope))

    def _is_returned(self, value: ast.expr | None) -> bool:
        """Whether a function that resumes may return this: nothing, an epoch, the model; or the load itself."""
        function = self.resume.function
        if function is None:
            return False
        if function.is_maker:
            return value is self.resume.load or isinstance(value, ast.Name)
        return value is None or self.is_count(value)

    def orders(self, call: ast.Call) -> bool:
        """Whether a call sorts a list of what was found."""
        return (
            isinstance(call.func, ast.Attribute)
            and call.func.attr in _ORDERS
            and isinstance(call.func.value, ast.Name)
            and self.is_found(call.func.value)
        )

    def is_count(self, value: ast.expr) -> bool:
        """Whether an expression only searches for a file or works out an epoch or a step."""
        return all(
            name_of(node.func) in COUNTING | SEARCHES | EXISTS
            or (isinstance(node.func, ast.Name) and self._is_helper(node.func))
            for node in ast.walk(value)
            if isinstance(node, ast.Call)
        )

    def _is_helper(self, name: ast.Name) -> bool:
        function = self.names.definition(name)
        if not isinstance(function, ast.FunctionDef) or function.decorator_list:
            return False
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        return all(name_of(node.func) in COUNTING | SEARCHES | EXISTS | TELLS for node in calls)


def shows(statement: ast.stmt) -> bool:
    """Whether a statement is ``model.summary()``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and name_of(call.func) == "summary"
