"""The tasks of one job on this machine, which know each other by TF_CONFIG."""

import json
import random
import socket
from contextlib import ExitStack, suppress

HOST = "localhost"
_PORTS = range(20_000, 32_768)
"""Below those that Linux, macOS and Windows give to connections by themselves."""
TRAINING = ("chief", "worker")
"""The types of the tasks that end by themselves, when training is done."""


def task_variables(tasks: list[str]) -> list[dict[str, str]]:
    """The variables of each task, by its type, on ports that are free now; of a single one, none.

    An evaluator is no part of the cluster that the others see, as TensorFlow wants it.
    """
    if len(tasks) == 1:
        return [{}]
    cluster: dict[str, list[str]] = {}
    placed = []
    for task, port in zip(tasks, free_ports(len(tasks)), strict=True):
        placed.append({"type": task, "index": len(cluster.setdefault(task, []))})
        cluster[task].append(f"{HOST}:{port}")
    cluster.pop("evaluator", None)
    return [{"TF_CONFIG": json.dumps({"cluster": cluster, "task": task})} for task in placed]


def free_ports(count: int) -> list[int]:
    """So many ports that no process listens at, and that no connection is given while a task is down."""
    found: list[int] = []
    with ExitStack() as sockets:
        for port in random.sample(_PORTS, len(_PORTS)):
            if len(found) == count:
                break
            with suppress(OSError):
                sockets.enter_context(socket.socket()).bind((HOST, port))
                found.append(port)
    return found


def task_of_fault(tasks: list[str], worker: int) -> int:
    """The place of the task that a fault strikes: its number among those that train, from the end if negative."""
    return worker % sum(task in TRAINING for task in tasks)
