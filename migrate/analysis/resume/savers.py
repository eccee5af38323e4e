"""The callback that wrote what a program loads, and a path of its files that is known at other places too."""

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache

from migrate.analysis.arguments import Unbindable, bind, literal
from migrate.analysis.checkpoints import key
from migrate.analysis.module import Module
from migrate.analysis.names import FARTHEST, Names
from migrate.analysis.path_searches import name_of, path_of
from migrate.analysis.paths import only_given, template
from migrate.analysis.resume.flags import is_same_name
from migrate.analysis.resume.known_at_loop import only_reads
from migrate.analysis.resume.origins import ADDS, Origins
from migrate.analysis.resume.reach import Reach
from migrate.analysis.trainings import Fit, Saver, fits, is_on_workers, is_training, saver, saver_arguments
from migrate.files.parse import KEPT


def saver_of(module: Module, fit: Fit) -> Saver | None:
    """The one ``ModelCheckpoint`` that a training saves by; the one of its file where its callbacks are not seen."""
    if fit.savers:
        places = {one.path for one in fit.savers}
        plain = [one for one in fit.savers if "save_best_only" not in one.arguments]
        return fit.savers[0] if len(places) == 1 else plain[0] if len(plain) == 1 else fit.savers[0]
    made = savers(module)
    scope = module.names.scope_of(fit.call)
    near = [one for one in made if module.names.scope_of(one.call) is scope]
    for some in (near, made):
        plain = [one for one in some if "save_best_only" not in one.arguments]
        if len(some) == 1 or len(plain) == 1:
            return some[0] if len(some) == 1 else plain[0]
    return None


def restarted(module: Module) -> Iterator[tuple[Fit, Saver]]:
    """The trainings with a callback that is asked to load what it saved, as TensorFlow 2.0 could."""
    for fit in fits(module) if not is_on_workers(module) else ():
        for one in fit.savers:
            asked = one.arguments.get("load_weights_on_restart")
            if asked is not None and literal(asked) is not False:
                yield fit, one
                break


def is_checkpoint(call: ast.Call) -> bool:
    """Whether a call makes a ``ModelCheckpoint`` or a callback derived from it, as far as its name says."""
    return name_of(call.func).endswith("ModelCheckpoint")


def given_files(reach: Reach, fit: Fit) -> list[tuple[Module, ast.expr]]:
    """The paths of each ``ModelCheckpoint`` that a training's callbacks always hold, wherever it is made."""
    given = fit.arguments.get("callbacks")
    calls = reach.one(Origins).calls(reach.module, given, is_path=False) if given is not None else []
    wrapped = [(where, one) for where, call in calls if not is_checkpoint(call) for one in call.args[:1]]
    calls += [one for where, inner in wrapped for one in reach.one(Origins).calls(where, inner, is_path=False)]
    calls += [(reach.module, one.call) for one in fit.savers]
    always = ((where, call) for where, call in calls if is_checkpoint(call) and not is_chosen(where, call))
    return [(where, path) for where, call in always if (path := _file_of(where, call)) is not None]


def _file_of(module: Module, call: ast.Call) -> ast.expr | None:
    try:
        return saver_arguments(module.names, call).get("filepath")
    except Unbindable:
        return path_of(call)


def is_always_given(reach: Reach, fit: Fit) -> bool:
    """Whether each call of a function that trains gives it a ``ModelCheckpoint``, where it takes callbacks."""
    given, module = fit.arguments.get("callbacks"), reach.module
    function = module.names.scope_of(fit.call).node
    bound = module.names.bound(given) if isinstance(given, ast.Name) else []
    if not isinstance(function, ast.FunctionDef) or not any(isinstance(one.node, ast.arg) for one in bound):
        return True
    expected = [one.arg for one in [*function.args.posonlyargs, *function.args.args] if one.arg not in ("self", "cls")]
    for call in reach.callers(reach.know(function, module)):
        where = reach.module_of(call)
        try:
            value = bind(call, expected).get(ast.unparse(given)) if given is not None else None
        except Unbindable:
            return False
        made = reach.one(Origins).calls(where, value, is_path=False) if value is not None else []
        if not any(is_checkpoint(one) and not is_chosen(there, one) for there, one in made):
            return False
    return True


def is_chosen(module: Module, node: ast.expr) -> bool:
    """Whether a test of its function decides that a callback is made, or read where a list gets it.

    The tests around all that a variable is ever given do not, for no training has another one, nor one that stands
    around the list too, or around the training that is given it.
    """
    names, own, held = module.names, module.names.scope_of(node).node, _holder(module.names.statement_of(node))
    bound = [one for one in names.bound(held) if not isinstance(one.node, ast.AugAssign)]
    savers = [one for one in bound if isinstance(one.value, ast.Call) and is_checkpoint(one.value)]
    is_any = len(bound) == 1 or (bool(bound) and len(savers) == len(bound))
    beside = {around for one in bound for around in names.ancestors(one.node)} if is_any else set[ast.AST]()
    for one in names.ancestors(node):
        if one is own or (isinstance(one, ast.Call) and is_training(one)):
            break
        if isinstance(one, ast.If | ast.IfExp) and one not in beside:
            return True
    later = [one for one in names.reads_of(held) if one.lineno > node.lineno] if is_any else []
    return any(is_chosen(module, one) for one in later if _is_put(names, one))


def _holder(statement: ast.stmt) -> ast.expr | None:
    """The variable that a statement assigns, or the list that it adds to."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        return call.func.value if call.func.attr in ADDS else None
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return statement.target if isinstance(statement, ast.AugAssign) else targets[0] if targets else None


def _is_put(names: Names, read: ast.Name) -> bool:
    """Whether a variable that is read becomes another one, a part of a list, or what a function returns."""
    calls = [one.func for one in names.ancestors(read) if isinstance(one, ast.Call)]
    is_one = isinstance(names.statement_of(read), ast.Assign | ast.AugAssign | ast.Return | ast.Expr)
    return is_one and not isinstance(names.parent(read), ast.Attribute) and {*map(name_of, calls[-1:])} <= {*ADDS}


def saver_among(module: Module, saves: Iterable[ast.Call]) -> Saver | None:
    """The first of some calls that save which stands in a callback of a file's own."""
    for call in saves:
        owners = [node for node in module.names.ancestors(call) if isinstance(node, ast.ClassDef)]
        is_callback = any(ast.unparse(base).endswith("Callback") for owner in owners for base in owner.bases)
        if is_callback and call.args and not is_checkpoint(call):
            path = template(module.names, call.args[0]) or ""
            return Saver(call, {"filepath": call.args[0]}, path, call, is_checkpoint=False)
    return None


@lru_cache(maxsize=KEPT)
def savers(module: Module) -> tuple[Saver, ...]:
    """Every ``ModelCheckpoint`` of a file, and every callback of its own that saves after each epoch."""
    return tuple(_savers(module))


def _savers(module: Module) -> Iterator[Saver]:
    own = [node for node in module.names.nodes(ast.Call) if is_checkpoint(node)]
    for call in own:  # a subclass of another file has the arguments too
        found = saver(module, call, call)
        if found is not None:
            yield found
            continue
        try:
            arguments = saver_arguments(module.names, call)
        except Unbindable:
            continue
        if "filepath" in arguments:
            yield Saver(call, arguments, template(module.names, arguments["filepath"]) or "", call)
    yield from _own_savers(module)


def _own_savers(module: Module) -> Iterator[Saver]:
    names = module.names
    for function in _epoch_ends(module):
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args:
                path = template(names, call.args[0]) if call.func.attr in ("save", "save_weights") else None
                if path is not None:
                    yield Saver(call, {"filepath": call.args[0]}, path, call, is_checkpoint=False)


def _epoch_ends(module: Module) -> Iterator[ast.AST]:
    """What a file's own callbacks do at the end of an epoch."""
    for node in module.names.classes:
        if any(ast.unparse(base).endswith("Callback") for base in node.bases):
            yield from (one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "on_epoch_end")
    for call in module.calls_of("keras.callbacks.LambdaCallback"):
        yield from (keyword.value for keyword in call.keywords if keyword.arg == "on_epoch_end")


def path_known_at(module: Module, path: ast.expr, places: Iterable[ast.AST]) -> ast.expr | None:
    """A spelling of a path whose every name means the same at some other places; None where there is none."""
    there = list(places)
    spelled: ast.expr | None = path
    for _ in range(FARTHEST):
        if spelled is None or (template(module.names, spelled) is None and not _is_attribute(spelled)):
            return None
        if all(_is_known_at(module, spelled, place) for place in there):
            return spelled
        if not isinstance(spelled, ast.Name):
            return None
        spelled = module.names.only_value(spelled) or only_given(module.names, spelled)
    return None


def text_known_at(module: Module, part: ast.expr, places: Iterable[ast.AST]) -> str:
    """A part of a path as some other places know it, as source; "" where they do not.

    An argument ``args`` of the function around it is what the one call of that is given for it.
    """
    there = list(places)
    if path_known_at(module, part, there) is part:
        return module.source.text(part)
    root = part
    while isinstance(root, ast.Attribute):
        root = root.value
    given = only_given(module.names, root) if isinstance(root, ast.Name) else None
    if not isinstance(given, ast.Name) or not all(_is_known_at(module, given, place) for place in there):
        return ""
    return given.id + module.source.text(part)[len(module.source.text(root)) :]


def whole_known_at(module: Module, path: ast.expr, places: Iterable[ast.AST]) -> str:
    """A path that the program fills in itself, as some other places know it, as source; "" where they do not."""
    there, spelled = list(places), path
    while isinstance(spelled, ast.Name) and (held := module.names.only_value(spelled)) is not None:
        spelled = held
    if not all(only_reads(module.names, one) for one in ast.walk(spelled)):
        return ""
    read = (one for one in ast.walk(spelled) if isinstance(one, ast.Name))
    given: dict[ast.expr, str] = {one: text_known_at(module, one, there) for one in read}
    return module.source.text(spelled, given) if all(given.values()) else ""


def _is_attribute(path: ast.expr) -> bool:
    return isinstance(path, ast.Attribute)


def _is_known_at(module: Module, path: ast.expr, place: ast.AST) -> bool:
    """Whether every name in a path means the same at another place."""
    names = module.names
    for node in ast.walk(path):
        if isinstance(node, ast.Name) and not is_same_name(module, node, place):
            return False
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            function = names.scope_of(place).node
            stored = [one for one in names.stores if key(names, one) == key(names, node)]
            is_making = isinstance(function, ast.FunctionDef) and function.name == "__init__"
            here = [one for one in stored if names.scope_of(one).node is function]
            if is_making and not any(one.lineno < getattr(place, "lineno", 0) for one in here):
                return False
            if len(stored) > 1:
                return False
    return True
