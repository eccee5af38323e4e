"""A program of which each start trains one file further is told what an interruption loses."""

import pytest

from migrate.finding import Fidelity
from tests.codemod.programs import migrate

_FIT = "model.fit(x, y, epochs=9)\nmodel.save(path)\n"
_HEAD = "import os\nimport keras\n\npath = 'm.h5'\n"

FURTHER = {
    "a model that is loaded where there is one": (
        _HEAD + "model = keras.models.load_model(path) if os.path.isfile(path) else build()\n" + _FIT
    ),
    "a model that is loaded where it is asked for": (
        _HEAD + "model = build()\nif args.more:\n    model = keras.models.load_model(path)\n" + _FIT
    ),
    "weights of one file, saved by save_weights": (
        _HEAD + "model = build()\nmodel.load_weights(path)\nmodel.fit(x, y, epochs=9)\nmodel.save_weights(path)\n"
    ),
}


@pytest.mark.parametrize("form", FURTHER)
def test_a_file_that_each_start_trains_further_is_told_of_once_with_the_lines_to_write(form: str) -> None:
    findings = [one for one in migrate(FURTHER[form])[1] if one.code == "FT201"]
    assert [one.fidelity for one in findings] == [Fidelity.MANUAL]
    assert "loses all its epochs" in findings[0].message
    assert 'BackupAndRestore("DIRECTORY")' in findings[0].help and "model.fit(" in findings[0].help
