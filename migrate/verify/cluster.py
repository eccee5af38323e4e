"""The tasks of one job on this machine, told of one another by TF_CONFIG."""

from __future__ import annotations

import json
import socket
from contextlib import ExitStack

HOST = "localhost"
TRAINING = ("chief", "worker")
"""The types of the tasks that end by themselves, when training is done."""


def task_variables(tasks: list[str]) -> list[dict[str, str]]:
    """The variables of each task, by its type, on ports that are free now; of a single one, none.

    An evaluator is no part of the cluster that the others see, as TensorFlow wants it.
    """
    if len(tasks) == 1:
        return [{}]
    with ExitStack() as sockets:
        bound = [sockets.enter_context(socket.socket()) for _ in tasks]
        for each in bound:
            each.bind((HOST, 0))
        addresses = [f"{HOST}:{each.getsockname()[1]}" for each in bound]
    cluster: dict[str, list[str]] = {}
    placed = []
    for task, address in zip(tasks, addresses, strict=True):
        placed.append({"type": task, "index": len(cluster.setdefault(task, []))})
        cluster[task].append(address)
    cluster.pop("evaluator", None)
    return [{"TF_CONFIG": json.dumps({"cluster": cluster, "task": task})} for task in placed]


def struck(tasks: list[str], worker: int) -> int:
    """The place of the task that a fault strikes: its number among those that train, from the end if negative."""
    return worker % sum(task in TRAINING for task in tasks)
