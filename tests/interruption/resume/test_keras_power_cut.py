"""A power cut at any moment of a save leaves a Keras training that goes on there or one save before."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from migrate.recovery.keras.saved_states import newest_state
from tests.power_cuts import record, states

ROOT = Path(__file__).parents[3]

SAVES = """
import os, sys
import tensorflow as tf
from migrate.recovery.keras.interrupted_training import SavedTraining
model = tf.keras.Sequential([tf.keras.layers.Input((2,)), tf.keras.layers.Dense(2)])
training = SavedTraining(sys.argv[2], [model])
training.restore()
for epoch in (1, 2, 3):
    model.set_weights([weight * 0 + epoch for weight in model.get_weights()])
    training.note["epoch"] = epoch
    training.save()
    training.note["extra"] = epoch
    training.save(False)
training.wait()
sys.last_type = KeyboardInterrupt
"""


class Saved:
    """What a training did in its directory while it saved three epochs; ``first`` is where the third save begins."""

    def __init__(self, folder):
        program = folder / "saves.py"
        directory = folder / ".recovery" / "w" / "model" / "fit-0"
        program.write_text(SAVES)
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
        command = [sys.executable, str(program), str(directory), "w/model.keras"]
        here = os.getcwd()
        os.chdir(folder)
        try:
            self.calls = record(command, directory, folder / "trace", environment)
        finally:
            os.chdir(here)
        added = [call.added or "" for call in self.calls]
        saves = sorted({name.partition(".")[0] for name in added if name.startswith("ckpt-")})
        self.first = next(place for place, name in enumerate(added) if name.startswith(saves[2]))
        self._folder = folder / "left"

    def goes_on_at(self, state):
        """The epoch at which a start goes on from what a power cut left; its weights are those of that epoch."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        for name, data in state.items():
            (self._folder / name).write_bytes(data)
        note, values = newest_state(str(self._folder))
        if not note:
            return None
        assert float(values[0].ravel()[0]) == note["epoch"]
        assert note.get("extra") in (note["epoch"], note["epoch"] - 1)
        return note["epoch"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return Saved(tmp_path_factory.mktemp("cut"))


def test_a_training_goes_on_at_the_save_or_the_one_before(saved):
    found = [saved.goes_on_at(state) for state in states(saved.calls, saved.first, most=48)]
    assert set(found) == {2, 3}
    assert len(found) > 50


def test_a_save_that_was_waited_for_is_not_lost(saved):
    assert {saved.goes_on_at(state) for state in states(saved.calls, len(saved.calls), most=256)} == {3}


def test_without_syncs_a_power_cut_can_lose_the_training(saved):
    """That the model of a power cut is strict enough to find a fault."""
    calls = [call for call in saved.calls if call.kind != "sync"]
    assert None in {saved.goes_on_at(state) for state in states(calls, len(calls), most=64)}
