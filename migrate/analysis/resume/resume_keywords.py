"""What a program says in its own words of a file that it loads: a training goes on from it, or begins with it."""

import ast
import os
import re
from collections.abc import Iterator, Mapping

from migrate.analysis.calls.branches import tests_around
from migrate.analysis.calls.reach import FunctionNode
from migrate.analysis.program.defined_flags import Flag
from migrate.analysis.resume.loads_before import Load
from migrate.analysis.resume.model_saves import path_argument
from migrate.analysis.source.arguments import literal
from migrate.analysis.source.module import Module
from migrate.analysis.source.path_searches import name_of

_RESUMES = re.compile(
    r"resum[a-z]*|restart|continu(e|ed|ing|ation)_?\W*(to_?\W*)?(the_?\W*)?(fit|train|learn)|continue\b|go(es)? on"
    r"|(incremental|interrupted|last|previous)_?\W*(fit|train)|keep_?\W*training|断点续|继续训练",
    re.IGNORECASE,
)
"""What is said where a training goes on."""
_PRETRAINED = re.compile(r"pre[-_ ]?train|image_?net|fine[-_ ]?tun|transfer", re.IGNORECASE)
"""What is said of weights that another job has made."""
_NETWORKS = re.compile(r"backbone|vgg|resnet|darknet|coco|encoder|mobile_?net|bert|glove|embed", re.IGNORECASE)
"""What weights are called after, of a network that another model may be made of."""
_STEM = re.compile(r"(^|_)(resum(ed?|ing)|continu(ed?|ing)|cont\d*|further|more)(_|$)", re.IGNORECASE)
_TELLS = {"print", "info", "warning", "debug", "warn", "write", "error"}


def resume_words(flags: Mapping[str, Flag], load: Load) -> str:
    """Returns the words by which a program says that a training goes on from a load; "" for none."""
    path = path_argument(load.call)
    is_other = path is not None and any(one.search(ast.unparse(path)) for one in (_PRETRAINED, _NETWORKS))
    return "" if is_other else said(_RESUMES, flags, load)


def is_pretrained(flags: Mapping[str, Flag], load: Load, *, is_own: bool) -> bool:
    """Whether a program says of a load that another job, or another model, has made its file.

    Args:
      flags: those that the program defines, by name.
      is_own: whether the program saves a file of that name, which may be called after its network.
    """
    said = [ast.unparse(load.call), *_said(flags, load), *_comments(load)]
    return any(map(_PRETRAINED.search, said)) or (not is_own and any(map(_NETWORKS.search, said)))


def said(words: re.Pattern[str], flags: Mapping[str, Flag], load: Load) -> str:
    """Returns what a program says of a load by some words; "" for none."""
    found = (words.search(text) for text in (*_said(flags, load), *_comments(load)))
    return next((one[0].strip() for one in found if one), "")


def _said(flags: Mapping[str, Flag], load: Load) -> Iterator[str]:
    texts: list[str] = []
    for where, call in load.chain:
        named = (one.value for one in call.keywords if one.arg != "custom_objects")  # layers and losses
        texts += [ast.unparse(one) for one in [*call.args, *named]]
        texts += [one.arg or "" for one in call.keywords] if call is load.call else []
        tests = tests_around(where.names, call)
        texts += [ast.unparse(test) for test, holds in tests if holds is not isinstance(test, ast.UnaryOp)]
        around = next((one for one in where.names.ancestors(call) if isinstance(one, FunctionNode)), None)
        texts += [around.name] if around is not None else []
        texts += _printed_beside(where, call)
    yield from texts
    words = {word for text in texts for word in re.findall(r"\w+", text)}
    yield from (flag.help for name, flag in flags.items() if name in words and flag.help)


def resumes_by_name(module: Module) -> bool:
    """Whether a file is called after what it does: ``resume_training.py``, ``train_further.py``."""
    return _STEM.search(os.path.splitext(os.path.basename(module.path))[0]) is not None


def is_of_parts(load: ast.Call) -> bool:
    """Whether a load takes what it finds of another model's weights."""
    return any(one.arg in ("by_name", "skip_mismatch") and literal(one.value) is not False for one in load.keywords)


def _printed_beside(module: Module, call: ast.Call) -> list[str]:
    """Returns what a program prints beside a call, in the same block."""
    statement = module.names.statement_of(call)
    blocks = (each for _, each in ast.iter_fields(module.names.parent(statement)) if isinstance(each, list))
    block = next((each for each in blocks if statement in each), [])
    prints = [one.value for one in block if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)]
    told = [one for one in prints if name_of(one.func) in _TELLS and abs(one.lineno - call.lineno) <= 2]
    return [str(part.value) for one in told for part in ast.walk(one) if isinstance(part, ast.Constant)]


def _comments(load: Load) -> Iterator[str]:
    """Yields the comments of a load, of the tests around it and of the constants that these name, and those above."""
    lines, names = load.module.source.lines, load.module.names
    tests = [test for test, _ in tests_around(names, load.call)]
    named = (part for one in [*tests, path_argument(load.call)] if one is not None for part in ast.walk(one))
    bound = [binding.node for one in named if isinstance(one, ast.Name) for binding in names.bindings(one)]
    places = [load.call, *tests, *(one for one in bound if names.scope_of(one) is names.top)]
    for line in dict.fromkeys(one.lineno for one in places if isinstance(one, ast.expr | ast.stmt)):
        above = line - 1
        while above > 0 and lines[above - 1].lstrip().startswith(b"#"):
            above -= 1
        yield from (one.partition(b"#")[2].decode() for one in lines[above:line] if b"#" in one)
