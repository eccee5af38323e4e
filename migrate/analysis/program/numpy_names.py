"""Names of NumPy that the releases beside TensorFlow 2.15 or the newest TensorFlow no longer have."""

import ast
import re
from collections.abc import Iterator

from migrate.analysis.source.guards import is_guarded
from migrate.analysis.source.names import Names

_ALIASES = ("int", "float", "complex", "object", "str", "unicode")
"""Gone since NumPy 1.24."""
_OF_1 = (
    "Inf", "Infinity", "NAN", "NINF", "NZERO", "NaN", "PINF", "PZERO", "RankWarning", "alltrue", "asfarray", "cast",
    "cfloat", "complex_", "cumproduct", "find_common_type", "float_", "in1d", "infty", "issubclass_", "issubsctype",
    "longcomplex", "longfloat", "mat", "nbytes", "obj2sctype", "product", "recfromcsv", "recfromtxt", "round_",
    "sctypes", "singlecomplex", "sometrue", "string_", "trapz", "unicode_",
)  # fmt: skip
"""Gone from NumPy 2.4, which TensorFlow 2.21 takes."""
_OF_2 = ("bool", "long")
"""Gone since NumPy 1.24, and back in NumPy 2."""
GONE = {
    **dict.fromkeys((*_ALIASES, *_OF_1), "names that NumPy still has (ruff check --select NPY --fix)"),
    **dict.fromkeys(_OF_2, "NumPy 1.23 or 2"),
}
"""What a program needs that reads such a name."""
_NAMES = "|".join(GONE)
_WORDS = (re.compile(rf"np\.(?:{_NAMES})\b"), re.compile(rf"numpy(?:\.| import .*)\b(?:{_NAMES})\b"))


def may_name_gone(text: str) -> bool:
    """Whether a text is worth parsing for such names."""
    return any(words.search(text) for words in _WORDS)


def names_gone(names: Names) -> Iterator[tuple[ast.expr, str]]:
    """The first use of each such name outside of a test for it, with the name of NumPy."""
    found = set()
    for node, dotted in names.package_uses(("numpy",)):
        package, _, rest = dotted.partition(".")
        name = rest.partition(".")[0]
        if package == "numpy" and name in GONE and name not in found and not is_guarded(names, node):
            found.add(name)
            yield node, name
