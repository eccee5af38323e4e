"""What programs use of the emitted pieces: their names, the arguments that they give, the attributes that they read."""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

ALL = "*"
"""Stands for all arguments of a function or class: it is not only called, or called with what nobody can see."""


@dataclass(frozen=True)
class Usage:
    """What of a module of emitted pieces is used from outside.

    Attributes:
      names: the definitions at its top that are used.
      arguments: pairs of such a name and an argument that it is given, by its name or its position, or ``ALL``.
      words: the names of attributes and methods that are used.
      documented: the definitions that say all about themselves, methods with a dot before them.
    """

    names: frozenset[str]
    arguments: frozenset[tuple[str, str | int]]
    words: frozenset[str]
    documented: frozenset[str]

    def __or__(self, other: "Usage") -> "Usage":
        return Usage(
            self.names | other.names,
            self.arguments | other.arguments,
            self.words | other.words,
            self.documented | other.documented,
        )


def used_by(before: str, after: str, wanted: Iterable[str]) -> Usage:
    """What one migrated file uses.

    Args:
      before: its text before it was migrated.
      after: its text now.
      wanted: the pieces that it needs, some of which it may not name.
    """
    tree = ast.parse(after)
    names = {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in wanted
    }
    called = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    arguments: set[tuple[str, str | int]] = set()
    loaded = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Name) or node.id not in names or not isinstance(node.ctx, ast.Load):
            continue
        loaded.add(names[node.id])
        call = called.get(id(node))
        if call is None or any(isinstance(value, ast.Starred) for value in call.args):
            arguments.add((names[node.id], ALL))
        else:
            arguments |= {(names[node.id], position) for position in range(len(call.args))}
            arguments |= {(names[node.id], keyword.arg or ALL) for keyword in call.keywords}
    # A name that the old program had, too, may be imported from it by others; a name that is not read, is.
    held = {name for local, name in names.items() if re.search(rf"import[^\n]*\b{local}\b|^{local} =", before, re.M)}
    arguments |= {(name, ALL) for name in held | set(wanted) - loaded}
    words = _words(tree)
    documented = {*names.values(), *(f".{word}" for word in words)}
    return Usage(frozenset(wanted), frozenset(arguments), words, frozenset(documented))


def used_before(text: str, public: Iterable[str]) -> Usage:
    """What was used of a module when it was written, as its text shows.

    Args:
      text: the module.
      public: the names of pieces, of which it holds some.
    """
    tree = ast.parse(text)
    names, arguments, documented = set(), set(), set()
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in public:
            names.add(node.targets[0].id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in public:
            names.add(node.name)
            arguments |= {(node.name, argument) for argument in _arguments(node)}
            documented |= {node.name} if _says_all(node) else set()
            documented |= {f".{one.name}" for one in node.body if isinstance(one, ast.FunctionDef) and _says_all(one)}
    words = {word for word in _words(tree) if not word.startswith("_")}
    return Usage(frozenset(names), frozenset(arguments), frozenset(words), frozenset(documented))


def _says_all(node: ast.FunctionDef | ast.ClassDef) -> bool:
    return "\n\n" in (ast.get_docstring(node) or "")


def _arguments(node: ast.FunctionDef | ast.ClassDef) -> set[str]:
    if isinstance(node, ast.ClassDef):
        fields = {
            one.target.id for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        }
        made = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name in ("__init__", "__new__")]
        return fields.union(*map(_arguments, made))
    given = node.args
    return {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def parts(definition: str) -> set[str]:
    """What a definition can be given and asked for: the names of its arguments and of its methods."""
    (node,) = ast.parse(definition).body
    if not isinstance(node, ast.FunctionDef | ast.ClassDef):
        return set()
    return _arguments(node) | {one.name for one in node.body if isinstance(one, ast.FunctionDef)}


def _words(tree: ast.Module) -> frozenset[str]:
    found = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            found |= {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            found.add(node.value)  # for getattr
    return frozenset(found)
