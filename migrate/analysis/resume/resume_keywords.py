"""What a program's names, comments and messages say about a load: whether a training continues from it."""

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

_RESUME_WORDS = re.compile(
    r"resum[a-z]*|restart|continu(e|ed|ing|ation)_?\W*(to_?\W*)?(the_?\W*)?(fit|train|learn)|continue\b|go(es)? on"
    r"|(incremental|interrupted|last|previous)_?\W*(fit|train)|keep_?\W*training|断点续|继续训练",
    re.IGNORECASE,
)
"""Words for continuing a training."""
_PRETRAINED_WORDS = re.compile(r"pre[-_ ]?train|image_?net|fine[-_ ]?tun|transfer", re.IGNORECASE)
"""Words for weights that another job has trained."""
_NETWORKS = re.compile(r"backbone|vgg|resnet|darknet|coco|encoder|mobile_?net|bert|glove|embed", re.IGNORECASE)
"""Names of networks that other models are built on."""
_STEM = re.compile(r"(^|_)(resum(ed?|ing)|continu(ed?|ing)|cont\d*|further|more)(_|$)", re.IGNORECASE)
_PRINT_FUNCTIONS = {"print", "info", "warning", "debug", "warn", "write", "error"}


def resume_words(flags: Mapping[str, Flag], load: Load) -> str:
    """Returns the words with which a program says that a load continues a training; "" for none."""
    path = path_argument(load.call)
    is_other = path is not None and any(one.search(ast.unparse(path)) for one in (_PRETRAINED_WORDS, _NETWORKS))
    return "" if is_other else mention(_RESUME_WORDS, flags, load)


def is_pretrained(flags: Mapping[str, Flag], load: Load, *, is_own: bool) -> bool:
    """Whether a program says that the file of a load is from another job or another model.

    Args:
      flags: the flags of the program, by name.
      is_own: whether the program saves a file of that name, which may be the name of its network.
    """
    texts = [ast.unparse(load.call), *_texts_about(flags, load), *_comments(load)]
    return any(map(_PRETRAINED_WORDS.search, texts)) or (not is_own and any(map(_NETWORKS.search, texts)))


def mention(words: re.Pattern[str], flags: Mapping[str, Flag], load: Load) -> str:
    """Returns the first match of a pattern in what a program says about a load; "" for none."""
    found = (words.search(text) for text in (*_texts_about(flags, load), *_comments(load)))
    return next((one[0].strip() for one in found if one), "")


def _texts_about(flags: Mapping[str, Flag], load: Load) -> Iterator[str]:
    texts: list[str] = []
    for where, call in load.chain:
        named = (one.value for one in call.keywords if one.arg != "custom_objects")  # layers and losses
        texts += [ast.unparse(one) for one in [*call.args, *named]]
        texts += [one.arg or "" for one in call.keywords] if call is load.call else []
        tests = tests_around(where.names, call)
        texts += [ast.unparse(test) for test, holds in tests if holds is not isinstance(test, ast.UnaryOp)]
        around = next((one for one in where.names.ancestors(call) if isinstance(one, FunctionNode)), None)
        texts += [around.name] if around is not None else []
        texts += _printed_texts(where, call)
    yield from texts
    words = {word for text in texts for word in re.findall(r"\w+", text)}
    yield from (flag.help for name, flag in flags.items() if name in words and flag.help)


def resumes_by_name(module: Module) -> bool:
    """Whether a file name says that a training continues: ``resume_training.py``, ``train_further.py``."""
    return _STEM.search(os.path.splitext(os.path.basename(module.path))[0]) is not None


def is_of_parts(load: ast.Call) -> bool:
    """Whether a load may load only a part of the weights."""
    return any(one.arg in ("by_name", "skip_mismatch") and literal(one.value) is not False for one in load.keywords)


def _printed_texts(module: Module, call: ast.Call) -> list[str]:
    """Returns the texts that a program prints within two lines of a call, in the same block."""
    statement = module.names.statement_of(call)
    blocks = (each for _, each in ast.iter_fields(module.names.parent(statement)) if isinstance(each, list))
    block = next((each for each in blocks if statement in each), [])
    prints = [one.value for one in block if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)]
    told = [one for one in prints if name_of(one.func) in _PRINT_FUNCTIONS and abs(one.lineno - call.lineno) <= 2]
    return [str(part.value) for one in told for part in ast.walk(one) if isinstance(part, ast.Constant)]


def _comments(load: Load) -> Iterator[str]:
    """Yields the comments at and above a load, the tests around it and the constants that these use."""
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
