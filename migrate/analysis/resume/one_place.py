"""Whether each start of a job saves at one place, or a test decides where, or whether it does at all."""

import ast
from collections.abc import Iterator

from migrate.analysis.module import Module
from migrate.analysis.resume.old_way_in import OldWayIn


def is_no_one_place(module: Module, way: OldWayIn) -> str:
    """Why the place where a training saves is not one for all starts that save, as a sentence's part; "" if it is.

    Args:
      module: the file of the training.
      way: the training, with what saves it.
    """
    if way.saver is None or "filepath" not in way.saver.arguments:
        return ""
    if way.saver.is_checkpoint and (line := _asks_for_place(module, way)):
        return f"line {line} asks whether there is a place to save at"
    if line := _saves_elsewhere(module, way):
        return f"a start that asks for no old file saves elsewhere, by line {line}"
    return ""


def _asks_for_place(module: Module, way: OldWayIn) -> int:
    """The line of a test, which the training is not behind, of what the file's path is made of; 0 for none."""
    assert way.saver is not None
    path, above = way.saver.arguments["filepath"], set(module.names.ancestors(way.fit.call))
    parts = {ast.dump(one) for one in ast.walk(path) if isinstance(one, ast.Name | ast.Attribute)}
    around = (one for one in module.names.ancestors(way.saver.call) if one not in above)
    tests = (one.test for one in around if isinstance(one, ast.If | ast.IfExp))
    asked = (one for one in tests if any(ast.dump(part) in parts for part in _asked(one)))
    return next((one.lineno for one in asked), 0)


def _saves_elsewhere(module: Module, way: OldWayIn) -> int:
    """The line of a test of a flag that lets a job go on, which gives the path another name; 0 for none."""
    assert way.saver is not None
    flags = {ast.dump(one) for flag in way.flags for one in _said(flag)}
    waiting, seen = [way.saver.arguments["filepath"]] if flags else [], set[ast.AST]()
    while waiting:
        value = waiting.pop()
        seen.add(value)
        for name in (one for one in ast.walk(value) if isinstance(one, ast.Name)):
            bindings = module.names.bound(name)
            waiting += [one.value for one in bindings if one.value is not None and one.value not in seen]
            around = [node for one in bindings if len(bindings) > 1 for node in module.names.ancestors(one.node)]
            for test in (node.test for node in around if isinstance(node, ast.If)):
                if not flags.isdisjoint(map(ast.dump, ast.walk(test))):
                    return test.lineno
    return 0


def _said(flag: ast.expr) -> Iterator[ast.expr]:
    """What the user says of flags, one or several: ``args.resume`` of ``not args.resume``."""
    inner = flag.values if isinstance(flag, ast.BoolOp) else [flag.operand] if isinstance(flag, ast.UnaryOp) else []
    yield from (said for one in inner for said in _said(one)) if inner else [flag]


def _asked(test: ast.expr) -> Iterator[ast.expr]:
    """What a test asks whether it is there: ``path``, ``path is not None``, ``path != ""``, each of several."""
    if isinstance(test, ast.BoolOp):
        yield from (part for one in test.values for part in _asked(one))
    elif isinstance(test, ast.Compare):
        yield test.left
    else:
        yield test.operand if isinstance(test, ast.UnaryOp) else test
