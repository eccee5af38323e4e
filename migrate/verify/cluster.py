"""The workers of one job on this machine, told of one another by TF_CONFIG."""

from __future__ import annotations

import json
import socket
from contextlib import ExitStack

HOST = "localhost"


def worker_variables(count: int) -> list[dict[str, str]]:
    """The variables of each of ``count`` workers, on ports that are free now; of a single one, none.

    Worker 0 is the chief, as in every cluster that names no other.
    """
    if count == 1:
        return [{}]
    with ExitStack() as sockets:
        bound = [sockets.enter_context(socket.socket()) for _ in range(count)]
        for each in bound:
            each.bind((HOST, 0))
        addresses = [f"{HOST}:{each.getsockname()[1]}" for each in bound]
    cluster = {"worker": addresses}
    tasks = [{"cluster": cluster, "task": {"type": "worker", "index": index}} for index in range(count)]
    return [{"TF_CONFIG": json.dumps(task)} for task in tasks]
