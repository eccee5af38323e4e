"""The table of TensorFlow's names is what the installed TensorFlow has."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from migrate.analysis.program.numpy_names import REMOVED_NUMPY_NAMES
from migrate.tensorflow.known_names import IN_COMPAT_V2_ALONE, NEW, OLD, TABLE

LINE = OLD if tf.__version__.startswith(f"{OLD}.") else NEW


def stored(kind):
    """The lines and the dotted name of everything of a kind in the table."""
    for row in Path(TABLE).read_text(encoding="utf-8").splitlines():
        head, _, names = row.partition(": ")
        own, module, lines, *_ = head.split(" ")
        for name in names.split(" ") if own == kind else ():
            yield lines, f"{module}.{name.partition('=')[0]}".lstrip(".")


@pytest.fixture(scope="module")
def installed():
    # In a process of its own: what other tests import may hide names of a module that is loaded late.
    code = "import json; from tests.tensorflow_names import read_installed; print(json.dumps(read_installed()))"
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    return json.loads(printed.splitlines()[-1])


@pytest.mark.parametrize("api", ["v1", "v2"])
def test_the_public_names_are_those_of_this_tensorflow(installed, api):
    assert {name for lines, name in stored(api) if LINE in lines.split(",")} == set(installed["public"][api])


@pytest.mark.parametrize("api", ["v1", "v2"])
def test_legacy_keras_has_the_names_that_are_marked_as_its_own(installed, api):
    if "legacy" in installed:
        marked = {name for lines, name in stored(api) if f"{LINE}k" in lines.split(",")}
        assert marked == set(installed["legacy"][api]) - set(installed["public"][api])


def test_the_private_modules_are_those_that_can_be_imported(installed):
    known = {name: LINE in lines.split(",") for lines, name in stored("module")}
    assert {name for name, is_there in known.items() if is_there} == known.keys() & installed["private"].keys()


def test_no_private_module_has_what_the_table_says_is_gone(installed):
    gone = [name.rpartition(".") for lines, name in stored("gone") if LINE in lines.split(",")]
    assert [f"{module}.{name}" for module, _, name in gone if name in (installed["private"][module] or ())] == []


def test_compat_v2_has_one_name_that_tensorflow_itself_has_not():
    more = {name for name in set(dir(tf.compat.v2)) - set(dir(tf)) if not name.startswith("_")}
    assert {f"compat.v2.{name}" for name in more} == {IN_COMPAT_V2_ALONE}


def test_the_numpy_beside_the_newest_tensorflow_lacks_the_names_that_a_program_must_not_read():
    missing = {name for name in REMOVED_NUMPY_NAMES if not hasattr(np, name)}
    if LINE == NEW:
        assert missing == REMOVED_NUMPY_NAMES.keys() - {"bool", "long"}
    else:
        assert missing == {"int", "float", "complex", "object", "str", "unicode", "bool", "long"}
