"""Which calls of a program run one after another in a start, and with which directory."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from migrate.analysis.calls.branches import are_alternatives
from migrate.analysis.calls.reach import DEEPEST, FunctionNode, Reach
from migrate.analysis.source.arguments import Unbindable, bind, defaults
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import Names
from migrate.analysis.source.paths import template

_UNKNOWN = re.compile(r"⟨([^⟩]*)⟩")
_NAME = re.compile(r"[^\W\d]\w*")
_COMPREHENSIONS = ast.ListComp | ast.GeneratorExp | ast.SetComp
_LOOPS = ast.For | ast.AsyncFor | ast.While


@dataclass(frozen=True)
class Turn:
    """A call that runs another, or that one itself, with the directory which that is given.

    Attributes:
      directory: a path of ``paths.template``, in the words of the call's function.
      origin: the call that is run.
    """

    module: Module
    node: ast.Call
    directory: str
    origin: ast.Call


def first_repetition(reach: Reach, turns: Sequence[Turn]) -> tuple[Turn, Turn] | None:
    """Two turns that one start runs with one directory, the later last; the same one where a loop repeats it."""
    every = [one for turn in turns for one in _above(reach, turn)]
    for one in every:
        if _is_looped(one):
            return one, one
    for one, other in combinations(sorted(every, key=lambda turn: turn.node.lineno), 2):
        names = one.module.names
        is_beside = one.module is other.module and names.scope_of(one.node).node is names.scope_of(other.node).node
        is_same = is_beside and one.node is not other.node and one.directory == other.directory
        if is_same and not are_alternatives(names, one.node, other.node) and not _is_asked(names, one, other):
            return one, other
    return None


def _above(reach: Reach, turn: Turn, depth: int = 0) -> Iterator[Turn]:
    """Yields a turn, and the calls that lead to it, each with the directory in its own words."""
    module = turn.module
    unknown = _UNKNOWN.findall(turn.directory)
    if any("(" in one for one in unknown):
        return
    yield turn
    function = next((one for one in module.names.ancestors(turn.node) if isinstance(one, FunctionNode)), None)
    if function is None or depth > DEEPEST:
        return
    parameters = [one.arg for one in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    is_method = isinstance(module.names.parents.get(function), ast.ClassDef)
    own = {name for part in unknown for name in _NAME.findall(part)[:1]}
    if own - set(parameters):
        return  # of a local variable
    is_of_object = is_method and parameters[0] in own
    reach.know(function, module)
    for call in reach.callers(function):
        where = reach.module_of(call)
        if is_of_object and not ast.unparse(call.func).startswith("self."):
            continue  # of an object that may be another one
        try:
            given = {**defaults(function), **bind(call, parameters[1:] if is_method else parameters)}
        except Unbindable:
            continue
        directory = turn.directory
        for part in unknown:
            name = _NAME.findall(part)[0]
            if is_of_object and name == parameters[0]:
                continue
            text = (
                template(where.names, given.get(name)) if part == name else _renamed(where.names, given.get(name), part)
            )
            directory = directory.replace(f"⟨{part}⟩", text) if text is not None else "⟨()⟩"
        yield from _above(reach, replace(turn, module=where, node=call, directory=directory), depth + 1)


def _renamed(names: Names, given: ast.expr | None, part: str) -> str | None:
    """A part of what a call is given, in the words of the call: ``config.directory``."""
    is_steady = isinstance(given, ast.Name) and template(names, given) is not None
    return f"⟨{_NAME.sub(given.id, part, count=1)}⟩" if is_steady and isinstance(given, ast.Name) else None


def _is_looped(turn: Turn) -> bool:
    """Whether a loop repeats a turn with the same directory, under no test of its own."""
    names, inside = turn.module.names, turn.node
    for around in names.ancestors(turn.node):
        if isinstance(around, FunctionNode | ast.If | ast.Try | ast.Lambda):
            return False
        if isinstance(around, _LOOPS | _COMPREHENSIONS):
            is_skipped = any(isinstance(part, ast.Continue | ast.Break | ast.Return) for part in ast.walk(around))
            bound = {
                part.id for part in ast.walk(around) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            }
            read = {name for part in _UNKNOWN.findall(turn.directory) for name in _NAME.findall(part)}
            return inside in _parts(around) and not is_skipped and bound.isdisjoint(read)
    return False


def _parts(loop: ast.AST) -> Iterator[ast.AST]:
    repeated = [loop.elt] if isinstance(loop, _COMPREHENSIONS) else getattr(loop, "body", ())
    return (part for one in repeated for part in ast.walk(one))


def _is_asked(names: Names, one: Turn, other: Turn) -> bool:
    """Whether a test, under which the other turn does not stand, decides whether the first runs."""
    around = [other.node, *names.ancestors(other.node)]
    tests = (node for node in names.ancestors(one.node) if isinstance(node, ast.If | ast.IfExp | ast.Try))
    return any(node not in around for node in tests)
