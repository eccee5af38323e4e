"""The flags that a program defines by ``argparse``, ``absl`` or ``click``, as the calls say them that define them."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from migrate.analysis.source.arguments import is_none
from migrate.analysis.source.names import Names
from migrate.analysis.source.path_searches import name_of
from migrate.files.run_cache import tree_cache

DEFINING = ("add_argument", "option", "argument", "DEFINE_string", "DEFINE_bool", "DEFINE_boolean", "DEFINE_integer")
"""The calls whose flags say what a resumption goes on from."""


@dataclass(frozen=True)
class Flag:
    """A flag of ``argparse``, ``absl`` or ``click``.

    Attributes:
      spelled: as it stands on a command line, ``--model_dir``; the bare name of an argument without a flag.
      name: the name that the program reads it by.
      is_required: whether the program does not start without it.
      default: what it is where the user says nothing; None for nothing.
      help: what the program says of it.
    """

    spelled: str
    name: str
    is_required: bool
    default: ast.expr | None = field(default=None, compare=False)
    help: str = field(default="", compare=False)

    @property
    def is_positional(self) -> bool:
        """Whether it is an argument by its place, without a flag."""
        return not self.spelled.startswith("-")


def flag_of_call(call: ast.Call) -> Flag | None:
    """The flag that a call defines; None for none."""
    called, words = name_of(call.func), words_of(call.args)
    given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    if not words:
        return None
    said, default = " ".join(words_of([given["help"]] if "help" in given else [])), given.get("default")
    if called.startswith("DEFINE_"):
        default = default if default is not None or len(call.args) < 2 else call.args[1]
        said = said or " ".join(words_of(call.args[2:3]))
        return Flag(f"--{words[0]}", words[0], _is_true(given.get("required")), default, said)
    if called not in ("add_argument", "option", "argument"):
        return None
    spelled = max(words, key=lambda word: (word.startswith("--"), word.startswith("-"), len(word)))
    name = next(iter(words_of([given["dest"]] if "dest" in given else [])), "")
    if called == "option" and not spelled.startswith("-"):
        return None
    is_required = (not spelled.startswith("-") and "nargs" not in given) or _is_true(given.get("required"))
    return Flag(spelled, name or spelled.lstrip("-").replace("-", "_"), is_required, default, said)


@tree_cache
def flags_without_value(names: Names) -> frozenset[str]:
    """The flags of a file that are None where nobody sets them, by the names that it reads them by."""
    defined = [(flag, call) for call in names.nodes(ast.Call) if (flag := flag_of_call(call)) is not None]
    unset = [flag for flag, call in defined if is_none(flag.default) and all(k.arg != "action" for k in call.keywords)]
    return frozenset(flag.name for flag in unset if not flag.is_positional and not flag.is_required)


def words_of(nodes: Iterable[ast.expr]) -> list[str]:
    """The texts among some expressions."""
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def _is_true(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is True
