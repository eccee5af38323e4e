"""The flags that a program defines with ``argparse``, ``absl`` or ``click``."""

import ast
from collections.abc import Iterable

from migrate.analysis.source.arguments import is_none
from migrate.analysis.source.names import Names
from migrate.analysis.source.path_searches import name_of
from migrate.files.run_cache import tree_cache
from migrate.records import dataclass, field

FLAG_CALLS = ("add_argument", "option", "argument", "DEFINE_string", "DEFINE_bool", "DEFINE_boolean", "DEFINE_integer")
"""The functions that define a flag which may name the checkpoint to resume from."""


@dataclass(frozen=True)
class Flag:
    """A flag of ``argparse``, ``absl`` or ``click``.

    Attributes:
      spelling: the text on a command line, ``--model_dir``; the bare name of a positional argument.
      name: the attribute under which the program reads it.
      is_required: whether the program does not start without it.
      default: the default value; None for none.
      help: the program's description of it.
    """

    spelling: str
    name: str
    is_required: bool
    default: ast.expr | None = field(default=None, compare=False)
    help: str = field(default="", compare=False)

    @property
    def is_positional(self) -> bool:
        """Whether it is a positional argument."""
        return not self.spelling.startswith("-")


def flag_of_call(call: ast.Call) -> Flag | None:
    """Returns the flag that a call defines; None for none."""
    called, words = name_of(call.func), string_constants(call.args)
    given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    if not words:
        return None
    description, default = " ".join(string_constants([given["help"]] if "help" in given else [])), given.get("default")
    if called.startswith("DEFINE_"):
        default = default if default is not None or len(call.args) < 2 else call.args[1]
        description = description or " ".join(string_constants(call.args[2:3]))
        return Flag(f"--{words[0]}", words[0], _is_true(given.get("required")), default, description)
    if called not in ("add_argument", "option", "argument"):
        return None
    spelling = max(words, key=lambda word: (word.startswith("--"), word.startswith("-"), len(word)))
    name = next(iter(string_constants([given["dest"]] if "dest" in given else [])), "")
    if called == "option" and not spelling.startswith("-"):
        return None
    is_required = (not spelling.startswith("-") and "nargs" not in given) or _is_true(given.get("required"))
    return Flag(spelling, name or spelling.lstrip("-").replace("-", "_"), is_required, default, description)


@tree_cache
def flags_without_value(names: Names) -> frozenset[str]:
    """Returns the names of a file's flags that are None unless the user sets them."""
    defined = [(flag, call) for call in names.nodes(ast.Call) if (flag := flag_of_call(call)) is not None]
    unset = [flag for flag, call in defined if is_none(flag.default) and all(k.arg != "action" for k in call.keywords)]
    return frozenset(flag.name for flag in unset if not flag.is_positional and not flag.is_required)


def string_constants(nodes: Iterable[ast.expr]) -> list[str]:
    """Returns the string constants among some expressions."""
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def _is_true(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is True
