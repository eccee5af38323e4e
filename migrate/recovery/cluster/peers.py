"""Watches the other tasks of a cluster, and ends this process when one is lost.

Each training task publishes its state, such as the id of its start and its phase, in a
variable on its server. The others read it: a new id, or no answer, is a lost task.
"""

import contextlib
import json
import os
import sys
import threading
import time
import uuid

import tensorflow as tf
import tensorflow.compat.v1 as tf1

GONE = (
    "A worker of this job is gone. Start all of them again: they go on from the latest "
    "checkpoint."
)
LOST_SECS = 30  # a task without an answer for so long is lost
_ASK_SECS = 5
_FIRST = {"chief": 0, "master": 0, "worker": 1}  # order of the jobs that train
_START = uuid.uuid4().hex


class Peer(threading.Thread):
    """A thread that reads the state of another task every half second.

    Args:
      protocol: of its server, such as "grpc".
      task: (job, index, address).
      check: is called with this peer after each attempt.

    Attributes:
      state: [start id, number of the training, phase, members, steps taken when it
        stopped or None]; None before the task publishes it.
      start_id: the start id that the task must have; None for any.
      is_answering: whether the last attempt succeeded.
    """

    state = start_id = None
    is_answering = False

    def __init__(self, protocol, task, check):
        super().__init__(name="{} {} at {}".format(*task), daemon=True)
        self._target, self._check = f"{protocol}://{task[2]}", check
        self._device = f"/job:{task[0]}/task:{task[1]}"
        self._session, self._is_over = None, threading.Event()
        self._answered = time.monotonic()

    @property
    def silent_secs(self):
        """Seconds since the last answer."""
        return time.monotonic() - self._answered

    def run(self):
        while not self._is_over.wait(0.5):
            self._ask()
            self._check(self)

    def end(self):
        """Ends the thread after the current attempt."""
        self._is_over.set()

    def why_gone(self):
        """Returns why the task with start_id is lost, a str; "" if it is not."""
        if self.start_id is None:
            return ""
        if self.is_answering and (self.state or [None])[0] != self.start_id:
            return "has started again"
        is_lost = self.silent_secs > LOST_SECS
        return f"has not answered for {LOST_SECS} seconds" if is_lost else ""

    def _ask(self):
        try:
            state = json.loads(self._read())
        except tf.errors.FailedPreconditionError:  # it has published nothing yet
            state = None
        except tf.errors.OpError:
            self._session, self.is_answering = None, False
            return
        self.state, self._answered, self.is_answering = state, time.monotonic(), True

    def _read(self):
        if self._session is None:
            with _graph(self._device) as graph:
                handle, kind = _handle(), tf.string
                self._read_op = tf.raw_ops.ReadVariableOp(resource=handle, dtype=kind)
            self._session = _session(self._target, graph, self._device)
        options = tf1.RunOptions(timeout_in_ms=1000 * _ASK_SECS)
        return self._session.run(self._read_op, options=options).decode()


class JointTraining:
    """Lets several tasks begin, step and end a training together.

    The chief watches all others, and they watch the chief: if one is lost, all end.

    Args:
      config: a ``RunConfig`` with its cluster.
      target: the address of this task's server.
      is_first: whether the tasks have not waited for each other before; a task that
        restarts while the others wait may then still join.

    Attributes:
      begun: how many steps this task has begun.
      needs_all: whether to end this process when another task is lost.
    """

    _trainings, _starts = 0, {}  # trainings of this process; start ids of the others

    def __init__(self, config, target, is_first):
        JointTraining._trainings += 1
        self._own = [_START, JointTraining._trainings]
        self._target, self._is_first = target, is_first and not JointTraining._starts
        self._device = f"/job:{config.task_type}/task:{config.task_id}"
        self._secs = config.session_creation_timeout_secs
        self._is_chief, self._members, self._taken = config.is_chief, [], None
        self.begun, self.needs_all = 0, False
        own = config.task_type, config.task_id
        tasks = [task for task in _tasks(config) if task[0] in _FIRST]
        others = [task for task in tasks if task[:2] != own]
        protocol = config.protocol or "grpc"
        watched = others if self._is_chief else others[:1]
        self._peers = [Peer(protocol, task, self._check) for task in watched]

    def begin(self):
        """Waits until all tasks are ready to begin."""
        self._publish("waits")
        self.needs_all = not self._is_first
        for peer in self._peers:
            peer.start_id = JointTraining._starts.get(peer.name)
            peer.start()
        states = self._wait(self._is_ready)
        self._members = [[start, number] for start, number, *_ in states]
        for peer, (start, _) in zip(self._peers, self._members):
            peer.start_id = JointTraining._starts[peer.name] = start
        self.needs_all = True
        self._publish("trains")

    def stop(self, taken):
        """Publishes how many steps this task has taken when it stops, an int."""
        self._taken = taken
        self._publish("stops")

    def end(self):
        """Waits until all tasks have ended, and the chief has saved."""
        self.needs_all = not self._is_chief  # the chief has saved already
        self._publish("ends")
        if self._is_chief:
            self._wait(self._has_left)
        else:
            self._wait(lambda peer, state: _phase(state) == "ends")
            self._publish("left")
        self.needs_all = False

    def close(self, secs):
        """Ends the watch; waits at most secs seconds for the threads to end."""
        self.needs_all = False
        _end_all(self._peers, secs)

    def _is_ready(self, peer, state):
        if self._is_chief:
            return _phase(state) == "waits"
        return _phase(state) == "trains" and self._own in state[3]

    def _has_left(self, peer, state):
        return _phase(state) in ("left", "waits") or not peer.is_answering

    def _wait(self, is_over):
        """Waits until is_over(peer, its state) for all peers; returns their states."""
        began = warned = time.monotonic()
        while True:
            states = [(peer, peer.state) for peer in self._peers]
            late = [peer.name for peer, state in states if not is_over(peer, state)]
            if not late:
                return [state for _, state in states]
            time.sleep(0.1)
            now, names = time.monotonic(), ", ".join(late)
            if now - began > self._secs:
                raise RuntimeError(f"{GONE} Waited {self._secs} seconds for {names}.")
            if now - warned > LOST_SECS:
                tf1.logging.warning("Waits for %s.", names)
                warned = now

    def _check(self, peer):
        state = peer.state
        if not self._is_first and peer.start_id is None and state:
            peer.start_id = state[0]
        why = peer.why_gone()
        if state and state[:2] in self._members and state[4] is not None:
            why = why or ("has ended before" if self.begun > state[4] else "")
        if why and self.needs_all:
            _end_process(f"{GONE} {peer.name} {why}.")

    def _publish(self, phase):
        with _graph(self._device) as graph:
            text = tf1.placeholder(tf.string, [])
            update = tf.raw_ops.AssignVariableOp(resource=_handle(), value=text)
        with _session(self._target, graph, self._device) as session:
            state = *self._own, phase, self._members, self._taken
            session.run(update, {text: json.dumps(state)})


class Watch:
    """A context that watches the tasks that a worker of parameter servers needs.

    It warns when one does not answer, and ends this process when a parameter server has
    not answered for session_creation_timeout_secs.

    Args:
      config: a ``RunConfig`` with its cluster.
    """

    def __init__(self, config):
        self._secs, protocol = config.session_creation_timeout_secs, config.protocol
        jobs = {"ps"} if config.is_chief else {"ps", "chief", "master"}
        needed = [task for task in _tasks(config) if task[0] in jobs]
        self._peers = [Peer(protocol or "grpc", task, self._check) for task in needed]
        self._silent = set()

    def __enter__(self):
        for peer in self._peers:
            peer.start()

    def __exit__(self, kind, *_):
        _end_all(self._peers, 20 if kind is None else 1)

    def _check(self, peer):
        if peer.silent_secs > self._secs and peer.name.startswith("ps "):
            _end_process(f"{peer.name} has not answered for {self._secs} seconds.")
        if peer.is_answering:
            self._silent.discard(peer)
        elif peer.silent_secs > LOST_SECS and peer not in self._silent:
            self._silent.add(peer)
            tf1.logging.warning("%s does not answer.", peer.name)


def _end_all(peers, secs):
    """Ends the threads: one that still runs when Python exits may abort the process."""
    until = time.monotonic() + secs
    for peer in peers:
        peer.end()
    for peer in filter(Peer.is_alive, peers):
        peer.join(max(0, until - time.monotonic()))


def _tasks(config):
    """Returns (job, index, address) of each task of a cluster, the chief first."""
    jobs = config.cluster_spec.as_dict()
    return [
        (job, index, address)
        for job in sorted(jobs, key=lambda job: _FIRST.get(job, 2))
        for index, address in enumerate(jobs[job])
    ]


def _phase(state):
    return state and state[2]


def _handle():
    return tf.raw_ops.VarHandleOp(dtype=tf.string, shape=[], shared_name="tf2_recovery")


@contextlib.contextmanager
def _graph(device):
    with tf.Graph().as_default() as graph, graph.device(device):
        yield graph


def _session(target, graph, device):
    """Returns a session that connects to one task only."""
    config = tf1.ConfigProto(device_filters=[device])
    config.operation_timeout_in_ms = 1000 * _ASK_SECS
    return tf1.Session(target, graph, config)


def _end_process(message):
    """Ends this process at once: another thread may wait forever."""
    tf1.logging.error(message)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(1)
