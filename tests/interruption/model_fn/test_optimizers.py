"""What the codemod writes goes on with its input, or from the saves of a hook, to the last bit."""

import shutil
from pathlib import Path

from .conftest import WrittenPair, assert_equal, final_variables, kept, losses

PROGRAM = Path(__file__).parent / "six_optimizers.py"
ADAM = ["--optimizers", "adam"]
FEW = ["adam", "ftrl"]


def test_with_input_continue_an_interrupted_job_equals_an_uninterrupted_one(tmp_path):
    pair = WrittenPair(PROGRAM, tmp_path / "pair", input="continue")
    alone = pair.kept("alone", ("at_50", "--max_steps", 50, "--optimizers", *FEW))
    for name, ends in (("whole", [130]), ("stopped", [87, 130])):
        shutil.copytree(alone / "at_50", tmp_path / name)
        for end in ends:
            pair.run(pair.new, tmp_path / name, "--max_steps", end, "--optimizers", *FEW)
    for optimizer in FEW:
        whole, resumed = (final_variables(tmp_path / name / optimizer) for name in ("whole", "stopped"))
        assert_equal(resumed, whole)
        # From the Estimator's checkpoint the input begins at its first element; from then on it goes on.
        assert losses(tmp_path / "stopped" / optimizer) == losses(tmp_path / "whole" / optimizer)


def test_a_killed_job_that_a_hook_saves_ends_where_its_estimator_ends(tmp_path):
    text = PROGRAM.read_text()
    for before, after in [
        ("os.path.join(args.model_dir, name)", "args.model_dir"),
        ("save_summary_steps=1, save_checkpoints_steps=20", "save_summary_steps=50, save_checkpoints_steps=9999"),
        ("shuffle(640, seed=1).repeat().batch(64)", "repeat().batch(640)"),  # the same batch after each start
        ("train(input_fn, ", "train(input_fn, [tf1.train.CheckpointSaverHook(args.model_dir, save_steps=100)], "),
    ]:
        assert before in text
        text = text.replace(before, after)
    source = tmp_path / "saved_by_hook.py"
    source.write_text(text)
    pair = WrittenPair(source, tmp_path / "pair")
    old = pair.kept("alone", ("at_50", "--max_steps", 50, *ADAM), ("at_1500", "--max_steps", 1500, *ADAM))
    shutil.copytree(old / "at_50", tmp_path / "job")
    assert pair.kill(pair.new, tmp_path / "job", "--max_steps", 1500, *ADAM, within=0.2)
    assert kept(tmp_path / "job")[-1] < 1500
    pair.run(pair.new, tmp_path / "job", "--max_steps", 1500, *ADAM)
    assert_equal(final_variables(tmp_path / "job"), final_variables(old / "at_1500"))
    assert kept(tmp_path / "job") == [1150, 1250, 1350, 1450, 1500]
