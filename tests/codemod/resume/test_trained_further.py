"""A program of which each start trains one file further recovers each start by itself, or is told what it loses."""

from typing import Any

import pytest

from migrate.findings.finding import Fidelity
from tests.codemod.programs import migrate

_FIT = "model.fit(x, y, epochs=9)\nmodel.save(path)\n"
_HEAD = "import os\nimport keras\n\npath = 'm.keras'\n"
_LOADED = "model = keras.models.load_model(path) if os.path.isfile(path) else build()\n"

FURTHER = {
    "a model that is loaded where there is one": (_HEAD + _LOADED + _FIT, "initial_epoch=recovery.restore(saved=path)"),
    "a model that is loaded where it is asked for": (
        _HEAD + "model = build()\nif args.more:\n    model = keras.models.load_model(path)\n" + _FIT,
        "initial_epoch=recovery.restore(saved=path) if args.more else 0",
    ),
    "weights of one file, saved by save_weights": (
        _HEAD.replace(".keras", ".weights.h5")
        + "model = build()\nmodel.load_weights(path)\n"
        + _FIT.replace("save(", "save_weights("),
        "recovery_dir = directory_beside(path)\n",
    ),
    "a model that is trained otherwise where none is loaded": (
        _HEAD
        + "if args.more:\n    model = keras.models.load_model(path)\n"
        + "    model.fit(x, y, epochs=9)\n    model.save(path)\n"
        + "else:\n    model = build()\n    model.fit(x, y, epochs=30)\n    model.save(path)\n",
        "    model.fit(x, y, epochs=9, initial_epoch=recovery.restore(saved=path), callbacks=[recovery])",
    ),
}


@pytest.mark.parametrize(("source", "restored"), FURTHER.values(), ids=FURTHER.keys())
def test_each_start_is_recovered_and_the_next_one_trains_what_it_saved_further(source: str, restored: str) -> None:
    text, findings = migrate(source)
    assert [one.fidelity for one in findings] == [Fidelity.NOTED]
    assert "one after a start that ended trains the file further" in findings[0].message
    assert restored in text
    assert migrate(text) == (text, [])


@pytest.mark.parametrize(
    ("old", "new", "settings", "reason"),
    [
        ("m.keras", "m", {}, "each start loads what a kill while it is saved can cut short"),
        ("os.path.isfile(path)", "wanted(path)", {}, "`wanted(path)` decides on it"),
        ("", "", {"recovery": "backup-and-restore"}, "goes on from a start that ended too"),
    ],
)
def test_what_cannot_be_recovered_so_is_told_of_once_with_the_lines_to_write(
    old: str, new: str, settings: dict[str, Any], reason: str
) -> None:
    source = (_HEAD + _LOADED + _FIT).replace(old, new) if old else _HEAD + _LOADED + _FIT
    text, findings = migrate(source, select=("FT201",), **settings)
    assert text == source
    assert [one.fidelity for one in findings] == [Fidelity.MANUAL]
    assert "loses all its epochs" in findings[0].message and reason in findings[0].message
    assert 'BackupAndRestore("DIRECTORY")' in findings[0].help and "model.fit(" in findings[0].help


def test_a_model_in_hdf5_is_loaded_so_that_keras_3_trains_it_further() -> None:
    source = (_HEAD + _LOADED + _FIT).replace("m.keras", "m.h5")
    text, _ = migrate(source)
    assert "load_compiled_model(path)" in text and "recovery.restore(saved=path)" in text
    assert "load_compiled_model" not in migrate(source, target="keras2")[0]


def test_parts_of_a_model_that_are_saved_back_are_the_model_that_each_start_trains_further() -> None:
    source = _HEAD.replace(".keras", ".weights.h5") + (
        "gan = build()\ngan.maker.load_weights(path)\ngan.fit(x, y, epochs=9)\ngan.maker.save_weights(path)\n"
    )
    text, findings = migrate(source)
    assert [one.fidelity for one in findings] == [Fidelity.NOTED]
    assert "recovery.restore(saved=path)" in text


def test_a_file_of_any_name_is_trained_further() -> None:
    source = _HEAD.replace("path = 'm.keras'", "args = parser.parse_args()") + (
        "model = build()\nif args.save_path:\n    model.load_weights(args.save_path)\n"
        "model.fit(x, y, epochs=9)\nmodel.save_weights(args.save_path)\n"
    )
    assert "recovery.restore(saved=args.save_path)" in migrate(source)[0]


def test_two_files_that_the_command_line_names_are_not_one() -> None:
    source = _HEAD.replace("'m.keras'", "sys.argv[1]").replace("import os", "import os\nimport sys")
    source += "model = keras.models.load_model(path)\n" + _FIT
    assert "loses all its epochs" in migrate(source)[1][0].message
    source = source.replace("save(path)", "save(sys.argv[2])")
    assert migrate(source)[1] == []
    looped = source.replace(
        "model.fit(x, y, epochs=9)", "for i in range(int(sys.argv[3])):\n    model.fit(x, y, epochs=1)"
    )
    assert migrate(looped)[1] == []


_RECKONED = '"m_{}.h5".format(count + 1)'


@pytest.mark.parametrize("path", [_RECKONED, '"m_%d.h5" % (count + 1)', 'f"m_{count + 1}.h5"'])
def test_a_file_whose_name_is_reckoned_is_one_where_it_is_spelled_alike(path: str) -> None:
    source = f"import keras\n\ncount = len(x)\nmodel = keras.models.load_model({path})\nmodel.fit(x, y, epochs=9)\n"
    text, _ = migrate(source + f"model.save({path})\n")
    assert f"recovery.restore(saved={path})" in text and f"directory_beside({path})" in text
    held = source.replace("load_model(" + path, "load_model(path").replace("model =", f"path = {path}\nmodel =")
    assert "recovery.restore(saved=path)" in migrate(held + "model.save(path)\n")[0]


def test_it_is_another_where_what_it_is_reckoned_of_changes() -> None:
    source = f"import keras\n\ncount = 3\nmodel = keras.models.load_model({_RECKONED})\nmodel.fit(x, y, epochs=9)\n"
    assert migrate(source + f"count += 1\nmodel.save({_RECKONED})\n")[1] == []
    whole = f"{source}model.save({_RECKONED})\n"
    assert "restore" not in migrate(whole.replace("count + 1", "next(count)"))[0]
    twice = source.partition("model =")[2]
    text, findings = migrate(f"{whole}count = len(z)\nmodel ={twice}model.save({_RECKONED})\n")
    assert "restore" not in text and "more than one call of fit" in findings[0].message
