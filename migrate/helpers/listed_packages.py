"""The lists of packages in ``setup.py``, which do not name the folders that come into a package."""

import ast
import os
from collections.abc import Iterable, Iterator

from migrate.analysis.source.arguments import literal
from migrate.files.parse import parse
from migrate.files.read import read
from migrate.files.text import SourceText
from migrate.files.trouble import Unreadable


def unlisted_packages(folders: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yields the packages that folders of helpers are, each after the ``setup.py`` that lists the one around it."""
    named = {os.path.abspath(folder) for folder in folders}
    for folder in sorted(folders):
        around = os.path.dirname(os.path.abspath(folder))
        while around in named:
            around = os.path.dirname(around)
        root = around
        while os.path.exists(os.path.join(root, "__init__.py")):
            root = os.path.dirname(root)
        outer, dotted = (os.path.relpath(one, root).replace(os.sep, ".") for one in (around, os.path.abspath(folder)))
        for place in (root, os.path.dirname(root)):
            setup = os.path.join(place, "setup.py")
            packages = _packages(setup) if os.path.isfile(setup) else ()
            if outer in packages and dotted not in packages:
                yield os.path.relpath(setup) if not os.path.isabs(folder) else setup, dotted


def _packages(path: str) -> tuple[str, ...]:
    """What ``setup(packages=[…])`` of a file names, where it is written out."""
    try:
        tree = parse(SourceText.decode(path, read(path)))
    except (OSError, Unreadable):
        return ()
    calls = (one for one in ast.walk(tree) if isinstance(one, ast.Call))
    given = [keyword.value for call in calls for keyword in call.keywords if keyword.arg == "packages"]
    values = [value for one in given if isinstance(value := literal(one), list | tuple)]
    return tuple(name for value in values for name in value)
