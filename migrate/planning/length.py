"""The flag that says for how long a program trains."""

import ast
import re
from collections.abc import Collection

from migrate.analysis.program.defined_flags import Flag
from migrate.analysis.program.tree import Tree
from migrate.analysis.values.values import Values
from migrate.files.generated_mark import is_generated
from migrate.planning.entry_points import modules_of_program
from migrate.planning.provenance import Origin, Provenance

_LENGTHS = {"TrainSpec": ("input_fn", "max_steps"), "train": ("input_fn", "hooks", "steps", "max_steps"), "fit": ()}
_NAMES = ("max_steps", "steps", "epochs")
_COUNTED = re.compile(r"epoch|step|iter(?!able)")
"""A word in the end of a range that a training's turns are counted by."""


def length_flag(start: str, flags: Collection[Flag], tree: Tree) -> Flag | None:
    """The flag that gives a training its steps or epochs, the first that is seen; None where none is."""
    origins = Provenance(Values(tree), {flag.name: flag for flag in flags})
    spelled = {flag.spelled: flag for flag in flags}
    modules = [module for module in modules_of_program(start, tree) if not is_generated(module.text)]
    calls = [(module, call) for module in modules for call in module.names.nodes(ast.Call)]
    for lengths in (_lengths, _turns):
        for module, value in ((module, value) for module, call in calls for value in lengths(call)):
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


def _turns(call: ast.Call) -> list[ast.expr]:
    """The end of a range, where its words say that it counts epochs or steps."""
    ends = call.args[:2][-1:] if isinstance(call.func, ast.Name) and call.func.id == "range" else []
    return [end for end in ends if _COUNTED.search(ast.unparse(end)) and "_per_" not in ast.unparse(end)]
