"""Parses text to a syntax tree, and turns every failure into a finding."""

import ast
import contextlib
import os
import re
import sys
import warnings
from types import SimpleNamespace
from weakref import ref

from migrate.files.run_cache import forget_trees, tree_cache
from migrate.files.sources import NOTEBOOK
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable, trouble
from migrate.findings.finding import Finding, Span

_MOST_CHARACTERS = 3_300_000
"""The total length of texts whose trees are cached; a tree with its results takes 60 to 100 bytes a character."""
_characters = SimpleNamespace(in_all=0, in_use=0)
_lengths: dict[ref[ast.Module], int] = {}

# Compiled where a file cannot be parsed.
_STRING_OR_COMMENT = r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\#.*"""
_PYTHON_2 = r"""(?x)
    \bprint\s+[\w"'`]
    | \bexec\s+[\w"']
    | \bexcept\s+(?:[\w.]+|\([^()]*\))\s*,\s*[\w.]+\s*:
    | \braise\s+[\w.]+\s*,
    | <> | (?<!`)`[^`]+`(?!`)
    | \b[uU][rR]["']
    | (?<![\w.])0[0-7]+(?![\w.])
    | (?<![\w.])(?:0[xX][\da-fA-F]+|\d+)[lL]\b
    | \b(?:def|lambda)\b[^:]*[(,\s]\([\w\s,]*\)
"""

_LONGEST_LINE = 500
"""How many characters of a line are searched for Python 2: with an open string the search takes quadratic time."""

_MIN_DEEP_LENGTH = 100_000
"""Python 3.10 crashes at about 110,000 levels, which need twice as many characters; later ones raise RecursionError."""


def parse(source: SourceText, keeps: bool = True) -> ast.Module:
    """Returns the syntax tree of a file, which callers share and must not change; prints no warnings.

    Args:
      source: the file. Its tree may be too deep for a recursive visitor: ``a.b.b.b…`` nests once for each ``.b``.
      keeps: whether to cache the tree, because it will be needed again.

    Raises:
      Unreadable: FT003, for a syntax error, with the place that Python names, or an expression nested too deeply.
    """
    try:
        if sys.version_info < (3, 11) and len(source.text) > _MIN_DEEP_LENGTH:
            _refuse_a_crash(source)
        return (_tree if keeps else _parse_quietly)(os.path.abspath(source.path), source.text)
    except SyntaxError as error:
        raise Unreadable(_syntax_error(source, error)) from error
    except (RecursionError, MemoryError) as error:
        raise Unreadable(_depth_error(source)) from error
    except ValueError as error:  # a lone surrogate, which UTF-7 can encode
        raise Unreadable(trouble("FT003", source.path, f"cannot be parsed: {error}", "Save it as UTF-8.")) from error


@tree_cache
def _tree(path: str, text: str) -> ast.Module:
    if trees_exceed_limit(len(text)):
        drop_trees()
    tree = _parse_quietly(path, text)
    _lengths[ref(tree, _subtract_length)] = len(text)
    _characters.in_all += len(text)
    return tree


def _subtract_length(tree: ref[ast.Module]) -> None:
    _characters.in_all -= _lengths.pop(tree)


def _parse_quietly(path: str, text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, path)


def drop_trees() -> None:
    """Frees the cached trees; those of the program that is being judged stay in use, and no cycle keeps others."""
    forget_trees()
    _characters.in_use = characters_of_trees()


def trees_exceed_limit(more: int) -> bool:
    """Whether the cached trees take too much memory, with those of ``more`` characters of text."""
    return characters_of_trees() + more > max(_MOST_CHARACTERS, int(_characters.in_use) + _MOST_CHARACTERS // 3)


def characters_of_trees() -> int:
    """Returns the total length of the texts whose trees are in memory."""
    return int(_characters.in_all)


def compile_error(source: SourceText) -> Finding | None:
    """Returns FT003 for an error that only the compiler finds, such as a ``return`` outside a function; else None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source.text, source.path, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except SyntaxError as error:
        return _syntax_error(source, error)
    return None


def _refuse_a_crash(source: SourceText) -> None:
    """Raises RecursionError where Python 3.10's ``ast.parse`` would overflow the C stack; symtable counts levels."""
    from symtable import symtable

    # The parser will find a syntax error again, unless it is one that only the compiler finds.
    with contextlib.suppress(SyntaxError):
        symtable(source.text, source.path, "exec")


_NAMED_CALL = (
    r"\b(RunConfig|train_and_evaluate|ModelCheckpoint|MonitoredTrainingSession|Saver|Supervisor"
    r"|\w*Estimator|(?:DNN|Linear)\w*(?:Classifier|Regressor))\("
)
"""Finds the calls of recovery sites in a text that cannot be parsed."""

_WHERE_2TO3_IS = "2to3 comes with Python up to 3.12, and as `python -m fissix` with the package fissix"


def _syntax_error(source: SourceText, error: SyntaxError) -> Finding:
    lines = source.lines()
    line = min(max(error.lineno or 1, 1), len(lines))
    column = max((error.offset or 1) - 1, 0)
    end = ((error.end_lineno or 0), (error.end_offset or 0) - 1)
    # If Python knows no end, it gives one before the start.
    end_line, end_column = end if end > (line, column) and end[0] <= len(lines) else (line, column + 1)
    reason = error.msg.rstrip(".")
    if _is_python_2(lines[line - 1], reason):
        from shlex import quote

        command = f"2to3 -w {quote(source.path)}"
        calls = ", ".join(dict.fromkeys(re.findall(_NAMED_CALL, source.text)))
        looks = f"This looks like Python 2, and calls {calls}" if calls else "This looks like Python 2"
        help = f"{looks}: run `{command}` first ({_WHERE_2TO3_IS})."
        if source.path.endswith(NOTEBOOK):
            help = f"{looks}: convert the cell by hand, because 2to3 does not read notebooks."
    elif isinstance(error, TabError):
        help = "Python 2 counted a tab as 8 columns: `expand --initial` writes the file so that Python 3 reads it."
    else:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        help = f"Fix it, exclude the file, or run the tool on a Python newer than {version} if the file needs one."
    return trouble("FT003", source.path, f"syntax error: {reason}", help, Span(line, column, end_line, end_column))


def _depth_error(source: SourceText) -> Finding:
    """Returns FT003 at the longest line, where such code mostly is: generated, and on one line; Python names none."""
    lengths = [len(line) for line in source.lines()]
    longest = lengths.index(max(lengths))
    message = "is nested too deeply for Python to parse, perhaps in this line, its longest"
    help = "Split the deepest expression, or exclude the file."
    return trouble("FT003", source.path, message, help, Span(longest + 1, 0, longest + 1, lengths[longest]))


def _is_python_2(line: str, reason: str) -> bool:
    if reason.startswith(("Missing parentheses in call to 'print'", "Missing parentheses in call to 'exec'")):
        return True
    code = re.sub(_STRING_OR_COMMENT, lambda match: '""' if match[1] else "", line[:_LONGEST_LINE])
    return re.search(_PYTHON_2, code) is not None
