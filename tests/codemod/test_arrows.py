"""The folders of the codemod know one another in one direction."""

import ast
from collections.abc import Iterator
from pathlib import Path

import migrate

ROOT = Path(migrate.__file__).parent
KNOWS = {
    "files": {"finding"},
    "tensorflow": set[str](),
    "analysis": {"tensorflow", "files", "finding"},
    "edits": {"tensorflow", "finding"},
    "helpers": {"__init__", "edits", "analysis", "files", "finding", "invocation", "outcome"},
    "rewrite": {"helpers", "edits", "analysis", "tensorflow", "finding", "printable", "settings"},
    "rules": {"rewrite", "edits", "analysis", "tensorflow", "files", "finding", "invocation", "settings"},
    "objects": {"rules", "rewrite", "analysis", "finding", "settings"},
    "judging": {
        *("objects", "rules", "rewrite", "helpers", "edits", "analysis"),
        *("finding", "judged", "selection", "settings"),
    },
    "planning": {"analysis", "tensorflow", "files", "finding", "invocation", "judged", "outcome", "settings"},
    "report": {"helpers", "planning", "rules", "files", "finding", "outcome", "printable", "__init__"},
    "recovery": set[str](),
    "verify": {"analysis", "planning", "files", "invocation", "parser", "__init__"},
    "checkpoints": {"invocation", "parser"},
    "codemods": {"api", "helpers", "report", "finding", "settings"},
}
"""What each folder may import: folders, and files at the top."""


def test_each_folder_knows_the_folders_below_it_and_all_that_it_is_said_to_know() -> None:
    assert {folder: set(known(folder)) for folder in KNOWS} == KNOWS


def test_every_folder_has_its_place() -> None:
    assert {path.parent.relative_to(ROOT).parts[0] for path in ROOT.rglob("*/*.py")} == KNOWS.keys()


def test_no_folder_is_known_by_one_that_it_knows() -> None:
    for folder in KNOWS:
        assert folder not in below(folder)


def below(folder: str) -> set[str]:
    own = KNOWS.get(folder, set())
    return own.union(*map(below, own))


def known(folder: str) -> Iterator[str]:
    """The other folders, and files at the top, that a folder's modules import."""
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for name in imported(node):
                package, _, rest = name.partition(".")
                first = rest.partition(".")[0]
                if package == "migrate" and first != folder:
                    yield first if (ROOT / first).is_dir() or (ROOT / f"{first}.py").exists() else "__init__"


def imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.level == 0:
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
