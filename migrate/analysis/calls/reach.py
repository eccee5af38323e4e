"""Finds the functions that a call may run, and the calls that may run a function, in all files of a program."""

import ast
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, combinations
from typing import TypeVar

from migrate.analysis.calls.branches import are_alternatives
from migrate.analysis.calls.objects import classes_of, methods_by_name
from migrate.analysis.program.facts import calls_within_functions, files_below, text_at
from migrate.analysis.program.links import star_owner
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.imports import directory_above_package
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import calls_by_name, name_of
from migrate.files.run_cache import run_cache
from migrate.files.trouble import Unreadable

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Search = TypeVar("Search")
ClassOrFunction = TypeVar("ClassOrFunction", bound=ast.AST)
LOADS = {"load_weights", "load_model"}
_RUN_METHODS = {"run", "experimental_run_v2", "experimental_run"}
CHECKPOINT = re.compile(r"check_?point|ckpt", re.IGNORECASE)
MAX_DEPTH = 4
"""The most functions between a training and its start, and between that start and a load."""
_MAX_FILES = 150
_MAX_IMPORTERS = 40
_MAX_METHODS = 6
"""A method name that more classes define is too common to follow."""
_MAX_IMPORTS = 5
_LOOPS = ast.For | ast.While | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
LIBRARIES = {"tensorflow", "keras", "tf_keras", "numpy", *sys.stdlib_module_names}
_COMMON = {"append", "get", "join", "format", "items", "keys", "read", "write", "close", "update", "split", "exists"}


class Reach:
    """Looks up functions and calls by name, in a file and in the files that are linked to it by imports."""

    def __init__(self, module: Module, tree: Tree) -> None:
        self.module, self.tree = module, tree
        self.tree.add_module(module)
        self._defined_in: dict[int, dict[str, list[FunctionNode | ast.ClassDef]]] = {}
        self._definitions_by_name: dict[str, list[FunctionNode | ast.ClassDef]] = {}
        self._files_read: set[int] = set()
        self._module_of_node: dict[ast.AST, Module] = {}
        self._resolved: dict[ast.Call, list[FunctionNode]] = {}
        self._paths_with_words: dict[tuple[str, ...], list[str]] = {}
        self._called_names: dict[str, set[str]] = {}
        self._bases: dict[ast.ClassDef, list[ast.ClassDef]] = {}
        self._derived: dict[ast.ClassDef, list[ast.ClassDef]] = {}
        self._searches: dict[object, object] = {}

    def search(self, kind: "Callable[[Reach], Search]") -> "Search":
        """Returns the search object of a class for this program, created once, so that its results are shared."""
        if kind not in self._searches:
            self._searches[kind] = kind(self)
        return self._searches[kind]  # type: ignore[return-value]

    def end_searches(self) -> None:
        """Drops the search objects: without them no cycle of objects keeps the trees of the program."""
        self._searches.clear()

    @cached_property
    def importers(self) -> list[Module]:
        """The files that import the file."""
        path = os.path.abspath(self.module.path)
        found = self.tree.importers_of(path) if os.path.exists(self.module.path) else ()
        return list(self.tree.readable(one for one in found if one != path))

    @cached_property
    def linked_paths(self) -> list[str]:
        """The absolute paths of files that import the file, and of files that all of these import, up to a limit."""
        if not os.path.exists(self.module.path):
            return []
        start = os.path.abspath(self.module.path)
        above: dict[str, None] = {}
        waiting = [start]
        for _ in range(2):
            importers = chain.from_iterable(map(self.tree.importers_of, waiting))
            waiting = []
            while len(above) < _MAX_IMPORTERS - 1 and (path := next(importers, None)) is not None:
                if path != start and path not in above:
                    above[path] = None
                    waiting.append(path)
        most = _MAX_FILES + 1  # the file itself may be one of them
        found = {**above, **dict.fromkeys(self.tree.first_imports(start, self.tree.own_links(self.module), most))}
        for path in above:
            if len(found) < _MAX_FILES:
                found |= dict.fromkeys(self.tree.first_imports(path, self.tree.links_from(path), most))
        return list(found)[:most]

    @cached_property
    def _paths(self) -> list[str]:
        """The other files of the program, and those of its package, whose modules may be used as attributes."""
        start = os.path.abspath(self.module.path)
        found = dict.fromkeys(self.linked_paths)
        own = os.path.dirname(start)
        package = directory_above_package(own)
        if package != own and os.path.exists(start):
            first = os.path.relpath(own, package).split(os.sep)[0]
            found |= dict.fromkeys(path for path in files_below(os.path.join(package, first)) if path.endswith(".py"))
        found.pop(start, None)
        return list(found)[:_MAX_FILES]

    def files_with(self, *words: str) -> Iterator[Module]:
        """Yields the files of the program that contain one of some words; each is parsed when it is yielded."""
        if any(word in self.module.text for word in words):
            yield self.module
        if words not in self._paths_with_words:
            self._paths_with_words[words] = [path for path in self._paths if self.tree.contains_word(path, *words)]
        yield from self.tree.readable(self._paths_with_words[words])

    def contains_word(self, *words: str) -> bool:
        """Whether a file of the program contains one of some words."""
        here = any(word in self.module.text for word in words)
        return here or any(self.tree.contains_word(path, *words) for path in self._paths)

    def may_run_together(self, first: Module, other: Module) -> bool:
        """Whether ``other``, or a program that imports it, also imports ``one``."""
        own, wanted = os.path.abspath(other.path), os.path.abspath(first.path)
        starts = {own, *(self.tree.importers_of(own) if os.path.exists(own) else ())}
        return wanted in starts or any(wanted == link.target.path for at in starts for link in self.tree.closure_of(at))

    def _definitions_named(self, name: str) -> list[FunctionNode | ast.ClassDef]:
        """Returns the program's functions and classes of a name; files that define none are not parsed."""
        if name not in self._definitions_by_name:
            others = self.tree.readable(path for path in self._paths if self.tree.defines(path, name))
            self._definitions_by_name[name] = [
                one for module in (self.module, *others) for one in self._definitions(module).get(name, ())
            ]
        return self._definitions_by_name[name]

    def module_of(self, node: ast.AST) -> Module:
        """Returns the file of a function, class or call that this object returned."""
        return self._module_of_node.get(node, self.module)

    def note(self, node: ClassOrFunction, module: Module) -> ClassOrFunction:
        """Remembers the file of a class or function, and returns that node."""
        self._module_of_node.setdefault(node, module)
        return node

    def calls(self, module: Module) -> dict[str, list[ast.Call]]:
        """Returns the calls of a file by the last part of the called name, in the order of the file."""
        if id(module) not in self._files_read:
            self._files_read.add(id(module))
            self._module_of_node.update(dict.fromkeys(module.names.nodes(ast.Call), module))
        return calls_by_name(module.names)

    def calls_of(self, name: str) -> Iterator[ast.Call]:
        """Yields the program's calls of a function or method by the last part of its name."""
        for module in self.files_with(name):
            yield from self.calls(module).get(name, [])

    def names_called_in(self, name: str) -> set[str]:
        """Returns the last parts of the names that functions with a name call, without analysing their files."""
        if name not in self._called_names:
            others = (self.tree.calls_within(path) for path in self._paths if self.tree.defines(path, name))
            found = (self._own_calls, *others)
            self._called_names[name] = set[str]().union(*(one.get(name, ()) for one in found))
        return self._called_names[name]

    @cached_property
    def _own_calls(self) -> dict[str, set[str]]:
        return calls_within_functions(self.module.tree)

    def loads(self) -> Iterator[ast.Call]:
        """Yields the program's calls that load weights, a model or a checkpoint."""
        calls = (call for name in (*LOADS, "restore") for call in self.calls_of(name))
        # Few of the files with the word ``read`` read a checkpoint.
        reading = [path for path in self._paths if self.tree.contains_word(path, "read") and _may_read_checkpoint(path)]
        read = (call for one in (self.module, *self.tree.readable(reading)) for call in self.calls(one).get("read", ()))
        return filter(is_load, chain(calls, read))

    @cached_property
    def names_leading_to_loads(self) -> set[str]:
        """The names of the functions and classes whose calls lead to a load."""
        found: set[str] = set()
        calls = [*self.loads()]
        for _ in range(MAX_DEPTH + 1):
            above = [node for call in calls for node in self.module_of(call).names.ancestors(call)]
            named = {n.name for n in above if isinstance(n, FunctionNode | ast.ClassDef)}
            # A class that loads in its constructor is called by its name or by that of a derived class.
            owners = [n for n in above if isinstance(n, ast.ClassDef)]
            named |= {one.name for owner in owners for one in self.subclasses(owner)}
            new = named - found - LOADS - {"__init__", "main"}
            found |= new
            calls = [call for name in new for call in self.calls_of(name)]
        return found

    def functions(self, call: ast.Call) -> list[FunctionNode]:
        """Returns the functions and methods that a call may run; for a class its ``__init__``."""
        if call not in self._resolved:
            self._resolved[call] = []  # to find its object may ask for this call again
            self._resolved[call] = list(dict.fromkeys(self._functions(self.module_of(call), call)))
        return self._resolved[call]

    def functions_run_by_strategy(self, call: ast.Call) -> tuple[list[FunctionNode], ast.Call]:
        """Returns the functions that ``strategy.run`` gets, and the call that it makes of them.

        For ``strategy.run(step, args=(x, y))`` that is ``step(x, y)``; for any other call, [] and the call itself.
        """
        given = call.args[0] if name_of(call.func) in _RUN_METHODS and call.args else None
        if not isinstance(given, ast.Name | ast.Attribute):
            return [], call
        rest = next((one.value for one in call.keywords if one.arg == "args"), call.args[1] if call.args[1:] else None)
        made = ast.Call(given, rest.elts if isinstance(rest, ast.Tuple | ast.List) else [], [])
        functions = list(dict.fromkeys(self._functions(self.module_of(call), call, given)))
        return functions, made if functions else call  # A method of the program's own may have this name.

    def calls_in(self, module: Module, scope: ast.AST) -> list[ast.Call]:
        """Returns the calls in a function or module, without those of inner functions."""
        self.calls(module)
        return module.names.calls_in(scope)

    def calls_named(self, module: Module, scope: ast.AST, *names: str) -> list[ast.Call]:
        """Returns the calls of ``calls_in`` to functions whose last name is one of some names."""
        named = (call for name in names for call in self.calls(module).get(name, ()))
        return [call for call in named if module.names.function_around(call) is scope]

    def callers(self, function: FunctionNode, module: Module) -> list[ast.Call]:
        """Returns the calls that may run a function of a file."""
        owner = module.names.parents.get(self.note(function, module))
        name = owner.name if isinstance(owner, ast.ClassDef) and function.name == "__init__" else function.name
        return [call for call in self.calls_of(name) if function in self.functions(call)]

    def calls_given(self, function: FunctionNode, module: Module) -> list[ast.Call]:
        """Returns the calls that get a function of a file to run it later: ``Thread(target=train)``."""
        found: dict[ast.Call, None] = {}
        name = self.note(function, module).name
        for where in self.files_with(name):
            for node in [*where.names.variables.get(name, ()), *where.names.attributes.get(name, ())]:
                above = where.names.parent(node)
                call = where.names.parent(above) if isinstance(above, ast.keyword) else above
                if (
                    isinstance(call, ast.Call)
                    and node is not call.func
                    and function in self._functions(where, self.note(call, where), node)
                ):
                    found[call] = None
        return [*found]

    def may_run_twice(self, module: Module, node: ast.AST, depth: int = 0) -> bool:
        """Whether one run may reach a node twice: in a loop, or by two calls of a function that leads there."""
        names, own = module.names, module.names.scope_of(node).node
        around = list(names.ancestors(node))
        inside = around[: around.index(own)] if own in around else around
        if any(isinstance(one, _LOOPS) for one in (*inside, own)):
            return True
        if not isinstance(own, ast.FunctionDef) or depth > MAX_DEPTH:
            return False
        calls = [(self.module_of(call), call) for call in self.callers(own, module)]
        are_apart = all(
            a is b and are_alternatives(a.names, one, other) for (a, one), (b, other) in combinations(calls, 2)
        )
        return not are_apart or any(self.may_run_twice(where, call, depth + 1) for where, call in calls)

    def classes(self, name: str) -> list[ast.ClassDef]:
        return [one for one in self._definitions_named(name) if isinstance(one, ast.ClassDef)]

    def bases(self, owner: ast.ClassDef) -> list[ast.ClassDef]:
        """Returns a class and its base classes in the program."""
        if owner not in self._bases:
            found = self._bases[owner] = [owner]
            for each in found:  # The list grows.
                named = (one for one in each.bases if not _is_of_library(self.module_of(each), one))
                found += [one for base in named for one in self.classes(name_of(base)) if one not in found]
        return self._bases[owner]

    def subclasses(self, owner: ast.ClassDef) -> list[ast.ClassDef]:
        """Returns the program's classes that derive from a class, directly or not."""
        if owner not in self._derived:
            found = self._derived[owner] = []
            for module in self.files_with(owner.name):
                for one in module.names.classes:
                    bases = (base for base in one.bases if name_of(base) == owner.name)
                    if not all(_is_of_library(module, base) for base in bases):
                        found.append(self.note(one, module))
            for one in found:  # The list grows.
                found += [each for each in self.subclasses(one) if each not in found]
        return self._derived[owner]

    def family(self, owner: ast.ClassDef | None, module: Module) -> list[ast.ClassDef]:
        """Returns a class of a file, and the program's classes that derive from it; [] for None."""
        return [self.note(owner, module), *self.subclasses(owner)] if owner is not None else []

    def _functions(self, module: Module, call: ast.Call, func: ast.expr | None = None) -> Iterator[FunctionNode]:
        names, func = module.names, func or call.func
        if isinstance(func, ast.Name):
            here = names.definition(func)
            if here is not None:
                yield from self._callables(module, here)
                return
            dotted = names.qualified(func)
            yield from self._imported_functions(module, dotted if dotted is not None else "")
            if names.scope_of(func).lookup(func.id) is None:
                owner = star_owner(self.tree, module, func.id)
                if owner is not None:
                    for each in owner.names.top.bindings[func.id]:
                        yield from self._callables(owner, each.node)
            return
        if not isinstance(func, ast.Attribute):
            return
        receiver = func.value
        is_own = isinstance(receiver, ast.Name) and receiver.id in ("self", "cls")
        if is_own or (isinstance(receiver, ast.Call) and name_of(receiver.func) == "super"):
            family = self._classes_around(module, call)
            own = [one for each in family[0 if is_own else 1 :] for one in self._methods(each, func.attr)]
            below = self.subclasses(family[0]) if is_own and family else ()  # self may be one of these
            own = own[:1] + [one for each in below for one in self._methods(each, func.attr)]
            yield from own or list(self._methods_named(func.attr) if func.attr not in _COMMON else ())
            return
        here = names.definition(receiver) if isinstance(receiver, ast.Name) else None
        if isinstance(here, ast.ClassDef) or func.attr == "__init__":  # called on a class by name
            named = [self.note(here, module)] if isinstance(here, ast.ClassDef) else self.classes(name_of(receiver))[:1]
            found = [one for each in named for base in self.bases(each) for one in self._methods(base, func.attr)]
            yield from found[:1]
            return
        dotted = names.qualified(func)
        if dotted is not None:
            found = list(self._imported_functions(module, dotted))
            yield from found
            if found or not names.qualified(receiver):
                return
        if dotted is not None and dotted.partition(".")[0] in LIBRARIES:
            return
        owners = classes_of(self, module, receiver) if self._definitions_named(func.attr) else None
        if owners is None and func.attr not in _COMMON:
            yield from self._methods_named(func.attr, self._classes_around(module, call))  # not of its own class
        for made in dict.fromkeys(owners or ()):
            yield from [one for each in self.bases(made) for one in self._methods(each, func.attr)][:1]

    def _classes_around(self, module: Module, call: ast.Call) -> list[ast.ClassDef]:
        around = module.names.class_around(call)
        return self.bases(self.note(around, module)) if around is not None else []

    def owner(self, module: Module, dotted: str) -> tuple[Module | None, str]:
        """Returns the file, and its top-level name, that an import refers to; None and "" for none in the program."""
        if not dotted or not os.path.exists(module.path):
            return None, ""
        owner, name = self.tree.owner(module, dotted)
        if owner is not None and name not in owner.names.top.bindings:
            owner = star_owner(self.tree, owner, name) or owner
        target = self.tree.target(module, dotted) if owner is None else None
        if target is not None and target.other:  # a file of the same directory has the name of the package
            with suppress(Unreadable):
                return self.tree.module(target.other), dotted.rpartition(".")[2]
        if target is not None and not target.names:  # the package binds a function with the name of a module
            with suppress(Unreadable):
                there, last = self.tree.module(target.path), dotted.rpartition(".")[2]
                return (there, last) if last in there.names.top.bindings else (None, "")
        return owner, name

    def _imported_functions(self, module: Module, dotted: str, depth: int = 0) -> Iterator[FunctionNode]:
        owner, name = self.owner(module, dotted)
        bindings = owner.names.top.bindings.get(name, []) if owner is not None else []
        for binding in bindings:
            assert owner is not None
            if binding.imported is not None and depth < _MAX_IMPORTS:  # one import of several, for different backends
                yield from self._imported_functions(owner, binding.imported, depth + 1)
            else:
                yield from self._callables(owner, binding.node)

    def _callables(self, module: Module, node: ast.AST) -> Iterator[FunctionNode]:
        if isinstance(node, FunctionNode):
            self._module_of_node[node] = module
            yield node
        elif isinstance(node, ast.ClassDef):
            self._module_of_node[node] = module
            found = [one for each in self.bases(node) for one in self._methods(each, "__init__")]
            yield from found[:1]

    def _methods(self, owner: ast.ClassDef, name: str) -> Iterator[FunctionNode]:
        for node in methods_by_name(owner).get(name, ()):
            self._module_of_node[node] = self.module_of(owner)
            yield node

    def _methods_named(self, name: str, apart: Sequence[ast.ClassDef] = ()) -> Iterator[FunctionNode]:
        found = [one for one in self._definitions_named(name) if isinstance(one, FunctionNode)]
        owners = {one: self.module_of(one).names.parents.get(one) for one in found}
        methods = [one for one in found if isinstance(owners[one], ast.ClassDef) and owners[one] not in apart]
        yield from methods if len(methods) <= _MAX_METHODS else []

    def _definitions(self, module: Module) -> dict[str, list[FunctionNode | ast.ClassDef]]:
        """Returns the functions and classes of a file by name."""
        if id(module) not in self._defined_in:
            found: dict[str, list[FunctionNode | ast.ClassDef]] = {}
            names = module.names
            nodes: list[FunctionNode | ast.ClassDef] = [*names.nodes(ast.FunctionDef), *names.classes]
            for node in [*nodes, *names.nodes(ast.AsyncFunctionDef)]:
                self._module_of_node[node] = module
                found.setdefault(node.name, []).append(node)
            self._defined_in[id(module)] = found
        return self._defined_in[id(module)]


@run_cache
def _may_read_checkpoint(path: str) -> bool:
    return ".read" in text_at(path) and CHECKPOINT.search(text_at(path)) is not None


def is_load(call: ast.Call) -> bool:
    """Whether a call loads weights, a model or a checkpoint; ``restore(sess, …)`` of TensorFlow 1 does not count."""
    name = name_of(call.func)
    if name in LOADS or not isinstance(call.func, ast.Attribute):
        return name in LOADS
    if name == "restore":
        return not (call.args and "sess" in name_of(call.args[0]))
    return name == "read" and CHECKPOINT.search(ast.unparse(call.func.value)) is not None


def _is_of_library(module: Module, base: ast.expr) -> bool:
    return (module.names.qualified(base) or "").partition(".")[0] in LIBRARIES
