"""Copies of a job's directory."""

from migrate.verify.training_program import copy_directory


def test_a_copy_names_its_own_checkpoints(tmp_path):
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.mkdir()
    (source / "checkpoint").write_text(f'model_checkpoint_path: "{source}/model.ckpt-5"\n')
    (source / "model.ckpt-5.index").write_bytes(b"\0")
    copy_directory(source, copy)
    assert (copy / "checkpoint").read_text() == f'model_checkpoint_path: "{copy}/model.ckpt-5"\n'
    assert (source / "checkpoint").read_text() == f'model_checkpoint_path: "{source}/model.ckpt-5"\n'
    assert (copy / "model.ckpt-5.index").exists()
