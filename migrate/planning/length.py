"""The flag that says for how long a program trains."""

import ast
from collections.abc import Collection

from migrate.analysis.defined_flags import Flag
from migrate.analysis.tree import Tree
from migrate.analysis.values.values import Values
from migrate.files.generated import is_generated
from migrate.files.trouble import Unreadable
from migrate.planning.entry_points import files_run_by_import
from migrate.planning.provenance import Origin, Origins

_LENGTHS = {
    "TrainSpec": ("input_fn", "max_steps"),
    "train": ("input_fn", "hooks", "steps", "max_steps"),
    "fit": (),
}
_NAMES = ("max_steps", "steps", "epochs")


def length_flag(start: str, flags: Collection[Flag], tree: Tree) -> Flag | None:
    """The flag that gives a training its steps or epochs, the first that is seen; None where none is.

    Args:
      start: the file that the program is started by.
      flags: those of the program.
      tree: the files around it.
    """
    origins = Origins(Values(tree), {flag.name: flag for flag in flags})
    spelled = {flag.spelled: flag for flag in flags}
    for path in [start, *files_run_by_import(start, tree)]:
        try:
            module = tree.module(path)
        except Unreadable:
            continue
        for call in module.names.nodes(ast.Call) if not is_generated(module.text) else ():
            for value in _lengths(call):
                origin, name = origins.of(module, value) or (None, "")
                if origin is Origin.FLAG:
                    return spelled[name]
    return None


def _lengths(call: ast.Call) -> list[ast.expr]:
    """The numbers of steps or epochs that a call is given, if it trains."""
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if called not in _LENGTHS or (called != "TrainSpec" and not isinstance(call.func, ast.Attribute)):
        return []  # a function of the program's own, if at all
    by_place = zip(_LENGTHS[called], call.args, strict=False)
    given = [*by_place, *((keyword.arg, keyword.value) for keyword in call.keywords)]
    return [value for name, value in given if name in _NAMES]
