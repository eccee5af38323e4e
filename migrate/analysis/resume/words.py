"""What a program says in its own words of a file that it loads: that a training goes on from it, or begins with it."""

import ast
import os
import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from migrate.analysis.module import Module
from migrate.analysis.path_searches import name_of, path_of
from migrate.analysis.resume.called_names import TELLS
from migrate.analysis.resume.conditions import Conditions
from migrate.analysis.resume.loads_before import Link
from migrate.analysis.resume.reach import FunctionNode, Reach
from migrate.analysis.resume.signs import flags_in

SPEAKS = re.compile(
    r"resum|restart|continu(e|ed|ing)_?\W*(to_?\W*)?(the_?\W*)?(fit|train|learn)|continue\b|go(es)? on"
    r"|(incremental|interrupted|last|previous)_?\W*(fit|train)|keep_?\W*training|断点续|继续训练",
    re.IGNORECASE,
)
"""What is said where a training goes on."""
_MAY_SPEAK = re.compile(r"restor|snapshot|check_?point|ckpt|(last|latest)_?(epoch|weight|model)", re.IGNORECASE)
"""What is said there, and elsewhere too."""
ELSEWHERE = re.compile(r"pre_?train|image_?net|fine_?tun|transfer|backbone|vgg|resnet|darknet|coco", re.IGNORECASE)
"""What is said of weights that another job has made."""
_PARTS = re.compile(r"encoder|mobile_?net|bert|glove|embed", re.IGNORECASE)
"""What the weights of a part are called that another model is made of."""
_STEM = re.compile(r"(^|_)(resumed?|continued?|further|retrain)(_|$)", re.IGNORECASE)


class Words:
    """Reads what is said around the loads of a program.

    Args:
      reach: its calls.
    """

    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    @cached_property
    def _helps(self) -> dict[str, str]:
        return {flag.name: flag.help for flag in flags_in(self._reach) if flag.help}

    def speak_of(self, module: Module, load: ast.Call, chain: Sequence[Link] = ()) -> bool:
        """Whether a program says of a load that training goes on from it, or says so where nothing speaks against it.

        Args:
          module: the file that loads.
          load: the call there.
          chain: the calls that lead to it.
        """
        said = [*self._said(module, load, chain)]
        if any(map(SPEAKS.search, said)):
            return not _is_of_another_job(load)
        return any(map(_MAY_SPEAK.search, said)) and not any(map(ELSEWHERE.search, said))

    def say_of(self, module: Module, load: ast.Call, chain: Sequence[Link] = ()) -> bool:
        """Whether a program says plainly of a load that training goes on from it, in its comments too."""
        said = [*self._said(module, load, chain), *_beside(module, load), *_named(module, load)]
        return any(map(SPEAKS.search, said)) and not _is_of_another_job(load)

    def tell_of(self, module: Module, load: ast.Call, chain: Sequence[Link] = ()) -> bool:
        """Whether a program says so in more than the name of the file."""
        return any(map(SPEAKS.search, [*self._said(module, load, chain), *_beside(module, load)]))

    def is_of_another(self, module: Module, load: ast.Call, chain: Sequence[Link] = ()) -> bool:
        """Whether a program says of a load that it is of what another job or another model has made."""
        is_of_part = _PARTS.search(ast.unparse(load)) is not None
        return is_of_part or any(map(ELSEWHERE.search, self._said(module, load, chain)))

    def is_of_another_alone(self, module: Module, load: ast.Call, chain: Sequence[Link] = ()) -> bool:
        """Whether a program says so, and never that training goes on from it."""
        is_said = any(
            map(SPEAKS.search, [*self._said(module, load, chain), *_beside(module, load), *_named(module, load)])
        )
        return not is_said and self.is_of_another(module, load, chain)

    def _said(self, module: Module, load: ast.Call, chain: Sequence[Link]) -> Iterator[str]:
        texts: list[str] = []
        for where, call in _places(module, load, chain):
            named = (keyword.value for keyword in call.keywords if keyword.arg != "custom_objects")  # layers and losses
            texts += [ast.unparse(one) for one in [*call.args, *named]]
            texts += [keyword.arg or "" for keyword in call.keywords] if call is load else []
            tests = Conditions(where).tests(call)
            texts += [ast.unparse(one.test) for one, holds in tests if holds is not isinstance(one.test, ast.UnaryOp)]
            around = next((node for node in where.names.ancestors(call) if isinstance(node, FunctionNode)), None)
            texts += [around.name] if around is not None else []
            texts += _told_beside(where, call)
        yield from texts
        words = {word for text in texts for word in re.findall(r"\w+", text)}
        yield from (said for name, said in self._helps.items() if name in words)


def goes_on_by_name(module: Module) -> bool:
    """Whether a file is called after what it does: ``resume_training.py``, ``train_further.py``."""
    return _STEM.search(os.path.splitext(os.path.basename(module.path))[0]) is not None


def _places(module: Module, load: ast.Call, chain: Sequence[Link]) -> list[tuple[Module, ast.Call]]:
    return [(module, load), *((link.module, link.call) for link in chain)]


def _is_of_another_job(load: ast.Call) -> bool:
    path = path_of(load)
    return path is not None and ELSEWHERE.search(ast.unparse(path)) is not None


def _told_beside(module: Module, call: ast.Call) -> list[str]:
    """What a program prints beside a call, in the same block."""
    statement = module.names.statement_of(call)
    block = next(each for _, each in ast.iter_fields(module.names.parent(statement)) if _holds(each, statement))
    prints = [one.value for one in block if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)]
    told = [one for one in prints if name_of(one.func) in TELLS and abs(one.lineno - call.lineno) <= 2]
    return [str(n.value) for one in told for n in ast.walk(one) if isinstance(n, ast.Constant)]


def _beside(module: Module, load: ast.Call) -> Iterator[str]:
    """The comments of a load and above it."""
    lines = module.source.lines
    above = load.lineno - 1
    while above > 0 and lines[above - 1].lstrip().startswith(b"#"):
        above -= 1
    yield from (line.partition(b"#")[2].decode() for line in lines[above : load.lineno] if b"#" in line)


def _named(module: Module, load: ast.Call) -> Iterator[str]:
    """What gives the variables that the file of a load is named by."""
    path = path_of(load)
    for name in ast.walk(path) if path is not None else ():
        for binding in module.names.bound(name) if isinstance(name, ast.Name) else ():
            yield ast.unparse(binding.value) if binding.value is not None else ""


def _holds(block: object, statement: ast.stmt) -> bool:
    return isinstance(block, list) and statement in block
