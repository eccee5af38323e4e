"""Finds the place that a loop saves its models to, as source that is valid before the loop."""

import ast
import json
import posixpath
from collections.abc import Callable, Iterator

from migrate.analysis.calls.branches import is_bound_at, tests_around
from migrate.analysis.calls.reach import Reach
from migrate.analysis.resume.loads_before import Load
from migrate.analysis.resume.model_saves import ModelSaves, path_argument
from migrate.analysis.resume.trained_loops import TrainedLoop
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import SEARCHES, name_of
from migrate.analysis.source.scopes import Scope

_FIELDS = ("%", "{")
_PATH_FUNCTIONS = ("str", "join", "Path", "dirname")
_MAX_DEPTH = 6


def loop_directory(reach: Reach, training: TrainedLoop, load: Load) -> str:
    """Returns the folder, or a path in it, as source; the name of the program's file where it is not known there.

    Args:
      load: the load of the model before the loop.
    """
    saves = reach.search(ModelSaves)
    folder = _Folder(reach, training)
    calls = [*training.saves, load.call]
    for call in calls:
        path = path_argument(call)
        if path is None or reach.module_of(call) is not reach.module or _may_be_none(reach.module, call, path):
            continue
        text = folder.directory_source(path, 0)
        if text and not (call is load.call and "(" in text):  # It may fail in a start that loads nothing.
            return text
    for call in calls:
        paths = saves.paths(call)
        parents = {posixpath.dirname(text) for one in paths for text in one.spelled if not one.unknown}
        if len(parents) == 1 and not any(sign in parent for parent in parents for sign in ("{}", "(")):
            return python_string(parents.pop() or ".")
    return python_string(posixpath.splitext(posixpath.basename(reach.module.path))[0])


def _may_be_none(module: Module, call: ast.Call, path: ast.expr) -> bool:
    """Whether a test around a load or save reads a part of its path, which may then be missing."""
    asked = {text for test, _ in tests_around(module.names, call) for text in _tested_names(test)}
    return any(isinstance(one, ast.Name | ast.Attribute) and ast.unparse(one) in asked for one in ast.walk(path))


def _tested_names(test: ast.AST) -> Iterator[str]:
    if isinstance(test, ast.Name | ast.Attribute):
        yield ast.unparse(test)
    elif not isinstance(test, ast.Call):  # such as os.path.exists(path)
        for part in ast.iter_child_nodes(test):
            yield from _tested_names(part)


class _Folder:
    def __init__(self, reach: Reach, training: TrainedLoop) -> None:
        self.module, self.loop = reach.module, training.loop
        self.place: Scope = self.module.names.scope_of(training.loop)
        self.text: Callable[[ast.expr], str] = self.module.source.text
        self.stored = {ast.unparse(one) for one in self.module.names.stores if self._is_inside(one)}

    def directory_source(self, path: ast.expr, depth: int) -> str:
        """Returns source text for the directory of a path expression; "" where it is unknown."""
        if depth > _MAX_DEPTH:
            return ""
        if isinstance(path, ast.Constant):
            text = str(path.value)
            for sign in _FIELDS:
                text = text.partition(sign)[0]
            return python_string(posixpath.dirname(text) or ".") if isinstance(path.value, str) else ""
        if isinstance(path, ast.Call):
            return self._folder_of_call(path, depth)
        if isinstance(path, ast.BinOp) and isinstance(path.op, ast.Mod):
            return self.directory_source(path.left, depth + 1)
        if isinstance(path, ast.BinOp) and isinstance(path.op, ast.Div):
            return self.text(path.left) if self._is_known(path.left) else self.directory_source(path.left, depth + 1)
        if isinstance(path, ast.BinOp | ast.JoinedStr):
            return self._folder_of_parts([*_string_parts(path)])
        only = self.module.names.only_value(path) if isinstance(path, ast.Name) else None
        if isinstance(only, ast.Constant) or (only is not None and not self._is_known(path)):
            return self.directory_source(only, depth + 1)
        return self.text(path) if self._is_known(path) and isinstance(path, ast.Name | ast.Attribute) else ""

    def _folder_of_call(self, call: ast.Call, depth: int) -> str:
        name, args = name_of(call.func), call.args
        if name == "join" and len(args) > 1 and not isinstance(args[0], ast.Starred):
            known = [*args[:-1]]
            while known and not all(map(self._is_known, known)):
                known.pop()
            if len(known) == 1:
                return self.text(known[0])
            head = f"{self.text(call.func)}({', '.join(map(self.text, known))})"
            return head if known else self.directory_source(args[0], depth + 1)
        if name in SEARCHES and args:
            is_folder = name not in ("glob", "iglob", "rglob") and self._is_known(args[0])
            return self.text(args[0]) if is_folder else self.directory_source(args[0], depth + 1)
        if name == "format" and isinstance(call.func, ast.Attribute):
            return self.directory_source(call.func.value, depth + 1)
        return self.directory_source(args[0], depth + 1) if name in ("str", "Path", "sorted", "max") and args else ""

    def _folder_of_parts(self, parts: list[ast.expr]) -> str:
        """Returns the folder of a joined string, from its parts before the first that changes in the loop."""
        known: list[ast.expr] = []
        for part in parts:
            if not self._is_known(part):
                break
            known.append(part)
        if not known:
            return ""
        texts = [one.value for one in known if isinstance(one, ast.Constant)]
        if len(texts) == len(known):
            return python_string(posixpath.dirname("".join(map(str, texts))) or ".")
        last = known[-1].value if isinstance(known[-1], ast.Constant) else ""
        if len(known) == 2 and isinstance(last, str) and last.startswith("/") and "/" not in last[1:]:
            return self.text(known[0])  # folder + "/model-"
        if len(known) == 1:
            return self.text(known[0])
        fields = "".join(str(one.value) if isinstance(one, ast.Constant) else f"{{{self.text(one)}}}" for one in known)
        return f'f"{fields}"' if '"' not in fields and "\\" not in fields else ""

    def _is_known(self, value: ast.expr) -> bool:
        """Whether an expression has the same value before and in the loop."""
        for node in ast.walk(value):
            if isinstance(node, ast.Name):
                found, here = self.module.names.scope_of(node).lookup(node.id), self.place.lookup(node.id)
                is_other = (found[0] if found else None) is not (here[0] if here else None)
                is_other = is_other and not self._is_made_with_object(node, found and found[0])
                if is_other or (here is not None and any(self._is_inside(one.node) for one in here[1])):
                    return False
                if not is_bound_at(self.module.names, node, self.loop):
                    return False
            is_filled = isinstance(node, ast.Attribute) and ast.unparse(node) in self.stored
            if is_filled or (isinstance(node, ast.Call) and name_of(node.func) not in _PATH_FUNCTIONS):
                return False
        return True

    def _is_made_with_object(self, name: ast.Name, method: Scope | None) -> bool:
        """Whether a method reads an attribute of ``self`` that only the ``__init__`` of the loop's class sets."""
        names, read = self.module.names, self.module.names.parent(name)
        if name.id != "self" or method is None or method.parent is not self.place.parent or method.parent is None:
            return False
        text = ast.unparse(read)
        makers = {names.scope_of(one) for one in names.stores if ast.unparse(one) == text}
        return [(one.parent, getattr(one.node, "name", "")) for one in makers] == [(method.parent, "__init__")]

    def _is_inside(self, node: ast.AST) -> bool:
        return node is self.loop or self.loop in self.module.names.ancestors(node)


def _string_parts(path: ast.expr) -> list[ast.expr]:
    """Returns the parts of a sum or an f-string."""
    if isinstance(path, ast.BinOp) and isinstance(path.op, ast.Add):
        return [*_string_parts(path.left), *_string_parts(path.right)]
    if isinstance(path, ast.JoinedStr):
        return [one.value if isinstance(one, ast.FormattedValue) else one for one in path.values]
    return [path]


def python_string(text: str) -> str:
    """Returns the source of a string, in double quotes."""
    return json.dumps(text, ensure_ascii=False)
