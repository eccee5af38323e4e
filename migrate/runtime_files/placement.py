"""Decides from where programs import the runtime files: a folder next to them, or the installed package."""

import contextlib
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from migrate.analysis.program.facts import files_by_imported_word, possible_imports_at
from migrate.analysis.program.possible_imports import possible_imports
from migrate.analysis.program.tree import Tree
from migrate.analysis.source.imports import Target, ancestor, directory_above_package, importing_root, nonempty_package
from migrate.edits.plan import Plan, RuntimePlace
from migrate.files.distribution import is_distribution_root, package_around
from migrate.files.read import regular_bytes
from migrate.files.sources import NOTEBOOK, is_below
from migrate.records import dataclass, field
from migrate.runtime_files import folder, package
from migrate.runtime_files.package import read_stamp

_KERAS = {"BackupAndRestore", "recovered"}
_RELATIVE = re.compile(r"^\s*from\s+(\.+)", re.MULTILINE)


@dataclass
class Placement:
    """The imports of runtime files in each file, and the runtime folders to write.

    Attributes:
      imports: file -> its import statements for the runtime files.
      folders: runtime folder -> the names that it must define.
      users: runtime folder -> the files that import from it.
      needs: file -> the paths of the runtime files that it imports, directly or not.
    """

    imports: dict[str, list[str]] = field(default_factory=dict)
    folders: dict[str, set[str]] = field(default_factory=dict)
    users: dict[str, set[str]] = field(default_factory=dict)
    needs: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, path: str, where: str, names: set[str]) -> None:
        """Records that a file imports names from a runtime folder."""
        self.folders.setdefault(where, set()).update(names)
        self.users.setdefault(where, set()).add(path)
        self.needs[path] = (*self.needs.get(path, ()), *folder.paths(where, names))

    def share_keras_names(self) -> None:
        """Gives all folders with Keras' recovery the same names of it: one may hide another on ``sys.path``."""
        users = [(path, where) for where, names in self.folders.items() if names & _KERAS for path in self.users[where]]
        names = _KERAS.intersection(name for _, where in users for name in self.folders[where])
        for path, where in users:
            self.add(path, where, names)


def place(plans: Sequence[tuple[str, str, Plan]], module_name: str, helpers: str = "copy") -> Placement:
    """Returns the placement for all files to rewrite, given as path, text and plan."""
    placement = Placement()
    groups: dict[tuple[ImportBase, str], list[tuple[str, Plan]]] = {}
    users = Counter(plan.shared for _, _, plan in plans if plan.runtime_names and plan.shared and plan.shared.directory)
    for path, text, plan in plans:
        shared = plan.shared
        is_shared = shared is not None and users[shared] > 1
        if not plan.runtime_names:
            placement.imports[path] = []
        elif helpers == "package":
            placement.imports[path] = package.imports(package.PACKAGE, plan.runtime_names, plan.aliases)
        elif shared is not None and shared.directory is None and plan.is_imported:
            _import_either_way(placement, path, plan, module_name)
        elif is_shared and (not _is_started(text) or _imports_itself(path, text, shared)):
            _import_shared(placement, path, plan, module_name)
        elif (way := import_base(path, text)) is None or (_is_found_elsewhere(path, plan, way) and _is_started(text)):
            _import_either_way(placement, path, plan, module_name)
        elif is_shared:
            _import_shared(placement, path, plan, module_name)
        elif shared is not None and shared.root is not None and _is_found_elsewhere(path, plan, way):
            where = _earlier_folder(os.path.dirname(path), shared.root, module_name)
            _import(placement, path, plan, where, shared.root)
        else:
            top = _outermost_package(path)
            if top is not None and way.is_package:
                way = ImportBase(os.path.abspath(top), is_package=True)
            outermost = "" if way.is_package else _package(path, way.directory)
            groups.setdefault((way, outermost), []).append((path, plan))
    for (way, _), members in groups.items():
        first = members[0][0]
        top = distribution_package(first)
        if top is not None and not is_below(os.path.abspath(top), way.directory):
            top = None  # its imports are found from a directory below the package
        where = _earlier_folder(os.path.dirname(first), way.directory, module_name, top)
        for path, plan in members:
            _import(placement, path, plan, where, None if way.is_package else way.directory)
    return placement


def _import(placement: Placement, path: str, plan: Plan, where: str, root: str | None) -> None:
    """Makes a file import from a runtime folder by one name."""
    dotted = _dotted_name(path, os.path.dirname(where), root, os.path.basename(where))
    placement.imports[path] = package.imports(dotted, plan.runtime_names, plan.aliases)
    placement.add(path, where, plan.runtime_names)


def _import_shared(placement: Placement, path: str, plan: Plan, module_name: str) -> None:
    """Makes a file import from the folder that the files of its program share."""
    if plan.shared is not None and plan.shared.directory is not None:
        where = _earlier_folder(plan.shared.directory, plan.shared.root or plan.shared.directory, module_name)
        _import(placement, path, plan, where, plan.shared.root)


def _import_either_way(placement: Placement, path: str, plan: Plan, module_name: str) -> None:
    """Makes a file that is imported by two names, or run in two ways, import from the folder next to it."""
    placement.imports[path] = package.imports_either_way(module_name, plan.runtime_names, plan.aliases)
    placement.add(path, os.path.join(os.path.dirname(path), module_name), plan.runtime_names)


def distribution_package(path: str) -> str | None:
    """Returns the outermost package of a file if a distribution installs it, so that it is imported by its name.

    A folder without an ``__init__.py`` is part of it if files of the package import the package by its name.
    """
    around = _outermost_package(path) or _self_importing_package(os.path.dirname(path))
    if around is None or os.path.isabs(path) or not os.path.isabs(around):
        return around
    relative = os.path.relpath(around)
    return None if relative.startswith(os.pardir) else relative


def _outermost_package(path: str) -> str | None:
    """Returns the outermost package of a file if a distribution installs it; else None."""
    directory = os.path.dirname(path)
    if not _is_package(directory):
        return None
    while os.path.dirname(directory) and _is_package(os.path.dirname(directory)):
        directory = os.path.dirname(directory)
    above = os.path.dirname(os.path.abspath(directory))
    if _is_package(above):
        return None  # the package begins above the paths that the user named
    places = [above, os.path.dirname(above)] if os.path.basename(above) == "src" else [above]
    return directory if any(map(is_distribution_root, places)) else None


def _self_importing_package(directory: str) -> str | None:
    """Returns the absolute path of the package that contains a directory, if its files import it by name."""
    top = package_around(directory)
    if top is None or not _is_package(top):
        return None
    name = os.path.basename(top)
    paths = (path for path in files_by_imported_word(importing_root(top)).get(name, ()) if is_below(path, top))
    named = (one for path in paths if path.endswith(".py") for one in possible_imports_at(path)[0])
    return top if any(one.partition(".")[0] == name for one in named) else None


def _earlier_folder(directory: str, top: str, module_name: str, new: str | None = None) -> str:
    """Returns an earlier run's runtime folder from ``directory`` up to ``top``, else a new one's path."""
    own = os.path.join(directory if new is None else new, module_name)
    while is_below(os.path.abspath(directory), os.path.abspath(top)):
        where = os.path.join(directory, module_name)
        with contextlib.suppress(OSError, UnicodeDecodeError):
            if read_stamp(regular_bytes(os.path.join(where, "__init__.py")).decode()) is not None:
                return where
        if os.path.abspath(directory) == os.path.abspath(top) or not directory:
            break
        directory = os.path.dirname(directory)
    return own


def _dotted_name(path: str, directory: str, root: str | None, module_name: str) -> str:
    """Returns the name by which a file imports the module in a directory: from ``root``, else a relative name."""
    if root is not None:
        parts = _parts(directory, root)
        # The name ``tensorflow`` would import TensorFlow and not the user's directory of that name.
        if all(part.isidentifier() for part in parts) and parts[:1] != ["tensorflow"]:
            return ".".join([*parts, module_name])
    parts = _parts(directory, os.path.dirname(path))
    above = parts.count(os.pardir)
    return "." * (1 + above) + ".".join([*parts[above:], module_name])


def _parts(directory: str, base: str) -> list[str]:
    relative = os.path.relpath(directory or ".", base or ".")
    return [] if relative == "." else relative.split(os.sep)


def _package(path: str, root: str) -> str:
    """Returns the outermost package of a file below ``root``; "" for a script."""
    return next(iter(_parts(os.path.dirname(path), root)), "")


class ImportBase(NamedTuple):
    """The directory from which a file's imports are found.

    Attributes:
      directory: an entry of ``sys.path``: the directory above the file's package, or its own for a script.
      is_package: whether it is a package instead, to which the file's relative imports lead; the name by which that
        package is imported is not known.
    """

    directory: str
    is_package: bool = False


def _is_found_elsewhere(path: str, plan: Plan, way: ImportBase) -> bool:
    """Whether other files show that a file is imported from another directory than its own text tells.

    It is above a directory without an ``__init__.py``, or below an ``__init__.py`` that no import needs.
    """
    own = os.path.dirname(os.path.abspath(path))
    shown = plan.shared.root if plan.shared is not None and plan.is_imported else None
    root = way.directory if shown is None or way.is_package else os.path.abspath(shown)
    return root != way.directory and (way.directory == own or is_below(root, way.directory))


def import_base(path: str, text: str) -> ImportBase | None:
    """Returns the directory from which a file's imports are found.

    None if a file in a package may be run as a script as well as imported. A file in a package that imports its
    neighbours by their bare names is run as a script.
    """
    own = os.path.dirname(path)
    if path.endswith(NOTEBOOK):
        return ImportBase(own)
    root = own = os.path.dirname(os.path.abspath(path))
    while _is_package(root):
        root = os.path.dirname(root)
    around = _self_importing_package(own)
    is_known = _imports_neighbour(own, text) or _RELATIVE.search(text) is not None
    if around is not None and is_below(root, around) and (_imports_package(around, text) or not is_known):
        return ImportBase(os.path.dirname(around))
    if root == own:
        is_above = _imports_neighbour(os.path.dirname(own), text) and not _imports_neighbour(own, text)
        return None if is_above and _is_started(text) else ImportBase(own)  # python -m scripts.train
    above = os.path.dirname(own)
    while above != root and not _imports_neighbour(own, text):  # A folder above may only look like a package.
        if _imports_neighbour(above, text):
            return ImportBase(above)
        above = os.path.dirname(above)
    package = _package(path, root)
    stem = os.path.basename(path).removesuffix(".py")
    by_dots = re.compile(rf"^\s*from\s+\.({stem}\b|\s*import\b(\s*\([^)]*|.*)\b{stem}\b)", re.MULTILINE)
    by_name = re.compile(rf"^\s*(from\s+{stem}\s+import\b|import\s+{stem}\b)", re.MULTILINE)
    neighbours = [*_neighbours(path)]
    is_alone = not _is_started(text) and not _RELATIVE.search(text)
    if is_alone and any(map(by_name.search, neighbours)) and not os.path.exists(os.path.join(root, f"{stem}.py")):
        is_member = any(by_dots.search(one) or _imports_package(os.path.join(root, package), one) for one in neighbours)
        return None if is_member else ImportBase(own)  # a script of the same directory imports it
    texts = [text, *(one for one in neighbours if _is_started(text) or by_dots.search(one))]
    for one in texts:
        dots = [len(found) for found in _RELATIVE.findall(one)]
        is_member = re.search(r"^from\s+\.", one, re.MULTILINE) is not None  # not within a try
        ways = [ImportBase(own)] if _imports_neighbour(own, one) and not is_member else []
        if _imports_package(os.path.join(root, package), one):
            ways.append(ImportBase(root))
        elif dots:
            ways.append(ImportBase(ancestor(own, max(dots) - 1), is_package=True))
        if ways:  # A script that other files import may be run by itself, too.
            return ways[0] if (len(ways) == 1 and one is text) or not _is_started(text) else None
    words = files_by_imported_word(importing_root(os.path.join(root, package)))
    is_imported = any(words.get(one) for one in (stem, package))
    return ImportBase(root) if around is not None or (is_imported and not _is_started(text)) else None


def _imports_itself(path: str, text: str, shared: RuntimePlace | None) -> bool:
    """Whether a file names its own package in its imports, as it is found from the program's root."""
    root = shared.root if shared is not None else None
    return root is not None and bool(_package(path, root)) and _imports_package(f"{root}/{_package(path, root)}", text)


def _imports_package(package: str, text: str) -> bool:
    """Whether a text imports a package by its name, or a module of it; an empty package does not count."""
    around, name = os.path.split(package)
    named = (one.split(".") for one in possible_imports(text.encode()))
    paths = (os.path.join(around, *parts) for parts in named if parts[0] == name)
    return any(not _is_package(path) or nonempty_package(path) for path in paths)


def _is_package(directory: str) -> bool:
    """Whether a directory can be imported; ``01-intro`` cannot, even with an ``__init__.py``."""
    name = os.path.basename(os.path.abspath(directory))
    return name.isidentifier() and os.path.exists(os.path.join(directory, "__init__.py"))


def _is_started(text: str) -> bool:
    """Whether a file may be started: as a script, or by ``python -m`` as a module of its package."""
    return "__main__" in text


def _neighbours(path: str) -> Iterator[str]:
    """Yields the texts of the other modules in a file's directory."""
    directory = os.path.dirname(path)
    names: list[str] = []
    with contextlib.suppress(OSError):  # the directory may not be readable
        names = sorted(os.listdir(directory or "."))
    for name in names:
        if name.endswith(".py") and name != os.path.basename(path):
            with contextlib.suppress(OSError):
                yield regular_bytes(os.path.join(directory, name)).decode(errors="replace")


def _imports_neighbour(directory: str, text: str) -> bool:
    named = re.findall(r"^\s*(?:from|import)\s+((\w+)(?:\.\w+)?)", text, re.MULTILINE)
    modules = {os.path.join(*one.split(".")) for both in named for one in both}
    return any(os.path.exists(os.path.join(directory, f"{one}.py")) for one in modules)


def set_places(tree: Tree, programs: Sequence[set[str]], plans: Mapping[str, Plan]) -> None:
    """Sets the runtime folder in the plans of all files of these programs; programs with a common file share one.

    A file that is imported from two directories cannot import a shared folder from both: it imports from the folder
    next to it, by a relative or an absolute import. So do all files if no single directory finds all of them. A
    relative import does not show a directory of ``sys.path``: the parent of a package may be a package too.
    """
    together: list[set[str]] = []
    for files in programs:
        for known in [known for known in together if known & files]:
            together.remove(known)
            files = files | known
        together.append(files)
    for files in together:
        named = {os.path.abspath(path): path for path in files}
        targets: dict[str, list[Target]] = {}
        for link in tree.links_into(named):
            targets.setdefault(named[link.target.path], []).append(link.target)
        single = {path for path, ways in targets.items() if not _can_share(ways)}
        shared = _shared_place(files - single, [one for path in targets.keys() - single for one in targets[path]])
        for path in files:
            plans[path].shared = RuntimePlace(None, None) if path in single else shared
            plans[path].is_imported = path in targets


def is_rewritten_alone(path: str, plan: Plan) -> bool:
    """Whether a module imports runtime files, and belongs to no program whose files share them."""
    return bool(plan.runtime_names) and plan.shared is None and path.endswith(".py")


def _bases_of(ways: Sequence[Target]) -> tuple[set[str], set[str]]:
    """Returns the directories from which these imports are found, and the packages of the relative imports."""
    packages = {way.package for way in ways if way.package is not None}
    return {way.root for way in ways if way.package is None}, packages


def _can_share(ways: Sequence[Target]) -> bool:
    """Whether all imports of a file find one directory with it; a symbolic link hides the file's own directory."""
    return all(is_below(way.path, way.root) for way in ways) and _have_one_base(*_bases_of(ways))


def _have_one_base(roots: set[str], packages: set[str]) -> bool:
    """Whether one directory finds all imports."""
    return len(roots) < 2 and not any(is_below(root, package) for root in roots for package in packages)


def _shared_place(files: set[str], ways: Sequence[Target]) -> RuntimePlace:
    roots, packages = _bases_of(ways)
    if not ways or not _have_one_base(roots, packages):
        return RuntimePlace(None, None)
    named = {os.path.abspath(path): path for path in files}
    directory = _directory(files, {named[way.path] for way in ways}, roots)
    if roots:
        return RuntimePlace(directory, *roots)
    there = os.path.abspath(directory)
    around = [package for package in packages if is_below(there, package)]
    is_within = all(any(is_below(path, package) for package in around) for path in named)
    return RuntimePlace(directory, None if is_within else directory_above_package(there))


def _directory(files: set[str], imported: set[str], roots: set[str]) -> str:
    """Returns the directory above all files if one of them is in it; else that of an imported file.

    For files in a distribution's package it is that package: a folder next to the package would be installed as a
    top-level package, where folders of other distributions may have the same name.
    """
    directories = {os.path.abspath(os.path.dirname(path)): os.path.dirname(path) for path in sorted(files)}
    above = directories.get(os.path.commonpath(directories))
    tops = {distribution_package(path) for path in imported}
    top = tops.pop() if len(tops) == 1 else None
    if top is not None and all(is_below(os.path.abspath(top), root) for root in roots):
        return top
    return os.path.dirname(min(imported)) if above is None else above
