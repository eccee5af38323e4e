"""The directory and the ports that a job gets."""

import socket

from migrate.verify.training_program import copy_directory, free_ports


def test_no_connection_takes_the_port_of_a_task_that_is_down():
    with socket.create_server(("localhost", 0)) as server, socket.create_connection(server.getsockname()) as connection:
        assert max(free_ports(50)) < connection.getsockname()[1]


def test_ports_differ_and_nothing_listens_at_them():
    ports = free_ports(50)
    assert len({*ports}) == 50
    for port in ports:
        socket.create_server(("localhost", port)).close()


def test_a_copy_names_its_own_checkpoints(tmp_path):
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.mkdir()
    (source / "checkpoint").write_text(f'model_checkpoint_path: "{source}/model.ckpt-5"\n')
    (source / "model.ckpt-5.index").write_bytes(b"\0")
    copy_directory(source, copy)
    assert (copy / "checkpoint").read_text() == f'model_checkpoint_path: "{copy}/model.ckpt-5"\n'
    assert (source / "checkpoint").read_text() == f'model_checkpoint_path: "{source}/model.ckpt-5"\n'
    assert (copy / "model.ckpt-5.index").exists()
