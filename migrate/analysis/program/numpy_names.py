"""Names of NumPy that are missing from the releases used with TensorFlow 2.15 or the newest TensorFlow."""

import ast
import re
from collections.abc import Iterator

from migrate.analysis.source.guards import is_guarded
from migrate.analysis.source.names import Names

_ALIASES = ("int", "float", "complex", "object", "str", "unicode")
"""Removed in NumPy 1.24."""
_NAMES_OF_NUMPY_1 = (
    "Inf", "Infinity", "NAN", "NINF", "NZERO", "NaN", "PINF", "PZERO", "RankWarning", "alltrue", "asfarray", "cast",
    "cfloat", "complex_", "cumproduct", "find_common_type", "float_", "in1d", "infty", "issubclass_", "issubsctype",
    "longcomplex", "longfloat", "mat", "nbytes", "obj2sctype", "product", "recfromcsv", "recfromtxt", "round_",
    "sctypes", "singlecomplex", "sometrue", "string_", "trapz", "unicode_",
)  # fmt: skip
"""Removed up to NumPy 2.4, which TensorFlow 2.21 uses."""
_NAMES_OF_NUMPY_2 = ("bool", "long")
"""Removed in NumPy 1.24, and back in NumPy 2."""
REMOVED_NUMPY_NAMES = {
    **dict.fromkeys((*_ALIASES, *_NAMES_OF_NUMPY_1), "names that NumPy still has (ruff check --select NPY --fix)"),
    **dict.fromkeys(_NAMES_OF_NUMPY_2, "NumPy 1.23 or 2"),
}
"""What a program that uses such a name needs."""


def may_need_old_numpy(text: str) -> bool:
    """Whether a text may use a name that NumPy removed, and is worth parsing."""
    words = [one for start in (r"np\.(\w+)", r"numpy\.(\w+)") for one in re.findall(start, text)]
    words += re.findall(r"\w+", " ".join(re.findall("numpy import (.*)", text)))
    return not REMOVED_NUMPY_NAMES.keys().isdisjoint(words)


def removed_names(names: Names) -> Iterator[tuple[ast.expr, str]]:
    """Yields the first unguarded use of each of these names, with the name."""
    found = set()
    for node, dotted in names.package_uses(("numpy",)):
        package, _, rest = dotted.partition(".")
        name = rest.partition(".")[0]
        if package == "numpy" and name in REMOVED_NUMPY_NAMES and name not in found and not is_guarded(names, node):
            found.add(name)
            yield node, name
