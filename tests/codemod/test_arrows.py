"""The folders of the codemod know one another in one direction."""

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import migrate

ROOT = Path(migrate.__file__).parent
KNOWS = {
    "findings": set[str](),
    "files": {"findings"},
    "tensorflow": set[str](),
    "analysis": {"tensorflow", "files", "findings"},
    "edits": {"tensorflow", "files", "findings"},
    "runtime_files": {"edits", "analysis", "files", "findings", "__init__"},
    "rewrite": {"runtime_files", "edits", "analysis", "tensorflow"},
    "rules": {"rewrite", "edits", "analysis", "tensorflow", "files", "findings", "settings"},
    "judging": {"rules", "rewrite", "runtime_files", "edits", "analysis", "files", "findings", "settings"},
    "pipeline": {"judging", "runtime_files", "edits", "analysis", "files", "findings", "settings"},
    "planning": {"pipeline", "judging", "edits", "analysis", "files", "findings", "settings"},
    "report": {"planning", "pipeline", "runtime_files", "rules", "edits", "files", "findings", "__init__"},
    "recovery": set[str](),
    "verify": {"planning", "analysis", "files", "findings", "parser", "__init__"},
    "cli": {
        *("verify", "report", "planning", "pipeline", "judging", "rules", "runtime_files"),
        *("analysis", "files", "findings", "settings", "parser", "api", "__init__"),
    },
}
"""What each folder may import besides ``migrate.records``: folders, and files at the top."""


def test_each_folder_knows_the_folders_below_it_and_all_that_it_is_said_to_know():
    assert {folder: set(known(folder)) for folder in KNOWS} == KNOWS


def test_every_folder_has_its_place():
    assert {path.parent.relative_to(ROOT).parts[0] for path in ROOT.rglob("*/*.py")} == KNOWS.keys()


def test_no_folder_is_known_by_one_that_it_knows():
    for folder in KNOWS:
        assert folder not in below(folder)


ANALYSIS = ("source", "program", "calls", "values", "keras", "resume")
"""The folders of ``analysis``, each of which may import those before it."""


def test_each_folder_of_the_analysis_knows_none_after_it():
    assert {path.name for path in (ROOT / "analysis").iterdir() if path.is_dir()} - {"__pycache__"} == {*ANALYSIS}
    for place, folder in enumerate(ANALYSIS):
        after = tuple(f"migrate.analysis.{one}." for one in ANALYSIS[place + 1 :])
        assert [name for name in imported(f"analysis/{folder}") if name.startswith(after)] == []


def test_no_file_imports_itself_by_way_of_others():
    """Of a folder too; what only the type checker imports does not count."""
    files = {".".join(path.relative_to(ROOT.parent).with_suffix("").parts): path for path in ROOT.rglob("*.py")}
    files = {name.removesuffix(".__init__"): path for name, path in files.items() if "recovery" not in path.parts}
    links = {name: {file_of(one, files) for one in imports_of(path)} - {name, ""} for name, path in files.items()}
    assert len([*TopologicalSorter(links).static_order()]) == len(files)  # raises CycleError, which names the files


def file_of(dotted, files):
    while dotted and dotted not in files:
        dotted = dotted.rpartition(".")[0]
    return dotted


def below(folder):
    own = KNOWS.get(folder, set())
    return own.union(*map(below, own))


def known(folder):
    """The other folders, and files at the top, that a folder's modules import."""
    for name in imported(folder):
        package, _, rest = name.partition(".")
        first = rest.partition(".")[0]
        if package == "migrate" and first not in (folder, "records"):
            yield first if (ROOT / first).is_dir() or (ROOT / f"{first}.py").exists() else "__init__"


def imported(folder):
    """What the modules of a folder import, each name with its module."""
    for path in (ROOT / folder).rglob("*.py"):
        yield from imports_of(path, with_types=True)


@cache
def imports_of(path, with_types=False):
    """What a module imports; with types also below ``if TYPE_CHECKING``."""
    found, waiting = [], [parsed(path)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        elif with_types or not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            waiting += [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt | ast.ExceptHandler)]
    return found


@cache
def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))
