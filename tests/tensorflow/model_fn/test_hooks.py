"""Unchanged session hooks around the steps of a migrated model_fn, which a session runs."""

import pytest
import tensorflow as tf
import tensorflow.compat.v1 as tf1

from migrate.recovery.hooks import ProfilerHook

from .linear import Job, Noting, loss_of, trained


def named_loss(features, labels, mode):
    return trained(mode, tf.identity(loss_of(features, labels), name="the_loss"))


class Recording(tf1.train.SessionRunHook):
    """Fetches the loss by its name, the step, and an operation; notes every event."""

    def __init__(self, stop_at=None, error_at=None):
        self.events, self.losses, self.steps = [], [], []
        self.stop_at, self.error_at = stop_at, error_at

    def begin(self):
        self.events.append("begin")
        self.step = tf1.train.get_global_step()
        self.double = tf1.get_default_graph().get_tensor_by_name("the_loss:0") * 2.0

    def after_create_session(self, session, coord):
        self.events.append(f"session at {session.run(self.step)}")

    def before_run(self, run_context):
        assert run_context.original_args.fetches
        operation = tf1.get_default_graph().get_operations()[0]
        fetches = {"loss": ["the_loss:0", self.double], "step": self.step, "op": operation}
        return tf1.train.SessionRunArgs(fetches)

    def after_run(self, run_context, run_values):
        loss, double = run_values.results["loss"]
        assert double == loss * 2
        assert run_values.results["op"] is None
        self.losses.append(float(loss))
        self.steps.append(int(run_context.session.run(self.step)))
        if self.steps[-1] == self.stop_at:
            run_context.request_stop()
        if self.steps[-1] == self.error_at:
            raise StopIteration

    def end(self, session):
        self.events.append(f"end at {session.run(self.step)}")


def test_what_a_hook_fetches_is_computed_by_the_step_itself(tmp_path):
    hook, plain = Recording(), Noting()
    Job(tmp_path / "a", named_loss).run(6, hooks=[hook])
    Job(tmp_path / "b", named_loss).run(6, hooks=[plain])
    assert hook.losses == plain.losses
    assert hook.steps == [1, 2, 3, 4, 5, 6]
    assert hook.events == ["begin", "session at 0", "end at 6"]


def test_logging_tensor_hook_logs_every_n_steps(tmp_path, caplog):
    tf.get_logger().propagate = True
    caplog.set_level("INFO", logger="tensorflow")
    hook = tf1.train.LoggingTensorHook({"lost": "the_loss:0"}, every_n_iter=3)
    Job(tmp_path, named_loss).run(8, hooks=[hook])
    lines = {record.getMessage().partition(" (")[0] for record in caplog.records if "lost = " in record.getMessage()}
    assert len(lines) == 3


def test_a_profiler_hook_may_be_made_before_its_graph_and_writes_what_it_wrote(tmp_path):
    hook = ProfilerHook(save_steps=3, output_dir=str(tmp_path / "profile"))
    assert Job(tmp_path / "job").run(9, hooks=[hook]) == 9
    assert len(list((tmp_path / "profile").glob("timeline-*.json"))) == 3


def test_the_old_profiler_hook_cannot_be_made_outside_a_graph(tmp_path):
    with pytest.raises(RuntimeError, match="not compatible with eager execution"):
        tf1.train.ProfilerHook(save_steps=3, output_dir=str(tmp_path))
