"""What a loop's place knows of the values that functions which it calls work with, and of the paths that they save."""

import ast
import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from migrate.analysis.arguments import Unbindable, bind, literal
from migrate.analysis.module import Module
from migrate.analysis.names import Names
from migrate.analysis.path_searches import name_of
from migrate.analysis.paths import is_choice, template
from migrate.analysis.resume.loads_before import LoadsBefore
from migrate.analysis.resume.reach import DEEPEST, FunctionNode, Reach
from migrate.analysis.scopes import Binding, Scope

_FILLED = re.compile(r"\{[^}]*\}")
_PERCENT = re.compile(r"%[-\d.]*[a-z]")
_READS = re.compile(
    r"os\.(getcwd|fspath|path\.(join|dirname|basename|abspath|realpath|expanduser|normpath|splitext))$|pathlib\.(Pure)?Path$"
    r"|(str|int)$"
)
"""Functions that give the same at each call of one start, and change nothing."""
_READ = (
    ast.Name, ast.Attribute, ast.Constant, ast.IfExp, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare, ast.JoinedStr,
    ast.FormattedValue, ast.Tuple,
)  # fmt: skip
_TEXT = {"format", "join", "replace", "strip", "lstrip", "rstrip", "lower", "upper", "split", "as_posix"}


@dataclass
class Given:
    """What a function's parameters are given, as the loop's place knows it.

    Attributes:
      texts: variables and attributes, as source there.
      begins: what paths begin with that are put together at the call, and whether that is all of them.
    """

    texts: dict[str, str] = field(default_factory=dict)
    begins: "dict[str, Begin]" = field(default_factory=dict)


Begin = tuple[list[str | tuple[str]], bool]


class Joint(str):
    """Where ``os.path.join``, or ``/`` of a ``Path``, joins two parts of a path: the second may begin anew by "/"."""


class KnownAtLoop:
    """Spells expressions of other functions and files as the place of one loop of a file knows them.

    Args:
      reach: the calls of the program, from the loop's file.
      loop: the loop.
    """

    def __init__(self, reach: Reach, loop: ast.For | ast.While) -> None:
        self.reach, self.loop, self.module = reach, loop, reach.module
        self.place = reach.module.names.scope_of(loop)

    def given(self, module: Module, call: ast.Call, where: Module, function: FunctionNode, given: Given) -> Given:
        """What a function's parameters are given, as the loop's place knows it."""
        expected = [one.arg for one in [*function.args.posonlyargs, *function.args.args]]
        found, (run, made) = Given(), self.reach.run_by(call)
        call = made if function in run else call
        if isinstance(where.names.scope_of(function).node, FunctionNode):  # it reads what the function around it has
            own = {*expected, *(one.arg for one in function.args.kwonlyargs)}
            found.texts = {name: text for name, text in given.texts.items() if name not in own}
            found.begins = {name: begin for name, begin in given.begins.items() if name not in own}
        is_method = isinstance(where.names.parents.get(function), ast.ClassDef)
        if is_method and expected and isinstance(call.func, ast.Attribute):
            found.texts[expected[0]] = self.text(module, call.func.value, given)
            expected = expected[1:]
        try:
            arguments = bind(call, expected)
        except Unbindable:
            return found
        for name, value in arguments.items():
            text = self.text(module, value, given)
            if text:
                found.texts[name] = text
            else:
                found.begins[name] = self.begin(module, value, given)
        return found

    def text(self, module: Module, value: ast.expr, given: Given, depth: int = 0) -> str:
        """A variable or attribute as the loop's place knows it, as source; "" where that does not."""
        root, text = value, ast.unparse(value)
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or depth > DEEPEST:
            return ""
        names = module.names
        bound = names.scope_of(root).lookup(root.id)
        is_given = bound is None or all(isinstance(one.node, ast.arg) or _ends_folder(one.node) for one in bound[1])
        if root.id in given.texts and is_given:
            return given.texts[root.id] + text[len(root.id) :]
        if self._is_imported_alike(module, root):
            return text
        if bound is None:
            return ""
        if module is self.module and self.place.lookup(root.id) == bound and not self._is_of_loop(root):
            return text
        only = names.only_value(root)
        inner = self.text(module, only, given, depth + 1) if isinstance(only, ast.Name | ast.Attribute) else ""
        return inner + text[len(root.id) :] if inner else ""

    def _is_imported_alike(self, module: Module, root: ast.Name) -> bool:
        """Whether a variable is what one import gives, which the loop's place has by the same name."""
        found = [self._imported(module, module.names.scope_of(root).lookup(root.id), root.id)]
        found.append(self._imported(self.module, self.place.lookup(root.id), root.id))
        return found[0] is not None and found[0] == found[1]

    def _imported(self, module: Module, bound: tuple[Scope, list[Binding]] | None, name: str) -> object:
        if bound is None:
            return next((one.path for one in self.reach.starred(module) if name in one.names.top.bindings), None)
        dotted = {one.imported for one in bound[1]}
        only = next(iter(dotted), None) if len(dotted) == 1 else None
        return None if only is None or only.startswith(".") or bound[0] is not module.names.top else only

    def _spelled(self, module: Module, value: ast.expr, given: Given, depth: int = 0) -> str:
        """An expression that reads alone, as source at the loop's place; "" where that does not know a part of it."""
        if depth > DEEPEST or not all(only_reads(module.names, one) for one in ast.walk(value)):
            return ""
        copied = copy.deepcopy(value)
        own = dict(zip(ast.walk(copied), ast.walk(value), strict=True))
        placed = _Placed(lambda one: self._named(module, own[one], given, depth + 1))
        spelled = placed.visit(copied)
        return ast.unparse(spelled) if placed.is_known else ""

    def _named(self, module: Module, name: ast.AST, given: Given, depth: int) -> str:
        assert isinstance(name, ast.expr)
        only = module.names.only_value(name) if isinstance(name, ast.Name) else None
        text = self.text(module, name, given)
        if text.startswith("."):
            return ""  # of an object that the loop's place does not know
        return text or (self._spelled(module, only, given, depth) if only is not None else "")

    def _changes(self, module: Module, value: ast.expr) -> bool:
        """Whether an attribute or an item in a path is given another value while the loop runs."""
        read = {one.attr for one in ast.walk(value) if isinstance(one, ast.Attribute)}
        read |= {ast.unparse(one) for one in ast.walk(value) if isinstance(one, ast.Subscript)}
        for where in (module, self.module) if read else ():
            for store in where.names.stores:
                above = where.names.parents.get(store)
                counts = isinstance(above, ast.AugAssign) and not isinstance(literal(above.value), str)
                is_read = getattr(store, "attr", "") in read or ast.unparse(store) in read
                if is_read and (counts or self._is_in_turns(where, store)):
                    return True
        return False

    def _is_of_loop(self, root: ast.Name) -> bool:
        """Whether the loop itself binds a variable, or a function that its turns run, such as a callback."""
        return any(self._is_in_turns(self.module, one.node) for one in self.module.names.bound(root))

    def _is_in_turns(self, module: Module, node: ast.AST, depth: int = 0) -> bool:
        """Whether a node is in the loop, or in a function that its turns run: what nothing calls is a callback."""
        above = [node, *module.names.ancestors(node)]
        function = next((one for one in above[1:] if isinstance(one, FunctionNode)), None)
        if self.loop in above or function is None or depth > DEEPEST:
            return self.loop in above
        if function.name == "__init__" or function in self._leading:
            return False
        callers = self.reach.callers(self.reach.know(function, module))
        return not callers or any(self._is_in_turns(self.reach.module_of(one), one, depth + 1) for one in callers)

    @cached_property
    def _leading(self) -> set[ast.AST]:
        """The functions that lead to the loop."""
        return {scope for _, scope, _ in self.reach.one(LoadsBefore).frames(self.loop)}

    def begin(self, module: Module, path: ast.expr, given: Given) -> Begin:
        """What a path begins with, up to the first part that the loop's place does not know, and whether all is."""
        found: list[str | tuple[str]] = []
        for part in _parts(module.names, path):
            is_made = isinstance(part, ast.Call) and name_of(part.func) == "str" and bool(part.args)
            part = part.args[0] if is_made and isinstance(part, ast.Call) else part
            if isinstance(part, Joint):
                found.append(part)
                continue
            if isinstance(part, ast.Name) and not self.text(module, part, given):  # a choice, of another file
                only = module.names.only_value(part)
                part = str(only.value) if isinstance(only, ast.Constant) else part
            known = part if isinstance(part, str) else template(module.names, part, into_parameters=False)
            if known is not None and "⟨" not in known:
                begin = _FILLED.split(known)[0]
                found.append(begin)
                if begin != known:
                    return found, False
                continue
            assert not isinstance(part, str)
            text = "" if self._changes(module, part) else self._spelled(module, part, given)
            bound = module.names.bound(part)
            if text:
                found.append((f"str({text})" if is_made else _alone(text),))
                found += [Joint("/")] if any(_ends_folder(one.node) for one in bound) else []
                continue
            is_given = isinstance(part, ast.Name) and bool(bound) and isinstance(bound[0].node, ast.arg)
            if isinstance(part, ast.Name) and is_given and part.id in given.texts:
                return [], False  # jobs of which each says another folder would share one
            begun, is_whole = given.begins.get(part.id, ([], False)) if isinstance(part, ast.Name) else ([], False)
            is_number = is_made and any(isinstance(one, tuple) and not one[0].startswith("str(") for one in begun)
            if is_number and is_whole and len(begun) == 1:
                begun = [(f"str({begun[0][0]})",)]
            elif is_number:
                return found, False  # a sum that is made a text is none of texts
            found += begun if is_given else []
            if not is_given or not is_whole:
                return found, False
        return found, True


def _alone(text: str) -> str:
    """An expression as source that stands in a sum, or before a dot, as it is."""
    is_one = isinstance(
        ast.parse(text, mode="eval").body,
        ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant | ast.JoinedStr,
    )
    return text if is_one else f"({text})"


def _ends_folder(statement: ast.AST) -> bool:
    """Whether a statement gives a folder the separator at its end: ``folder += "/"``."""
    return isinstance(statement, ast.AugAssign) and literal(statement.value) in ("/", "\\")


def only_reads(names: Names, node: ast.AST) -> bool:
    """Whether an expression may be evaluated above the loop too: it is the same there, and nothing changes by it."""
    if isinstance(node, ast.Call):
        is_text = isinstance(node.func, ast.Attribute) and node.func.attr in _TEXT
        called = names.qualified(node.func) or ast.unparse(node.func)
        return is_text or (not node.keywords and _READS.match(called) is not None)
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    return isinstance(node, _READ) or not isinstance(node, ast.expr)


class _Placed(ast.NodeTransformer):
    """Puts what another place knows of variables and attributes in their stead."""

    def __init__(self, known: Callable[[ast.Name | ast.Attribute], str]) -> None:
        self.known, self.is_known = known, True

    def _placed(self, node: ast.Name | ast.Attribute) -> ast.AST:
        text = self.known(node)
        self.is_known &= bool(text)
        return ast.parse(text, mode="eval").body if text else node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._placed(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            root = root.value
        return self._placed(node) if isinstance(root, ast.Name) else self.generic_visit(node)


def _parts(names: Names, path: ast.expr) -> Iterator[ast.expr | str]:
    """The parts that a path is made of, in their order; one that may be no text as ``str(part)``."""
    only = names.only_value(path) if isinstance(path, ast.Name) else _item(names, path)
    only = None if isinstance(path, ast.Name) and is_choice(names, path) else only
    if only is not None and all(one is not path for one in ast.walk(only)):
        yield from _parts(names, only)
    elif isinstance(path, ast.BinOp) and isinstance(path.op, ast.Add):
        yield from _parts(names, path.left)
        yield from _parts(names, path.right)
    elif isinstance(path, ast.BinOp) and isinstance(path.op, ast.Div):
        yield from _texts(names, path.left)
        yield Joint("/")
        yield from _texts(names, path.right)
    elif isinstance(path, ast.BinOp) and isinstance(path.op, ast.Mod):
        given = path.right.elts if isinstance(path.right, ast.Tuple) else [path.right]
        yield from _filled(names, path.left, {str(number): one for number, one in enumerate(given)}, _PERCENT)
    elif isinstance(path, ast.JoinedStr):
        for value in path.values:
            yield from _texts(names, value.value) if isinstance(value, ast.FormattedValue) else _parts(names, value)
    elif isinstance(path, ast.Call) and name_of(path.func) == "join" and path.args:
        between, given = "/", path.args
        if isinstance(path.func, ast.Attribute) and isinstance(one := names.value(path.func.value), ast.Constant):
            between, given = str(one.value), getattr(names.value(path.args[0]), "elts", path.args)
        for number, argument in enumerate(given):
            if number:
                yield Joint("/") if given is path.args else between
            yield from (_texts if between == "/" else _parts)(names, argument)
    elif isinstance(path, ast.Call) and name_of(path.func) == "format" and isinstance(path.func, ast.Attribute):
        filled = {str(number): one for number, one in enumerate(path.args)}
        filled |= {keyword.arg: keyword.value for keyword in path.keywords if keyword.arg is not None}
        yield from _filled(names, path.func.value, filled, _FILLED)
    elif isinstance(path, ast.Call) and name_of(path.func) == "str" and path.args:
        yield from _texts(names, path.args[0])
    else:
        yield path


def _item(names: Names, item: ast.expr) -> ast.expr | None:
    """What a dictionary that is written out, and never changed, has under a key."""
    held = names.only_value(item.value) if isinstance(item, ast.Subscript) else None
    if not isinstance(item, ast.Subscript) or not isinstance(held, ast.Dict):
        return None
    if any(ast.unparse(one.value) == ast.unparse(item.value) for one in names.stores):
        return None
    keys = [literal(one) for one in held.keys]
    return held.values[keys.index(literal(item.slice))] if literal(item.slice) in keys else None


def _texts(names: Names, path: ast.expr) -> Iterator[ast.expr | str]:
    """The parts of a value that is made a text: one that is a variable or an attribute may be none."""
    value = names.value(path)
    is_sum = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add)
    is_sum &= not any(isinstance(getattr(one, "value", None), str) for one in ast.walk(value))  # of numbers
    if is_sum:
        yield ast.Call(ast.Name("str", ast.Load()), [path], [])
        return
    for part in _parts(names, path):
        if isinstance(part, ast.Name | ast.Attribute | ast.Subscript | ast.IfExp):
            yield ast.Call(ast.Name("str", ast.Load()), [part], [])
        else:
            yield part


def _filled(
    names: Names, text: ast.expr, given: dict[str, ast.expr], field: re.Pattern[str]
) -> Iterator[ast.expr | str]:
    """The parts of a text with fields, whose values are given by number or name; a field stays that none fills."""
    known = names.value(text)
    if not isinstance(known, ast.Constant) or not isinstance(known.value, str):
        yield text
        return
    between = field.split(known.value)
    for number, (part, filled) in enumerate(zip(between, [*field.findall(known.value), ""], strict=True)):
        if part:
            yield part
        named = re.match(r"\{(\w*)[:!}]|%", filled)  # of "{path.name}" only a part is given
        value = given.get(named[1] or str(number)) if named is not None else None
        if filled and value is not None:
            yield from _texts(names, value)
        elif filled:
            yield "{}"
