"""What a process was told to begin from is known to the recovery, whichever name it imports the helper by."""

import importlib.util
import sys
from types import ModuleType

import pytest

from migrate.recovery import keras_named_file as helper


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_begun_from", [], raising=False)


def imported_as(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, helper.__file__)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_load_is_given_its_path_and_what_it_was_is_known_under_each_name_of_the_helper() -> None:
    one, other = imported_as("tf2_recovery.keras_named_file"), imported_as("jobs.tf2_recovery.keras_named_file")
    assert other.begun_from() is None
    assert one.begin_from("w.h5") == "w.h5"
    assert other.begun_from() == "w.h5"


@pytest.mark.parametrize("nothing", [None, ""])
def test_no_file_is_nothing_to_begin_from(nothing: str | None) -> None:
    module = imported_as("helper")
    assert module.begin_from(nothing) is nothing
    assert module.begun_from() is None


def test_several_files_are_one_beginning_in_whatever_order_and_however_often_they_are_loaded() -> None:
    module = imported_as("helper")
    for path in ("g.h5", "d.h5", "g.h5"):
        module.begin_from(path)
    assert module.begun_from() == "d.h5\ng.h5"
