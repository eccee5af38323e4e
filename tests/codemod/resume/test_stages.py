"""A model that is trained by more than one call of fit recovers in each of them, where each is a stage or a branch."""

import pytest

from tests.codemod.programs import migrate

_HEAD = """\
import glob
import os
import tensorflow as tf
from keras.callbacks import EarlyStopping, ModelCheckpoint

model = build()
files = sorted(glob.glob("out/w-*.weights.h5"))
first = 0
if files:
    model.load_weights(files[-1])
    first = int(files[-1][6:8])
saver = ModelCheckpoint("out/w-{epoch:02d}.weights.h5", save_weights_only=True)
"""
_FIRST = "model.fit(x, y, epochs=3, initial_epoch=first, callbacks=[saver])\n"
_SECOND = "unfreeze(model)\nmodel.fit(x, y, epochs=9, initial_epoch=max(first, 3), callbacks=[saver])\n"


def test_each_stage_has_checkpoints_of_its_own_and_the_second_knows_the_first() -> None:
    text, findings = migrate(_HEAD + _FIRST + _SECOND)
    assert all(one.rewritten for one in findings) and len(findings) == 1
    assert '"out/w_recovery"' in text and '"out/w_recovery_2"' in text
    assert "first = recovery.restore(first)" in text
    assert "initial_epoch=recovery_2.restore(max(first, 3), after=recovery)" in text
    assert text.count("is_last=False") == 1


def test_a_third_stage_knows_the_second() -> None:
    third = "model.fit(x, y, epochs=12, initial_epoch=9, callbacks=[saver])\n"
    text, _ = migrate(_HEAD + _FIRST + _SECOND + third)
    assert "recovery_3.restore(9, after=recovery_2)" in text
    assert text.count("is_last=False") == 2


def test_two_branches_of_a_test_share_their_checkpoints() -> None:
    branches = "".join(f"{test}:\n    {_FIRST}" for test in ("if by_generator", "else"))
    text, findings = migrate(_HEAD + branches)
    assert [one.rewritten for one in findings] == [True]
    assert "w_recovery_2" not in text and "is_last" not in text and "after=" not in text
    assert text.count("recovery.restore(first)") + text.count("recovery_2.restore(first)") == 2


LEFT = {
    "stages in a loop": f"for _ in range(2):\n    {_FIRST}    model.fit(x, y, epochs=9, callbacks=[saver])\n",
    "branches with other totals": f"if few:\n    {_FIRST}else:\n    {_FIRST.replace('epochs=3', 'epochs=9')}",
}


@pytest.mark.parametrize("trainings", LEFT.values(), ids=LEFT.keys())
def test_others_are_left_with_the_lines_to_write(trainings: str) -> None:
    source = _HEAD + trainings
    text, findings = migrate(source)
    assert text == source
    assert findings and all("tf.train.CheckpointManager" in one.help for one in findings)


def test_backup_and_restore_is_of_one_fit_alone() -> None:
    source = _HEAD + _FIRST + _SECOND
    text, findings = migrate(source, recovery="backup-and-restore", target="keras2")
    assert text == source
    assert all("more than one call of fit" in one.message for one in findings)


def test_a_stage_that_a_start_may_pass_by_is_none_to_the_next() -> None:
    text, _ = migrate(_HEAD + f"with scope:\n    if is_new:\n        {_FIRST}" + _SECOND)
    assert "\nrecovery = None\nwith scope:\n" in text and "after=recovery)" in text
    text, _ = migrate(_HEAD + f"with scope:\n    {_FIRST}" + _SECOND)
    assert "recovery = None" not in text and "after=recovery)" in text


def test_the_stage_before_one_that_a_start_may_pass_by_stands_for_it() -> None:
    third = "if more:\n    model.fit(x, y, epochs=12, initial_epoch=9, callbacks=[saver])\n"
    text, _ = migrate(_HEAD + _FIRST + third + _SECOND)
    assert "\nrecovery_2 = recovery\nif more:\n" in text and "after=recovery_2)" in text
