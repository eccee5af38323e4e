"""Whether the other tasks of a cluster are there, and in the same training.

Each task that trains tells by a variable on its own server of which start it is and what it
does. The others read that: another start, or no answer, and the task that they knew is gone.
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
LOST_SECS = 30  # who gives no answer for so long is gone
_ASK_SECS = 5
_FIRST = {"chief": 0, "master": 0, "worker": 1}  # who trains; an evaluator is beside it
_START = uuid.uuid4().hex


class Peer(threading.Thread):
    """Another task, which is asked again and again what it does.

    Args:
      protocol: of its server.
      task: its job, index and address.
      heard: is called with this after each time.

    Attributes:
      told: its start, its training, what it does in it, with whom, and after how many
        steps it takes no other; None before it says so.
      known: the start that it has to be of; None for any.
      answers: whether it did the last time.
    """

    told = known = None
    answers = False

    def __init__(self, protocol, task, heard):
        super().__init__(name="{} {} at {}".format(*task), daemon=True)
        self._target, self._heard = f"{protocol}://{task[2]}", heard
        self._device = f"/job:{task[0]}/task:{task[1]}"
        self._session, self._is_over = None, threading.Event()
        self._answered = time.monotonic()

    @property
    def silent_secs(self):
        """How long it has given no answer."""
        return time.monotonic() - self._answered

    def run(self):
        while not self._is_over.wait(0.5):
            self._ask()
            self._heard(self)

    def end(self):
        """Has it ask no more."""
        self._is_over.set()

    def why_gone(self):
        """Returns why this is not the task that was known; "" where it is."""
        if self.known is None:
            return ""
        if self.answers and (self.told or [None])[0] != self.known:
            return "has started again"
        is_lost = self.silent_secs > LOST_SECS
        return f"has not answered for {LOST_SECS} seconds" if is_lost else ""

    def _ask(self):
        try:
            told = json.loads(self._read())
        except (
            tf.errors.FailedPreconditionError
        ):  # of its server: it has said nothing yet
            told = None
        except tf.errors.OpError:
            self._session, self.answers = None, False
            return
        self.told, self._answered, self.answers = told, time.monotonic(), True

    def _read(self):
        if self._session is None:
            with _graph(self._device) as graph:
                handle, kind = _handle(), tf.string
                self._told = tf.raw_ops.ReadVariableOp(resource=handle, dtype=kind)
            self._session = _session(self._target, graph, self._device)
        options = tf1.RunOptions(timeout_in_ms=1000 * _ASK_SECS)
        return self._session.run(self._told, options=options).decode()


class Together:
    """A training whose steps several tasks take together, from its beginning to its end.

    The chief asks all others, and they ask the chief: where one is gone, all end.

    Args:
      config: a ``RunConfig`` with its cluster.
      target: of this task's server.
      is_first: whether the tasks have not waited for each other before: one that starts
        again while they wait is still in time.

    Attributes:
      begun: how many steps were begun.
      needs_all: whether this task cannot go on where another is gone.
    """

    _trainings, _starts = 0, {}  # of this process, and of the others

    def __init__(self, config, target, is_first):
        Together._trainings += 1
        self._own = [_START, Together._trainings]
        self._target, self._is_first = target, is_first and not Together._starts
        self._device = f"/job:{config.task_type}/task:{config.task_id}"
        self._secs = config.session_creation_timeout_secs
        self._is_chief, self._members, self._taken = config.is_chief, [], None
        self.begun, self.needs_all = 0, False
        own = config.task_type, config.task_id
        tasks = [task for task in _tasks(config) if task[0] in _FIRST]
        others = [task for task in tasks if task[:2] != own]
        protocol = config.protocol or "grpc"
        asked = others if self._is_chief else others[:1]
        self._peers = [Peer(protocol, task, self._heard) for task in asked]

    def begin(self):
        """Waits until all are about to begin."""
        self._tell("waits")
        self.needs_all = not self._is_first
        for peer in self._peers:
            peer.known = Together._starts.get(peer.name)
            peer.start()
        told = self._wait(self._is_in_time)
        self._members = [[start, number] for start, number, *_ in told]
        for peer, (start, _) in zip(self._peers, self._members):
            peer.known = Together._starts[peer.name] = start
        self.needs_all = True
        self._tell("trains")

    def stop(self, taken):
        """Tells after how many steps this task takes no other."""
        self._taken = taken
        self._tell("stops")

    def end(self):
        """Waits until all have ended, and the chief has saved."""
        self.needs_all = not self._is_chief  # which is done
        self._tell("ends")
        if self._is_chief:
            self._wait(self._has_left)
        else:
            self._wait(lambda peer, told: _does(told) == "ends")
            self._tell("left")
        self.needs_all = False

    def close(self, secs):
        """Asks the others no more, and waits so long for their last answers."""
        self.needs_all = False
        _end_all(self._peers, secs)

    def _is_in_time(self, peer, told):
        if self._is_chief:
            return _does(told) == "waits"
        return _does(told) == "trains" and self._own in told[3]

    def _has_left(self, peer, told):
        return _does(told) in ("left", "waits") or not peer.answers

    def _wait(self, is_over):
        """Returns what the others tell once it is over for all of them."""
        began = said = time.monotonic()
        while True:
            found = [(peer, peer.told) for peer in self._peers]
            late = [peer.name for peer, told in found if not is_over(peer, told)]
            if not late:
                return [told for _, told in found]
            time.sleep(0.1)
            now, names = time.monotonic(), ", ".join(late)
            if now - began > self._secs:
                raise RuntimeError(f"{GONE} Waited {self._secs} seconds for {names}.")
            if now - said > LOST_SECS:
                tf1.logging.warning("Waits for %s.", names)
                said = now

    def _heard(self, peer):
        told = peer.told
        if not self._is_first and peer.known is None and told:
            peer.known = told[0]
        why = peer.why_gone()
        if told and told[:2] in self._members and told[4] is not None:
            why = why or ("has ended before" if self.begun > told[4] else "")
        if why and self.needs_all:
            _end_process(f"{GONE} {peer.name} {why}.")

    def _tell(self, doing):
        with _graph(self._device) as graph:
            text = tf1.placeholder(tf.string, [])
            told = tf.raw_ops.AssignVariableOp(resource=_handle(), value=text)
        with _session(self._target, graph, self._device) as session:
            state = *self._own, doing, self._members, self._taken
            session.run(told, {text: json.dumps(state)})


class Watch:
    """The watch for the tasks without which a training on parameter servers stands still.

    It says that one does not answer, and ends this process where a server never does.

    Args:
      config: a ``RunConfig`` with its cluster.
    """

    def __init__(self, config):
        self._secs, protocol = config.session_creation_timeout_secs, config.protocol
        jobs = {"ps"} if config.is_chief else {"ps", "chief", "master"}
        needed = [task for task in _tasks(config) if task[0] in jobs]
        self._peers = [Peer(protocol or "grpc", task, self._heard) for task in needed]
        self._silent = set()

    def __enter__(self):
        for peer in self._peers:
            peer.start()

    def __exit__(self, kind, *_):
        _end_all(self._peers, 20 if kind is None else 1)

    def _heard(self, peer):
        if peer.silent_secs > self._secs and peer.name.startswith("ps "):
            _end_process(f"{peer.name} has not answered for {self._secs} seconds.")
        if peer.answers:
            self._silent.discard(peer)
        elif peer.silent_secs > LOST_SECS and peer not in self._silent:
            self._silent.add(peer)
            tf1.logging.warning("%s does not answer.", peer.name)


def _end_all(peers, secs):
    """Ends the threads: one that still asks as Python ends may end it by an abort."""
    until = time.monotonic() + secs
    for peer in peers:
        peer.end()
    for peer in filter(Peer.is_alive, peers):
        peer.join(max(0, until - time.monotonic()))


def _tasks(config):
    """Returns job, index and address of each task of a cluster, the chief first."""
    jobs = config.cluster_spec.as_dict()
    return [
        (job, index, address)
        for job in sorted(jobs, key=lambda job: _FIRST.get(job, 2))
        for index, address in enumerate(jobs[job])
    ]


def _does(told):
    return told and told[2]


def _handle():
    return tf.raw_ops.VarHandleOp(dtype=tf.string, shape=[], shared_name="tf2_recovery")


@contextlib.contextmanager
def _graph(device):
    with tf.Graph().as_default() as graph, graph.device(device):
        yield graph


def _session(target, graph, device):
    """Returns a session that speaks with one task alone."""
    config = tf1.ConfigProto(device_filters=[device])
    config.operation_timeout_in_ms = 1000 * _ASK_SECS
    return tf1.Session(target, graph, config)


def _end_process(message):
    """Ends this process, of which a thread may wait for ever."""
    tf1.logging.error(message)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(1)
