"""The files that import a module are found by the words of their import statements, no cell of a notebook parsed."""

import json
from pathlib import Path

import pytest

from migrate.analysis.program.tree import Tree
from migrate.files.run_cache import forget
from tests.codemod.trees import put

SOURCE = "import os\n{statement}\nprint(made)\n"
STATEMENTS = [
    "import helper",
    "from helper import made",
    "from helper import (\n    made,\n)",
    "from package import (\nhelper)",
    "from helper_imports import made",
    "if os:\n\timport helper",
]


def notebook(source, **layout):
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}, **layout)  # type: ignore[arg-type]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_each_way_to_import_a_module_is_found_in_each_layout_of_a_file(tmp_path, statement):
    source = SOURCE.format(statement=statement)
    own = tmp_path / ("helper_imports.py" if "_imports" in statement else "helper.py")
    if "package" in statement:
        own = tmp_path / "package" / "helper.py"
        own.parent.mkdir()
        (own.parent / "__init__.py").touch()
    own.write_text("made = 1\n")
    texts = {
        "script.py": source,
        "lines.ipynb": notebook(source.splitlines(keepends=True), indent=1),
        "line.ipynb": notebook(source.splitlines(keepends=True)),
        "string.ipynb": notebook(source),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "other.py").write_text("import os  # made by helper\n")
    forget()
    assert {Path(path).name for path in Tree().importers_of(str(own))} == set(texts)


@pytest.mark.parametrize(("name", "files"), [("made", {"use.py"}), ("", {"use.py", "not.py"})])
def test_an_importer_is_asked_for_by_a_whole_word_of_its_text(tmp_path, name, files):
    put(tmp_path, {"helper.py": "made = 1\n", "use.py": "import helper\nprint(helper.made)\n"})
    (tmp_path / "not.py").write_text("import helper\nprint(helper.made_up, 'unmade')\n")
    forget()
    assert {Path(path).name for path in Tree().importers_of(str(tmp_path / "helper.py"), name)} == files
