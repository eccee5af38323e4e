"""The pieces can be written into a user's tree, alone or together."""

import ast
import sys
from collections import Counter
from pathlib import Path

import pytest
from migrate.rewrite.pieces import module

from migrate import recovery

FOLDER = Path(recovery.__file__).parent
OBJECT = (
    "*estimator.py",
    "*exporters.py",
    "*run_config.py",
    "run_training.py",
    "t*_training.py",
    "train_*.py",
    "training_h*.py",
)
MODULES = sorted({path for pattern in ("model_fn*.py", *OBJECT) for path in FOLDER.glob(pattern)})


def definitions(tree):
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]


def test_no_two_pieces_define_the_same_name():
    names = Counter(name for path in FOLDER.glob("*.py") for name in definitions(ast.parse(path.read_text())))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_piece_imports_tensorflow_and_the_standard_library_alone(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import | ast.ImportFrom):
            name = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
            top = name.split(".")[0]
            assert top in {"tensorflow", *sys.stdlib_module_names} or name.startswith("migrate.recovery.")
            assert "tensorflow.python" not in name  # private


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_public_piece_can_be_written_with_what_it_needs(path):
    for name in definitions(ast.parse(path.read_text())):
        if not name.startswith("_"):
            text = module([name])
            assert "migrate.recovery" not in text
            exec(compile(text, path.name, "exec"), {"__name__": "written"})


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_piece_is_python_3_9(path):
    ast.parse(path.read_text(), feature_version=(3, 9))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_public_definition_has_a_docstring(path):
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), node.name
