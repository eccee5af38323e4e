"""A scheduler's end: SIGTERM, and SIGKILL after a grace; what was done until the SIGTERM is done."""

import signal
import time

import tensorflow as tf

from .conftest import started

GRACE = 20
"""Seconds from SIGTERM to SIGKILL: of the 30 that Kubernetes gives."""
JOB = """
Estimator.save_on_sigterm = sys.argv[3] == "saves"


def lingers(number, frame):
    os.write(1, b"lingers\\n")  # not by print, which the signal may have struck amid a line of its own
    time.sleep(600)  # what a service does of its own when it is asked to end; it takes too long


class Told(tf1.train.SessionRunHook):
    def after_create_session(self, session, coord):
        print("from", session.run(tf1.train.get_global_step()), flush=True)

    def before_run(self, run_context):
        return tf1.train.SessionRunArgs(tf1.train.get_global_step())

    def after_run(self, run_context, run_values):
        print("step", run_values.results, flush=True)
        time.sleep(0.01)


signal.signal(signal.SIGTERM, lingers)
Estimator(model_fn, sys.argv[1], RunConfig(save_checkpoints_steps=100_000)).train(
    data, max_steps=int(sys.argv[2]), hooks=[Told()]
)
"""


def ended_by_a_scheduler(folder, way):
    """The steps that a job told before its SIGTERM, and the step saved last when it was killed after its grace."""
    job = started(folder, JOB, 1_000_000, way)
    steps = []
    for line in job.stdout:
        steps += [int(line.split()[1])] if line.startswith("step") else []
        if len(steps) == 30:
            break
    job.send_signal(signal.SIGTERM)
    until = time.monotonic() + GRACE
    for line in job.stdout:
        if line.startswith("lingers"):
            break
    assert time.monotonic() < until
    saved = int(tf.train.latest_checkpoint(folder / "model").rpartition("-")[2])
    assert job.poll() is None  # it is still there, and would be for minutes
    job.send_signal(signal.SIGKILL)
    assert job.wait() == -signal.SIGKILL
    return steps[-1], saved


def from_step(folder, max_steps, way):
    """The step from which the job resumes when it is started again; it trains to its end."""
    output, _ = started(folder, JOB, max_steps, way).communicate()
    return next(int(line.split()[1]) for line in output.splitlines() if line.startswith("from"))


def test_a_job_that_saves_on_sigterm_resumes_where_it_was_told_to_end_although_it_is_killed_then(tmp_path):
    told, saved = ended_by_a_scheduler(tmp_path, "saves")
    assert saved >= told
    assert from_step(tmp_path, saved + 3, "saves") == saved
    assert tf.train.latest_checkpoint(tmp_path / "model").endswith(f"-{saved + 3}")


def test_a_job_that_does_not_ask_for_it_loses_what_it_did_since_its_last_save(tmp_path):
    told, saved = ended_by_a_scheduler(tmp_path, "")
    assert told > saved == 0
    assert from_step(tmp_path, 3, "") == 0
