"""Whether a restored path is a checkpoint of the program itself, or one to start from."""

import ast
import re
from collections.abc import Hashable, Iterator
from itertools import takewhile

from migrate.analysis.calls.calls_before import calls_before, calls_within
from migrate.analysis.calls.reach import MAX_DEPTH, FunctionNode, Reach
from migrate.analysis.keras.checkpoints import Checkpoint, Checkpoints, assignment_target
from migrate.analysis.source.arguments import is_none
from migrate.analysis.source.module import Module
from migrate.analysis.source.names import Names
from migrate.analysis.source.path_searches import name_of
from migrate.analysis.source.paths import directory, normalize, template
from migrate.analysis.source.places import key_of, single_assignment
from migrate.analysis.values.values import Values

_TRAINING = re.compile("train(?!ed|_test)|^fit(_generator)?$|minimize|apply_gradients|^save(_weights)?$", re.IGNORECASE)
_PRETRAINED_WORDS = re.compile("pre[-_ ]?train|imagenet|backbone", re.IGNORECASE)
READERS = {"restore", "restore_or_initialize", "read", "latest_checkpoint", "checkpoints", "load_weights", "load_model"}
_FORWARD = ("predict", "predict_on_batch", "evaluate", "call")


def is_own_path(checkpoints: Checkpoints, checkpoint: Checkpoint, values: Values, path: ast.expr) -> bool:
    """Whether a path is always None or a file that a checkpoint of this module saves.

    Args:
      checkpoints: all checkpoints of the module.
      checkpoint: the checkpoint that restores the path.
      values: follows expressions to their values.
      path: the argument of the restore.
    """
    known = [*path_values(checkpoints, values, path)]
    return bool(known) and all(_is_own(checkpoints, checkpoint, one) for one in known)


def is_latest(checkpoints: Checkpoints, values: Values, path: ast.expr) -> bool:
    """Whether a path is always the latest checkpoint of a directory, which may be None."""
    asked = (one.func if isinstance(one, ast.Call) else one for one in path_values(checkpoints, values, path))
    return all(isinstance(one, ast.Attribute) and one.attr == "latest_checkpoint" for one in asked)


def may_be_none(checkpoints: Checkpoints, values: Values, path: ast.expr) -> bool:
    """Whether a path is the result of a search, and so may be None."""
    known = [*path_values(checkpoints, values, path)]
    if any(not isinstance(one, ast.Constant | ast.JoinedStr | ast.BinOp | ast.Call) for one in known):
        return True
    calls = [one.func for one in known if isinstance(one, ast.Call)]
    return any(not isinstance(one, ast.Attribute) or one.attr != "save" for one in calls)


def is_path_tested(names: Names, call: ast.Call, path: ast.expr) -> bool:
    """Whether a call is under a test of its path."""
    wanted = ast.unparse(path)
    tests = [node.test for node in names.ancestors(call) if isinstance(node, ast.If)]
    return any(ast.unparse(part) == wanted for test in tests for part in ast.walk(test) if isinstance(part, ast.expr))


def is_resumed(checkpoints: Checkpoints, checkpoint: Checkpoint, values: Values) -> bool:
    """Whether the module restores what it or its program saves with a checkpoint."""
    restores = (call for call in checkpoint.calls("restore") if call.args)
    begin = (one for one in restores if not ends_loop(checkpoints.names, one))
    own = (one for one in begin if is_own_path(checkpoints, checkpoint, values, one.args[0]))
    is_restored = any(not only_reads(checkpoints.reach, [checkpoint], one.func) for one in own)
    is_restored |= "restore_or_initialize" in checkpoint.methods
    return is_restored and ("save" in checkpoint.methods or bool(checkpoints.calls_elsewhere(checkpoint, "save")))


def ends_loop(names: Names, restore: ast.Call) -> bool:
    """Whether a restore ends its loop: ``break`` follows in the same block."""
    statement = names.statement_of(restore)
    inside = names.block_of(restore) or [statement]
    return any(isinstance(one, ast.Break) for one in inside[inside.index(statement) :])


def only_reads(reach: Reach, each: list[Checkpoint], read: ast.expr) -> bool:
    """Whether the program never saves some checkpoints after it reads them, as in an evaluation or a prediction.

    If nothing calls the functions that save, only top-level calls of the reading function run. If no caller is known,
    the function must go on to predict, without saving or training.
    """
    saves = [call for one in each for call in one.save_calls]
    around = takewhile(lambda one: not isinstance(one, ast.stmt), (read, *reach.module.names.ancestors(read)))
    node = next((one for one in around if isinstance(one, ast.Call)), None)
    callers, of_saves = _callers(reach, read), [_callers(reach, save) for save in saves]
    is_seen = bool(saves) and all({*some} - {None} for some in of_saves)
    held = [one for one in (read, *callers) if one is not None]
    around_held = (above for one in held for above in reach.module_of(one).names.ancestors(one))
    if node is None or any(isinstance(one, FunctionNode) and one.name == "__init__" for one in around_held):
        return False
    calls = [one for one in callers if isinstance(one, ast.Call)]
    tops = [one for one in calls if isinstance(reach.module_of(one).names.scope_of(one).node, ast.Module)]
    if saves and not any(of_saves) and callers and tops == callers:
        return True
    if not is_seen or None in callers:
        return _only_predicts(reach, each, read)
    for save in saves:
        seen = set[ast.AST]()
        is_before = any(call is node for _, call in calls_before(reach, reach.module, save, seen))
        if is_before or len(seen) > MAX_DEPTH**3:  # a large program was not searched completely
            return False
    return True


def is_saved(checkpoints: Checkpoints, checkpoint: Checkpoint) -> bool:
    """Whether the program may save a checkpoint, or another one of the same objects, or passes its manager on."""
    same = [one for one in checkpoints.all if one.parts and one.parts.keys() == checkpoint.parts.keys()]
    is_seen = all(map(checkpoints.is_followed, checkpoint.managers))
    return not is_seen or any(one.save_calls or checkpoints.calls_elsewhere(one, "save") for one in [checkpoint, *same])


def reads_elsewhere(module: Module, save: ast.Call) -> bool:
    """Whether a file reads a checkpoint or weights at its top level, in a class, or in the function of ``save``."""
    names, around = module.names, {*module.names.ancestors(save)}
    for read in (one for name in READERS - {"read"} for one in names.attributes.get(name, ())):
        top = [one for one in names.ancestors(read) if not isinstance(one, ast.Module)]
        if not top or not isinstance(top[-1], FunctionNode) or top[-1] in around:
            return True
    return False


def loads_other_weights(module: Module, read: ast.expr, own: set[Hashable]) -> bool:
    """Whether a read loads a model that is not in ``own``, or weights that another program trained.

    Weights are of another program if the file saves none in their directory, or their path says so.
    """
    names, call = module.names, module.names.parent(read)
    if name_of(read) == "load_model" and isinstance(call, ast.Call):
        target = key_of(names, assignment_target(names, call))
        return bool(own) and target is not None and target not in own
    if name_of(read) != "load_weights" or not isinstance(call, ast.Call) or not call.args:
        return False
    path = template(names, call.args[0]) or ""
    saves = [names.parent(one) for way in ("save", "save_weights") for one in names.attributes.get(way, ())]
    saved = [template(names, one.args[0]) for one in saves if isinstance(one, ast.Call) and one.args]
    is_known = path.endswith((".h5", ".hdf5", ".keras")) and "⟨" not in path
    is_other = is_known and all(one is None or directory(one) != directory(path) for one in saved)
    return is_other or _PRETRAINED_WORDS.search(f"{path} {ast.unparse(call.args[0])}") is not None


def _only_predicts(reach: Reach, each: list[Checkpoint], read: ast.expr) -> bool:
    """Whether a function goes on, after a read, to call what some checkpoints track, without saving or training."""
    names = reach.module.names
    scope = next((one for one in names.ancestors(read) if isinstance(one, FunctionNode)), None)

    def keys(one: ast.expr) -> set[Hashable]:
        return {key_of(names, one), key_of(names, single_assignment(names, one))} - {None}

    seen, own = set[ast.AST](), {part for one in each for tracked in one.objects() for part in keys(tracked)}
    later = [call for call in reach.calls_in(reach.module, scope or names.module) if call.lineno > read.lineno]
    later += [inner for call in [*later] for _, inner in calls_within(reach, call, seen)]
    saves = [call for one in each for call in one.save_calls]
    if any(call in saves or _TRAINING.search(name_of(call.func)) for call in later):
        return False
    if scope is None:  # at top level: all later code is known, unless another file imports this one
        is_in_turns = any(isinstance(one, ast.For | ast.While) for one in names.ancestors(read))
        held = {key_of(names, target) for one in each for target in one.targets} - {None}
        is_passed = any(key_of(names, one) in held for call in later if call in names.parents for one in call.args)
        return not is_in_turns and not is_passed and not reach.importers
    called = [getattr(one.func, "value", one.func) if name_of(one.func) in _FORWARD else one.func for one in later]
    return any(keys(one) & own for one in called if one in names.parents)


def _callers(reach: Reach, place: ast.expr) -> list[ast.AST | None]:
    """Returns the calls of the function around a place, None for each uncertain call; the module for top-level code."""
    scope = next((one for one in reach.module.names.ancestors(place) if isinstance(one, FunctionNode)), None)
    if scope is None or scope.name == "__init__":
        return [reach.module.names.module]
    found = reach.callers(scope, reach.module)
    known = [call for call in found if scope not in reach.module_of(call).names.ancestors(call)]
    return [*known] or [None for call in reach.calls_of(scope.name) if not reach.functions(call)]


def path_values(checkpoints: Checkpoints, values: Values, path: ast.expr) -> Iterator[ast.expr]:
    """Yields every value that a path may have, except None."""
    for case in values.of(checkpoints.module, path):
        if case.module.names is not checkpoints.names:
            yield path  # names of another file mean something else here
        elif isinstance(case.node, ast.BoolOp):
            for one in case.node.values:
                yield from path_values(checkpoints, values, one)
        elif isinstance(case.node, ast.expr) and not is_none(case.node):
            yield case.node
        elif not isinstance(case.node, ast.expr):
            yield path


def _is_own(checkpoints: Checkpoints, checkpoint: Checkpoint, path: ast.expr) -> bool:
    if checkpoints.checkpoints_of_path(path) == [checkpoint]:
        return True
    names = checkpoints.names
    made = [manager.arguments.get("directory") for manager in checkpoint.managers]
    saved = [template(names, one) for one in made]
    for call in checkpoint.save_calls:
        given = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "file_prefix"), None)
        prefix = template(names, given)
        saved.append(prefix and directory(prefix))
    own = {normalize(str(one)) for one in saved if one is not None}
    if isinstance(path, ast.Call) and path in checkpoints.module.calls_of("train.latest_checkpoint"):
        parts = [*path.args[:1], *(one.value for one in path.keywords if one.arg == "checkpoint_dir")]
        searched = template(names, parts[0]) if parts else None
        is_in_directory = any(_is_made_of(checkpoints, each, one) for each in made for one in parts)
        return is_in_directory or (searched is not None and normalize(searched) in own)
    given_path = template(names, path)
    return given_path is not None and directory(given_path) in own


def _is_made_of(checkpoints: Checkpoints, made: ast.expr | None, part: ast.expr) -> bool:
    """Whether an expression, or the value of a variable, contains another: ``join(folder, name)`` has ``folder``."""
    value = made and checkpoints.names.value(made)
    inside = ast.walk(value) if value is not None else ()
    return any(isinstance(node, ast.expr) and ast.unparse(node) == ast.unparse(part) for node in inside)
