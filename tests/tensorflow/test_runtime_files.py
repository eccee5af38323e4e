"""The runtime files can stand in a user's tree: each can be imported with those alone that go with it."""

import ast
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from migrate import recovery
from migrate.recovery.synced_files import sync_folder_after
from tests.runtime_package import copy

ROOT = Path(recovery.__file__).parent
MODULES = sorted(ROOT.rglob("[!_]*.py"))


def name_in_package(path):
    return path.relative_to(ROOT).with_suffix("").as_posix()


IMPORT_EACH_ALONE = """
import importlib, os, sys
for folder in sys.argv[1:]:
    sys.path.insert(0, folder)
    importlib.import_module("tf2_recovery." + os.path.relpath(folder).replace(os.sep, "."))
    for name in [name for name in sys.modules if name.partition(".")[0] == "tf2_recovery"]:
        del sys.modules[name]
    sys.path.remove(folder)
    importlib.invalidate_caches()
"""


def test_every_file_is_imported_with_those_that_are_copied_for_it_and_no_others(tmp_path):
    folders = []
    for path in MODULES:
        name = name_in_package(path)
        copy(tmp_path / name, files=[name])
        folders.append(str(tmp_path / name))
    subprocess.run([sys.executable, "-P", "-c", IMPORT_EACH_ALONE, *folders], check=True, cwd=tmp_path)


@pytest.mark.parametrize("path", MODULES, ids=name_in_package)
def test_a_file_is_python_3_9(path):
    ast.parse(path.read_text(), feature_version=(3, 9))


@pytest.mark.parametrize("path", MODULES, ids=name_in_package)
def test_every_public_definition_has_a_docstring(path):
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), node.name


def test_files_are_synced_where_no_thread_starts(tmp_path):
    """At its exit, Python 3.12 starts none, nor does any Python with room for no stack."""
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
    before = threading.stack_size(2**46)
    try:
        sync_folder_after(None, tmp_path)
    finally:
        threading.stack_size(before)
