"""What only Colab runs blocks no program."""

import pytest

from tests.codemod.programs import migrate

PROGRAM = """\
import sys
import tensorflow as tf

{}


def model_fn(features, labels, mode): ...


tf.estimator.Estimator(model_fn, "m").train(lambda: None, steps=3)
"""
CALL = "tf.contrib.cloud.configure_gcs(None)"
IN_COLAB = {
    "asked of the modules": f'if "google.colab" in sys.modules:\n    {CALL}',
    "in a variable": f'is_colab = "google.colab" in sys.modules\nif is_colab:\n    {CALL}',
    "imported": f"try:\n    import google.colab\n    C = True\nexcept ImportError:\n    C = False\nif C:\n    {CALL}",
    "otherwise": f'if "google.colab" not in sys.modules:\n    pass\nelse:\n    {CALL}',
    "not otherwise": f'if not ("google.colab" in sys.modules):\n    pass\nelse:\n    {CALL}',
}
ELSEWHERE = {
    "at the top": CALL,
    "where Colab is not": f'if "google.colab" in sys.modules:\n    pass\nelse:\n    {CALL}',
    "under another condition": f'if "google" in sys.modules:\n    {CALL}',
}


@pytest.mark.parametrize("lines", IN_COLAB.values(), ids=IN_COLAB)
def test_a_name_that_is_gone_stays_in_a_block_for_colab_with_a_note(lines):
    text, findings = migrate(PROGRAM.format(lines))
    assert CALL in text and "\nEstimator(model_fn" in text
    [note] = [one for one in findings if one.code == "FT138"]
    assert note.message.endswith("exists in no TensorFlow 2; it stays, for only Colab runs this line")
    assert note.help == "Remove it before the program runs in Colab on TensorFlow 2."
    assert not note.rewritten


@pytest.mark.parametrize("lines", ELSEWHERE.values(), ids=ELSEWHERE)
def test_it_blocks_the_program_anywhere_else(lines):
    text, findings = migrate(PROGRAM.format(lines))
    assert text == PROGRAM.format(lines)
    assert any(one.code == "FT138" and not one.rewritten for one in findings)
