"""Which functions and classes of tf_slim are contrib's by their source code.

``python -m tests.slim_sources CONTRIB``, with an interpreter that has tf_slim 1.1.0; CONTRIB is the folder
``tensorflow_core/contrib`` of TensorFlow 1.15.5. A name of contrib is compared with what tf_slim has for it, and so is
all that the two use of their own packages: the definitions as syntax trees, without docstrings, comments and the words
of errors, what is imported from their own package by its own name. It writes ``slim_sources.json``: the names whose
code is equal, and for each of the others the definitions that differ.
"""

import ast
import copy
import importlib.util
import json
import sys
from pathlib import Path

from migrate.tensorflow import slim
from migrate.tensorflow.contrib import rows_around, rows_of
from tests.contrib_names import kind_of, of_1

SOURCES = Path(__file__).with_name("slim_sources.json")
_PACKAGES = ("slim", "layers", "framework", "metrics", "losses", "training", "summary")
"""Of contrib, whose code is in tf_slim."""


class Package:
    """The modules of one of the two packages, by their last names.

    Args:
      folders: those that hold them.
      name: with which imports of its own begin.
    """

    def __init__(self, folders, name):
        self.name = name
        self.modules, self._bound = {}, {}
        for folder in folders:
            for path in sorted(folder.rglob("*.py")):
                if "test" not in path.name and path.name != "__init__.py":
                    self.modules.setdefault(path.stem, []).append(path)

    def bound(self, path):
        """The statements at the top of a module, by the names that they bind."""
        if path in self._bound:
            return self._bound[path]
        found = self._bound[path] = {}
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            for name in _bound(node):
                found.setdefault(name, []).append(node)
        return found

    def where(self, name, module=None):
        """The file that defines a name; it must be the only one, or that of the module."""
        paths = self.modules.get(module, ()) if module else [one for each in self.modules.values() for one in each]
        return next((path for path in paths if not _shows_again(self.bound(path).get(name, [None])[0], name)), None)

    def definitions(self, name, path):
        """What a name is defined by: texts by the last name of its module and its own name."""
        reached = self.reached(name, path)
        return {f"{at.stem}.{one}": "\n".join(self._text(node, at) for node in nodes) for at, one, nodes in reached}

    def reached(self, name, path):
        """The statements that define a name and what it uses of the package, each with its file and name."""
        seen, left = set(), [(path, name)]
        while left:
            if left[-1] in seen:
                left.pop()
                continue
            path, name = left.pop()
            seen.add((path, name))
            nodes = self.bound(path).get(name, [])
            yield path, name, nodes
            for node in nodes:
                left += self._used(node, path)

    def _used(self, node, path):
        """What a statement uses of the package: where each is, and its name."""
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                for one in self._imported(path, part.value.id):
                    if part.attr in self.bound(one):
                        yield one, part.attr
            elif isinstance(part, ast.Name):
                for bound in self.bound(path).get(part.id, ()):
                    if not _imports(bound):
                        yield path, part.id
                    elif isinstance(bound, ast.ImportFrom) and self._is_own(bound):
                        own = self._aliases(path)[part.id]
                        module = bound.module.rpartition(".")[2]
                        one = self.where(own, module) or self.where(own)
                        if one is not None:
                            yield one, own

    def _imported(self, path, name):
        """The files of a module of the package that a file imports by a name."""
        for bound in self.bound(path).get(name, ()):
            if self._is_own(bound):
                yield from self.modules.get(self._aliases(path)[name], ())

    def _aliases(self, path):
        """The names that a file gives to what it imports from the package, and what is their own."""
        nodes = {node for found in self.bound(path).values() for node in found if self._is_own(node)}
        return {one.asname or one.name: one.name.rpartition(".")[2] for node in nodes for one in node.names}

    def _text(self, node, path):
        if _imports(node):
            return ""
        plain = _Plain(self._aliases(path)).visit(copy.deepcopy(node))
        return ast.unparse(ast.fix_missing_locations(plain))

    def _is_own(self, node):
        if isinstance(node, ast.Import):
            return node.names[0].name.startswith(self.name) and node.names[0].asname is not None
        return isinstance(node, ast.ImportFrom) and (node.module or "").startswith(self.name)


def _shows_again(node, name):
    """Whether a statement only gives a name to what another module defines by that name."""
    value = node.value if isinstance(node, ast.Assign) else None
    return _imports(node) or (isinstance(value, ast.Attribute) and value.attr.lstrip("_") == name)


def _imports(node):
    return node is None or isinstance(node, ast.Import | ast.ImportFrom)


def _bound(node):
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [one.id for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name)]
    if _imports(node):
        return [(one.asname or one.name).partition(".")[0] for one in node.names]
    return []


class _Plain(ast.NodeTransformer):
    """Takes docstrings and the words of errors out, and calls what is imported by its own name alone."""

    def __init__(self, own):
        self._own = own

    def visit_Expr(self, node):
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else self.generic_visit(node)

    def visit_Raise(self, node):
        return ast.Raise(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)

    def visit_Name(self, node):
        return ast.Name(self._own.get(node.id, node.id))

    def visit_Attribute(self, node):
        known = ("executing_eagerly", "contextmanager")
        if isinstance(node.value, ast.Name) and (node.value.id in self._own or node.attr in known):
            return ast.Name(node.attr)
        return self.generic_visit(node)


def slim_package():
    """tf_slim, which must be installed."""
    return Package([Path(importlib.util.find_spec("tf_slim").origin).parent], "tf_slim")


def names_of_slim():
    """The names of contrib that tf_slim stands for, with its own; also those of modules that contrib does not show."""
    inside = (line.partition(": ") for line in Path(slim.TABLE).read_text(encoding="utf-8").splitlines())
    private = [f"slim.{module}.{one}" for module, _, names in inside if module for one in names.split()]
    for name in sorted({*of_1(), *private}):
        if kind_of(name) == "slim":
            row = next(row for row in (*rows_of(name), *rows_around(name)) if row.kind == "slim")
            yield name, row.successor


def compared(contrib):
    """The names that are equal, and by name what differs."""
    there, here = Package([contrib / one for one in _PACKAGES], "tensorflow.contrib"), slim_package()
    equal, other = [], {}
    for name, successor in names_of_slim():
        *modules, last = successor.split(".")
        place = here.where(last, modules[-1] if modules else None) or here.where(last)
        if place is None:
            continue  # a module
        origin = there.where(last, place.stem) or there.where(last)
        if origin is None:
            continue  # contrib never had it
        left, right = there.definitions(last, origin), here.definitions(last, place)
        differing = sorted(key for key in left.keys() | right.keys() if left.get(key) != right.get(key))
        if differing:
            other[name] = differing
        else:
            equal.append(name)
    return {"equal": equal, "other": other}


def write(found):
    """Writes what was compared, the names of a module in a line, and those that the same definitions differ for."""
    names = [name.rpartition(".") for name in found["equal"]]
    equal = {module: " ".join(name for one, _, name in names if one == module) for module, _, _ in names}
    other = {}
    for name, parts in found["other"].items():
        other.setdefault(" ".join(parts), []).append(name)
    other = {parts: " ".join(names) for parts, names in other.items()}
    SOURCES.write_text(json.dumps({"equal": equal, "other": other}, indent=1) + "\n", encoding="utf-8")


def read():
    """What was written: the names that are equal, and by name what differs."""
    found = json.loads(SOURCES.read_text(encoding="utf-8"))
    equal = [f"{module}.{name}" for module, names in found["equal"].items() for name in names.split()]
    other = {name: parts.split() for parts, names in found["other"].items() for name in names.split()}
    return {"equal": equal, "other": other}


if __name__ == "__main__":
    found = compared(Path(sys.argv[1]))
    print(len(found["equal"]), "equal", len(found["other"]), "other")
    write(found)
