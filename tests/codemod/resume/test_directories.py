"""The directory of a recovery: one for each job, the same at each start, of the files that the job saves."""

import pytest

from tests.codemod.resume.test_old_way_in import kept, left

_LOOP = """\
import glob
import tensorflow as tf

last = None
model = build()


class Note(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.note(logs)

    def note(self, logs):
        global last
        last = logs


files = sorted(glob.glob("out/m_*.h5"))
if files:
    model.load_weights(files[-1])
for epoch in range(9):
    model.fit(x, y, callbacks=[Note()])
    model.save_weights("out/m_%f_%d.h5" % (last["loss"], epoch))
"""


@pytest.mark.parametrize(
    ("noted", "read"),
    [
        ("global last\n        last = logs", 'last["loss"]'),
        ("global last\n        last = logs['loss']", "last"),
        ("last['loss'] = logs['loss']", "last['loss']"),
        ("last.loss = logs['loss']", "last.loss"),
    ],
)
def test_what_a_callback_notes_is_no_part_of_the_directory(noted: str, read: str) -> None:
    text = _LOOP.replace("global last\n        last = logs", noted).replace('last["loss"]', read)
    assert 'drop_empty_checkpoint_list("out/m_recovery")\n' in kept(text)


def test_an_optimizer_that_the_turns_of_a_loop_set_is_not_held_from_before_it() -> None:
    text = _LOOP.replace("    model.fit", "    model.optimizer = choose()\n    model.fit")
    assert "line 21 makes, in a turn of the loop, what it trains" in left(text)
