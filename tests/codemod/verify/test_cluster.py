"""The tasks of a job find one another at ports that stay theirs."""

import socket

from migrate.verify.training_program import free_ports


def test_no_connection_takes_the_port_of_a_task_that_is_down():
    with socket.create_server(("localhost", 0)) as server, socket.create_connection(server.getsockname()) as connection:
        assert max(free_ports(50)) < connection.getsockname()[1]


def test_ports_differ_and_nothing_listens_at_them():
    ports = free_ports(50)
    assert len({*ports}) == 50
    for port in ports:
        socket.create_server(("localhost", port)).close()
